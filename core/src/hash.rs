//! The hashes and MACs used everywhere: SHA-256, HMAC-SHA256 (RFC 2104), HKDF (RFC 5869).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// SHA-256 as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Letters and digits (at most 32) that the bytes decide on, as good as drawn by chance.
pub fn letters(bytes: &[u8], count: usize) -> String {
    const ALL: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let letter = |byte: &u8| ALL.get(usize::from(*byte).checked_rem(ALL.len()).unwrap_or(0)).copied().map(char::from);
    Sha256::digest(bytes).iter().filter_map(letter).take(count).collect()
}

/// Base64 with the URL alphabet and no padding (RFC 4648, section 5).
pub fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of such a text; `None` for any other text.
pub fn from_base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// A key for one purpose, derived from the master key.
#[derive(Clone)]
pub struct DerivedKey([u8; 32]);

impl DerivedKey {
    /// HKDF-SHA256 of the master key with the purpose as info.
    pub fn derive(master: &[u8], purpose: &str) -> DerivedKey {
        let mut key = [0; 32];
        // 32 bytes are far below HKDF's limit of 255 blocks, so this cannot fail; a key of zeros would be refused by
        // every comparison with a MAC made elsewhere.
        let _ = Hkdf::<Sha256>::new(Some(b"toolgate"), master).expand(purpose.as_bytes(), &mut key);
        DerivedKey(key)
    }

    /// The key itself, for a cipher.
    pub(crate) fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// HMAC-SHA256 over the parts, each preceded by its length so that no two lists of parts collide.
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.start(parts).map(|mac| mac.finalize().into_bytes().into()).unwrap_or_default()
    }

    /// Does this (possibly shortened) MAC belong to the parts? Compared in constant time.
    pub fn verify(&self, parts: &[&[u8]], mac: &[u8]) -> bool {
        mac.len() >= 8 && self.start(parts).is_some_and(|expected| expected.verify_truncated_left(mac).is_ok())
    }

    fn start(&self, parts: &[&[u8]]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        Some(mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_collide_and_short_macs_are_refused() {
        let key = DerivedKey::derive(b"0123456789abcdef0123456789abcdef", "test");
        assert_ne!(key.mac(&[b"ab", b"c"]), key.mac(&[b"a", b"bc"]));
        let mac = key.mac(&[b"ab"]);
        assert!(key.verify(&[b"ab"], &mac) && key.verify(&[b"ab"], &mac[..8]));
        assert!(!key.verify(&[b"ab"], &mac[..7]) && !key.verify(&[b"ac"], &mac));
        let other = DerivedKey::derive(b"0123456789abcdef0123456789abcdef", "other");
        assert!(!other.verify(&[b"ab"], &mac));
    }

    #[test]
    fn known_digest() {
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(from_base64url("aGk"), Some(b"hi".to_vec()));
        assert_eq!(from_base64url("aGk="), None);
    }
}

//! Secrets at rest: AES-256-GCM (NIST SP 800-38D), bound to the place they belong to.
//!
//! A sealed secret moved to another org or pool does not open. The key is derived from the master key, the nonce is
//! random: 2^32 secrets could be sealed before a repeat is likely enough to matter.

use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use aes_gcm::{Aes256Gcm, Nonce};

use crate::hash::{DerivedKey, base64url, from_base64url};

const NONCE_BYTES: usize = 12;

/// Seals and opens.
#[derive(Clone)]
pub struct Seal {
    key: DerivedKey,
    fingerprints: DerivedKey,
}

impl Seal {
    /// Keys derived from the master key, one label per purpose.
    pub fn new(master: &[u8]) -> Seal {
        Seal {
            key: DerivedKey::derive(master, "endpoint secret v1"),
            fingerprints: DerivedKey::derive(master, "secret fingerprint v1"),
        }
    }

    /// The secret as it may be stored at this place (org, pool); `None` when the cipher fails, which it does not for
    /// any text of ours.
    pub fn seal(&self, place: &[&str], secret: &[u8], entropy: &[u8; 16]) -> Option<String> {
        let nonce = entropy.first_chunk::<NONCE_BYTES>()?;
        let bound = bound(place);
        let payload = Payload { msg: secret, aad: &bound };
        let sealed = self.cipher().encrypt(&Nonce::from(*nonce), payload).ok()?;
        let mut bytes = nonce.to_vec();
        bytes.extend(sealed);
        Some(base64url(&bytes))
    }

    /// The secret, if it was sealed for this place by this master key.
    pub fn open(&self, place: &[&str], sealed: &str) -> Option<Vec<u8>> {
        let bytes = from_base64url(sealed)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let bound = bound(place);
        self.cipher().decrypt(&Nonce::from(*nonce), Payload { msg: sealed, aad: &bound }).ok()
    }

    /// The same for the same secret of an org, and tells nothing of it: to find a secret that serves two things.
    pub fn fingerprint(&self, org: &str, secret: &[u8]) -> String {
        base64url(&self.fingerprints.mac(&[org.as_bytes(), secret]))
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(&self.key.bytes().into())
    }
}

/// No two places give the same bytes.
fn bound(place: &[&str]) -> Vec<u8> {
    serde_json::json!(place).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_at_its_place_alone() {
        let seal = Seal::new(b"0123456789abcdef0123456789abcdef");
        let sealed = seal.seal(&["acme", "shop"], b"hidden", &[7; 16]).unwrap();
        assert!(!sealed.contains("hidden"));
        assert_eq!(seal.open(&["acme", "shop"], &sealed), Some(b"hidden".to_vec()));
        for place in [&["acme", "other"][..], &["other", "shop"], &["acmes", "hop"], &["acme"]] {
            assert_eq!(seal.open(place, &sealed), None, "{place:?}");
        }
        let other = Seal::new(b"another-master-key-of-32-bytes-!");
        assert_eq!(other.open(&["acme", "shop"], &sealed), None);
        for at in 0..sealed.len() {
            let mut forged = sealed.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert!(forged == sealed || seal.open(&["acme", "shop"], &forged).is_none());
        }
        for text in ["", "A", "AAAA", "not base64!"] {
            assert_eq!(seal.open(&["acme", "shop"], text), None);
        }
    }

    #[test]
    fn fingerprints_find_the_same_secret_within_an_org() {
        let seal = Seal::new(b"0123456789abcdef0123456789abcdef");
        assert_eq!(seal.fingerprint("a", b"one"), seal.fingerprint("a", b"one"));
        assert_ne!(seal.fingerprint("a", b"one"), seal.fingerprint("a", b"two"));
        assert_ne!(seal.fingerprint("a", b"one"), seal.fingerprint("b", b"one"));
    }
}

//! Secrets: `whsec_` and the standard base64 of 24 to 64 bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Fewest bytes of a key.
pub const KEY_BYTES_MIN: usize = 24;
/// Most bytes of a key.
pub const KEY_BYTES_MAX: usize = 64;
const PREFIX: &str = "whsec_";

/// A signing secret. It is shown by [`Secret::to_text`] and by nothing else.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// Why a text is no secret; the text itself is never repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretFault {
    /// Nothing, or `whsec_` with nothing after it: an unset variable, most often.
    Empty,
    /// Nothing but white space.
    Blank,
    /// `v1,whsec_…`: the version of a signature stands before it.
    VersionPrefixed,
    /// `whsk_…` or `whpk_…`: a key of the asymmetric scheme.
    Asymmetric,
    /// Not base64 with the standard alphabet and its padding.
    NotBase64,
    /// Fewer than 24 bytes.
    TooShort(usize),
    /// More than 64 bytes.
    TooLong(usize),
}

impl Secret {
    /// Reads a secret. White space around it is dropped (a line break comes along with most ways of storing one), and
    /// the prefix may be missing, as stock libraries allow.
    ///
    /// # Errors
    /// The cause, in words for the person who configured it.
    pub fn parse(text: &str) -> Result<Secret, SecretFault> {
        if text.is_empty() {
            return Err(SecretFault::Empty);
        }
        let text = text.trim();
        if text.is_empty() {
            return Err(SecretFault::Blank);
        }
        if text.starts_with("v1,") || text.starts_with("v1a,") {
            return Err(SecretFault::VersionPrefixed);
        }
        if text.starts_with("whsk_") || text.starts_with("whpk_") {
            return Err(SecretFault::Asymmetric);
        }
        let text = text.strip_prefix(PREFIX).unwrap_or(text);
        if text.is_empty() {
            return Err(SecretFault::Empty);
        }
        Secret::from_bytes(&STANDARD.decode(text).map_err(|_| SecretFault::NotBase64)?)
    }

    /// Reads one or more secrets between commas or white space: two while a secret is rotated. Never an empty list.
    ///
    /// # Errors
    /// As [`Secret::parse`], of the first that is at fault.
    pub fn parse_list(text: &str) -> Result<Vec<Secret>, SecretFault> {
        let parts: Vec<&str> = text.split([',', ' ', '\t', '\r', '\n']).filter(|part| !part.is_empty()).collect();
        if parts.iter().any(|part| matches!(*part, "v1" | "v1a")) {
            return Err(SecretFault::VersionPrefixed);
        }
        if parts.is_empty() {
            return Err(if text.is_empty() { SecretFault::Empty } else { SecretFault::Blank });
        }
        parts.into_iter().map(Secret::parse).collect()
    }

    /// A secret of random bytes.
    ///
    /// # Errors
    /// [`SecretFault::TooShort`] or [`SecretFault::TooLong`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Secret, SecretFault> {
        match bytes.len() {
            0 => Err(SecretFault::Empty),
            count if count < KEY_BYTES_MIN => Err(SecretFault::TooShort(count)),
            count if count > KEY_BYTES_MAX => Err(SecretFault::TooLong(count)),
            _ => Ok(Secret(bytes.to_vec())),
        }
    }

    /// `whsec_` and base64: to be shown once, or sealed.
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// HMAC-SHA256 over `id.timestamp.body`, not finished. `None` never happens: HMAC takes keys of any length.
    pub(crate) fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        Some(mac)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl std::fmt::Display for SecretFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SecretFault::Empty => f.write_str("the secret is empty; is the variable set?"),
            SecretFault::Blank => f.write_str("the secret is nothing but white space; is the variable set?"),
            SecretFault::VersionPrefixed => {
                f.write_str("the secret begins with the version of a signature; leave out what stands before `whsec_`")
            }
            SecretFault::Asymmetric => {
                f.write_str("this is a key of the asymmetric scheme (v1a); a secret begins with `whsec_`")
            }
            SecretFault::NotBase64 => f.write_str(
                "the secret is not `whsec_` and base64 (standard alphabet, with padding); was it cut or re-encoded?",
            ),
            SecretFault::TooShort(count) => {
                write!(f, "the secret has {count} bytes; it needs {KEY_BYTES_MIN} to {KEY_BYTES_MAX}")
            }
            SecretFault::TooLong(count) => {
                write!(f, "the secret has {count} bytes; it needs {KEY_BYTES_MIN} to {KEY_BYTES_MAX}")
            }
        }
    }
}

impl std::error::Error for SecretFault {}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: usize) -> String {
        STANDARD.encode(vec![7; bytes])
    }

    #[test]
    fn faults_name_the_cause() {
        let (good, short, long) = (of(32), of(23), of(65));
        for (text, fault) in [
            ("".to_owned(), SecretFault::Empty),
            ("whsec_".to_owned(), SecretFault::Empty),
            (" \n".to_owned(), SecretFault::Blank),
            (format!("v1,whsec_{good}"), SecretFault::VersionPrefixed),
            (format!("whsk_{good}"), SecretFault::Asymmetric),
            (format!("whpk_{good}"), SecretFault::Asymmetric),
            (format!("whsec_{}", good.trim_end_matches('=')), SecretFault::NotBase64),
            (format!("whsec_ {good}"), SecretFault::NotBase64),
            (format!("WHSEC_{good}"), SecretFault::NotBase64),
            (format!("\"whsec_{good}\""), SecretFault::NotBase64),
            ("whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_".to_owned(), SecretFault::NotBase64),
            (format!("whsec_{short}"), SecretFault::TooShort(23)),
            (format!("whsec_{long}"), SecretFault::TooLong(65)),
        ] {
            assert_eq!(Secret::parse(&text).unwrap_err(), fault, "{text}");
        }
    }

    #[test]
    fn what_is_read_is_written_and_never_shown() {
        for bytes in [24, 32, 64] {
            let text = format!("whsec_{}", of(bytes));
            let secret = Secret::parse(&format!(" {text}\r\n")).unwrap();
            assert_eq!(secret.to_text(), text);
            assert_eq!(Secret::parse(&of(bytes)).unwrap().to_text(), text);
            assert_eq!(format!("{secret:?}"), "Secret(…)");
        }
    }

    #[test]
    fn lists_are_never_empty() {
        let (one, two) = (format!("whsec_{}", of(24)), format!("whsec_{}", of(32)));
        for text in [format!("{one},{two}"), format!("{one} {two}\n"), format!(" {one} , {two}")] {
            let read: Vec<String> = Secret::parse_list(&text).unwrap().iter().map(Secret::to_text).collect();
            assert_eq!(read, [one.clone(), two.clone()], "{text}");
        }
        assert_eq!(Secret::parse_list("").unwrap_err(), SecretFault::Empty);
        assert_eq!(Secret::parse_list(" , ").unwrap_err(), SecretFault::Blank);
        assert_eq!(Secret::parse_list(&format!("{one},x")).unwrap_err(), SecretFault::NotBase64);
        assert_eq!(Secret::parse_list(&format!("v1,{one}")).unwrap_err(), SecretFault::VersionPrefixed);
    }
}

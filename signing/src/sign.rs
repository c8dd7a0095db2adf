//! Making the value of `webhook-signature`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::Mac as _;

use crate::header::{is_id, timestamp};
use crate::secret::Secret;

/// Why nothing was signed; each is a fault of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignFault {
    /// An empty list of secrets.
    NoSecret,
    /// The id is not `[A-Za-z0-9_-]{1,128}`.
    Id,
    /// The time is 0 or has more than 12 digits (milliseconds, most often).
    Timestamp,
}

/// The value of `webhook-signature`: one `v1,<base64>` per secret, between spaces. The same id and the decimal digits of
/// the timestamp must be sent as `webhook-id` and `webhook-timestamp`, with exactly these bytes as the body.
///
/// # Errors
/// [`SignFault`].
pub fn sign(secrets: &[Secret], id: &str, timestamp_seconds: u64, body: &[u8]) -> Result<String, SignFault> {
    if !is_id(id) {
        return Err(SignFault::Id);
    }
    let time = timestamp_seconds.to_string();
    if timestamp(&time).is_none() {
        return Err(SignFault::Timestamp);
    }
    let tokens: Vec<String> = secrets
        .iter()
        .filter_map(|secret| secret.mac(id, &time, body))
        .map(|mac| format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
        .collect();
    if tokens.is_empty() { Err(SignFault::NoSecret) } else { Ok(tokens.join(" ")) }
}

impl std::fmt::Display for SignFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            SignFault::NoSecret => "there is no secret to sign with",
            SignFault::Id => "the id must match [A-Za-z0-9_-]{1,128}",
            SignFault::Timestamp => "the timestamp must be in seconds since 1970 and have at most 12 digits",
        })
    }
}

impl std::error::Error for SignFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_verifies_is_signed() {
        let secret = Secret::from_bytes(&[7; 32]).unwrap();
        let one = std::slice::from_ref(&secret);
        assert_eq!(sign(&[], "a", 1, b""), Err(SignFault::NoSecret));
        assert_eq!(sign(one, "a.b", 1, b""), Err(SignFault::Id));
        assert_eq!(sign(one, "", 1, b""), Err(SignFault::Id));
        assert_eq!(sign(one, "a", 0, b""), Err(SignFault::Timestamp));
        assert_eq!(sign(one, "a", 1_000_000_000_000, b""), Err(SignFault::Timestamp));
        let other = Secret::from_bytes(&[8; 32]).unwrap();
        let both = sign(&[secret.clone(), other], "a", 1, b"").unwrap();
        assert_eq!(both.split(' ').next(), Some(sign(one, "a", 1, b"").unwrap().as_str()));
        assert_eq!(both.split(' ').count(), 2);
    }
}

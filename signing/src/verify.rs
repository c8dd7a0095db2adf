//! Judging a signed message.
//!
//! The order matters: the shape first, then the signature, then the age. So "stale" is said of messages only that a
//! holder of a secret has signed, and whoever has none learns nothing about the clock. The texts of the headers are
//! signed as they stand, never a number printed again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::Mac as _;

use crate::header::{Header, is_id, timestamp};
use crate::secret::Secret;

/// Most signatures in one header.
pub const SIGNATURES_MAX: usize = 16;
const TAG_BYTES: usize = 32;

/// A message that a holder of a secret has signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// `webhook-id`
    pub id: String,
    /// `webhook-timestamp`, seconds since 1970.
    pub timestamp_seconds: u64,
    /// Which of the given secrets signed it, by its place in the list; the first, if several did.
    pub secret: usize,
}

/// Why a message is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No secret is configured: nothing is ever taken.
    NoSecret,
    /// The header is not there.
    Missing(Header),
    /// The header is there more than once.
    Duplicate(Header),
    /// The header's value has a shape that no signer makes.
    Malformed(Header),
    /// No signature belongs to these bytes and one of the secrets.
    WrongSignature,
    /// Signed by a holder of a secret, but too long ago or too far ahead.
    Stale {
        /// What was signed.
        verified: Verified,
        /// The time that it was compared with.
        now_seconds: u64,
    },
}

/// Checks one message: its header lines as they came (any case of the names), and its body byte for byte as it came.
///
/// # Errors
/// [`Refused`], with the first cause in the order of its variants.
pub fn verify<N: AsRef<str>, V: AsRef<[u8]>>(
    secrets: &[Secret],
    headers: impl IntoIterator<Item = (N, V)>,
    body: &[u8],
    now_seconds: u64,
    tolerance_seconds: u64,
) -> Result<Verified, Refused> {
    if secrets.is_empty() {
        return Err(Refused::NoSecret);
    }
    let Lines { id, time, signatures } = Lines::read(headers)?;
    let timestamp_seconds = timestamp(&time).ok_or(Refused::Malformed(Header::Timestamp))?;
    let tags = tags(&signatures)?;
    let secret = signer(secrets, &tags, &id, &time, body).ok_or(Refused::WrongSignature)?;
    let verified = Verified { id, timestamp_seconds, secret };
    if timestamp_seconds.abs_diff(now_seconds) > tolerance_seconds {
        return Err(Refused::Stale { verified, now_seconds });
    }
    Ok(verified)
}

struct Lines {
    id: String,
    time: String,
    signatures: String,
}

impl Lines {
    fn read<N: AsRef<str>, V: AsRef<[u8]>>(headers: impl IntoIterator<Item = (N, V)>) -> Result<Lines, Refused> {
        const NAMES: [Header; 3] = [Header::Id, Header::Timestamp, Header::Signature];
        let mut found: [Option<V>; 3] = [None, None, None];
        let mut twice = None;
        for (name, value) in headers {
            let place = NAMES.iter().zip(found.iter_mut());
            let mut place = place.filter(|(header, _)| header.name().eq_ignore_ascii_case(name.as_ref()));
            let Some((header, place)) = place.next() else { continue };
            if place.is_some() {
                twice = twice.or(Some(*header));
            }
            *place = Some(value);
        }
        let missing = NAMES.iter().zip(&found).find(|(_, value)| value.is_none());
        if let Some((header, _)) = missing {
            return Err(Refused::Missing(*header));
        }
        if let Some(header) = twice {
            return Err(Refused::Duplicate(header));
        }
        let text = |header: Header, value: &Option<V>| {
            let bytes = value.as_ref().map(AsRef::as_ref).unwrap_or_default();
            std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| Refused::Malformed(header))
        };
        let [id, time, signatures] = &found;
        let id = text(Header::Id, id)?;
        if !is_id(&id) {
            return Err(Refused::Malformed(Header::Id));
        }
        Ok(Lines { id, time: text(Header::Timestamp, time)?, signatures: text(Header::Signature, signatures)? })
    }
}

/// The tags of version `v1`. Other versions are skipped; anything that is no `version,value` spoils the whole header.
fn tags(text: &str) -> Result<Vec<[u8; TAG_BYTES]>, Refused> {
    let malformed = || Refused::Malformed(Header::Signature);
    let tokens: Vec<&str> = text.split(' ').filter(|token| !token.is_empty()).collect();
    if tokens.is_empty() || tokens.len() > SIGNATURES_MAX {
        return Err(malformed());
    }
    let mut tags = Vec::new();
    for token in tokens {
        let (version, value) = token.split_once(',').ok_or_else(malformed)?;
        if !is_version(version) || !is_value(value) {
            return Err(malformed());
        }
        if version == "v1" {
            // The decoder takes one spelling per tag: padding is required, bits past the end must be zero. So comparing
            // the bytes is comparing the texts.
            let tag = STANDARD.decode(value).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(malformed)?;
            tags.push(tag);
        }
    }
    Ok(tags)
}

fn is_version(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_value(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

/// The place of the secret that made one of the tags. Every tag is compared with every secret, whatever was found
/// before, each in constant time: how long this takes depends on their numbers only.
fn signer(secrets: &[Secret], tags: &[[u8; TAG_BYTES]], id: &str, time: &str, body: &[u8]) -> Option<usize> {
    let mut found = None;
    for (place, secret) in secrets.iter().enumerate() {
        let mac = secret.mac(id, time, body)?;
        for tag in tags {
            let same = mac.clone().verify_slice(tag).is_ok();
            found = found.or(same.then_some(place));
        }
    }
    found
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::NoSecret => f.write_str("no secret is configured"),
            Refused::Missing(header) => write!(f, "the header {header} is missing"),
            Refused::Duplicate(header) => write!(f, "the header {header} is there more than once"),
            Refused::Malformed(header) => write!(f, "the header {header} is malformed"),
            Refused::WrongSignature => f.write_str("no signature belongs to this body and secret"),
            Refused::Stale { verified, now_seconds } => {
                let off = verified.timestamp_seconds.abs_diff(*now_seconds);
                let way = if verified.timestamp_seconds < *now_seconds { "behind" } else { "ahead of" };
                write!(f, "the timestamp is {off} s {way} this clock")
            }
        }
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign;

    fn secret(byte: u8) -> Secret {
        Secret::from_bytes(&[byte; 32]).unwrap()
    }

    fn headers(signature: &str) -> Vec<(&'static str, String)> {
        vec![
            ("Webhook-Id", "call_1".into()),
            ("WEBHOOK-TIMESTAMP", "1000".into()),
            ("webhook-signature", signature.into()),
        ]
    }

    fn judge(secrets: &[Secret], headers: Vec<(&'static str, String)>, now: u64) -> Result<Verified, Refused> {
        verify(secrets, headers, b"{}", now, 300)
    }

    #[test]
    fn the_signing_secret_is_named() {
        let signature = sign(&[secret(2)], "call_1", 1000, b"{}").unwrap();
        let verified = judge(&[secret(1), secret(2)], headers(&signature), 1000).unwrap();
        assert_eq!(verified, Verified { id: "call_1".into(), timestamp_seconds: 1000, secret: 1 });
        let both = sign(&[secret(9), secret(2)], "call_1", 1000, b"{}").unwrap();
        assert_eq!(judge(&[secret(2), secret(1)], headers(&both), 1000).unwrap().secret, 0);
    }

    #[test]
    fn stale_is_said_of_signed_messages_only() {
        let signature = sign(&[secret(1)], "call_1", 1000, b"{}").unwrap();
        for now in [1301, 699, 0, u64::MAX] {
            let refused = judge(&[secret(1)], headers(&signature), now).unwrap_err();
            assert!(matches!(refused, Refused::Stale { ref verified, .. } if verified.id == "call_1"), "{now}");
            assert_eq!(judge(&[secret(2)], headers(&signature), now).unwrap_err(), Refused::WrongSignature, "{now}");
        }
        for now in [700, 1300] {
            assert!(judge(&[secret(1)], headers(&signature), now).is_ok(), "{now}");
        }
    }

    #[test]
    fn causes_are_told_apart() {
        let good = sign(&[secret(1)], "call_1", 1000, b"{}").unwrap();
        let one = [secret(1)];
        assert_eq!(judge(&[], headers(&good), 1000), Err(Refused::NoSecret));
        for (index, header) in [Header::Id, Header::Timestamp, Header::Signature].into_iter().enumerate() {
            let mut lines = headers(&good);
            let line = lines.remove(index);
            assert_eq!(judge(&one, lines.clone(), 1000), Err(Refused::Missing(header)));
            lines.extend([line.clone(), line]);
            assert_eq!(judge(&one, lines, 1000), Err(Refused::Duplicate(header)));
            let mut lines = headers(&good);
            lines[index].1 = format!("{0}, {0}", lines[index].1);
            assert_eq!(judge(&one, lines, 1000), Err(Refused::Malformed(header)));
        }
        let many = vec![good.as_str(); SIGNATURES_MAX].join(" ");
        assert!(judge(&one, headers(&many), 1000).is_ok());
        for text in ["", " ", "v1", "v1,", ",AAAA", "v1,AAAA", &format!("{many} {good}"), &format!("{good} x")] {
            assert_eq!(judge(&one, headers(text), 1000), Err(Refused::Malformed(Header::Signature)), "{text}");
        }
        assert_eq!(judge(&one, headers("v2,AAAA"), 1000), Err(Refused::WrongSignature));
        assert!(judge(&one, headers(&format!("v2,AAAA {good}")), 1000).is_ok());
        let lines = vec![
            ("webhook-id", vec![b'a', 0xff]),
            ("webhook-timestamp", b"1".to_vec()),
            ("webhook-signature", good.into_bytes()),
        ];
        assert_eq!(verify(&one, lines, b"", 1, 300), Err(Refused::Malformed(Header::Id)));
    }
}

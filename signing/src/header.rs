//! The three headers of a signed message and the shapes of their values.

/// A header of a signed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// `webhook-id`
    Id,
    /// `webhook-timestamp`
    Timestamp,
    /// `webhook-signature`
    Signature,
}

impl Header {
    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Header::Id => "webhook-id",
            Header::Timestamp => "webhook-timestamp",
            Header::Signature => "webhook-signature",
        }
    }
}

impl std::fmt::Display for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

const ID_BYTES_MAX: usize = 128;
const TIMESTAMP_DIGITS_MAX: usize = 12;

/// `[A-Za-z0-9_-]{1,128}`: without a full stop, so that a signed text splits in one way only.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// `[1-9][0-9]{0,11}` as a number; one number has one spelling, so the text that was signed is the text compared.
pub(crate) fn timestamp(text: &str) -> Option<u64> {
    let digits = text.len() <= TIMESTAMP_DIGITS_MAX && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits && !text.starts_with('0') { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for text in ["a", "call_01-Z", &"c".repeat(128)] {
            assert!(is_id(text), "{text}");
        }
        for text in ["", "a.b", "a b", "é", "a\n", &"c".repeat(129)] {
            assert!(!is_id(text), "{text}");
        }
        assert_eq!(timestamp("999999999999"), Some(999_999_999_999));
        for text in ["", "0", "01", "+1", "-1", "1.0", "1_0", " 1", "1000000000000", "１"] {
            assert_eq!(timestamp(text), None, "{text}");
        }
    }
}

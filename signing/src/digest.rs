//! `Content-Digest` (RFC 9530): proves nothing about the sender, but tells a receiver whose check of the signature fails
//! which half is at fault: a digest that differs means an altered body, one that fits a wrong secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The header's value: `sha-256=:<base64>:`.
pub fn content_digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(body)))
}

/// Whether the digest in the header is that of the body; `None` where the header has no SHA-256 that can be read.
pub fn digest_matches(header: &str, body: &[u8]) -> Option<bool> {
    // A dictionary (RFC 8941, section 3.2): of a key that is there twice the last counts. Base64 holds neither commas
    // nor semicolons.
    let value = header.split(',').rev().find_map(|member| member.trim().strip_prefix("sha-256="))?;
    let value = value.split(';').next()?.trim();
    let digest = STANDARD.decode(value.strip_prefix(':')?.strip_suffix(':')?).ok()?;
    (digest.len() == 32).then(|| digest == *Sha256::digest(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_made_and_read() {
        // RFC 9530, appendix B.1.
        let (body, value) = (b"{\"hello\": \"world\"}\n", "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:");
        assert_eq!(content_digest(body), value);
        for text in [value.to_owned(), format!("sha-512=:AAAA:, {value}"), format!(" {value};q=1 ,md5=:AA==:")] {
            assert_eq!(digest_matches(&text, body), Some(true), "{text}");
            assert_eq!(digest_matches(&text, b"{}"), Some(false), "{text}");
        }
        for text in ["", "sha-256", "sha-256=", "sha-256=AAAA", "sha-256=::", "sha-256=:AAAA:", "sha-512=:AAAA:"] {
            assert_eq!(digest_matches(text, body), None, "{text}");
        }
    }
}

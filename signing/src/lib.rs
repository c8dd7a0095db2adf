//! Standard Webhooks 1.0: who signed these bytes, and when. One rule for both ends, the gateway and the Rust SDK.
//!
//! Promises: what [`sign`] makes, stock libraries verify; what [`verify`] accepts was signed by a holder of one of the
//! secrets, over exactly these bytes, and is fresh. It is stricter than the stock libraries wherever they differ among
//! themselves, total over untrusted input, and compares in constant time. Leaves to others: the clock (`now` is an
//! argument), reading headers and body off the wire, and remembering ids that were seen.
//!
//! Source: Standard Webhooks, `spec/standard-webhooks.md`; RFC 2104 (HMAC), RFC 9530 (Content-Digest).
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod digest;
mod header;
mod secret;
mod sign;
mod verify;

pub use digest::{content_digest, digest_matches};
pub use header::Header;
pub use secret::{KEY_BYTES_MAX, KEY_BYTES_MIN, Secret, SecretFault};
pub use sign::{SignFault, sign};
pub use verify::{Refused, SIGNATURES_MAX, Verified, verify};

/// How far a timestamp may be from `now`, either way, in seconds: what all stock libraries use.
pub const TOLERANCE_SECONDS: u64 = 300;

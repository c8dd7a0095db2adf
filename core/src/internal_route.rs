//! The edge's own route, by which objects ask it to deliver: signed, because the edge can be reached by anybody.
//!
//! What is signed travels within the deployment alone; a repeat of it changes nothing, for the claims in it are used
//! up by the first. The short window is a second wall.

use crate::hash::{DerivedKey, base64url, from_base64url};
use crate::time::UnixMillis;

/// The path.
pub const PATH: &str = "/internal/deliveries";
/// The header with `<milliseconds>.<mac>`.
pub const HEADER: &str = "toolgate-internal-signature";
/// How old a signature may be; object and edge may be on two machines.
const WINDOW_SECONDS: u64 = 60;

/// Signs and verifies.
pub struct InternalRoute(DerivedKey);

impl InternalRoute {
    /// A key of its own, derived from the master key.
    pub fn new(master: &[u8]) -> InternalRoute {
        InternalRoute(DerivedKey::derive(master, "internal route v1"))
    }

    /// The value of [`HEADER`] for a body sent now.
    pub fn sign(&self, now: UnixMillis, body: &str) -> String {
        let at = now.0.to_string();
        format!("{at}.{}", base64url(&self.0.mac(&[PATH.as_bytes(), at.as_bytes(), body.as_bytes()])))
    }

    /// Was this body signed by an object of this deployment, just now?
    pub fn verify(&self, now: UnixMillis, signature: &str, body: &str) -> bool {
        let Some((at, mac)) = signature.split_once('.') else { return false };
        let Some(mac) = from_base64url(mac).filter(|mac| mac.len() == 32) else { return false };
        let Ok(sent) = at.parse::<u64>().map(UnixMillis) else { return false };
        let near = now < sent.plus_seconds(WINDOW_SECONDS) && sent < now.plus_seconds(WINDOW_SECONDS);
        self.0.verify(&[PATH.as_bytes(), at.as_bytes(), body.as_bytes()], &mac) && near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fresh_signatures_over_the_same_body_count() {
        let route = InternalRoute::new(b"0123456789abcdef0123456789abcdef");
        let now = UnixMillis(1_700_000_000_000);
        let signature = route.sign(now, "{}");
        assert!(route.verify(now, &signature, "{}") && route.verify(now.plus_seconds(59), &signature, "{}"));
        assert!(!route.verify(now.plus_seconds(60), &signature, "{}"));
        assert!(!route.verify(UnixMillis(now.0 - 60_000), &signature, "{}"));
        assert!(!route.verify(now, &signature, "{ }"));
        assert!(!InternalRoute::new(b"another-master-key-of-32-bytes-!").verify(now, &signature, "{}"));
        for text in ["", ".", "x.y", "1700000000000", "1700000000000.", "-1.AAAA", signature.trim_start_matches('1')] {
            assert!(!route.verify(now, text, "{}"), "{text}");
        }
    }
}

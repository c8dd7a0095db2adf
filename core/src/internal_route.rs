//! The edge's own routes, by which objects ask it to send: signed, because the edge can be reached by anybody.
//!
//! What is signed travels within the deployment alone, and is signed for its path. A repeat of a delivery changes
//! nothing, for the claims in it are used up by the first; a repeat of a notice is a message that was sent before, to
//! where it was sent before. The short window is a second wall.

use crate::hash::{DerivedKey, base64url, from_base64url};
use crate::time::UnixMillis;

/// The path of deliveries.
pub const DELIVERIES: &str = "/internal/deliveries";
/// The path of messages about approvals.
pub const NOTICES: &str = "/internal/notices";
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

    /// The value of [`HEADER`] for a body sent now to this path.
    pub fn sign(&self, now: UnixMillis, path: &str, body: &str) -> String {
        let at = now.0.to_string();
        format!("{at}.{}", base64url(&self.0.mac(&[path.as_bytes(), at.as_bytes(), body.as_bytes()])))
    }

    /// Was this body signed for this path by an object of this deployment, just now?
    pub fn verify(&self, now: UnixMillis, path: &str, signature: &str, body: &str) -> bool {
        let Some((at, mac)) = read(signature) else { return false };
        self.0.verify(&[path.as_bytes(), at.as_bytes(), body.as_bytes()], &mac) && Self::is_near(now, signature)
    }

    /// Could it be one of ours, made just now? Looked at before the body is read; it proves nothing.
    pub fn is_near(now: UnixMillis, signature: &str) -> bool {
        let sent = read(signature).and_then(|(at, _)| at.parse::<u64>().ok()).map(UnixMillis);
        sent.is_some_and(|sent| now < sent.plus_seconds(WINDOW_SECONDS) && sent < now.plus_seconds(WINDOW_SECONDS))
    }
}

/// The time as text, and the MAC.
fn read(signature: &str) -> Option<(&str, Vec<u8>)> {
    let (at, mac) = signature.split_once('.')?;
    Some((at, from_base64url(mac).filter(|mac| mac.len() == 32)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fresh_signatures_over_the_same_body_for_the_same_path_count() {
        let route = InternalRoute::new(b"0123456789abcdef0123456789abcdef");
        let now = UnixMillis(1_700_000_000_000);
        let signature = route.sign(now, DELIVERIES, "{}");
        let verifies = |at: UnixMillis, signature: &str, body: &str| route.verify(at, DELIVERIES, signature, body);
        assert!(verifies(now, &signature, "{}") && verifies(now.plus_seconds(59), &signature, "{}"));
        assert!(!verifies(now.plus_seconds(60), &signature, "{}"));
        assert!(!verifies(UnixMillis(now.0 - 60_000), &signature, "{}"));
        assert!(!verifies(now, &signature, "{ }"));
        assert!(!route.verify(now, NOTICES, &signature, "{}"));
        assert!(route.verify(now, NOTICES, &route.sign(now, NOTICES, "{}"), "{}"));
        let other = InternalRoute::new(b"another-master-key-of-32-bytes-!");
        assert!(!other.verify(now, DELIVERIES, &signature, "{}"));
        for text in ["", ".", "x.y", "1700000000000", "1700000000000.", "-1.AAAA", signature.trim_start_matches('1')] {
            assert!(!verifies(now, text, "{}"), "{text}");
        }
    }
}

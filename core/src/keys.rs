//! Keys: `tg_<role>.<payload>.<mac>`. The edge believes a key by its MAC alone; whether it is still live is decided
//! in the object, by id and hash.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_protocol::control::Role;
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::problems;
use toolgate_protocol::runs::Door;

use crate::hash::{DerivedKey, base64url, from_base64url, sha256_hex};
use crate::problem::Problem;
use crate::time::UnixMillis;

/// What a key says, under the MAC.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Payload {
    /// Org.
    o: String,
    /// Role.
    r: Role,
    /// Key id.
    k: String,
    /// Name.
    n: String,
    /// Expiry, Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<u64>,
    /// Generation of the signing key.
    g: u32,
    /// Scope.
    s: Scope,
}

/// What a key is limited to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Scope {
    /// Worker keys: pools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pools: Option<Vec<String>>,
    /// Caller keys: agents; absent means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// Agent keys: the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Agent keys: on whose behalf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Box<RawValue>>,
    /// Approver keys: who the approver is as a principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_id: Option<String>,
    /// Run tokens: the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<RunScope>>,
    /// Keys of a sign-in: it was given to a page of the gateway's own, and only such a page may write with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed_in: bool,
}

/// What makes an agent key a run token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunScope {
    /// The run's id.
    pub run: String,
    /// The form in which the run's model is told its tools, and so the form of what it writes.
    pub profile: Profile,
    /// Where the token may be used.
    pub doors: Vec<Door>,
    /// Web origins whose pages may use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// The id of the caller key that it was made with and lives by: no policy carries the token itself.
    pub parent_id: String,
    /// SHA-256 of that key's text.
    pub parent_sha256: String,
}

/// Who is asking: a key that verified. It holds a hash of the key, never the key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The org, taken from the key and nowhere else.
    pub org: String,
    /// The role.
    pub role: Role,
    /// The key's id; of a run token that of the key it lives by.
    pub key_id: String,
    /// The key's name.
    pub name: String,
    /// SHA-256 of the text of the key with that id, in hexadecimal digits.
    pub sha256: String,
    /// The scope.
    pub scope: Scope,
    /// When the key expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<UnixMillis>,
}

/// Generation of keys made today.
const GENERATION: u32 = 1;

/// Makes and verifies keys.
#[derive(Clone)]
pub struct KeyRing {
    signing: DerivedKey,
}

impl KeyRing {
    /// Derives the signing key of today's generation.
    pub fn new(master: &[u8]) -> KeyRing {
        KeyRing { signing: DerivedKey::derive(master, "api key v1") }
    }

    /// A new key's text, to be shown once, and its identity.
    pub fn mint(
        &self,
        org: &str,
        role: Role,
        key_id: &str,
        name: &str,
        scope: Scope,
        expires: Option<UnixMillis>,
    ) -> (String, Identity) {
        let payload = Payload {
            o: org.to_owned(),
            r: role,
            k: key_id.to_owned(),
            n: name.to_owned(),
            x: expires.map(|at| at.0.div_euclid(1_000)),
            g: GENERATION,
            s: scope.clone(),
        };
        let text = serde_json::to_string(&payload).unwrap_or_default();
        let head = format!("tg_{}.{}", role_word(role), base64url(text.as_bytes()));
        let key = format!("{head}.{}", base64url(&self.signing.mac(&[head.as_bytes()])));
        let identity = identity(payload, &key);
        (key, identity)
    }

    /// The identity of a key that is ours and has not expired.
    pub fn verify(&self, key: &str, now: UnixMillis) -> Result<Identity, Problem> {
        let refused = |what: &str| Problem::new(problems::INVALID_KEY, what);
        let malformed = || refused("This is no key of this gateway. Send it as `Authorization: Bearer tg_…`.");
        let (head, mac) = key.rsplit_once('.').ok_or_else(malformed)?;
        let mac = from_base64url(mac).filter(|mac| mac.len() == 32).ok_or_else(malformed)?;
        if !self.signing.verify(&[head.as_bytes()], &mac) {
            return Err(malformed());
        }
        let payload: Payload = head
            .split_once('.')
            .and_then(|(_, payload)| from_base64url(payload))
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .ok_or_else(malformed)?;
        if payload.g != GENERATION {
            return Err(refused("The key is of a generation that is no longer accepted; make a new one."));
        }
        if payload.x.is_some_and(|expiry| now >= UnixMillis(expiry.saturating_mul(1_000))) {
            return Err(refused("The key has expired; make a new one."));
        }
        Ok(identity(payload, key))
    }
}

/// A run token is live as long as its parent is: whoever looks that up looks up the parent.
fn identity(payload: Payload, key: &str) -> Identity {
    let (key_id, sha256) = match &payload.s.run {
        Some(run) => (run.parent_id.clone(), run.parent_sha256.clone()),
        None => (payload.k, sha256_hex(key.as_bytes())),
    };
    let expires = payload.x.map(|seconds| UnixMillis(seconds.saturating_mul(1_000)));
    Identity { org: payload.o, role: payload.r, key_id, name: payload.n, sha256, scope: payload.s, expires }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Admin => "admin",
        Role::Caller => "caller",
        Role::Worker => "worker",
        Role::Approver => "approver",
        Role::Agent => "agent",
    }
}

/// Compares two secrets without telling by time where they differ.
pub fn same_secret(one: &str, other: &str) -> bool {
    // Hashing first makes lengths equal and the comparison independent of the secret's bytes.
    sha256_hex(one.as_bytes()) == sha256_hex(other.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_verify_until_they_expire_or_change() {
        let ring = KeyRing::new(b"0123456789abcdef0123456789abcdef");
        let scope = Scope { pools: Some(vec!["shop".into()]), ..Scope::default() };
        let (key, made) = ring.mint("acme", Role::Worker, "k1", "laptop", scope, Some(UnixMillis(5_000)));
        let found = ring.verify(&key, UnixMillis(4_999)).unwrap();
        assert_eq!(
            (found.org.as_str(), found.role, found.key_id.as_str(), found.sha256),
            ("acme", Role::Worker, "k1", made.sha256)
        );
        assert_eq!(found.expires, Some(UnixMillis(5_000)));
        assert_eq!(ring.verify(&key, UnixMillis(5_000)).unwrap_err().kind.code, "invalid_key");
        for at in 0..key.len() {
            let mut forged = key.clone().into_bytes();
            forged[at] ^= 1;
            assert!(String::from_utf8(forged).map_or(true, |forged| ring.verify(&forged, UnixMillis(0)).is_err()));
        }
        for text in ["", "tg_admin", "tg_admin..", "a.b.c", key.split_at(key.len() - 4).0] {
            assert!(ring.verify(text, UnixMillis(0)).is_err());
        }
        assert!(KeyRing::new(b"another-master-key-of-32-bytes-!").verify(&key, UnixMillis(0)).is_err());
    }
}

//! Ids that carry what the edge needs to find their object, and a short MAC that is checked before anything else.
//!
//! `call_<24 characters: time and randomness>_<cell>-<shard>-<pool>_<11 characters: MAC over kind, org and all that>`.
//! The org is not in the text but under the MAC: another org's id is as good as none.

use serde::{Deserialize, Serialize};

use crate::hash::{DerivedKey, base64url, from_base64url};
use crate::names;
use crate::time::UnixMillis;

/// The home of a pool's calls, for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The org.
    pub org: String,
    /// The pool.
    pub pool: String,
    /// `main` until there are more.
    pub cell: String,
    /// 0 until there are more.
    pub shard: u32,
}

impl Place {
    /// The only place that a pool has today.
    pub fn of(org: &str, pool: &str) -> Place {
        Place { org: org.to_owned(), pool: pool.to_owned(), cell: "main".to_owned(), shard: 0 }
    }

    /// The name of the object: `org/pool/cell/shard`.
    pub fn object_name(&self) -> String {
        format!("{}/{}/{}/{}", self.org, self.pool, self.cell, self.shard)
    }

    fn text(&self) -> String {
        format!("{}-{}-{}", self.cell, self.shard, self.pool)
    }

    fn read(org: &str, text: &str) -> Option<Place> {
        let mut parts = text.splitn(3, '-');
        let (cell, shard, pool) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        let place = Place { org: org.to_owned(), pool: pool.to_owned(), cell: cell.to_owned(), shard };
        (names::is_plain(pool) && place.text() == text).then_some(place)
    }
}

/// A call's id within its object: 24 characters whose order is the order of creation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LocalId(String);

const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
const LOCAL_CHARS: usize = 24;
const RUN: &str = "run";

impl LocalId {
    /// 48 bits of time, then 72 bits of entropy, in base32hex (RFC 4648, section 7: it keeps the order).
    pub fn new(now: UnixMillis, entropy: &[u8; 16]) -> LocalId {
        let time = now.0.to_be_bytes();
        let bytes = time.iter().skip(2).chain(entropy.iter().take(9));
        let (mut text, mut bits, mut held) = (String::with_capacity(LOCAL_CHARS), 0_u32, 0_u32);
        for byte in bytes {
            bits = (bits << 8) | u32::from(*byte);
            held = held.saturating_add(8);
            while held >= 5 {
                held = held.saturating_sub(5);
                let digit = usize::try_from((bits >> held) & 31).unwrap_or(0);
                text.push(char::from(*DIGITS.get(digit).unwrap_or(&b'0')));
            }
            bits &= (1_u32 << held).saturating_sub(1);
        }
        LocalId(text)
    }

    /// The id in this text, when it has the shape of one.
    pub fn read(text: &str) -> Option<LocalId> {
        (text.len() == LOCAL_CHARS && text.bytes().all(|byte| DIGITS.contains(&byte))).then(|| LocalId(text.to_owned()))
    }

    /// The lowest id that a call made at this time can have.
    pub fn first_at(time: UnixMillis) -> LocalId {
        LocalId::new(time, &[0; 16])
    }

    /// When the id was made.
    pub fn time(&self) -> UnixMillis {
        let value = |byte: u8| {
            DIGITS.iter().position(|digit| *digit == byte).and_then(|at| u64::try_from(at).ok()).unwrap_or(0)
        };
        // Ten digits hold 50 bits: 48 of time and two of entropy.
        UnixMillis(self.0.bytes().take(10).fold(0_u64, |time, byte| (time << 5) | value(byte)) >> 2)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Kinds of ids that lead to a pool's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// `call_…`
    Call,
    /// `apr_…`
    Approval,
}

impl IdKind {
    fn prefix(self) -> &'static str {
        match self {
            IdKind::Call => "call",
            IdKind::Approval => "apr",
        }
    }
}

/// Makes and checks public ids and claim tokens.
#[derive(Clone)]
pub struct Ids {
    public: DerivedKey,
    claims: DerivedKey,
}

impl Ids {
    /// Keys derived from the master key, one label per purpose.
    pub fn new(master: &[u8]) -> Ids {
        Ids { public: DerivedKey::derive(master, "public id v1"), claims: DerivedKey::derive(master, "claim token v1") }
    }

    /// The public id.
    pub fn public(&self, kind: IdKind, place: &Place, id: &LocalId) -> String {
        let home = place.text();
        let mac = self.public.mac(&[kind.prefix().as_bytes(), place.org.as_bytes(), id.0.as_bytes(), home.as_bytes()]);
        format!("{}_{}_{home}_{}", kind.prefix(), id.0, base64url(mac.get(..8).unwrap_or_default()))
    }

    /// What a public id leads to; `None` when malformed, forged or of another org.
    pub fn read(&self, kind: IdKind, org: &str, text: &str) -> Option<(Place, LocalId)> {
        let rest = text.strip_prefix(kind.prefix())?.strip_prefix('_')?;
        let (id, rest) = rest.split_at_checked(LOCAL_CHARS)?;
        let (home, mac) = rest.strip_prefix('_')?.split_at_checked(rest.len().checked_sub(13)?)?;
        let mac = from_base64url(mac.strip_prefix('_')?)?;
        let parts = [kind.prefix().as_bytes(), org.as_bytes(), id.as_bytes(), home.as_bytes()];
        if !self.public.verify(&parts, &mac) {
            return None;
        }
        Some((Place::read(org, home)?, LocalId::read(id)?))
    }

    /// A run's id: `run_<24 characters: time and randomness>_<11 characters: MAC over org and that>`.
    pub fn run(&self, org: &str, id: &LocalId) -> String {
        let mac = self.public.mac(&[RUN.as_bytes(), org.as_bytes(), id.0.as_bytes()]);
        format!("{RUN}_{}_{}", id.0, base64url(mac.get(..8).unwrap_or_default()))
    }

    /// The run that this id names; `None` when malformed, forged or of another org.
    pub fn read_run(&self, org: &str, text: &str) -> Option<LocalId> {
        let (id, mac) = text.strip_prefix(RUN)?.strip_prefix('_')?.split_at_checked(LOCAL_CHARS)?;
        let mac = from_base64url(mac.strip_prefix('_')?).filter(|mac| mac.len() == 8)?;
        let known = self.public.verify(&[RUN.as_bytes(), org.as_bytes(), id.as_bytes()], &mac);
        LocalId::read(id).filter(|_| known)
    }

    /// The token of the n-th hand-over of a call. It names the call, so that a result finds it, and cannot be guessed
    /// by who was not handed it.
    pub fn claim(&self, place: &Place, id: &LocalId, hand_over: u32) -> String {
        let mac = self.claims.mac(&[place.object_name().as_bytes(), id.0.as_bytes(), &hand_over.to_be_bytes()]);
        format!("cl_{}_{hand_over}_{}", id.0, base64url(mac.get(..16).unwrap_or_default()))
    }

    /// The call and hand-over of a token; `None` when malformed or forged.
    pub fn read_claim(&self, place: &Place, token: &str) -> Option<(LocalId, u32)> {
        let mut parts = token.strip_prefix("cl_")?.splitn(3, '_');
        let (id, hand_over, mac) =
            (LocalId::read(parts.next()?)?, parts.next()?.parse::<u32>().ok()?, from_base64url(parts.next()?)?);
        let object = place.object_name();
        (mac.len() == 16 && self.claims.verify(&[object.as_bytes(), id.0.as_bytes(), &hand_over.to_be_bytes()], &mac))
            .then_some((id, hand_over))
    }
}

#[cfg(test)]
mod tests {
    use toolgate_protocol::limits::ID_CHARS_MAX;

    use super::*;

    #[test]
    fn ids_lead_home_and_nowhere_else() {
        let ids = Ids::new(b"0123456789abcdef0123456789abcdef");
        for pool in ["shop", "a", "my-pool_x", &"p".repeat(32)] {
            let place = Place::of("acme", pool);
            let local = LocalId::new(UnixMillis(1_764_500_000_000), &[7; 16]);
            let id = ids.public(IdKind::Call, &place, &local);
            assert!(
                id.len() <= ID_CHARS_MAX
                    && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'),
                "{id}"
            );
            assert_eq!(ids.read(IdKind::Call, "acme", &id), Some((place.clone(), local.clone())));
            assert_eq!(ids.read(IdKind::Call, "other", &id), None);
            assert_eq!(ids.read(IdKind::Approval, "acme", &id), None);
            assert_eq!(ids.read(IdKind::Approval, "acme", &id.replace("call_", "apr_")), None);
            for at in 0..id.len() {
                let mut forged = id.clone().into_bytes();
                forged[at] ^= 1;
                if let Ok(forged) = String::from_utf8(forged) {
                    assert_eq!(ids.read(IdKind::Call, "acme", &forged), None, "{forged}");
                }
                assert_eq!(ids.read(IdKind::Call, "acme", id.split_at(at).0), None);
            }
            let token = ids.claim(&place, &local, 3);
            assert_eq!(ids.read_claim(&place, &token), Some((local.clone(), 3)));
            assert_eq!(ids.read_claim(&place, &token.replace("_3_", "_4_")), None);
            assert_eq!(ids.read_claim(&Place::of("acme", "elsewhere"), &token), None);
        }
    }

    #[test]
    fn ids_of_runs_are_an_orgs_own() {
        let ids = Ids::new(b"0123456789abcdef0123456789abcdef");
        let local = LocalId::new(UnixMillis(1_764_500_000_000), &[7; 16]);
        let id = ids.run("acme", &local);
        assert_eq!((ids.read_run("acme", &id), ids.read_run("other", &id)), (Some(local.clone()), None));
        for at in 0..id.len() {
            let mut forged = id.clone().into_bytes();
            forged[at] ^= 1;
            assert!(String::from_utf8(forged).map_or(true, |forged| ids.read_run("acme", &forged).is_none()));
            assert_eq!(ids.read_run("acme", id.split_at(at).0), None);
        }
        // A longer part of the true MAC would be another spelling of the same id.
        for (entropy, more) in (0..=255).flat_map(|byte| ["x", "xx", "A"].map(|more| ([byte; 16], more))) {
            let id = ids.run("acme", &LocalId::new(UnixMillis(1), &entropy));
            assert_eq!(ids.read_run("acme", &format!("{id}{more}")), None, "{id}{more}");
        }
        let full = ids.public.mac(&[RUN.as_bytes(), b"acme", local.0.as_bytes()]);
        for bytes in 9..=32 {
            assert_eq!(ids.read_run("acme", &format!("run_{}_{}", local.0, base64url(&full[..bytes]))), None);
        }
    }

    #[test]
    fn order_is_the_order_of_creation() {
        let at = |millis, byte| LocalId::new(UnixMillis(millis), &[byte; 16]);
        assert!(at(1, 255) < at(2, 0) && at(255, 0) < at(256, 0) && at(2, 1) < at(2, 2));
        assert!(LocalId::first_at(UnixMillis(5)) <= at(5, 0) && at(4, 255) < LocalId::first_at(UnixMillis(5)));
        assert_eq!(LocalId::read(at(9, 9).as_str()), Some(at(9, 9)));
        assert_eq!(at(0x1234_5678_9abc, 0xff).as_str().len(), 24);
        assert_eq!(at(0x1234_5678_9abc, 0xff).time(), UnixMillis(0x1234_5678_9abc));
    }
}

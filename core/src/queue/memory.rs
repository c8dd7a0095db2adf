//! What an object holds in memory: who waits, and what would cost a row to keep. All of it may vanish at any time;
//! a freshly built object is right without it.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::parking::Parked;
use super::store::KnownManifest;
use crate::ids::LocalId;
use crate::policy::Snapshot;
use crate::time::UnixMillis;

/// Names a request that is held.
pub type WaiterId = u64;

/// Why a request is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// For the end of a call.
    Call {
        /// The call.
        id: LocalId,
        /// What its links begin with.
        base_url: String,
        /// The key that waits.
        key_id: String,
        /// It was a submission.
        submitted: bool,
        /// Also for more to happen to it than this.
        known: Option<usize>,
    },
    /// For jobs.
    Poll {
        /// The session.
        session: String,
        /// How many.
        max: usize,
    },
}

/// A request that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Why.
    pub waiting: Waiting,
    /// Until when at most.
    pub deadline: UnixMillis,
}

/// A live session, as far as every step needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// When it was last seen.
    pub at: UnixMillis,
    /// Hash of its manifest.
    pub manifest: String,
    /// Its worker's id.
    pub worker: String,
}

/// How a worker does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Results without an error.
    pub succeeded: u64,
    /// Results with one, and claims that lapsed.
    pub failed: u64,
}

/// The memory of one object.
#[derive(Default)]
pub struct Memory {
    /// Running reads and accepted writes: when their lease is over.
    pub leases: BTreeMap<LocalId, UnixMillis>,
    /// Calls that an executor holds, with the bytes of their arguments.
    pub running: BTreeMap<LocalId, usize>,
    /// The open approvals, once somebody had to know.
    pub parked: Option<Parked>,
    /// The live sessions.
    pub seen: BTreeMap<String, Live>,
    /// Who waits; ordered by arrival.
    pub waiters: BTreeMap<WaiterId, Waiter>,
    /// Waiters that a step was about to answer when storage failed.
    pub undone: Vec<(WaiterId, Waiter)>,
    /// Waiters that the step under way is about to answer.
    pub answered: Vec<(WaiterId, Waiter)>,
    /// The next waiter's name. Never used twice in a process, rebuilt or not.
    pub next_waiter: WaiterId,
    /// Nothing is due before this.
    pub next_due: UnixMillis,
    /// The alarm that is set.
    pub alarm: Option<UnixMillis>,
    /// The policy, read.
    pub snapshot: Option<Rc<Snapshot>>,
    /// When the registry last said so.
    pub snapshot_at: Option<UnixMillis>,
    /// Manifests by hash; the content of a hash never changes.
    pub manifests: HashMap<String, Rc<KnownManifest>>,
    /// Per worker id.
    pub health: BTreeMap<String, Health>,
    /// Rows written and alarms set by this object since it was built; a reading for people.
    pub rows_written: u64,
    /// Storage was read into this memory.
    pub ready: bool,
}

impl Memory {
    /// The waiters of a call.
    pub fn waiters_of(&self, id: &LocalId) -> Vec<WaiterId> {
        let is = |waiter: &Waiter| matches!(&waiter.waiting, Waiting::Call { id: waited, .. } if waited == id);
        self.waiters.iter().filter(|(_, waiter)| is(waiter)).map(|(name, _)| *name).collect()
    }

    /// Those of them that wait for more to happen to it than they know.
    pub fn watchers_of(&self, id: &LocalId, happened: usize) -> Vec<WaiterId> {
        let is = |waiter: &Waiter| matches!(&waiter.waiting, Waiting::Call { id: waited, known: Some(known), .. } if waited == id && *known < happened);
        self.waiters.iter().filter(|(_, waiter)| is(waiter)).map(|(name, _)| *name).collect()
    }

    /// The session of a request that waits for jobs.
    pub fn polling(&self, name: WaiterId) -> Option<String> {
        match self.waiters.get(&name).map(|waiter| &waiter.waiting) {
            Some(Waiting::Poll { session, .. }) => Some(session.clone()),
            _ => None,
        }
    }

    /// The polls that wait, oldest first.
    pub fn polls(&self) -> Vec<(WaiterId, String, usize)> {
        let poll = |(name, waiter): (&WaiterId, &Waiter)| match &waiter.waiting {
            Waiting::Poll { session, max } => Some((*name, session.clone(), *max)),
            Waiting::Call { .. } => None,
        };
        self.waiters.iter().filter_map(poll).collect()
    }

    /// Something may be due at this time.
    pub fn wake_at(&mut self, at: UnixMillis) {
        self.next_due = self.next_due.min(at);
    }
}

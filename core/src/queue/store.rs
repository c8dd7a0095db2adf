//! What the queue asks of storage, in the words of the domain. Implemented by [`super::sql::SqlStore`] (the object's
//! storage, and rusqlite in tests) and by a plain map in the simulator. A step's calls are one transaction: after an
//! `Err` the shell undoes all of them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolgate_protocol::approvals::DecisionKind;
use toolgate_protocol::calls::CallState;
use toolgate_protocol::workers::RegistrationResult;

use super::call::{Bucket, Call};
use super::messages::PoolMessage;
use crate::ids::{LocalId, Place};
use crate::policy::Snapshot;
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

/// Storage said yes, or the step is undone.
pub type Stored<T> = Result<T, StoreError>;

/// A worker's registration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// The worker's own id.
    pub worker: String,
    /// The key it registered with.
    pub key_id: String,
    /// Hash of its manifest.
    pub manifest: String,
    /// When.
    pub registered_at: UnixMillis,
    /// Since when it is not live any more, and why.
    pub gone: Option<(UnixMillis, Gone)>,
}

/// Why a session is not live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Gone {
    /// It said goodbye.
    Goodbye,
    /// The same worker id registered again.
    Superseded,
    /// It was not seen for too long.
    Lapsed,
    /// Its key was revoked.
    Revoked,
}

/// What the pool keeps of a manifest that live sessions announced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownManifest {
    /// Tool name to the hash of the class and input announced.
    pub contracts: BTreeMap<String, String>,
    /// What the registry answered.
    pub result: RegistrationResult,
}

/// A decision that was made, as the next one of the kind is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastDecision {
    /// The call.
    pub call: LocalId,
    /// Yes or no.
    pub decision: DecisionKind,
    /// The approver's name.
    pub by: String,
    /// When.
    pub at: UnixMillis,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The agent that asked.
    pub agent: String,
    /// SHA-256 of the canonical arguments that were asked for.
    pub arguments: String,
}

/// A queued call, as much as is needed to choose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The call.
    pub id: LocalId,
    /// Its tool.
    pub tool: String,
    /// Class and input it was accepted under.
    pub contract_hash: String,
}

/// Which calls a list shows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Filter {
    /// Only this state.
    pub state: Option<CallState>,
    /// Only this tool.
    pub tool: Option<String>,
    /// Only these agents.
    pub agents: Option<Vec<String>>,
    /// Only calls before this one.
    pub before: Option<LocalId>,
}

/// The queue's storage.
pub trait Store {
    /// The object's own place; `None` in a new object.
    fn place(&self) -> Stored<Option<Place>>;
    /// Remembers it.
    fn set_place(&mut self, place: &Place) -> Stored<()>;
    /// The policy, as last stored.
    fn snapshot(&self) -> Stored<Option<Snapshot>>;
    /// Stores it.
    fn set_snapshot(&mut self, snapshot: &Snapshot) -> Stored<()>;

    /// A call.
    fn call(&self, id: &LocalId) -> Stored<Option<Call>>;
    /// Stores a new call.
    fn insert(&mut self, call: &Call) -> Stored<()>;
    /// Stores a changed call that stood in this bucket.
    fn update(&mut self, call: &Call, was: Bucket) -> Stored<()>;
    /// The call made with this idempotency scope and key.
    fn by_idempotency(&self, hash: &str) -> Stored<Option<LocalId>>;
    /// Queued calls that may be handed out now, oldest first, after one of them.
    fn queued(&self, now: UnixMillis, after: Option<&LocalId>, limit: usize) -> Stored<Vec<Head>>;
    /// Another idempotency key that leads to this call from now on; goes with its record.
    fn add_idempotency(&mut self, call: &Call, hash: &str) -> Stored<()>;
    /// Decisions on calls of one tool for one principal.
    fn decisions(&self, key: &str) -> Stored<Vec<PastDecision>>;
    /// Stores them; `at` is the last one's time, by which they are forgotten.
    fn put_decisions(&mut self, key: &str, at: UnixMillis, decisions: &[PastDecision]) -> Stored<()>;
    /// Calls in a bucket, oldest first, after one of them.
    fn in_bucket(&self, bucket: Bucket, after: Option<&LocalId>, limit: usize) -> Stored<Vec<LocalId>>;
    /// Open calls that are due.
    fn due(&self, now: UnixMillis, limit: usize) -> Stored<Vec<LocalId>>;
    /// Takes a record that cannot be read out of every bucket, so that the pool's time goes on.
    fn set_aside(&mut self, id: &LocalId) -> Stored<()>;
    /// When the next open call is due, or the next pause is over.
    fn next_due(&self, now: UnixMillis) -> Stored<Option<UnixMillis>>;
    /// Newest first, without arguments, results and activities: a page of those would not fit in memory.
    fn list(&self, filter: &Filter, limit: usize) -> Stored<Vec<Call>>;
    /// How many stand in a bucket.
    fn count(&self, bucket: Bucket) -> Stored<u64>;
    /// The oldest record of an ended call.
    fn oldest_ended(&self) -> Stored<Option<LocalId>>;
    /// Deletes records that ended before this, with their idempotency keys; how many.
    fn sweep(&mut self, ended_before: UnixMillis, limit: usize) -> Stored<usize>;

    /// A session.
    fn session(&self, id: &str) -> Stored<Option<Session>>;
    /// Every session that is remembered.
    fn sessions(&self) -> Stored<Vec<Session>>;
    /// Stores a session.
    fn put_session(&mut self, session: &Session) -> Stored<()>;
    /// Forgets a session.
    fn delete_session(&mut self, id: &str) -> Stored<()>;
    /// A manifest.
    fn manifest(&self, hash: &str) -> Stored<Option<KnownManifest>>;
    /// Stores a manifest.
    fn put_manifest(&mut self, hash: &str, manifest: &KnownManifest) -> Stored<()>;
    /// Forgets every manifest but these.
    fn keep_manifests(&mut self, hashes: &[String]) -> Stored<()>;

    /// Adds to what the registry must be told.
    fn push(&mut self, message: &PoolMessage) -> Stored<()>;
    /// What it must be told, oldest first, numbered.
    fn outbox(&self, limit: usize) -> Stored<Vec<(u64, PoolMessage)>>;
    /// Is there anything to tell?
    fn has_outbox(&self) -> Stored<bool>;
    /// It was told everything up to here.
    fn told(&mut self, up_to: u64) -> Stored<()>;
}

//! The queue's storage as plain maps: the model that the SQL is compared with.

use std::collections::BTreeMap;
use std::rc::Rc;

use toolgate_core::ids::{LocalId, Place};
use toolgate_core::policy::Snapshot;
use toolgate_core::queue::call::{Bucket, Call};
use toolgate_core::queue::messages::PoolMessage;
use toolgate_core::queue::store::{Filter, Head, KnownManifest, PastDecision, Session, Store, Stored};
use toolgate_core::sql_port::StoreError;
use toolgate_core::time::UnixMillis;

#[derive(Clone, Default)]
pub struct Model {
    place: Option<Place>,
    snapshot: Option<Snapshot>,
    calls: BTreeMap<(Bucket, LocalId), Rc<Call>>,
    buckets: BTreeMap<LocalId, Bucket>,
    idempotency: BTreeMap<String, LocalId>,
    joined: BTreeMap<LocalId, Vec<String>>,
    decisions: BTreeMap<String, (UnixMillis, Vec<PastDecision>)>,
    sessions: BTreeMap<String, Session>,
    manifests: BTreeMap<String, KnownManifest>,
    outbox: BTreeMap<u64, Rc<PoolMessage>>,
    floor: u64,
}

const FIRST: &str = "000000000000000000000000";
const LAST: &str = "vvvvvvvvvvvvvvvvvvvvvvvv";

fn id(text: &str) -> LocalId {
    LocalId::read(text).expect("an id")
}

impl Model {
    fn bucket(&self, bucket: Bucket) -> impl Iterator<Item = &Rc<Call>> {
        self.calls.range((bucket, id(FIRST))..=(bucket, id(LAST))).map(|(_, call)| call)
    }

    fn open(&self) -> impl Iterator<Item = &Rc<Call>> {
        [Bucket::Queued, Bucket::Running, Bucket::Parked].into_iter().flat_map(|bucket| self.bucket(bucket))
    }

    /// For the checks: without copying.
    pub fn peek(&self, id: &LocalId) -> Option<&Call> {
        let bucket = self.buckets.get(id)?;
        self.calls.get(&(*bucket, id.clone())).map(|call| &**call)
    }

    pub fn open_count(&self) -> usize {
        self.open().count()
    }

    pub fn everything(&self) -> Vec<Call> {
        self.calls.values().map(|call| (**call).clone()).collect()
    }

    /// As the SQL's outbox: numbers begin at the time.
    pub fn at(&mut self, now: UnixMillis) {
        self.floor = now.0;
    }
}

impl Store for Model {
    fn place(&self) -> Stored<Option<Place>> {
        Ok(self.place.clone())
    }
    fn set_place(&mut self, place: &Place) -> Stored<()> {
        self.place = Some(place.clone());
        Ok(())
    }
    fn snapshot(&self) -> Stored<Option<Snapshot>> {
        Ok(self.snapshot.clone())
    }
    fn set_snapshot(&mut self, snapshot: &Snapshot) -> Stored<()> {
        self.snapshot = Some(snapshot.clone());
        Ok(())
    }
    fn call(&self, id: &LocalId) -> Stored<Option<Call>> {
        Ok(self.peek(id).cloned())
    }
    fn insert(&mut self, call: &Call) -> Stored<()> {
        let bucket = Bucket::of(call.state);
        if self.buckets.insert(call.id.clone(), bucket).is_some() {
            return Err(StoreError::Failed("inserted twice".into()));
        }
        self.calls.insert((bucket, call.id.clone()), Rc::new(call.clone()));
        if let Some(hash) = &call.asked.idempotency {
            self.idempotency.insert(hash.clone(), call.id.clone());
        }
        Ok(())
    }
    fn update(&mut self, call: &Call, was: Bucket) -> Stored<()> {
        if self.calls.remove(&(was, call.id.clone())).is_none() {
            return Err(StoreError::Failed("updated in a bucket where it is not".into()));
        }
        let bucket = Bucket::of(call.state);
        self.buckets.insert(call.id.clone(), bucket);
        self.calls.insert((bucket, call.id.clone()), Rc::new(call.clone()));
        Ok(())
    }
    fn by_idempotency(&self, hash: &str) -> Stored<Option<LocalId>> {
        Ok(self.idempotency.get(hash).cloned())
    }
    fn add_idempotency(&mut self, call: &Call, hash: &str) -> Stored<()> {
        self.idempotency.insert(hash.to_owned(), call.id.clone());
        self.joined.entry(call.id.clone()).or_default().push(hash.to_owned());
        Ok(())
    }
    fn decisions(&self, key: &str) -> Stored<Vec<PastDecision>> {
        Ok(self.decisions.get(key).map(|(_, decisions)| decisions.clone()).unwrap_or_default())
    }
    fn put_decisions(&mut self, key: &str, at: UnixMillis, decisions: &[PastDecision]) -> Stored<()> {
        self.decisions.insert(key.to_owned(), (at, decisions.to_vec()));
        Ok(())
    }
    fn queued(&self, now: UnixMillis, after: Option<&LocalId>, limit: usize) -> Stored<Vec<Head>> {
        let ready = self
            .bucket(Bucket::Queued)
            .filter(|call| after.is_none_or(|after| call.id > *after) && call.ready_at <= now);
        let head = |call: &Rc<Call>| Head {
            id: call.id.clone(),
            tool: call.asked.tool.clone(),
            contract_hash: call.asked.contract_hash.clone(),
        };
        Ok(ready.take(limit).map(head).collect())
    }
    fn in_bucket(&self, bucket: Bucket, after: Option<&LocalId>, limit: usize) -> Stored<Vec<LocalId>> {
        let ids = self.bucket(bucket).map(|call| call.id.clone());
        Ok(ids.filter(|id| after.is_none_or(|after| id > after)).take(limit).collect())
    }
    fn due(&self, now: UnixMillis, limit: usize) -> Stored<Vec<LocalId>> {
        Ok(self
            .open()
            .filter(|call| call.due().is_some_and(|due| due <= now))
            .take(limit)
            .map(|call| call.id.clone())
            .collect())
    }
    fn set_aside(&mut self, id: &LocalId) -> Stored<()> {
        Err(StoreError::Failed(format!("the model holds nothing that cannot be read, also not {id:?}")))
    }
    fn next_due(&self, now: UnixMillis) -> Stored<Option<UnixMillis>> {
        let due = self.open().filter_map(|call| call.due());
        let pauses = self.bucket(Bucket::Queued).map(|call| call.ready_at).filter(|at| *at > now);
        Ok(due.chain(pauses).min())
    }
    fn list(&self, filter: &Filter, limit: usize) -> Stored<Vec<Call>> {
        let wanted = |call: &&Rc<Call>| {
            filter.state.is_none_or(|state| call.state == state)
                && filter.tool.as_ref().is_none_or(|tool| call.asked.tool == *tool)
                && filter.agents.as_ref().is_none_or(|agents| agents.contains(&call.asked.agent))
                && filter.before.as_ref().is_none_or(|before| call.id < *before)
        };
        let mut found: Vec<Call> = self.calls.values().filter(wanted).map(|call| (**call).clone()).collect();
        for call in &mut found {
            call.asked.arguments.clear();
            if let Some(outcome) = &mut call.outcome {
                (outcome.result, outcome.activity) = (None, None);
            }
        }
        found.sort_by(|one, other| other.id.cmp(&one.id));
        found.truncate(limit);
        Ok(found)
    }
    fn count(&self, bucket: Bucket) -> Stored<u64> {
        Ok(self.bucket(bucket).count() as u64)
    }
    fn oldest_ended(&self) -> Stored<Option<LocalId>> {
        Ok(self.bucket(Bucket::Ended).next().map(|call| call.id.clone()))
    }
    fn sweep(&mut self, ended_before: UnixMillis, limit: usize) -> Stored<usize> {
        self.decisions.retain(|_, (at, _)| *at > ended_before);
        let first = LocalId::first_at(ended_before);
        let old = |call: &&Rc<Call>| call.id < first && call.ended_at.is_some_and(|at| at <= ended_before);
        let old: Vec<Rc<Call>> = self.bucket(Bucket::Ended).filter(old).take(limit).cloned().collect();
        for call in &old {
            self.calls.remove(&(Bucket::Ended, call.id.clone()));
            self.buckets.remove(&call.id);
            for hash in self.joined.remove(&call.id).into_iter().flatten().chain(call.asked.idempotency.clone()) {
                if self.idempotency.get(&hash) == Some(&call.id) {
                    self.idempotency.remove(&hash);
                }
            }
        }
        Ok(old.len())
    }
    fn session(&self, id: &str) -> Stored<Option<Session>> {
        Ok(self.sessions.get(id).cloned())
    }
    fn sessions(&self) -> Stored<Vec<Session>> {
        Ok(self.sessions.values().cloned().collect())
    }
    fn put_session(&mut self, session: &Session) -> Stored<()> {
        self.sessions.insert(session.id.clone(), session.clone());
        Ok(())
    }
    fn delete_session(&mut self, id: &str) -> Stored<()> {
        self.sessions.remove(id);
        Ok(())
    }
    fn manifest(&self, hash: &str) -> Stored<Option<KnownManifest>> {
        Ok(self.manifests.get(hash).cloned())
    }
    fn put_manifest(&mut self, hash: &str, manifest: &KnownManifest) -> Stored<()> {
        self.manifests.insert(hash.to_owned(), manifest.clone());
        Ok(())
    }
    fn keep_manifests(&mut self, hashes: &[String]) -> Stored<()> {
        self.manifests.retain(|hash, _| hashes.contains(hash));
        Ok(())
    }
    fn push(&mut self, message: &PoolMessage) -> Stored<()> {
        let last = self.outbox.keys().next_back().copied().unwrap_or(0);
        self.outbox.insert(last.max(self.floor) + 1, Rc::new(message.clone()));
        Ok(())
    }
    fn outbox(&self, limit: usize) -> Stored<Vec<(u64, PoolMessage)>> {
        Ok(self.outbox.iter().take(limit).map(|(number, message)| (*number, (**message).clone())).collect())
    }
    fn has_outbox(&self) -> Stored<bool> {
        Ok(!self.outbox.is_empty())
    }
    fn told(&mut self, up_to: u64) -> Stored<()> {
        self.outbox.retain(|number, _| *number > up_to);
        Ok(())
    }
}

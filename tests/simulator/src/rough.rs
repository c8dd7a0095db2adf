//! Storage on a bad day: it fails at a chosen operation, and it may hold a planted bug.

use std::cell::Cell;

use toolgate_core::ids::{LocalId, Place};
use toolgate_core::policy::Snapshot;
use toolgate_core::queue::call::{Bucket, Call};
use toolgate_core::queue::messages::PoolMessage;
use toolgate_core::queue::store::{Filter, Head, KnownManifest, PastDecision, Session, Store, Stored};
use toolgate_core::queue::target::DELIVERER;
use toolgate_core::sql_port::StoreError;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::calls::CallState;
use toolgate_protocol::limits::{APPROVAL_SECONDS, APPROVAL_SECONDS_MAX};

/// Which writes whose outcome is unknown are stored as queued, by a planted bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Requeues {
    /// None.
    #[default]
    Nothing,
    /// Every one.
    Everything,
    /// Those whose delivery had no valid reply.
    Deliveries,
    /// None, but an approval queues another parked call with it.
    Twins,
    /// None, but what an approver edited is stored as something that nobody has checked.
    Edits,
    /// None, but the first yes of several gives the others another hour.
    Ends,
}

/// A store behind which everything is as it was, but for one failure or one bug.
pub struct Rough<'a> {
    pub store: &'a mut dyn Store,
    /// Operations until the one that fails.
    pub fails_after: Cell<Option<usize>>,
    /// A planted bug.
    pub requeues: Requeues,
}

impl Rough<'_> {
    fn operation(&self) -> Stored<()> {
        match self.fails_after.get() {
            Some(0) => Err(StoreError::Failed("the disk is on fire".into())),
            Some(left) => {
                self.fails_after.set(Some(left - 1));
                Ok(())
            }
            None => Ok(()),
        }
    }
}

macro_rules! pass {
    ($($name:ident(&self $(, $arg:ident: $kind:ty)*) -> $answer:ty;)*) => {
        $(fn $name(&self $(, $arg: $kind)*) -> Stored<$answer> {
            self.operation()?;
            self.store.$name($($arg),*)
        })*
    };
    (mut $($name:ident(&mut self $(, $arg:ident: $kind:ty)*) -> $answer:ty;)*) => {
        $(fn $name(&mut self $(, $arg: $kind)*) -> Stored<$answer> {
            self.operation()?;
            self.store.$name($($arg),*)
        })*
    };
}

impl Store for Rough<'_> {
    pass! {
        place(&self) -> Option<Place>;
        snapshot(&self) -> Option<Snapshot>;
        call(&self, id: &LocalId) -> Option<Call>;
        by_idempotency(&self, hash: &str) -> Option<LocalId>;
        queued(&self, now: UnixMillis, after: Option<&LocalId>, limit: usize) -> Vec<Head>;
        in_bucket(&self, bucket: Bucket, after: Option<&LocalId>, limit: usize) -> Vec<LocalId>;
        due(&self, now: UnixMillis, limit: usize) -> Vec<LocalId>;
        next_due(&self, now: UnixMillis) -> Option<UnixMillis>;
        list(&self, filter: &Filter, limit: usize) -> Vec<Call>;
        count(&self, bucket: Bucket) -> u64;
        oldest_ended(&self) -> Option<LocalId>;
        session(&self, id: &str) -> Option<Session>;
        sessions(&self) -> Vec<Session>;
        manifest(&self, hash: &str) -> Option<KnownManifest>;
        decisions(&self, key: &str) -> Vec<PastDecision>;
        has_outbox(&self) -> bool;
        outbox(&self, limit: usize) -> Vec<(u64, PoolMessage)>;
    }
    pass! { mut
        set_place(&mut self, place: &Place) -> ();
        set_snapshot(&mut self, snapshot: &Snapshot) -> ();
        insert(&mut self, call: &Call) -> ();
        add_idempotency(&mut self, call: &Call, hash: &str) -> ();
        put_decisions(&mut self, key: &str, at: UnixMillis, decisions: &[PastDecision]) -> ();
        sweep(&mut self, ended_before: UnixMillis, limit: usize) -> usize;
        set_aside(&mut self, id: &LocalId) -> ();
        put_session(&mut self, session: &Session) -> ();
        delete_session(&mut self, id: &str) -> ();
        put_manifest(&mut self, hash: &str, manifest: &KnownManifest) -> ();
        keep_manifests(&mut self, hashes: &[String]) -> ();
        push(&mut self, message: &PoolMessage) -> ();
        told(&mut self, up_to: u64) -> ();
    }
    fn update(&mut self, call: &Call, was: Bucket) -> Stored<()> {
        self.operation()?;
        let mut call = call.clone();
        let delivered = call.claim.as_ref().is_some_and(|claim| claim.session == DELIVERER);
        let requeued = match self.requeues {
            Requeues::Nothing | Requeues::Twins | Requeues::Edits | Requeues::Ends => false,
            Requeues::Everything => true,
            Requeues::Deliveries => delivered,
        };
        if requeued && call.state == CallState::Unknown {
            call.state = CallState::Queued;
            call.accepted = None;
            call.outcome = None;
            call.ended_at = None;
        }
        let approved = was == Bucket::Parked && call.state == CallState::Queued;
        if let Some(approval) = call.approval.as_mut().filter(|_| approved && self.requeues == Requeues::Edits) {
            approval.edited = approval.edited.take().map(|_| r#"{"n":"x"}"#.to_owned());
        }
        let waits = call.state == CallState::WaitingApproval;
        if let Some(approval) = call.approval.as_mut().filter(|_| waits && self.requeues == Requeues::Ends) {
            // To another that some capability sets.
            let usual = call.asked.at.plus_seconds(APPROVAL_SECONDS);
            let longest = call.asked.at.plus_seconds(APPROVAL_SECONDS_MAX);
            approval.expires_at = if approval.expires_at == usual { longest } else { usual };
        }
        self.store.update(&call, was)?;
        if approved && self.requeues == Requeues::Twins {
            for twin in self.store.in_bucket(Bucket::Parked, None, 1)? {
                let Some(mut twin) = self.store.call(&twin)? else { continue };
                (twin.state, twin.ready_at, twin.queue_deadline) = (call.state, call.ready_at, call.queue_deadline);
                self.store.update(&twin, Bucket::Parked)?;
            }
        }
        Ok(())
    }
}

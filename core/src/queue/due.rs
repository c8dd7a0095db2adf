//! Time: what is due first, waking up, sweeping old records, and the next alarm.

use std::collections::BTreeSet;
use std::rc::Rc;

use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{
    ACCEPT_SECONDS, DUE_BATCH, LEASE_FIRST_SECONDS, LEASE_SECONDS, PUSH_SECONDS, RECORD_SECONDS, SESSION_SEEN_SECONDS,
    SWEEP_ROWS, SWEEP_SECONDS,
};

use super::Step;
use super::call::{Bucket, Call};
use super::delivery::delivery_lease_seconds;
use super::machine::{self, CallEvent, Phase};
use super::memory::Live;
use super::messages::Answer;
use super::store::{Gone, Stored};
use super::target::is_deliverer;
use crate::ids::LocalId;
use crate::policy::Snapshot;
use crate::time::UnixMillis;

impl Step<'_> {
    /// Reads storage into a freshly built object's memory. Sessions count as seen now; each running claim is granted
    /// one more period, once until it shows life, never past its execution deadline.
    pub fn wake(&mut self) -> Stored<()> {
        if self.queue.memory.ready {
            return Ok(());
        }
        self.queue.place = self.store.place()?;
        self.queue.memory.snapshot = self.store.snapshot()?.map(Rc::new);
        for session in self.store.sessions()? {
            if session.gone.is_none() {
                let live = Live { at: self.now, manifest: session.manifest, worker: session.worker };
                self.queue.memory.seen.insert(session.id, live);
            }
        }
        for id in self.store.in_bucket(Bucket::Running, None, usize::MAX)? {
            if let Some(mut call) = self.load(&id)? {
                self.queue.memory.running.insert(call.id.clone(), call.arguments().len());
                self.grant_grace(&mut call)?;
            }
        }
        self.queue.memory.next_due = UnixMillis::default();
        self.queue.memory.ready = true;
        Ok(())
    }

    fn grant_grace(&mut self, call: &mut Call) -> Stored<()> {
        let phase = machine::phase(call);
        let Some(claim) = &mut call.claim else { return Ok(()) };
        let seconds = match (phase, call.asked.side_effect) {
            (Phase::HandedOver, _) => ACCEPT_SECONDS,
            // The deliverer does not renew: it lives at the edge, and may well have outlived the object.
            _ if is_deliverer(&claim.session) => delivery_lease_seconds(),
            (_, SideEffect::ReadOnly) => LEASE_FIRST_SECONDS,
            _ => LEASE_SECONDS,
        };
        let until = match claim.grace_until {
            Some(until) => until,
            None => {
                let until = self.now.plus_seconds(seconds);
                let until = if phase == Phase::HandedOver { until } else { until.min(claim.deadline) };
                claim.grace_until = Some(until);
                if phase == Phase::HandedOver {
                    claim.deadline = until;
                }
                self.store.update(call, Bucket::Running)?;
                until
            }
        };
        if phase != Phase::HandedOver {
            self.queue.memory.leases.insert(call.id.clone(), until);
        }
        Ok(())
    }

    /// Does what is due, a bounded batch at a time. Each step runs it before its own event.
    pub fn run_due(&mut self) -> Stored<()> {
        if self.now < self.queue.memory.next_due {
            return Ok(());
        }
        self.lapse_sessions()?;
        let mut due: BTreeSet<LocalId> = self.store.due(self.now, DUE_BATCH)?.into_iter().collect();
        let lapsed = self.queue.memory.leases.iter().filter(|(_, until)| **until <= self.now).map(|(id, _)| id.clone());
        due.extend(lapsed.take(DUE_BATCH));
        let full = due.len() >= DUE_BATCH;
        for id in due {
            if self.current(&id)?.is_none() {
                self.queue.memory.leases.remove(&id);
            }
        }
        // Before what is ready is handed out, which may say that there is more to do at once.
        self.queue.memory.next_due = if full { self.now } else { self.next_due()? };
        self.dispatch()
    }

    /// A call as it is now: what is due for it comes before any event, also when more is due than one step does.
    pub fn current(&mut self, id: &LocalId) -> Stored<Option<Call>> {
        let Some(call) = self.load(id)? else { return Ok(None) };
        self.caught_up(call).map(Some)
    }

    /// A call with what is due for it done.
    pub fn caught_up(&mut self, mut call: Call) -> Stored<Call> {
        if !call.ended() {
            // Twice at most: a hand-over that lapses may find its queue deadline over as well.
            self.run_due_call(&mut call)?;
            self.run_due_call(&mut call)?;
        }
        Ok(call)
    }

    fn run_due_call(&mut self, call: &mut Call) -> Stored<()> {
        let deadline = call.due().unwrap_or(UnixMillis::NEVER);
        let lease = self.queue.memory.leases.get(&call.id).copied().unwrap_or(UnixMillis::NEVER);
        let event = match machine::phase(call) {
            Phase::Waiting if deadline <= self.now => CallEvent::ApprovalExpired,
            Phase::Queued if deadline <= self.now => CallEvent::QueueDeadline { pool: self.place().pool },
            Phase::HandedOver if deadline <= self.now => CallEvent::LeaseLapsed,
            Phase::Reading | Phase::Writing if deadline <= self.now && deadline <= lease => {
                CallEvent::ExecutionDeadline
            }
            Phase::Reading | Phase::Writing if lease <= self.now => CallEvent::LeaseLapsed,
            _ => return Ok(()),
        };
        if matches!(event, CallEvent::ExecutionDeadline)
            || (matches!(event, CallEvent::LeaseLapsed) && machine::phase(call) != Phase::HandedOver)
        {
            let worker = call.claim.as_ref().map(|claim| claim.worker.clone()).unwrap_or_default();
            self.count(&worker, true);
        }
        // Whoever let it lapse may be gone, and its poll with it: a live worker polls again.
        if matches!(event, CallEvent::LeaseLapsed)
            && let Some(claim) = &call.claim
        {
            self.end_polls(&claim.session.clone(), || Ok(Answer::Idle));
        }
        let was = Bucket::of(call.state);
        self.change(call, event, "gateway", None, Some(was)).map(|_| ())
    }

    /// Sessions that were not seen for too long are gone, also for an object that is rebuilt.
    fn lapse_sessions(&mut self) -> Stored<()> {
        let lapsed = |live: &Live| live.at.plus_seconds(SESSION_SEEN_SECONDS) <= self.now;
        let gone: Vec<String> =
            self.queue.memory.seen.iter().filter(|(_, live)| lapsed(live)).map(|(id, _)| id.clone()).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let before = self.live_manifests();
        for id in gone {
            self.end_session(&id, Gone::Lapsed)?;
        }
        self.tell_live(&before)
    }

    /// The earliest thing that can be due.
    fn next_due(&self) -> Stored<UnixMillis> {
        let mut next = self.store.next_due(self.now)?.unwrap_or(UnixMillis::NEVER);
        next = next.min(self.queue.memory.leases.values().min().copied().unwrap_or(UnixMillis::NEVER));
        if let Some(oldest) = self.store.oldest_ended()? {
            next = next.min(oldest.time().plus_seconds(RECORD_SECONDS).max(self.now.plus_seconds(SWEEP_SECONDS)));
        }
        if self.store.has_outbox()? {
            next = next.min(self.now.plus_seconds(PUSH_SECONDS));
        }
        // A lapse matters only where another manifest stays: a pool without a live session disables nothing.
        if self.live_manifests().len() > 1 {
            let seen = self.queue.memory.seen.values().map(|live| live.at).min().unwrap_or(UnixMillis::NEVER);
            next = next.min(seen.plus_seconds(SESSION_SEEN_SECONDS));
        }
        Ok(next)
    }

    /// Deletes old records, a bounded batch at a time; whether there may be more.
    pub fn sweep(&mut self) -> Stored<bool> {
        self.queue.memory.next_due = UnixMillis::default();
        self.prune()?;
        self.store.sweep(self.now.minus_seconds(RECORD_SECONDS), SWEEP_ROWS).map(|swept| swept >= SWEEP_ROWS)
    }

    /// Sets the alarm when something is due before it rings.
    pub fn plan_alarm(&mut self) -> Stored<()> {
        if self.effects.outbox {
            self.queue.memory.wake_at(self.now.plus_seconds(PUSH_SECONDS));
        }
        let memory = &mut self.queue.memory;
        if memory.next_due != UnixMillis::NEVER && memory.alarm.is_none_or(|alarm| memory.next_due < alarm) {
            memory.alarm = Some(memory.next_due);
            self.effects.alarm = Some(memory.next_due);
        }
        Ok(())
    }

    /// A policy arrived. A lower one is ignored; a newer one ends what it takes the ground from.
    pub fn learn(&mut self, snapshot: Snapshot) -> Stored<()> {
        let known = self.queue.memory.snapshot.clone();
        // Of one version with another content the one that came last counts: it is the registry's word of now.
        let newer = known.as_ref().is_none_or(|known| !snapshot.older_than(known) && **known != snapshot);
        let same =
            known.as_ref().is_some_and(|known| (known.epoch, known.version) == (snapshot.epoch, snapshot.version));
        if !newer && !same {
            return Ok(());
        }
        self.queue.memory.snapshot_at = Some(self.now);
        if newer {
            self.store.set_snapshot(&snapshot)?;
            self.queue.memory.snapshot = Some(Rc::new(snapshot));
            self.end_revoked_sessions()?;
            self.end_revoked_waits();
            self.end_polls_of_other_transport();
            self.revalidate(Bucket::Parked)?;
            self.revalidate(Bucket::Running)?;
        }
        self.dispatch()
    }

    /// Parked calls and writes that were handed over but not accepted lose their ground at once; queued ones are
    /// checked at hand-out.
    fn revalidate(&mut self, bucket: Bucket) -> Stored<()> {
        let Some(policy) = self.queue.memory.snapshot.clone() else { return Ok(()) };
        for id in self.store.in_bucket(bucket, None, usize::MAX)? {
            let Some(mut call) = self.load(&id)? else { continue };
            let open = matches!(machine::phase(&call), Phase::Waiting | Phase::HandedOver);
            if let Some(withdrawn) = policy.withdrawn(&call.accepted_under()).filter(|_| open) {
                self.invalidate(&mut call, withdrawn, bucket)?;
            }
        }
        Ok(())
    }
}

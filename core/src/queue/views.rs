//! How records look from outside, and the one place where a changed call is stored.

use serde_json::value::RawValue;
use toolgate_protocol::approvals::ApprovalView;
use toolgate_protocol::calls::{ApprovalLink, CallState, CallView};
use toolgate_protocol::limits::{ACCEPT_SECONDS, LEASE_FIRST_SECONDS, LEASE_SECONDS};
use toolgate_protocol::workers::Job;

use super::call::{Bucket, Call};
use super::edits::changes;
use super::machine::{self, CallEvent, Phase, Verdict};
use super::messages::{Answer, PoolMessage, Watched};
use super::store::Stored;
use super::told::told;
use super::{Step, Transition};
use crate::hash::sha256_hex;
use crate::ids::IdKind;
use crate::time::UnixMillis;
use crate::visible::shown;

/// JSON text that was checked when it was stored.
pub(super) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

impl Step<'_> {
    /// Applies an event to a call and stores what changed, with all that follows from it. `was` is the bucket that
    /// the call is stored in; `None` for a call that is not stored yet.
    pub fn change(
        &mut self,
        call: &mut Call,
        event: CallEvent,
        by: &str,
        note: Option<String>,
        was: Option<Bucket>,
    ) -> Stored<Verdict> {
        let (from, name, before) =
            (machine::phase(call), machine::event_name(&event), (call.evidence.len(), call.cancel_requested));
        let attempt = |call: &Call| call.claim.as_ref().map(|claim| claim.attempt);
        let attempt_before = attempt(call);
        let verdict = machine::apply(call, event, self.now);
        let to = machine::phase(call);
        self.effects.transitions.push(Transition { call: call.id.clone(), from, event: name, to });
        let moved = from != to || verdict == Verdict::Done;
        if !moved && before == (call.evidence.len(), call.cancel_requested) {
            return Ok(verdict);
        }
        call.note(name, self.now, by, attempt(call).or(attempt_before), note);
        let decided = from == Phase::Waiting && moved;
        if decided {
            self.sync_approval(call);
        }
        match was {
            Some(bucket) => self.store.update(call, bucket)?,
            None => self.store.insert(call)?,
        }
        if decided {
            self.parked_changed(call);
            self.tell_approval(call)?;
        }
        if moved {
            self.follow(call, to);
        }
        for name in self.queue.memory.watchers_of(&call.id, call.happened()) {
            self.answer_waiter(name, call);
        }
        Ok(verdict)
    }

    /// Memory after a transition: leases, the next due time, and who waited for the end.
    fn follow(&mut self, call: &Call, to: Phase) {
        let deadline = call.due().unwrap_or(UnixMillis::NEVER);
        self.queue.memory.wake_at(deadline);
        let lease = match to {
            Phase::Reading => Some(LEASE_FIRST_SECONDS),
            Phase::Writing => Some(LEASE_SECONDS),
            _ => None,
        };
        match to {
            Phase::HandedOver | Phase::Reading | Phase::Writing => {
                self.queue.memory.running.insert(call.id.clone(), call.weight());
            }
            _ => drop(self.queue.memory.running.remove(&call.id)),
        }
        match lease {
            Some(seconds) => self.set_lease(call, seconds),
            None => drop(self.queue.memory.leases.remove(&call.id)),
        }
        // What is ready now is handed out by this very step.
        if to == Phase::Queued && call.ready_at > self.now {
            self.queue.memory.wake_at(call.ready_at);
        }
        if call.ended() {
            self.queue.memory.wake_at(self.now.plus_seconds(toolgate_protocol::limits::RECORD_SECONDS));
            for name in self.queue.memory.waiters_of(&call.id) {
                self.answer_waiter(name, call);
            }
        }
    }

    fn answer_waiter(&mut self, name: super::memory::WaiterId, call: &Call) {
        if let Some(super::memory::Waiter {
            waiting: super::memory::Waiting::Call { base_url, submitted, known, .. },
            ..
        }) = self.queue.memory.waiters.get(&name).cloned()
        {
            let answer = self.waited(call, &base_url, submitted, known);
            self.answer(name, Ok(answer));
        }
    }

    /// What a request is answered that waited for a call.
    pub fn waited(&self, call: &Call, base_url: &str, submitted: bool, known: Option<usize>) -> Answer {
        match known {
            Some(_) => self.watched(call, base_url),
            None => self.call_answer(call, base_url, submitted),
        }
    }

    /// A call with what has happened to it.
    pub fn watched(&self, call: &Call, base_url: &str) -> Answer {
        let events = call.timeline.iter().map(|entry| entry.event.clone()).collect();
        Answer::Watched(Box::new(Watched { view: self.call_view(call, base_url), events, happened: call.happened() }))
    }

    /// Grants a lease from now, never past the execution deadline; the seconds granted.
    pub fn set_lease(&mut self, call: &Call, seconds: u64) {
        let until = self.now.plus_seconds(seconds).min(call.due().unwrap_or(UnixMillis::NEVER));
        self.queue.memory.leases.insert(call.id.clone(), until);
        self.queue.memory.wake_at(until);
    }

    fn sync_approval(&mut self, call: &mut Call) {
        let state = match call.state {
            CallState::Queued => "approved",
            CallState::Rejected => "rejected",
            CallState::Expired => "expired",
            CallState::Cancelled => "cancelled",
            _ => "invalidated",
        };
        if let Some(approval) = &mut call.approval {
            approval.state = state.to_owned();
        }
    }

    /// The public id of a call.
    pub fn call_id(&self, call: &Call) -> String {
        self.queue.ids.public(IdKind::Call, &self.place(), &call.id)
    }

    /// The public id of a call's approval.
    pub fn approval_id(&self, call: &Call) -> String {
        self.queue.ids.public(IdKind::Approval, &self.place(), &call.id)
    }

    /// A call as an answer.
    pub fn call_answer(&self, call: &Call, base_url: &str, submitted: bool) -> Answer {
        Answer::Call { view: Box::new(self.call_view(call, base_url)), accepted: submitted }
    }

    /// A call as the REST door shows it.
    pub fn call_view(&self, call: &Call, base_url: &str) -> CallView {
        let outcome = call.outcome.clone().unwrap_or_default();
        let approval = call.approval.as_ref().filter(|_| call.state == CallState::WaitingApproval).map(|approval| {
            let id = self.approval_id(call);
            let url = format!("{base_url}/v1/approvals/{id}");
            ApprovalLink { id, digest: approval.digest.clone(), expires_at: approval.expires_at.rfc3339(), url }
        });
        CallView {
            call: self.call_id(call),
            state: call.state,
            tool: call.asked.tool.clone(),
            agent: call.asked.agent.clone(),
            run: call.asked.run.clone(),
            created_at: call.asked.at.rfc3339(),
            ended_at: call.ended_at.map(UnixMillis::rfc3339),
            result: outcome.result.as_deref().map(raw),
            error: outcome.error,
            activity: outcome.activity.as_deref().map(raw),
            edited_arguments: call.approval.as_ref().and_then(|approval| approval.edited.as_deref()).map(raw),
            tool_result: told(call, &self.place().pool),
            approval,
            replayed: false,
            resolved_by: outcome.resolved_by,
        }
    }

    /// A parked call as its approver sees it.
    pub fn approval_view(&self, call: &Call) -> Stored<ApprovalView> {
        let approval = call.approval.clone();
        let edited = approval.as_ref().and_then(|approval| approval.edited.clone());
        let field = |read: fn(&super::call::Approval) -> String| approval.as_ref().map(read).unwrap_or_default();
        Ok(ApprovalView {
            id: self.approval_id(call),
            call: self.call_id(call),
            agent: call.asked.agent.clone(),
            principal: raw(&call.asked.principal),
            tool: call.asked.tool.clone(),
            version: call.asked.version.clone(),
            arguments: raw(&call.asked.arguments),
            arguments_text: shown(&call.asked.arguments),
            edited_arguments: edited.as_deref().map(raw),
            changes: edited.map(|edited| changes(&call.asked.arguments, &edited)).unwrap_or_default(),
            purpose: approval.as_ref().and_then(|approval| approval.purpose.clone()),
            digest: field(|approval| approval.digest.clone()),
            created_at: call.asked.at.rfc3339(),
            expires_at: field(|approval| approval.expires_at.rfc3339()),
            required: approval.as_ref().map_or(1, |approval| approval.required),
            decisions: approval.as_ref().map(|approval| approval.decisions.clone()).unwrap_or_default(),
            earlier: self.earlier(call)?,
            state: field(|approval| approval.state.clone()),
        })
    }

    /// Tells the registry's index how an approval stands.
    pub(super) fn tell_approval(&mut self, call: &Call) -> Stored<()> {
        let view = self.approval_view(call)?;
        self.tell(&PoolMessage::Approval(Box::new(view)))
    }

    /// What a decision on this call must name: the exact bytes, what the definition promises, where it goes, for whom.
    pub fn digest(&self, call: &Call) -> String {
        self.digest_with(call, &call.asked.arguments)
    }

    /// The same for other arguments: what an edit sends.
    pub(super) fn digest_with(&self, call: &Call, arguments: &str) -> String {
        let bound = serde_json::json!({
            "approval_hash": call.asked.approval_hash,
            "arguments": arguments,
            "call": self.call_id(call),
            "endpoint_revision": call.asked.endpoint_revision,
            "pool": self.place().pool,
            "principal": call.asked.principal,
        });
        sha256_hex(bound.to_string().as_bytes())
    }

    /// A claimed call as its executor receives it.
    pub fn job(&self, call: &Call) -> Job {
        let hand_over = call.hand_overs;
        let is_write = call.asked.side_effect.is_write();
        Job {
            call: self.call_id(call),
            claim: self.queue.ids.claim(&self.place(), &call.id, hand_over),
            tool: call.asked.tool.clone(),
            arguments: raw(call.arguments()),
            principal: raw(&call.asked.principal),
            run: call.asked.run.clone(),
            input: call.asked.input.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            attempt: call.claim.as_ref().map_or(1, |claim| claim.attempt),
            side_effect: call.asked.side_effect,
            lease_seconds: if is_write {
                ACCEPT_SECONDS
            } else {
                LEASE_FIRST_SECONDS.min(call.asked.execution_seconds)
            },
            deadline_seconds: call.asked.execution_seconds,
        }
    }
}

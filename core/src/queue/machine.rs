//! The state machine of a call: all transitions, in one match.
//!
//! Who calls it has checked who is asking and whether the token is genuine; the machine decides what an event means
//! for a call as it stands. Writes of the sender's claim are compared by hand-over number: a number is given once.

use serde::{Deserialize, Serialize};
use toolgate_protocol::calls::CallState;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{
    ACCEPT_SECONDS, ATTEMPT_PAUSES_SECONDS, ATTEMPTS_MAX, EVIDENCE_MAX, QUEUE_DEADLINE_APPROVED_SECONDS,
};

use super::call::{Call, Claim, Evidence, Outcome};
use crate::time::UnixMillis;

/// Where a call stands, as finely as events tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Parked.
    Waiting,
    /// Waits for an executor.
    Queued,
    /// A write was handed over and not accepted: certainly not started.
    HandedOver,
    /// A read runs.
    Reading,
    /// An accepted write runs, perhaps.
    Writing,
    /// A write whose outcome cannot be known.
    Unknown,
    /// Settled.
    Ended,
}

/// What happens to a call.
#[derive(Clone, Debug)]
pub enum CallEvent {
    /// The decision that completes an approval.
    Approve,
    /// A human said no.
    Reject(Outcome),
    /// The time to decide is over.
    ApprovalExpired,
    /// Somebody takes it back.
    Cancel,
    /// What it was accepted under is gone.
    Invalidate(Outcome),
    /// An executor takes it.
    HandOut {
        /// The session.
        session: String,
        /// Its worker.
        worker: String,
    },
    /// The executor is about to start; by hand-over.
    Accept(u32),
    /// The executor has not started and gives it back.
    Return(u32),
    /// The lease, or the accept window, is over.
    LeaseLapsed,
    /// The execution deadline is over.
    ExecutionDeadline,
    /// Nobody took it in time.
    QueueDeadline {
        /// The pool that it waited in.
        pool: String,
    },
    /// A result of a hand-over.
    Settle(u32, Outcome),
    /// It has not started and will not: nobody is there to take it.
    Refuse(Outcome),
    /// The executor refused to send it; by hand-over.
    NotSent(u32, Outcome),
    /// The executor could not try; it goes back, not before a pause of seconds.
    Postpone(u32, u64),
    /// The executor sent it, perhaps, and has no answer.
    TransportLost {
        /// By hand-over.
        hand_over: u32,
        /// How a read ends that has no attempt left.
        read: Outcome,
        /// How a write stands then.
        write: Outcome,
        /// The pause before another attempt is at least this.
        pause_seconds: u64,
    },
    /// A person found out.
    Resolve(Outcome),
}

/// What an event meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It happened.
    Done,
    /// It had happened before; nothing changed.
    Repeated,
    /// A result of a claim that was lost: recorded, and it settled or resolved what was open.
    Late,
    /// The sender does not hold the call.
    Lost,
    /// The write was accepted and cannot be given back.
    AlreadyAccepted,
    /// The write runs and cannot be cancelled; the wish is noted.
    AlreadyRunning,
    /// The call has ended.
    AlreadyEnded,
    /// The event does not fit the call.
    Refused,
}

/// Names of events, for coverage and logs.
pub fn event_name(event: &CallEvent) -> &'static str {
    match event {
        CallEvent::Approve => "approve",
        CallEvent::Reject(_) => "reject",
        CallEvent::ApprovalExpired => "approval_expired",
        CallEvent::Cancel => "cancel",
        CallEvent::Invalidate(_) => "invalidate",
        CallEvent::HandOut { .. } => "hand_out",
        CallEvent::Accept(_) => "accept",
        CallEvent::Return(_) => "return",
        CallEvent::LeaseLapsed => "lease_lapsed",
        CallEvent::ExecutionDeadline => "execution_deadline",
        CallEvent::QueueDeadline { .. } => "queue_deadline",
        CallEvent::Settle(..) => "settle",
        CallEvent::Refuse(_) => "refuse",
        CallEvent::NotSent(..) => "not_sent",
        CallEvent::Postpone(..) => "postpone",
        CallEvent::TransportLost { .. } => "transport_lost",
        CallEvent::Resolve(_) => "resolve",
    }
}

/// The phase of a call.
pub fn phase(call: &Call) -> Phase {
    match call.state {
        CallState::WaitingApproval => Phase::Waiting,
        CallState::Queued => Phase::Queued,
        CallState::Running if call.asked.side_effect == SideEffect::ReadOnly => Phase::Reading,
        CallState::Running if call.accepted.is_none() => Phase::HandedOver,
        CallState::Running => Phase::Writing,
        CallState::Unknown => Phase::Unknown,
        _ => Phase::Ended,
    }
}

/// Applies an event to a call.
pub fn apply(call: &mut Call, event: CallEvent, now: UnixMillis) -> Verdict {
    use {CallEvent as E, Phase as P};
    let holds = |hand_over: u32| call.claim.as_ref().is_some_and(|claim| claim.hand_over == hand_over);
    match (phase(call), event) {
        (P::Waiting, E::Approve) => {
            call.state = CallState::Queued;
            call.ready_at = now;
            call.queue_deadline = now.plus_seconds(QUEUE_DEADLINE_APPROVED_SECONDS);
            Verdict::Done
        }
        (P::Waiting, E::Reject(outcome)) => end(call, CallState::Rejected, outcome, now),
        (P::Waiting, E::ApprovalExpired) => end(call, CallState::Expired, expired_undecided(), now),
        (P::Queued, E::QueueDeadline { pool }) => end(call, CallState::Expired, no_worker(&pool), now),
        (P::Waiting | P::Queued | P::HandedOver | P::Reading, E::Cancel) => {
            end(call, CallState::Cancelled, cancelled(), now)
        }
        (P::Waiting | P::Queued | P::HandedOver, E::Invalidate(outcome)) => {
            end(call, CallState::Invalidated, outcome, now)
        }

        (P::Queued, E::HandOut { session, worker }) => hand_out(call, session, worker, now),
        (P::HandedOver, E::Accept(hand_over)) if holds(hand_over) => {
            call.accepted = Some(hand_over);
            set_deadline(call, now.plus_seconds(call.asked.execution_seconds));
            Verdict::Done
        }
        (P::Reading | P::Writing, E::Accept(hand_over)) if holds(hand_over) => Verdict::Repeated,
        (P::HandedOver | P::Reading, E::Return(hand_over)) if holds(hand_over) => requeue(call, now),
        (P::HandedOver | P::Reading, E::Postpone(hand_over, seconds)) if holds(hand_over) => {
            requeue(call, now.plus_seconds(seconds))
        }
        (P::Queued | P::HandedOver, E::Refuse(outcome)) => end(call, CallState::Failed, outcome, now),
        (P::HandedOver | P::Reading, E::NotSent(hand_over, outcome)) if holds(hand_over) => {
            end(call, CallState::Failed, outcome, now)
        }
        (P::Writing, E::Return(hand_over)) if holds(hand_over) => Verdict::AlreadyAccepted,

        // Certainly not started: back to the queue, under the old deadline, not counted.
        (P::HandedOver, E::LeaseLapsed) => requeue(call, now),
        (P::Reading, E::LeaseLapsed) => next_attempt(call, now, 0, worker_lost_read()),
        (P::Reading, E::TransportLost { hand_over, read, pause_seconds, .. }) if holds(hand_over) => {
            next_attempt(call, now, pause_seconds, read)
        }
        (P::Reading, E::ExecutionDeadline) => end(call, CallState::Failed, deadline_exceeded(), now),
        // It may have reached the code: reported, never re-run.
        (P::Writing, E::LeaseLapsed) => end(call, CallState::Unknown, worker_lost_write(), now),
        (P::Writing, E::ExecutionDeadline) => end(call, CallState::Unknown, deadline_exceeded(), now),
        (P::Writing, E::TransportLost { hand_over, write, .. }) if holds(hand_over) => {
            end(call, CallState::Unknown, write, now)
        }
        (P::Writing, E::Cancel) => {
            call.cancel_requested = true;
            Verdict::AlreadyRunning
        }

        (_, E::Settle(hand_over, outcome)) => result(call, hand_over, outcome, now),
        (P::Unknown, E::Resolve(outcome)) => {
            let state = if outcome.error.is_some() { CallState::Failed } else { CallState::Succeeded };
            end(call, state, outcome, now)
        }

        (P::Unknown | P::Ended, E::Cancel) => Verdict::AlreadyEnded,
        (_, E::Accept(_) | E::Return(_) | E::Postpone(..) | E::NotSent(..) | E::TransportLost { .. }) => Verdict::Lost,
        (_, _) => Verdict::Refused,
    }
}

/// A result of a read settles what is open, whoever sent it; of an accepted write only the accepted one's does.
fn result(call: &mut Call, hand_over: u32, outcome: Outcome, now: UnixMillis) -> Verdict {
    use Phase as P;
    let holds = call.claim.as_ref().is_some_and(|claim| claim.hand_over == hand_over);
    match phase(call) {
        P::Queued | P::Reading | P::HandedOver => {
            settle(call, hand_over, outcome, now);
            if holds { Verdict::Done } else { Verdict::Late }
        }
        P::Writing if call.accepted == Some(hand_over) => settle(call, hand_over, outcome, now),
        P::Unknown if call.accepted == Some(hand_over) => {
            settle(call, hand_over, Outcome { resolved_by: Some("late_result".into()), ..outcome }, now);
            Verdict::Late
        }
        P::Ended if settled_by(call) == Some(hand_over) => Verdict::Repeated,
        P::Writing | P::Unknown | P::Ended => keep_evidence(call, hand_over, &outcome, now),
        P::Waiting => Verdict::Refused,
    }
}

fn end(call: &mut Call, state: CallState, outcome: Outcome, now: UnixMillis) -> Verdict {
    call.state = state;
    call.outcome = Some(outcome);
    call.ended_at = Some(now);
    Verdict::Done
}

fn settle(call: &mut Call, hand_over: u32, outcome: Outcome, now: UnixMillis) -> Verdict {
    let state = if outcome.error.is_some() { CallState::Failed } else { CallState::Succeeded };
    end(call, state, Outcome { settled_by: Some(hand_over), ..outcome }, now)
}

fn settled_by(call: &Call) -> Option<u32> {
    call.outcome.as_ref().and_then(|outcome| outcome.settled_by)
}

fn hand_out(call: &mut Call, session: String, worker: String, now: UnixMillis) -> Verdict {
    let seconds = if call.asked.side_effect.is_write() { ACCEPT_SECONDS } else { call.asked.execution_seconds };
    call.hand_overs = call.hand_overs.saturating_add(1);
    call.claim = Some(Claim {
        hand_over: call.hand_overs,
        session,
        worker,
        attempt: call.attempts.saturating_add(1),
        deadline: now.plus_seconds(seconds),
        grace_until: None,
    });
    call.state = CallState::Running;
    Verdict::Done
}

fn set_deadline(call: &mut Call, deadline: UnixMillis) {
    if let Some(claim) = &mut call.claim {
        claim.deadline = deadline;
        claim.grace_until = None;
    }
}

fn requeue(call: &mut Call, now: UnixMillis) -> Verdict {
    call.state = CallState::Queued;
    call.claim = None;
    call.ready_at = now;
    Verdict::Done
}

fn next_attempt(call: &mut Call, now: UnixMillis, pause_seconds: u64, lost: Outcome) -> Verdict {
    let pause =
        usize::try_from(call.attempts).ok().and_then(|index| ATTEMPT_PAUSES_SECONDS.get(index)).copied().unwrap_or(0);
    call.attempts = call.attempts.saturating_add(1);
    if call.attempts >= ATTEMPTS_MAX {
        return end(call, CallState::Failed, lost, now);
    }
    let pause = pause.max(pause_seconds);
    requeue(call, now.plus_seconds(pause));
    call.queue_deadline = now.plus_seconds(pause.saturating_add(call.asked.queue_seconds));
    Verdict::Done
}

/// Evidence is kept for writes only, once per hand-over, and never re-opens anything.
fn keep_evidence(call: &mut Call, hand_over: u32, outcome: &Outcome, now: UnixMillis) -> Verdict {
    if call.evidence.iter().any(|known| known.hand_over == hand_over) {
        return Verdict::Repeated;
    }
    if call.asked.side_effect.is_write() && call.evidence.len() < EVIDENCE_MAX {
        let says = match (&outcome.error, &outcome.result) {
            (Some(error), _) => format!("error {}: {}", error.code, error.message),
            (None, result) => format!("result {}", result.as_deref().unwrap_or("null")),
        };
        call.evidence.push(Evidence { hand_over, says: says.chars().take(500).collect(), at: now });
    }
    Verdict::Late
}

fn expired_undecided() -> Outcome {
    Outcome::error("approval_expired", "Nobody decided in time, so the call was not run.")
}

/// Of several pools the one that is dead is named.
fn no_worker(pool: &str) -> Outcome {
    Outcome::error("no_worker", format!("Nobody took the call from the pool {pool} in time, so it was not run."))
}

fn cancelled() -> Outcome {
    Outcome::error("cancelled", "The call was cancelled.")
}

fn deadline_exceeded() -> Outcome {
    Outcome::error("deadline_exceeded", "The code did not answer before its execution deadline.")
}

fn worker_lost_read() -> Outcome {
    Outcome::error("worker_lost", "The workers that took the call were lost before they answered, at every attempt.")
}

fn worker_lost_write() -> Outcome {
    Outcome::error(
        "worker_lost",
        "The worker was lost after it accepted the call. Whether it happened is not known; it will not be run again.",
    )
}

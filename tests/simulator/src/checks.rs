//! The properties of the design (its section 2), as far as one pool can show them. Each has the number it has there.

use std::collections::{BTreeMap, BTreeSet};

use toolgate_core::ids::LocalId;
use toolgate_core::policy::PolicyEndpoint;
use toolgate_core::queue::call::Call;
use toolgate_core::queue::delivery::Delivery;
use toolgate_core::queue::machine::Phase;
use toolgate_core::queue::target::Target;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::calls::CallState;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{APPROVAL_SECONDS, ATTEMPTS_MAX, RECORD_SECONDS};

use crate::truth::TIMES_TO_DECIDE;

/// What the world has seen with its own eyes.
#[derive(Default)]
pub struct Ledger {
    /// Handler starts per call, by hand-over.
    pub ran: BTreeMap<LocalId, Vec<u32>>,
    /// Calls that a human said yes to, and the endpoint's revision that they were shown with.
    pub approved: BTreeMap<LocalId, u64>,
    /// Who said yes to a call: as many as its approval requires.
    pub said_yes: BTreeMap<LocalId, BTreeSet<&'static str>>,
    /// What a human wrote in place of the arguments, canonical.
    pub edited: BTreeMap<LocalId, String>,
    /// Calls that a caller was told were accepted, with the canonical arguments.
    pub acknowledged: BTreeMap<LocalId, String>,
    /// Until when a parked call may be decided, as it was set.
    pub ends: BTreeMap<LocalId, UnixMillis>,
    /// Ended calls as they were when they ended.
    pub ended: BTreeMap<LocalId, (CallState, String)>,
    /// Visited pairs of the state machine.
    pub visited: BTreeSet<(Phase, &'static str)>,
    /// Accepted claims per call: at most one, for ever.
    pub accepted: BTreeMap<LocalId, u32>,
    /// Writes that a deliverer was told it may send: once, for ever.
    pub cleared: BTreeSet<LocalId>,
    /// Reads of which two deliverers had the same hand-over: one may refuse what the other sends.
    pub doubled: BTreeSet<LocalId>,
}

pub type Checked = Result<(), String>;

/// What a read ends with that was lost at every attempt: by its workers, or on the way to its endpoint or back.
pub const LOST: [&str; 4] = ["worker_lost", "endpoint_unreachable", "endpoint_timeout", "reply_unsigned"];

/// A handler starts, given this hand-over; of a delivery also the endpoint's revision that it was sent to.
pub fn starts(ledger: &mut Ledger, call: &Call, hand_over: u32, sent_to: Option<u64>) -> Checked {
    let id = &call.id;
    let runs = ledger.ran.entry(id.clone()).or_default();
    runs.push(hand_over);
    if hand_over > call.hand_overs {
        return Err(format!("2: {id:?} was started by hand-over {hand_over}, which was never made"));
    }
    if call.asked.side_effect.is_write() && runs.len() > 1 {
        return Err(format!("2: the write {id:?} was started {} times", runs.len()));
    }
    if call.asked.side_effect.is_write() && call.accepted != Some(hand_over) {
        return Err(format!("2: the write {id:?} was started by hand-over {hand_over}, which was not accepted"));
    }
    if call.asked.side_effect.is_write() && denies_running(call) {
        return Err(format!("2: the write {id:?} was started after it ended as {:?} ({:?})", call.state, call.outcome));
    }
    if call.asked.side_effect == SideEffect::Consequential {
        let Some(approved) = ledger.approved.get(id) else {
            return Err(format!("1: {id:?} ran before a human decided on it"));
        };
        let required = call.approval.as_ref().map_or(1, |approval| approval.required);
        let said_yes = ledger.said_yes.get(id).map_or(0, BTreeSet::len);
        if said_yes < usize::try_from(required).unwrap_or(usize::MAX) {
            return Err(format!("1: {id:?} ran with {said_yes} of {required} approvals"));
        }
        if let Some(sent_to) = sent_to.filter(|sent_to| sent_to != approved) {
            return Err(format!("1: {id:?} was approved for the endpoint {approved} and sent to {sent_to}"));
        }
    }
    Ok(())
}

/// The endpoint that a delivery goes to.
pub fn endpoint(delivery: &Delivery) -> Result<&PolicyEndpoint, String> {
    match &delivery.target {
        Target::Endpoint(endpoint) => Ok(endpoint),
        Target::Builtin(_) => Err(format!("8: {} goes to no endpoint", delivery.call)),
    }
}

/// A delivery as it leaves the object, beside the call that it is of.
pub fn delivery(ledger: &Ledger, call: &Call, delivery: &Delivery, now: UnixMillis) -> Checked {
    bytes(ledger, call, delivery.arguments.get())?;
    let endpoint = endpoint(delivery)?;
    let (id, claim) = (&call.id, call.claim.as_ref().ok_or_else(|| format!("6: {:?} is held by nobody", call.id))?);
    if delivery.attempt != claim.attempt || delivery.side_effect != call.asked.side_effect {
        return Err(format!("3: the delivery of {id:?} says {}, {:?}", delivery.attempt, delivery.side_effect));
    }
    if delivery.timeout_seconds > call.asked.execution_seconds.min(endpoint.timeout_seconds) {
        return Err(format!("4: the delivery of {id:?} may take {} s", delivery.timeout_seconds));
    }
    let over = |until: UnixMillis| until <= now;
    if endpoint.secrets.is_empty() || endpoint.secrets.iter().any(|secret| secret.until.is_some_and(over)) {
        return Err(format!("11: the delivery of {id:?} is signed by {:?}", endpoint.secrets));
    }
    Ok(())
}

/// Does its end say that it was not started, or not by its last hand-over?
fn denies_running(call: &Call) -> bool {
    let gateways = call.outcome.as_ref().filter(|outcome| outcome.settled_by.is_none());
    let error = gateways.and_then(|outcome| outcome.error.as_ref());
    let unsent = error.is_some_and(|error| matches!(error.code.as_str(), "not_sent" | "endpoint_suspended"));
    let unstarted = [CallState::Rejected, CallState::Expired, CallState::Cancelled, CallState::Invalidated];
    unsent && call.state == CallState::Failed || unstarted.contains(&call.state)
}

/// What has certainly not been sent has certainly not run. Of a read an earlier attempt may have.
fn never_ran(ledger: &Ledger, call: &Call) -> Checked {
    let (id, runs) = (&call.id, ledger.ran.get(&call.id).map(Vec::as_slice).unwrap_or_default());
    let is_write = call.asked.side_effect.is_write();
    if is_write && denies_running(call) && !runs.is_empty() {
        return Err(format!("2: the write {id:?} ended as {:?} ({:?}), and it ran", call.state, call.outcome));
    }
    let refused = call.outcome.as_ref().and_then(|outcome| outcome.error.as_ref());
    let refused = refused.is_some_and(|error| error.code == "not_sent") && !ledger.doubled.contains(id);
    if !is_write && refused && runs.contains(&call.hand_overs) {
        return Err(format!("3: the read {id:?} ended as not sent, and the hand-over that says so ran"));
    }
    if call.hand_overs == 0 && !runs.is_empty() {
        return Err(format!("2: {id:?} was handed to nobody, and it ran"));
    }
    Ok(())
}

/// A call after a step that moved it.
pub fn moved(ledger: &mut Ledger, call: &Call, now: UnixMillis) -> Checked {
    let id = &call.id;
    if call.attempts > ATTEMPTS_MAX {
        return Err(format!("3: {id:?} had {} attempts", call.attempts));
    }
    if call.asked.side_effect.is_write() && call.attempts > 0 {
        return Err(format!("2: an attempt of the write {id:?} was counted and it lives on"));
    }
    if let Some(accepted) = call.accepted {
        let first = *ledger.accepted.entry(id.clone()).or_insert(accepted);
        if first != accepted {
            return Err(format!("2: {id:?} was accepted by hand-overs {first} and {accepted}"));
        }
        if matches!(call.state, CallState::Queued | CallState::WaitingApproval) {
            return Err(format!("2: {id:?} was accepted and is queued again"));
        }
    }
    if call.ended() {
        let outcome = call.outcome.as_ref().ok_or_else(|| format!("4: {id:?} ended without an outcome"))?;
        if outcome.result.is_none() && outcome.error.is_none() {
            return Err(format!("4: {id:?} ended with nothing to show the model"));
        }
        let lost = outcome.error.as_ref().is_some_and(|error| LOST.contains(&error.code.as_str()));
        if lost && call.state == CallState::Failed && call.attempts < ATTEMPTS_MAX {
            return Err(format!("3: the read {id:?} was given up after {} attempts", call.attempts));
        }
        if call.ended_at.is_none_or(|at| at > now) {
            return Err(format!("4: {id:?} ended at no time"));
        }
        let end = (call.state, format!("{outcome:?}"));
        match ledger.ended.get(id) {
            Some((CallState::Unknown, _)) | None => {
                let resolved = matches!(call.state, CallState::Succeeded | CallState::Failed | CallState::Unknown);
                if ledger.ended.contains_key(id) && !resolved {
                    return Err(format!("4: {id:?} went from unknown to {:?}", call.state));
                }
                ledger.ended.insert(id.clone(), end);
            }
            Some(before) if *before != end => {
                return Err(format!("6: the ended call {id:?} changed from {before:?} to {end:?}"));
            }
            Some(_) => {}
        }
        if call.state == CallState::Unknown && (!call.asked.side_effect.is_write() || call.accepted.is_none()) {
            return Err(format!("2: {id:?} is unknown, though it certainly did not reach the code or only reads"));
        }
        never_ran(ledger, call)?;
    } else if ledger.ended.contains_key(id) {
        return Err(format!("6: the ended call {id:?} is open again"));
    }
    Ok(())
}

/// A person's yes or no counts before the end that was set when the call was parked, and time alone ends it from then on.
pub fn in_time(ledger: &Ledger, call: &Call, event: &str, now: UnixMillis) -> Checked {
    let Some(approval) = &call.approval else { return Ok(()) };
    let (id, end) = (&call.id, approval.expires_at);
    if let Some(set) = ledger.ends.get(id).filter(|set| **set != end) {
        return Err(format!("4: {id:?} was to be decided until {set:?}, and now until {end:?}"));
    }
    if !TIMES_TO_DECIDE.iter().any(|seconds| end == call.asked.at.plus_seconds(seconds.unwrap_or(APPROVAL_SECONDS))) {
        return Err(format!("4: {id:?} of {:?} is to be decided until {end:?}", call.asked.at));
    }
    match event {
        "approve" | "approval_given" | "reject" if now >= end => {
            Err(format!("1: {id:?} was decided at {now:?}, after its end {end:?}"))
        }
        "approval_expired" if now < end => Err(format!("4: {id:?} expired at {now:?}, before its end {end:?}")),
        _ => Ok(()),
    }
}

/// What an executor receives is what was accepted, or what an approver wrote in its place.
pub fn bytes(ledger: &Ledger, call: &Call, arguments: &str) -> Checked {
    if let Some(edited) = ledger.edited.get(&call.id) {
        return match edited == arguments {
            true => Ok(()),
            false => Err(format!("9: {:?} was edited to {edited} and handed out as {arguments}", call.id)),
        };
    }
    match ledger.acknowledged.get(&call.id) {
        Some(accepted) if accepted != arguments => {
            Err(format!("9: {:?} was accepted as {accepted} and handed out as {arguments}", call.id))
        }
        _ if call.asked.arguments != arguments => {
            Err(format!("9: {:?} is stored as {} and handed out as {arguments}", call.id, call.asked.arguments))
        }
        _ => Ok(()),
    }
}

/// What was acknowledged is there, until its record is old.
pub fn durable(ledger: &mut Ledger, now: UnixMillis, find: impl Fn(&LocalId) -> bool) -> Checked {
    let horizon = now.minus_seconds(RECORD_SECONDS);
    let old = |id: &LocalId| id.time() < horizon;
    // What waits or runs is kept, however old.
    let open = |id: &LocalId| !ledger.ended.contains_key(id);
    let lost = ledger.acknowledged.keys().find(|id| (!old(id) || open(id)) && !find(id));
    if let Some(lost) = lost {
        return Err(format!("5: the acknowledged call {lost:?} is gone"));
    }
    let ended = &ledger.ended;
    ledger.acknowledged.retain(|id, _| !old(id) || !ended.contains_key(id));
    ledger.ends.retain(|id, _| !old(id) || find(id));
    ledger.ended.retain(|id, _| !old(id) || find(id));
    ledger.approved.retain(|id, _| !old(id) || find(id));
    ledger.said_yes.retain(|id, _| !old(id) || find(id));
    ledger.edited.retain(|id, _| !old(id) || find(id));
    ledger.accepted.retain(|id, _| !old(id) || find(id));
    ledger.ran.retain(|id, _| !old(id) || find(id));
    ledger.cleared.retain(|id| !old(id) || find(id));
    ledger.doubled.retain(|id| !old(id) || find(id));
    Ok(())
}

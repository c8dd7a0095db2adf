//! The properties of the design (its section 2), as far as one pool can show them. Each has the number it has there.

use std::collections::{BTreeMap, BTreeSet};

use toolgate_core::ids::LocalId;
use toolgate_core::queue::call::Call;
use toolgate_core::queue::machine::Phase;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::calls::CallState;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{ATTEMPTS_MAX, RECORD_SECONDS};

/// What the world has seen with its own eyes.
#[derive(Default)]
pub struct Ledger {
    /// Handler starts per call's public id.
    pub ran: BTreeMap<String, u32>,
    /// Calls whose approval was answered with success.
    pub approved: BTreeSet<LocalId>,
    /// Calls that a caller was told were accepted, with the canonical arguments.
    pub acknowledged: BTreeMap<LocalId, String>,
    /// Ended calls as they were when they ended.
    pub ended: BTreeMap<LocalId, (CallState, String)>,
    /// Visited pairs of the state machine.
    pub visited: BTreeSet<(Phase, &'static str)>,
    /// Accepted claims per call: at most one, for ever.
    pub accepted: BTreeMap<LocalId, u32>,
}

pub type Checked = Result<(), String>;

/// A handler starts.
pub fn starts(ledger: &mut Ledger, call: &Call, public: &str) -> Checked {
    let count = ledger.ran.entry(public.to_owned()).or_default();
    *count += 1;
    if call.asked.side_effect.is_write() && *count > 1 {
        return Err(format!("2: the write {public} was started {count} times"));
    }
    if call.asked.side_effect == SideEffect::Consequential && !ledger.approved.contains(&call.id) {
        return Err(format!("1: {public} ran before a human decided on it"));
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
        let lost = outcome.error.as_ref().is_some_and(|error| error.code == "worker_lost");
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
    } else if ledger.ended.contains_key(id) {
        return Err(format!("6: the ended call {id:?} is open again"));
    }
    Ok(())
}

/// What a worker receives is what was accepted.
pub fn bytes(ledger: &Ledger, call: &Call, arguments: &str) -> Checked {
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
    let lost = ledger.acknowledged.keys().find(|id| !old(id) && !find(id));
    if let Some(lost) = lost {
        return Err(format!("5: the acknowledged call {lost:?} is gone"));
    }
    ledger.acknowledged.retain(|id, _| !old(id));
    ledger.ended.retain(|id, _| !old(id) || find(id));
    ledger.approved.retain(|id| !old(id) || find(id));
    ledger.accepted.retain(|id, _| !old(id) || find(id));
    Ok(())
}

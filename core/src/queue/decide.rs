//! Human decisions: on parked calls, on unknown outcomes, and taking a call back.

use toolgate_protocol::approvals::{DecisionKind, DecisionRequest, DecisionView};
use toolgate_protocol::calls::{CallError, CallState, ResolutionRequest, ResolvedOutcome};
use toolgate_protocol::limits::NOTE_CHARS_MAX;
use toolgate_protocol::problems;

use super::call::{Bucket, Call, Outcome};
use super::machine::{CallEvent, Verdict};
use super::messages::Answer;
use super::store::{PastDecision, Stored};
use super::target::is_deliverer;
use super::{Step, Stepped};
use crate::contract::check_arguments;
use crate::hash::sha256_hex;
use crate::ids::{IdKind, LocalId};
use crate::keys::Identity;
use crate::policy::{Snapshot, Withdrawn};
use crate::problem::Problem;

impl Step<'_> {
    /// A decision. The first one that completes the approval wins; an approval is used up by the transaction that
    /// queues its call.
    pub fn decide(&mut self, who: &Identity, id: &LocalId, request: DecisionRequest) -> Stepped {
        let policy = match self.policy() {
            Ok(policy) => policy,
            Err(problem) => return Ok(Err(problem)),
        };
        let Some(mut call) = self.current(id)?.filter(|call| call.approval.is_some()) else {
            return self.refuse_decision(who, id, Problem::not_found());
        };
        if call.state != CallState::WaitingApproval {
            return self.refuse_decision(who, id, no_longer_waits(&call));
        }
        if let Some(withdrawn) = policy.withdrawn(&call.accepted_under()) {
            self.invalidate(&mut call, withdrawn, Bucket::Parked)?;
            return self.refuse_decision(who, id, no_longer_waits(&call));
        }
        raise_quorum(&policy, &mut call);
        let edited = self
            .may_decide(&policy, who, &call, &request)
            .and_then(|()| edited_arguments(&policy, &call, request.arguments.as_deref().map(|raw| raw.get())));
        let edited = match edited {
            Ok(edited) => edited,
            Err(problem) => return self.refuse_decision(who, id, problem),
        };
        let strict = forbids_requester(&policy, &call);
        self.record_decision(who, &mut call, request, edited, strict)?;
        Ok(Ok(Answer::Approval(Box::new(self.approval_view(&call)?))))
    }

    /// Whoever tries what is not allowed is on record, also with an approval that was used up.
    fn refuse_decision(&mut self, who: &Identity, id: &LocalId, problem: Problem) -> Stepped {
        let detail = serde_json::json!({ "code": problem.kind.code, "key": who.key_id });
        let approval = self.queue.ids.public(IdKind::Approval, &self.place(), id);
        self.audit(&who.name, "approval.refused", &approval, detail)?;
        Ok(Err(problem))
    }

    fn may_decide(
        &self,
        policy: &Snapshot,
        who: &Identity,
        call: &Call,
        request: &DecisionRequest,
    ) -> Result<(), Problem> {
        let Some(approval) = &call.approval else { return Err(Problem::not_found()) };
        if let Some(digest) = &request.digest
            && *digest != approval.digest
        {
            let detail = "The digest names other bytes than those that wait; read the approval again before deciding.";
            return Err(Problem::new(problems::DIGEST_MISMATCH, detail));
        }
        if let Some(reason) = &request.reason {
            check_words("reason", reason)?;
        }
        match request.decision {
            DecisionKind::Reject if request.arguments.is_some() => {
                Err(Problem::invalid("arguments", "belong to an approval; a rejection sends nothing."))
            }
            DecisionKind::Reject => check_words("reason", request.reason.as_deref().unwrap_or("")),
            DecisionKind::Approve if request.digest.is_none() => {
                Err(Problem::invalid("digest", "is required to approve: the digest shown with the approval."))
            }
            DecisionKind::Approve => {
                let own = who.scope.principal_id.as_deref();
                let is_own = |earlier: &&DecisionView| {
                    earlier.key == who.key_id
                        || earlier.by == who.name
                        || own.zip(earlier.principal_id.as_deref()).is_some_and(|(own, other)| is_same(own, other))
                };
                if let Some(earlier) = approval.decisions.iter().find(is_own) {
                    return Err(already_decided(earlier));
                }
                if forbids_requester(policy, call) && !is_other(call, own) {
                    let detail = "A capability forbids that who asked approves, and this key does not show that its holder is somebody else (principal_id).";
                    return Err(Problem::new(problems::REQUESTER_MAY_NOT_APPROVE, detail));
                }
                Ok(())
            }
        }
    }

    fn record_decision(
        &mut self,
        who: &Identity,
        call: &mut Call,
        request: DecisionRequest,
        edited: Option<String>,
        strict: bool,
    ) -> Stored<()> {
        let sent_digest = edited.as_deref().map(|edited| self.digest_with(call, edited));
        let decision = DecisionView {
            decision: request.decision,
            by: who.name.clone(),
            key: who.key_id.clone(),
            principal_id: who.scope.principal_id.clone(),
            at: self.now.rfc3339(),
            digest: request.digest.or_else(|| call.approval.as_ref().map(|approval| approval.digest.clone())),
            sent_digest,
            reason: request.reason.clone(),
        };
        if let Some(approval) = call.approval.as_mut() {
            approval.decisions.push(decision);
            approval.edited = edited;
        }
        let missing = missing(call, strict);
        let event = match request.decision {
            DecisionKind::Reject => CallEvent::Reject(Outcome::error(
                "rejected",
                format!("A person rejected the call: {}", request.reason.as_deref().unwrap_or("")),
            )),
            DecisionKind::Approve if missing == 0 => CallEvent::Approve,
            DecisionKind::Approve => {
                call.note("approval_given", self.now, &who.name, None, None);
                self.store.update(call, Bucket::Parked)?;
                return self.tell_approval(call);
            }
        };
        let past = PastDecision {
            call: call.id.clone(),
            decision: request.decision,
            by: who.name.clone(),
            at: self.now,
            reason: request.reason.clone(),
            agent: call.asked.agent.clone(),
            arguments: sha256_hex(call.asked.arguments.as_bytes()),
        };
        self.remember(call, past)?;
        self.change(call, event, &who.name, request.reason, Some(Bucket::Parked))?;
        self.dispatch()
    }

    /// Ends a call whose ground is gone.
    pub fn invalidate(&mut self, call: &mut Call, withdrawn: Withdrawn, was: Bucket) -> Stored<()> {
        let Withdrawn { code, detail } = withdrawn;
        let message = format!("The call was not run, because what it was accepted under changed: {detail}");
        self.change(
            call,
            CallEvent::Invalidate(Outcome::error(code, message)),
            "gateway",
            Some(detail.clone()),
            Some(was),
        )?;
        let more = serde_json::json!({ "code": code, "detail": detail, "tool": call.asked.tool });
        self.audit("gateway", "call.invalidated", &self.call_id(call), more)
    }

    /// Takes a call back, if it has certainly not started.
    pub fn cancel(&mut self, who: &Identity, base_url: &str, id: &LocalId) -> Stepped {
        let mut call = match self.visible(who, id)? {
            Ok(call) => call,
            Err(problem) => return Ok(Err(problem)),
        };
        let was = Bucket::of(call.state);
        let verdict = self.change(&mut call, CallEvent::Cancel, &who.name, None, Some(was))?;
        self.dispatch()?;
        Ok(match verdict {
            Verdict::Done => Ok(self.call_answer(&call, base_url, false)),
            Verdict::AlreadyRunning => {
                let sent = call.claim.as_ref().is_some_and(|claim| is_deliverer(&claim.session));
                let detail = if sent {
                    "The write was cleared to be sent to its endpoint, and what is sent cannot be called back."
                } else {
                    "The write was accepted by its worker; the worker is told that a cancel was asked for."
                };
                Err(Problem::new(problems::ALREADY_RUNNING, detail))
            }
            _ => Err(Problem::new(problems::ALREADY_ENDED, "The call has ended; read it for the outcome.")
                .with("state", serde_json::json!(call.state))),
        })
    }

    /// A person says what an unknown call turned out to be.
    pub fn resolve(&mut self, who: &Identity, base_url: &str, id: &LocalId, request: ResolutionRequest) -> Stepped {
        if let Err(problem) = check_words("note", &request.note) {
            return Ok(Err(problem));
        }
        let Some(mut call) = self.current(id)? else { return Ok(Err(Problem::not_found())) };
        let resolved_by = Some(who.name.clone());
        let outcome = match request.outcome {
            ResolvedOutcome::Succeeded => {
                let result = request.result.as_deref().map_or("null", |result| result.get()).to_owned();
                Outcome { result: Some(result), resolved_by, ..Outcome::default() }
            }
            ResolvedOutcome::Failed => {
                let error = CallError {
                    code: "resolved_failed".into(),
                    message: format!("A person found that it did not happen: {}", request.note),
                };
                Outcome { error: Some(error), resolved_by, ..Outcome::default() }
            }
        };
        let was = Bucket::of(call.state);
        match self.change(&mut call, CallEvent::Resolve(outcome), &who.name, Some(request.note.clone()), Some(was))? {
            Verdict::Done => {
                let detail = serde_json::json!({ "key": who.key_id, "note": request.note, "outcome": request.outcome });
                self.audit(&who.name, "call.resolved", &self.call_id(&call), detail)?;
                Ok(Ok(self.call_answer(&call, base_url, false)))
            }
            _ => Ok(Err(Problem::new(problems::NOT_UNKNOWN, "Only a call in the state unknown can be resolved.")
                .with("state", serde_json::json!(call.state)))),
        }
    }
}

/// What is sent instead of what was asked for: whole, and checked like a submission. `None` when nothing changes.
fn edited_arguments(policy: &Snapshot, call: &Call, arguments: Option<&str>) -> Result<Option<String>, Problem> {
    let Some(arguments) = arguments else { return Ok(None) };
    if call.approval.as_ref().is_none_or(|approval| approval.required > 1) {
        let detail = "cannot be edited where more than one approval is required: the others would not have seen them.";
        return Err(Problem::invalid("arguments", detail));
    }
    let Some(tool) = policy.tools.get(&call.asked.tool) else { return Err(Problem::not_found()) };
    let edited = check_arguments(Some(arguments), &tool.definition.input)?;
    Ok((edited != call.asked.arguments).then_some(edited))
}

/// A capability that became stricter since the call was parked counts; one that became laxer does not.
fn raise_quorum(policy: &Snapshot, call: &mut Call) {
    let required = policy.grant(&call.asked.agent, &call.asked.tool).map_or(1, |grant| grant.approvals_required);
    if let Some(approval) = &mut call.approval {
        approval.required = approval.required.max(required);
    }
}

/// A capability says that who asked may not approve. One that says so since the call was parked counts as well.
fn forbids_requester(policy: &Snapshot, call: &Call) -> bool {
    policy.grant(&call.asked.agent, &call.asked.tool).is_some_and(|grant| !grant.requester_may_approve)
}

/// Is this principal certainly not the one who asked?
fn is_other(call: &Call, principal_id: Option<&str>) -> bool {
    let (_, requester) = &call.asked.principal_key;
    principal_id.is_some_and(|approver| !is_same(approver, requester))
}

/// How many more must approve. `strict`: what who asked said before that was forbidden does not count any more.
fn missing(call: &Call, strict: bool) -> usize {
    let Some(approval) = &call.approval else { return 0 };
    let counts = |decision: &&DecisionView| !strict || is_other(call, decision.principal_id.as_deref());
    let given = approval.decisions.iter().filter(counts).count();
    usize::try_from(approval.required).unwrap_or(usize::MAX).saturating_sub(given)
}

fn no_longer_waits(call: &Call) -> Problem {
    let decisions = call.approval.as_ref().map(|approval| approval.decisions.as_slice()).unwrap_or_default();
    let state = call.approval.as_ref().map(|approval| approval.state.as_str()).unwrap_or_default();
    match (state, decisions.last()) {
        ("approved" | "rejected", Some(decision)) => already_decided(decision),
        ("expired", _) => Problem::new(
            problems::APPROVAL_EXPIRED,
            "The time to decide is over and the call was not run; the agent may ask again.",
        ),
        _ => {
            let why = call
                .outcome
                .as_ref()
                .and_then(|outcome| outcome.error.as_ref())
                .map_or_else(String::new, |error| error.message.clone());
            Problem::new(problems::APPROVAL_WITHDRAWN, format!("The call no longer waits for a decision. {why}"))
                .with("state", state)
        }
    }
}

/// Ids of principals are often addresses, which people write in capitals or not.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn already_decided(decision: &DecisionView) -> Problem {
    let word = if decision.decision == DecisionKind::Approve { "approved" } else { "rejected" };
    Problem::new(problems::ALREADY_DECIDED, format!("{} {word} it at {}.", decision.by, decision.at))
        .with("decision", serde_json::json!(decision.decision))
        .with("by", decision.by.as_str())
        .with("at", decision.at.as_str())
}

fn check_words(field: &str, words: &str) -> Result<(), Problem> {
    let characters = words.trim().chars().count();
    if (1..=NOTE_CHARS_MAX).contains(&characters) {
        return Ok(());
    }
    Err(Problem::invalid(field, format!("has {characters} characters; it needs 1 to {NOTE_CHARS_MAX}.")))
}

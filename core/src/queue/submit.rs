//! Submission: precedence, checks, and the new call.

use serde_json::value::RawValue;
use toolgate_protocol::calls::CallView;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{
    APPROVAL_SECONDS, EXECUTION_DEADLINE_SECONDS, IDEMPOTENCY_KEY_CHARS_MAX, PURPOSE_CHARS_MAX, QUEUE_DEADLINE_SECONDS,
    RECORD_SECONDS, REPLAY_SECONDS, WAIT_SECONDS_MAX,
};
use toolgate_protocol::problems;

use super::call::{Approval, Asked, Bound, Bucket, Call};
use super::delivery::Delivery;
use super::memory::Waiting;
use super::messages::{Answer, Submit, ToDeliver};
use super::parking::likeness;
use super::store::Stored;
use super::{Outcome, Step};
use crate::contract::schema::{advertised_fields, restore_fields};
use crate::contract::{check_arguments, read_arguments};
use crate::hash::sha256_hex;
use crate::ids::LocalId;
use crate::keys::Identity;
use crate::policy::{Grant, PolicyTool, Snapshot, unknown_tool};
use crate::principal::Principal;
use crate::problem::Problem;
use crate::visible::shown;

/// The hash of an idempotency key, and the call that has it, or why it may not be told.
type Known = (Option<String>, Option<Result<Call, Problem>>);

impl Step<'_> {
    /// A submission: the call that the idempotency key names, or the checks and a new call.
    pub fn submit(&mut self, who: &Identity, base_url: &str, submit: Submit) -> Stored<Outcome> {
        let submit = self.in_own_names(submit);
        let wait = submit.wait_seconds.min(WAIT_SECONDS_MAX);
        match self.find_or_make(who, &submit)? {
            Ok((call, Some(delivery))) => {
                let view = self.call_view(&call, base_url);
                Ok(Outcome::Reply(Ok(Answer::Deliver(Box::new(ToDeliver { view, delivery })))))
            }
            Ok((call, None)) if submit.alike && call.ended() => Ok(self.replay(&call, base_url)),
            Ok((call, None)) => Ok(self.answer_or_hold(who, call, base_url, wait)),
            Err(problem) => {
                self.audit_refusal(who, &submit, &problem)?;
                Ok(Outcome::Reply(Err(problem)))
            }
        }
    }

    /// A submission of a tool that has moved to another pool: the call of before, or [`unknown_tool`].
    pub fn submit_known(&mut self, who: &Identity, base_url: &str, submit: Submit) -> Stored<Outcome> {
        let wait = submit.wait_seconds.min(WAIT_SECONDS_MAX);
        let found = match Principal::parse(submit.principal.get()) {
            Ok(principal) => self.known(&submit, &principal, submit.alike)?.map(|(_, known)| known),
            Err(problem) => Err(problem),
        };
        match found {
            Ok(Some(Ok(call))) if submit.alike && call.ended() => Ok(self.replay(&call, base_url)),
            Ok(Some(Ok(call))) => Ok(self.answer_or_hold(who, call, base_url, wait)),
            Ok(None) => Ok(Outcome::Reply(Err(unknown_tool(&submit.tool)))),
            Ok(Some(Err(problem))) | Err(problem) => {
                self.audit_refusal(who, &submit, &problem)?;
                Ok(Outcome::Reply(Err(problem)))
            }
        }
    }

    pub(super) fn audit_refusal(&mut self, who: &Identity, submit: &Submit, problem: &Problem) -> Stored<()> {
        // Another pool may have the tool: the edge looks again before that becomes a refusal.
        if problem.kind == problems::UNKNOWN_TOOL || problem.kind.status >= 500 {
            return Ok(());
        }
        let detail = serde_json::json!({ "agent": submit.agent, "code": problem.kind.code, "key": who.key_id });
        self.audit(&who.name, "call.refused", &submit.tool, detail)
    }

    /// The outcome of an earlier call, marked as that.
    fn replay(&self, call: &Call, base_url: &str) -> Outcome {
        let view = CallView { replayed: true, ..self.call_view(call, base_url) };
        Outcome::Reply(Ok(Answer::Call { view: Box::new(view), accepted: true }))
    }

    fn answer_or_hold(&mut self, who: &Identity, call: Call, base_url: &str, wait: u64) -> Outcome {
        let parked = Bucket::of(call.state) == Bucket::Parked;
        if call.ended() || parked || wait == 0 {
            return Outcome::Reply(Ok(self.call_answer(&call, base_url, true)));
        }
        match self.hold(waiting(who, &call, base_url, true, None), wait) {
            held @ Outcome::Hold(..) => held,
            // The call is accepted, whether or not there is room to wait for it.
            Outcome::Reply(_) => Outcome::Reply(Ok(self.call_answer(&call, base_url, true))),
        }
    }

    /// With the delivery, when it is a new one that whoever submits it is to deliver.
    pub(super) fn find_or_make(
        &mut self,
        who: &Identity,
        submit: &Submit,
    ) -> Stored<Result<(Call, Option<Delivery>), Problem>> {
        let principal = match Principal::parse(submit.principal.get()) {
            Ok(principal) => principal,
            Err(problem) => return Ok(Err(problem)),
        };
        let alike = submit.alike && self.is_consequential(&submit.tool);
        let scope = match self.known(submit, &principal, alike)? {
            Ok((_, Some(known))) => return Ok(known.map(|call| (call, None))),
            Ok((scope, None)) => scope,
            Err(problem) => return Ok(Err(problem)),
        };
        let policy = match self.policy() {
            Ok(policy) => policy,
            Err(problem) => return Ok(Err(problem)),
        };
        let (tool, grant, arguments) = match check(&policy, submit, &principal, scope.is_some()) {
            Ok(checked) => checked,
            Err(problem) => return Ok(Err(problem)),
        };
        // It was elsewhere in between, and the edge has not looked there for a call with this key.
        if submit.moves.is_some_and(|moves| moves != tool.moves) {
            return Ok(Err(unknown_tool(&submit.tool)));
        }
        if policy.is_delivered() && !policy.takes_deliveries() {
            return Ok(Err(endpoint_suspended()));
        }
        let asked = self.asked(who, submit, principal, tool, arguments, scope);
        if asked.side_effect != SideEffect::Consequential {
            return self.make(&policy, asked, None).map(Ok);
        }
        if let Some(call) = self.joined(&asked)? {
            return Ok(Ok((call, None)));
        }
        if let Some(problem) = self.may_not_park(&asked)? {
            return Ok(Err(problem));
        }
        let approval = self.approval_of(&asked, tool, grant, submit.purpose.as_deref());
        self.make(&policy, asked, Some(approval)).map(Ok)
    }

    /// What the submission is known by, and the call that it made when it came before. `alike`: it goes by what it asks for.
    fn known(&mut self, submit: &Submit, principal: &Principal, alike: bool) -> Stored<Result<Known, Problem>> {
        let hash = if alike { alike_hash(submit, principal) } else { idempotency_hash(submit, principal) };
        let kept_seconds = if alike { REPLAY_SECONDS } else { RECORD_SECONDS };
        Ok(match hash {
            Ok(Some(hash)) => {
                let known = self.repeated(&hash, submit, kept_seconds)?;
                Ok((Some(hash), known))
            }
            Ok(None) => Ok((None, None)),
            Err(problem) => Err(problem),
        })
    }

    /// The call that was made with this key, or a conflict; `None` when the key is new.
    fn repeated(&mut self, hash: &str, submit: &Submit, kept_seconds: u64) -> Stored<Option<Result<Call, Problem>>> {
        let Some(id) = self.store.by_idempotency(hash)? else { return Ok(None) };
        // One that cannot be read is not set aside here: its key would make another call of it.
        let Some(call) = self.store.call(&id)? else { return Ok(None) };
        let call = self.caught_up(call)?;
        if call.ended_at.is_some_and(|end| end.plus_seconds(kept_seconds) <= self.now) {
            return Ok(None);
        }
        Ok(Some(match read_arguments(submit.arguments.as_deref().map(|raw| raw.get())) {
            Err(problem) => Err(problem),
            Ok(arguments)
                if arguments.canonical() == call.asked.arguments
                    && (call.asked.side_effect.is_write() || input_text(submit) == call.asked.input) =>
            {
                Ok(call)
            }
            Ok(_) => {
                let detail = "This Idempotency-Key was used for the same tool with other arguments; use a fresh key for a new call.";
                Err(Problem::new(problems::IDEMPOTENCY_CONFLICT, detail).with("call", self.call_id(&call)))
            }
        }))
    }

    /// With the fields' own names, where a provider's form has others.
    fn in_own_names(&self, submit: Submit) -> Submit {
        let found = self.queue.memory.snapshot.as_ref().and_then(|policy| policy.tools.get(&submit.tool));
        let (Some(profile), Some(tool)) = (submit.profile, found) else { return submit };
        let input = &tool.definition.input;
        if advertised_fields(input, profile).iter().all(|(advertised, own)| advertised == own) {
            return submit;
        }
        let Ok(arguments) = read_arguments(submit.arguments.as_deref().map(|raw| raw.get())) else { return submit };
        let arguments = RawValue::from_string(restore_fields(arguments, input, profile).canonical()).ok();
        Submit { arguments, ..submit }
    }

    fn is_consequential(&self, tool: &str) -> bool {
        let found = self.queue.memory.snapshot.as_ref().and_then(|policy| policy.tools.get(tool));
        found.is_some_and(|tool| tool.definition.side_effect == SideEffect::Consequential)
    }

    fn asked(
        &self,
        who: &Identity,
        submit: &Submit,
        principal: Principal,
        tool: &PolicyTool,
        arguments: String,
        scope: Option<String>,
    ) -> Asked {
        Asked {
            tool: submit.tool.clone(),
            agent: submit.agent.clone(),
            run: submit.run.clone(),
            arguments,
            input: input_text(submit).filter(|_| !tool.definition.side_effect.is_write()),
            principal: principal.text,
            principal_key: (principal.tenant_id, principal.id),
            permissions: principal.permissions,
            key_id: who.key_id.clone(),
            key_sha256: who.sha256.clone(),
            by: who.name.clone(),
            side_effect: tool.definition.side_effect,
            version: tool.version.clone(),
            contract_hash: tool.contract_hash.clone(),
            approval_hash: tool.approval_hash.clone(),
            endpoint_revision: self.queue.memory.snapshot.as_ref().map_or(0, |policy| policy.endpoint_revision),
            queue_seconds: tool.definition.queue_deadline_seconds.unwrap_or(QUEUE_DEADLINE_SECONDS),
            execution_seconds: tool.definition.execution_deadline_seconds.unwrap_or(EXECUTION_DEADLINE_SECONDS),
            at: self.now,
            idempotency: scope,
        }
    }

    fn approval_of(&self, asked: &Asked, tool: &PolicyTool, grant: Grant, purpose: Option<&str>) -> Approval {
        let definition = &tool.definition;
        Approval {
            digest: String::new(),
            expires_at: self.now.plus_seconds(grant.approval_seconds.unwrap_or(APPROVAL_SECONDS)),
            required: grant.approvals_required,
            decisions: Vec::new(),
            state: "pending".to_owned(),
            bound: Some(Bound {
                side_effect: definition.side_effect,
                input: definition.input.clone(),
                permissions: definition.permissions.clone(),
            }),
            likeness: likeness(asked),
            purpose: purpose.map(|text| shown(&text.chars().take(PURPOSE_CHARS_MAX).collect::<String>())),
            edited: None,
        }
    }

    /// Parks a consequential call; hands any other to a poll that waits, or to the edge that asks, or queues it.
    fn make(
        &mut self,
        policy: &Snapshot,
        asked: Asked,
        approval: Option<Approval>,
    ) -> Stored<(Call, Option<Delivery>)> {
        let mut delivery = None;
        let mut call = Call::new(LocalId::new(self.now, &self.entropy), asked, approval);
        let digest = self.digest(&call);
        if let Some(approval) = &mut call.approval {
            approval.digest = digest;
            self.store.insert(&call)?;
            self.parked_changed(&call);
            self.tell_approval(&call)?;
        } else if policy.is_delivered() {
            delivery = self.deliver_new(policy, &mut call)?;
            if delivery.is_none() {
                self.store.insert(&call)?;
            }
        } else if !self.hand_to_waiting(&mut call)? {
            self.store.insert(&call)?;
        }
        if let Some(due) = call.due() {
            self.queue.memory.wake_at(due);
        }
        Ok((call, delivery))
    }

    /// Reads a call; the answer may be held until it ends.
    pub fn read(
        &mut self,
        who: &Identity,
        base_url: &str,
        id: &LocalId,
        wait_seconds: u64,
        submitted: bool,
    ) -> Stored<Outcome> {
        let call = match self.visible(who, id)? {
            Ok(call) => call,
            Err(problem) => return Ok(Outcome::Reply(Err(problem))),
        };
        let wait = wait_seconds.min(WAIT_SECONDS_MAX);
        if call.ended() || wait == 0 {
            return Ok(Outcome::Reply(Ok(self.call_answer(&call, base_url, submitted))));
        }
        Ok(match self.hold(waiting(who, &call, base_url, submitted, None), wait) {
            held @ Outcome::Hold(..) => held,
            // No room to wait: as it is now.
            Outcome::Reply(_) => Outcome::Reply(Ok(self.call_answer(&call, base_url, submitted))),
        })
    }

    /// Reads a call with its events; the answer may be held until there are more than `known`.
    pub fn watch(
        &mut self,
        who: &Identity,
        base_url: &str,
        id: &LocalId,
        known: usize,
        wait_seconds: u64,
    ) -> Stored<Outcome> {
        let call = match self.visible(who, id)? {
            Ok(call) => call,
            Err(problem) => return Ok(Outcome::Reply(Err(problem))),
        };
        let wait = wait_seconds.min(WAIT_SECONDS_MAX);
        if call.ended() || wait == 0 || call.happened() > known {
            return Ok(Outcome::Reply(Ok(self.watched(&call, base_url))));
        }
        // Where there is no room to wait it is told so: as it is now it would come again at once.
        Ok(self.hold(waiting(who, &call, base_url, false, Some(known)), wait))
    }
}

fn input_text(submit: &Submit) -> Option<String> {
    submit.input.as_ref().and_then(|input| serde_json::to_string(input).ok())
}

fn endpoint_suspended() -> Problem {
    let detail = "The pool's endpoint is not active; an admin challenges it with POST /v1/pools/{pool}/challenges.";
    Problem::new(problems::ENDPOINT_SUSPENDED, detail)
}

fn waiting(who: &Identity, call: &Call, base_url: &str, submitted: bool, known: Option<usize>) -> Waiting {
    Waiting::Call { id: call.id.clone(), base_url: base_url.to_owned(), key_id: who.key_id.clone(), submitted, known }
}

/// The checks, in the order that the design fixes.
fn check<'a>(
    policy: &'a Snapshot,
    submit: &Submit,
    principal: &Principal,
    has_key: bool,
) -> Result<(&'a PolicyTool, Grant, String), Problem> {
    let (tool, grant) = policy.permit(&submit.tool, &submit.agent, &principal.permissions)?;
    if tool.definition.side_effect.is_write() && !has_key {
        let detail = format!(
            "{} is a write: send an Idempotency-Key header, the same for a repeat and a fresh one for a new call.",
            submit.tool
        );
        return Err(Problem::new(problems::IDEMPOTENCY_KEY_REQUIRED, detail));
    }
    let arguments = check_arguments(submit.arguments.as_deref().map(|raw| raw.get()), &tool.definition.input)?;
    Ok((tool, grant, arguments))
}

/// What makes two consequential calls of one run or agent the same, in place of a key.
fn alike_hash(submit: &Submit, principal: &Principal) -> Result<Option<String>, Problem> {
    let arguments = read_arguments(submit.arguments.as_deref().map(|raw| raw.get()))?.canonical();
    let Submit { agent, run, tool, .. } = submit;
    let same =
        serde_json::json!(["alike", agent, principal.tenant_id, principal.id, principal.text, run, tool, arguments]);
    Ok(Some(sha256_hex(same.to_string().as_bytes())))
}

/// Scope of an idempotency key: agent, principal, tool (the object is one org's and pool's).
fn idempotency_hash(submit: &Submit, principal: &Principal) -> Result<Option<String>, Problem> {
    let Some(key) = &submit.idempotency_key else { return Ok(None) };
    if key.is_empty() || key.len() > IDEMPOTENCY_KEY_CHARS_MAX || !key.bytes().all(|byte| (0x20..0x7f).contains(&byte))
    {
        return Err(Problem::invalid(
            "Idempotency-Key",
            format!("must have 1 to {IDEMPOTENCY_KEY_CHARS_MAX} printable ASCII characters."),
        ));
    }
    let scope = serde_json::json!([submit.agent, principal.tenant_id, principal.id, submit.tool, key]);
    Ok(Some(sha256_hex(scope.to_string().as_bytes())))
}

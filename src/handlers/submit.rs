//! `POST /v1/calls`: find the pool of the tool, ask it. One object request per call.

use futures_channel::oneshot;
use serde_json::value::RawValue;
use toolgate_core::ids::{IdKind, Place};
use toolgate_core::keys::Identity;
use toolgate_core::names;
use toolgate_core::policy::unknown_tool;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, DELIVER, INTERNAL_HEADER, Submit, ToDeliver, WRONG_POOL};
use toolgate_core::registry::{Command, PoolOf};
use toolgate_core::run;
use toolgate_protocol::calls::CallRequest;
use toolgate_protocol::control::Role;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::CALL_BODY_BYTES_MAX;
use toolgate_protocol::problems;
use worker::Response;

use super::Handled;
use crate::deliver::{self, Delivered};
use crate::edge::Edge;
use crate::http::{self, internal};
use crate::tool_pools;

/// `POST /v1/calls`
pub async fn submit(mut edge: Edge) -> Handled {
    let who = edge.identity(&[Role::Caller, Role::Agent])?;
    let request: CallRequest = edge.json(CALL_BODY_BYTES_MAX).await?;
    let submit = submission(&edge, &who, request)?;
    carry(&edge, &who, submit).await
}

/// Takes a submission to the pool of its tool, and a delivery that comes of it to its endpoint.
pub async fn carry(edge: &Edge, who: &Identity, mut submit: Submit) -> Handled {
    if !names::is_tool(&submit.tool) {
        return Err(unknown_tool(&submit.tool.chars().take(48).collect::<String>()));
    }
    if let Some(known) = tool_pools::known(&who.org, &submit.tool) {
        submit.purpose = purpose(edge, who, &submit, known.side_effect).await;
        if let Some(answer) = ask(edge, who, &known, &submit).await? {
            return deliver_if_asked(edge, who, submit.wait_seconds, answer).await;
        }
    }
    let mut found = edge.ask_registry(&who.org, Some(who), find(&submit)).await?;
    if found.status_code() != 200 {
        return Ok(found);
    }
    let found: PoolOf = found.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    tool_pools::remember(&who.org, &submit.tool, found.clone());
    submit.purpose = purpose(edge, who, &submit, found.side_effect).await;
    match ask(edge, who, &found, &submit).await? {
        Some(answer) => deliver_if_asked(edge, who, submit.wait_seconds, answer).await,
        // The registry names the pool but the pool does not have it yet: its policy is on the way.
        None => Err(unknown_tool(&submit.tool)),
    }
}

/// The answer of the tool's pool. A submission that may be a repeat is looked for first where the tool was before, so that
/// a name that moves takes no call along to be run again. `None`: the pool does not have the tool.
async fn ask(edge: &Edge, who: &Identity, of: &PoolOf, submit: &Submit) -> Result<Option<Response>, Problem> {
    if submit.idempotency_key.is_some() || submit.alike {
        for former in &of.former {
            let known = Ask::SubmitKnown(submit.clone());
            let answer = edge.ask_pool(Place::of(&who.org, former), who, known).await?;
            if !is_wrong_pool(&answer) {
                return Ok(Some(answer));
            }
        }
    }
    let submit = Submit { moves: Some(of.moves), ..submit.clone() };
    let answer = edge.ask_pool(Place::of(&who.org, &of.pool), who, Ask::Submit(submit)).await?;
    Ok(Some(answer).filter(|answer| !is_wrong_pool(answer)))
}

/// What the conversation is about, for who approves: what the door said, or what the run's last turn did, which is asked
/// for where a call of this class would park.
async fn purpose(edge: &Edge, who: &Identity, submit: &Submit, side_effect: SideEffect) -> Option<String> {
    if submit.purpose.is_some() {
        return submit.purpose.clone();
    }
    let run = who.scope.run.as_ref().filter(|_| side_effect == SideEffect::Consequential)?;
    let id = edge.find_run(&who.org, &run.run).ok()?;
    match edge.ask_thread(&who.org, &id, run::Command::Read).await {
        Ok(run::Reply::Run(run)) => Some(run.text).filter(|text| !text.is_empty()),
        // It says what a call is for; the call parks without it as well.
        _ => None,
    }
}

/// A new call of a webhook pool comes back with its delivery. It runs on under `waitUntil`, whether or not the caller
/// stays; a caller who waits is answered by what the object says to the report.
pub(super) async fn deliver_if_asked(edge: &Edge, who: &Identity, wait_seconds: u64, mut answer: Response) -> Handled {
    if internal_word(&answer).as_deref() != Some(DELIVER) {
        return Ok(answer);
    }
    let text = answer.text().await.map_err(|error| internal("reading a pool's answer", error))?;
    let ToDeliver { view, delivery } =
        serde_json::from_str(&text).map_err(|error| internal("reading a pool's answer", error))?;
    let deadline = toolgate_durable::now().plus_seconds(wait_seconds);
    let (sender, receiver) = oneshot::channel();
    let (env, base_url, call) = (edge.env.clone(), edge.base_url.clone(), delivery.call.clone());
    let waits = who.clone();
    edge.context.wait_until(async move {
        let Delivered { answer, after } = deliver::deliver(&env, &delivery, &base_url, Some(&waits)).await;
        let _ = sender.send(answer);
        if let Some(after) = after {
            after.run(&env, &delivery).await;
        }
    });
    let accepted = || http::json_answer(202, &view);
    if wait_seconds == 0 {
        return accepted();
    }
    match toolgate_durable::before(deadline, receiver).await {
        // Ended.
        Some(Ok(Some(told))) if told.status_code() == 200 => Ok(told),
        None => accepted(),
        // It goes on: a read has another attempt, or the object could not be told just now.
        Some(_) => {
            let (place, call) = edge.find(IdKind::Call, who, &call)?;
            let wait_seconds = deadline.seconds_from(toolgate_durable::now());
            edge.ask_pool(place, who, Ask::Read { call, wait_seconds, submitted: true }).await
        }
    }
}

fn find(submit: &Submit) -> Command {
    Command::FindTool { tool: submit.tool.clone(), agent: submit.agent.clone() }
}

fn is_wrong_pool(answer: &Response) -> bool {
    internal_word(answer).as_deref() == Some(WRONG_POOL)
}

fn internal_word(answer: &Response) -> Option<String> {
    answer.headers().get(INTERNAL_HEADER).ok().flatten()
}

/// For whom: an agent key says it itself, a caller key says it in the body.
fn submission(edge: &Edge, who: &Identity, request: CallRequest) -> Result<Submit, Problem> {
    let (agent, principal) =
        if who.role == Role::Agent { of_agent_key(who, &request)? } else { of_caller(who, &request)? };
    let idempotency_key = http::header(&edge.request, "idempotency-key");
    Ok(Submit {
        tool: request.tool,
        agent,
        run: who.scope.run.as_ref().map(|scope| scope.run.clone()),
        profile: who.scope.run.as_ref().map(|scope| scope.profile),
        purpose: None,
        principal,
        arguments: request.arguments,
        input: None,
        idempotency_key,
        alike: false,
        moves: None,
        wait_seconds: edge.wait_seconds(),
    })
}

fn of_agent_key(who: &Identity, request: &CallRequest) -> Result<(String, Box<RawValue>), Problem> {
    if request.agent.is_some() || request.principal.is_some() {
        return Err(Problem::invalid("agent", "agent and principal belong to the key; leave them out."));
    }
    match (&who.scope.agent, &who.scope.principal) {
        (Some(agent), Some(principal)) => Ok((agent.clone(), principal.clone())),
        _ => Err(Problem::new(problems::INVALID_KEY, "The key names no agent and principal; make a new one.")),
    }
}

fn of_caller(who: &Identity, request: &CallRequest) -> Result<(String, Box<RawValue>), Problem> {
    let agent = request.agent.clone().ok_or_else(|| Problem::invalid("agent", "is required with a caller key."))?;
    let principal =
        request.principal.clone().ok_or_else(|| Problem::invalid("principal", "is required with a caller key."))?;
    names::plain("agent", &agent)?;
    if who.scope.agents.as_ref().is_some_and(|agents| !agents.contains(&agent)) {
        return Err(Problem::new(problems::AGENT_NOT_IN_SCOPE, "The key's scope does not hold this agent."));
    }
    Ok((agent, principal))
}

//! What the MCP door does about calls: it submits them, reads them as tasks or by the status tool, and cancels them.

use toolgate_core::contract::read_arguments;
use toolgate_core::hash::hex;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{
    self, Answer, Bound, CallTool, Capability, Carried, Client, Era, Fault, RequestStates, Waits,
};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, Submit};
use toolgate_durable::now;
use toolgate_protocol::calls::{CallInput, CallView};
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::limits::{MCP_INPUT_SECONDS, MCP_TASK_WAIT_SECONDS, MCP_WAIT_SECONDS, RECORD_SECONDS};
use toolgate_protocol::problems;
use worker::Response;

use super::carry;
use super::mcp::{Failed, catalogue, principal};
use crate::edge::Edge;
use crate::http::internal;

/// `tools/call`
pub(super) async fn call_tool(
    edge: &Edge,
    who: &Identity,
    id: &str,
    era: Era,
    client: &Client,
    call: &CallTool,
) -> Result<Answer, Failed> {
    let principal = principal(who)?;
    let arguments = match read_arguments(call.arguments.as_deref().map(|raw| raw.get())) {
        Ok(arguments) => arguments.canonical(),
        Err(problem) => return refused(id, &problem, era),
    };
    let bound = Bound {
        org: &who.org,
        agent: who.scope.agent.as_deref().unwrap_or_default(),
        principal: &principal.text,
        tool: &call.name,
        arguments: &arguments,
    };
    let states = RequestStates::new(&master(edge)?);
    let carried = opened(&states, &bound, call.request_state.as_deref())?;
    let input = mcp::input_of(call, carried)?;
    let submit = submission(who, call, bound.agent, input, client)?;
    let view = match read_call(carry(edge, who, submit).await).await? {
        Ok(view) => view,
        Err(problem) if problem.kind == problems::UNKNOWN_TOOL => return Err(unknown_tool(&call.name).into()),
        Err(problem) if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY => {
            return Err(problem.into());
        }
        Err(problem) => return refused(id, &problem, era),
    };
    if mcp::is_question(&view) {
        let reads = is_read(edge, who, &call.name).await?;
        let seal = |carried: &Carried| states.seal(&bound, carried, now().plus_seconds(MCP_INPUT_SECONDS));
        return Ok(mcp::answer(id, &mcp::question_result(&view, era, client, reads, seal)?));
    }
    let waits = Waits::of(&view);
    if waits.is_some() && client.tasks {
        return Ok(mcp::answer(id, &mcp::task(&view, true)));
    }
    if waits == Some(Waits::Decision) && client.can(Capability::Url) {
        let state = states.seal(&bound, &Carried::Call(view.call.clone()), now().plus_seconds(RECORD_SECONDS));
        return Ok(mcp::answer(id, &mcp::waits_for_input(&view, &state)));
    }
    Ok(mcp::answer(id, &mcp::call_result(&view, era)))
}

async fn is_read(edge: &Edge, who: &Identity, tool: &str) -> Result<bool, Failed> {
    let offers = catalogue(edge, who).await?;
    let known = offers.catalogue.policy.tools.get(tool);
    Ok(known.is_some_and(|tool| !tool.definition.side_effect.is_write()))
}

fn opened(states: &RequestStates, bound: &Bound<'_>, state: Option<&str>) -> Result<Option<Carried>, Fault> {
    let Some(state) = state else { return Ok(None) };
    let carried = states.open(bound, state, now());
    carried.map(Some).ok_or_else(|| Fault::params("requestState is not that of this call, or it is too old."))
}

fn submission(
    who: &Identity,
    call: &CallTool,
    agent: &str,
    input: Option<CallInput>,
    client: &Client,
) -> Result<Submit, Problem> {
    let key = toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?;
    Ok(Submit {
        tool: call.name.clone(),
        agent: agent.to_owned(),
        run: who.scope.run.as_ref().map(|scope| scope.run.clone()),
        profile: Some(Profile::Mcp),
        purpose: None,
        principal: who.scope.principal.clone().ok_or_else(Problem::not_found)?,
        arguments: call.arguments.clone(),
        input,
        // Of this request alone: nothing of the protocol says that two requests are one.
        idempotency_key: Some(hex(&key)),
        alike: true,
        wait_seconds: if client.tasks { MCP_TASK_WAIT_SECONDS } else { MCP_WAIT_SECONDS },
    })
}

fn refused(id: &str, problem: &Problem, era: Era) -> Result<Answer, Failed> {
    Ok(mcp::answer(id, &mcp::refused_result(problem, era)))
}

/// Absent is an error of the protocol, 200 in HTTP: the request itself was understood.
fn unknown_tool(name: &str) -> Fault {
    Fault { status: 200, ..Fault::params(format!("Unknown tool: {}", name.chars().take(64).collect::<String>())) }
}

/// The tool of this door itself: how a call stands.
pub(super) async fn status(edge: &Edge, who: &Identity, id: &str, era: Era, call: &CallTool) -> Result<Answer, Failed> {
    let asked = mcp::asked_of(call.arguments.as_deref());
    let found = asked.ok_or_else(|| Problem::invalid("id", "is required, and nothing else."));
    let found = found
        .and_then(|asked| edge.find(IdKind::Approval, who, &asked).or_else(|_| edge.find(IdKind::Call, who, &asked)));
    let (place, local) = match found {
        Ok(found) => found,
        Err(problem) => return refused(id, &problem, era),
    };
    let read = Ask::Read { call: local, wait_seconds: 0, submitted: false };
    match read_call(edge.ask_pool(place, who, read).await).await? {
        Ok(view) => Ok(mcp::answer(id, &mcp::approval_status(&view, era))),
        Err(problem) if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY => Err(problem.into()),
        Err(problem) => refused(id, &problem, era),
    }
}

fn task_call(edge: &Edge, who: &Identity, task: &str) -> Result<(Place, LocalId), Failed> {
    edge.find(IdKind::Call, who, task).map_err(|_| no_task().into())
}

/// `tasks/get`
pub(super) async fn task(edge: &Edge, who: &Identity, task: &str) -> Result<CallView, Failed> {
    let (place, call) = task_call(edge, who, task)?;
    let read = Ask::Read { call, wait_seconds: 0, submitted: false };
    read_call(edge.ask_pool(place, who, read).await).await?.map_err(|problem| match problem.kind {
        kind if kind == problems::NOT_FOUND => no_task().into(),
        _ => problem.into(),
    })
}

/// `tasks/cancel`: cooperative. A write that has started goes on, and its outcome can be read; a task that ended stays as it is.
pub(super) async fn cancel_task(edge: &Edge, who: &Identity, task: &str) -> Result<(), Failed> {
    let (place, call) = task_call(edge, who, task)?;
    match edge.ask_pool(place, who, Ask::Cancel(call)).await?.status_code() {
        404 => Err(no_task().into()),
        _ => Ok(()),
    }
}

fn no_task() -> Fault {
    Fault { status: 200, ..Fault::params("There is no such task, or it is not yours.") }
}

fn master(edge: &Edge) -> Result<Vec<u8>, Problem> {
    toolgate_durable::master_key(&edge.env).map_err(|why| internal("the configuration", why))
}

/// The call in a pool's answer, or its refusal.
async fn read_call(answer: Result<Response, Problem>) -> Result<Result<CallView, Problem>, Failed> {
    let mut answer = match answer {
        Ok(answer) => answer,
        Err(problem) => return Ok(Err(problem)),
    };
    let status = answer.status_code();
    let text = answer.text().await.map_err(|error| internal("reading a pool's answer", error))?;
    let unread = |error: serde_json::Error| internal("reading a pool's answer", error);
    if status < 300 {
        return Ok(Ok(serde_json::from_str(&text).map_err(unread)?));
    }
    Ok(Err(Problem::read(status, &text).ok_or_else(|| internal("reading a pool's refusal", "it has no code"))?))
}

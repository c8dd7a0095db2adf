//! `POST /mcp/{agent}`: the Model Context Protocol. What a message says and how it is answered is `core::mcp`; here it is
//! taken to where the rest of the gateway is.

use std::rc::Rc;

use serde_json::value::RawValue;
use toolgate_core::contract::read_arguments;
use toolgate_core::hash::hex;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{
    self, Answer, Bound, CallTool, Client, Era, Fault, Headers, Message, Method, Request, RequestStates, STATUS_TOOL,
    Waits,
};
use toolgate_core::principal::Principal;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, Submit};
use toolgate_core::run::{self, Offers};
use toolgate_protocol::calls::CallView;
use toolgate_protocol::control::Role;
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::limits::{CALL_BODY_BYTES_MAX, MCP_TASK_WAIT_SECONDS, MCP_WAIT_SECONDS};
use toolgate_protocol::problems;
use toolgate_protocol::runs::Door;
use worker::{Response, ResponseBuilder};

use super::{Handled, carry, listen};
use crate::catalogue;
use crate::edge::Edge;
use crate::http::{self, internal};

const INTERNAL_ERROR: i32 = -32_603;

/// A request that cannot be answered in the protocol's own words is answered in HTTP's.
enum Failed {
    Fault(Fault),
    Problem(Problem),
    Refused(Response),
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Failed {
        Failed::Problem(problem)
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Failed {
        Failed::Fault(fault)
    }
}

/// `POST /mcp/{agent}`
pub async fn mcp(mut edge: Edge, agent: String) -> Handled {
    let who = edge.identity_at(Door::Mcp, &[Role::Agent])?;
    if who.scope.agent.as_ref() != Some(&agent) {
        return Err(Problem::new(problems::AGENT_NOT_IN_SCOPE, "The key is another agent's."));
    }
    let header = |name: &str| http::header(&edge.request, name);
    let headers =
        Headers { version: header("mcp-protocol-version"), method: header("mcp-method"), name: header("mcp-name") };
    let body = http::json_text(&mut edge.request, CALL_BODY_BYTES_MAX).await?;
    let request = match mcp::read(&body, &headers) {
        Ok(Message::Request(request)) => *request,
        Ok(Message::Notification) => return respond(mcp::notification_taken()),
        Err(fault) => return respond(mcp::failure(&fault)),
    };
    if let Method::Listen(asked) = request.method {
        return listen::listen(edge, who, request.id, asked).await;
    }
    match handle(&edge, &who, &request).await {
        Ok(answer) => respond(answer),
        Err(Failed::Fault(fault)) => respond(mcp::failure(&Fault { id: Some(request.id), ..fault })),
        Err(Failed::Refused(response)) => Ok(response),
        // A key that is not live is for the client to see; anything else is an answer to the request.
        Err(Failed::Problem(problem)) if problem.kind == problems::INVALID_KEY => Err(problem),
        Err(Failed::Problem(problem)) => {
            let fault = Fault::new(problem.kind.status, INTERNAL_ERROR, problem.detail);
            respond(mcp::failure(&Fault { id: Some(request.id), ..fault }))
        }
    }
}

fn respond(answer: Answer) -> Handled {
    let content_type = answer.body.is_some().then_some("application/json");
    let headers =
        toolgate_durable::headers(answer.status, content_type).map_err(|error| internal("answering", error))?;
    let response = ResponseBuilder::new().with_status(answer.status).with_headers(headers);
    Ok(match answer.body {
        Some(body) => response.fixed(body.into_bytes()),
        None => response.empty(),
    })
}

async fn handle(edge: &Edge, who: &Identity, request: &Request) -> Result<Answer, Failed> {
    let Request { id, era, client, method } = request;
    Ok(match method {
        Method::Discover => mcp::answer(id, &mcp::discover()),
        Method::Initialize(version) => mcp::answer(id, &mcp::initialized(version)),
        Method::Ping => mcp::answer(id, &mcp::empty(*era)),
        Method::ListTools(cursor) => list_tools(edge, who, id, *era, cursor.as_deref()).await?,
        Method::CallTool(call) if call.name == STATUS_TOOL => status(edge, who, id, *era, call).await?,
        Method::CallTool(call) => call_tool(edge, who, id, *era, *client, call).await?,
        Method::GetTask(asked) => mcp::answer(id, &mcp::task(&task(edge, who, asked).await?, false)),
        // No task of ours asks its client for anything.
        Method::UpdateTask(asked) => {
            task(edge, who, asked).await?;
            mcp::answer(id, &mcp::empty(*era))
        }
        Method::CancelTask(asked) => {
            let (place, call) = task_call(edge, who, asked)?;
            // Cooperative: a write that has started goes on, and its outcome can be read. A task that ended stays as it is.
            match edge.ask_pool(place, who, Ask::Cancel(call)).await?.status_code() {
                404 => return Err(no_task().into()),
                _ => mcp::answer(id, &mcp::empty(*era)),
            }
        }
        Method::Listen(_) => return Err(Fault::no_method("subscriptions/listen").into()),
    })
}

async fn catalogue(edge: &Edge, who: &Identity) -> Result<Rc<Offers>, Failed> {
    catalogue::current(edge, who).await?.map_err(Failed::Refused)
}

/// The tools that a key lists: what its run was offered, or what its agent is granted.
pub(super) async fn listed(edge: &Edge, who: &Identity, offers: &Offers) -> Result<Vec<String>, Problem> {
    let agent = who.scope.agent.as_deref().unwrap_or_default();
    let permissions = principal(who)?.permissions;
    let offered = match &who.scope.run {
        None => None,
        Some(scope) => {
            match edge.ask_thread(&who.org, &edge.find_run(&who.org, &scope.run)?, run::Command::Read).await? {
                run::Reply::Run(run) => Some(run.offered),
                run::Reply::Overtaken(_) | run::Reply::Absent => Some(Vec::new()),
            }
        }
    };
    Ok(offers.listed(agent, &permissions, offered))
}

async fn list_tools(edge: &Edge, who: &Identity, id: &str, era: Era, cursor: Option<&str>) -> Result<Answer, Failed> {
    let offers = catalogue(edge, who).await?;
    let names = listed(edge, who, &offers).await?;
    let (shown, next) = mcp::page(&names, cursor)?;
    let mut tools: Vec<Box<RawValue>> = shown.iter().filter_map(|name| offers.definition(Profile::Mcp, name)).collect();
    if next.is_none() {
        tools.extend(mcp::status_tool());
    }
    Ok(mcp::answer(id, &mcp::tool_list(era, tools, next)))
}

async fn call_tool(
    edge: &Edge,
    who: &Identity,
    id: &str,
    era: Era,
    client: Client,
    call: &CallTool,
) -> Result<Answer, Failed> {
    let principal = principal(who)?;
    let arguments = read_arguments(call.arguments.as_deref().map(|raw| raw.get()));
    let arguments = match arguments {
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
    if call.request_state.as_ref().is_some_and(|state| states.open(&bound, state).is_none()) {
        return Err(Fault::params("requestState is not that of this call.").into());
    }
    let key = toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?;
    let submit = Submit {
        tool: call.name.clone(),
        agent: bound.agent.to_owned(),
        run: who.scope.run.as_ref().map(|scope| scope.run.clone()),
        profile: Some(Profile::Mcp),
        purpose: None,
        principal: who.scope.principal.clone().ok_or_else(Problem::not_found)?,
        arguments: call.arguments.clone(),
        // Of this request alone: nothing of the protocol says that two requests are one.
        idempotency_key: Some(hex(&key)),
        alike: true,
        wait_seconds: if client.tasks { MCP_TASK_WAIT_SECONDS } else { MCP_WAIT_SECONDS },
    };
    let view = match read_call(carry(edge, who, submit).await).await? {
        Ok(view) => view,
        Err(problem) if problem.kind == problems::UNKNOWN_TOOL => return Err(unknown_tool(&call.name).into()),
        Err(problem) if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY => {
            return Err(problem.into());
        }
        Err(problem) => return refused(id, &problem, era),
    };
    let waits = Waits::of(&view);
    if waits.is_some() && client.tasks {
        return Ok(mcp::answer(id, &mcp::task(&view, true)));
    }
    if waits == Some(Waits::Decision) && client.url_elicitation {
        let shown = mcp::waits_for_input(&view, &states.seal(&bound, &view.call));
        return Ok(mcp::answer(id, &shown));
    }
    Ok(mcp::answer(id, &mcp::call_result(&view, era)))
}

fn refused(id: &str, problem: &Problem, era: Era) -> Result<Answer, Failed> {
    Ok(mcp::answer(id, &mcp::refused_result(problem, era)))
}

/// Absent is an error of the protocol, 200 in HTTP: the request itself was understood.
fn unknown_tool(name: &str) -> Fault {
    Fault { status: 200, ..Fault::params(format!("Unknown tool: {}", name.chars().take(64).collect::<String>())) }
}

async fn status(edge: &Edge, who: &Identity, id: &str, era: Era, call: &CallTool) -> Result<Answer, Failed> {
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

async fn task(edge: &Edge, who: &Identity, task: &str) -> Result<CallView, Failed> {
    let (place, call) = task_call(edge, who, task)?;
    let read = Ask::Read { call, wait_seconds: 0, submitted: false };
    read_call(edge.ask_pool(place, who, read).await).await?.map_err(|problem| match problem.kind {
        kind if kind == problems::NOT_FOUND => no_task().into(),
        _ => problem.into(),
    })
}

fn no_task() -> Fault {
    Fault { status: 200, ..Fault::params("There is no such task, or it is not yours.") }
}

fn principal(who: &Identity) -> Result<Principal, Problem> {
    Principal::parse(who.scope.principal.as_deref().map_or("null", RawValue::get))
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

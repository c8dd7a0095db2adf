//! `POST /mcp/{agent}`: the Model Context Protocol. What a message says and how it is answered is `core::mcp`; here it is
//! taken to where the rest of the gateway is.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::value::RawValue;
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{
    self, Answer, Era, Fault, Headers, Initialize, LevelCommand, Message, Method, Request, STATUS_TOOL, Session,
    Sessions,
};
use toolgate_core::principal::Principal;
use toolgate_core::problem::Problem;
use toolgate_core::run::{self, Offers};
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::MCP_BODY_BYTES_MAX;
use toolgate_protocol::problems;
use toolgate_protocol::runs::Door;
use worker::{Response, ResponseBuilder};

use super::mcp_calls::{ToolCall, master};
use super::{Handled, listen, mcp_questions, mcp_stream, mcp_tasks};
use crate::catalogue;
use crate::edge::Edge;
use crate::http::{self, internal};

pub(super) const INTERNAL_ERROR: i32 = -32_603;
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// A request that cannot be answered in the protocol's own words is answered in HTTP's.
pub(super) enum Failed {
    /// The protocol's own.
    Fault(Fault),
    /// The gateway's.
    Problem(Problem),
    /// A refusal of the registry, as it came.
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
    let headers = Headers {
        version: header("mcp-protocol-version"),
        method: header("mcp-method"),
        name: header("mcp-name"),
        params: param_headers(&edge.request),
    };
    let streams = header("accept").is_some_and(|accepts| accepts.contains(EVENT_STREAM));
    let body = http::json_text(&mut edge.request, MCP_BODY_BYTES_MAX).await?;
    let read = match mcp::read(&body, &headers) {
        Ok(message) => in_session(&edge, &who, message, &headers)?,
        Err(fault) => Err(fault),
    };
    match read {
        Err(fault) => respond(mcp::failure(&fault)),
        Ok((Message::Notification, _)) => respond(mcp::taken()),
        Ok((Message::Response(_), None)) => respond(mcp::failure(&Fault::no_request())),
        Ok((Message::Response(response), Some(session))) => {
            respond(mcp_questions::take(&edge, &who, &session, &response).await?)
        }
        Ok((Message::Request(request), session)) => serve(edge, who, request.within(session), streams).await,
    }
}

/// A message, with the session that it belongs to.
fn in_session(
    edge: &Edge,
    who: &Identity,
    message: Message,
    headers: &Headers,
) -> Result<Result<(Message, Option<Session>), Fault>, Problem> {
    let named = http::header(&edge.request, "mcp-session-id").filter(|_| mcp::has_session(&message, headers));
    let Some(named) = named else { return Ok(Ok((message, None))) };
    let session = Sessions::new(&master(edge)?).open(who, &named);
    let id = if let Message::Request(request) = &message { Some(request.id.clone()) } else { None };
    Ok(match session {
        Some(session) => Ok((message, Some(session))),
        None => Err(Fault { id, ..Fault::no_session() }),
    })
}

async fn serve(edge: Edge, who: Identity, request: Request, streams: bool) -> Handled {
    match request.method {
        Method::Listen(asked) => listen::listen(edge, who, request.id, asked).await,
        Method::CallTool(ref call) if call.name != STATUS_TOOL && streams && mcp_stream::may_need(&request, call) => {
            mcp_stream::call(edge, who, request).await
        }
        _ => {
            let handled = handle(&edge, &who, &request).await;
            answered(&request.id, handled)
        }
    }
}

/// Arguments that the client mirrors; the platform gives names in lower case.
fn param_headers(request: &worker::Request) -> BTreeMap<String, String> {
    let named = |(name, value): (String, String)| Some((name.strip_prefix("mcp-param-")?.to_owned(), value));
    request.headers().entries().filter_map(named).collect()
}

/// The answer to a request that was handled, or could not be.
pub(super) fn answered(id: &str, handled: Result<Answer, Failed>) -> Handled {
    match handled.or_else(|failed| told(id, failed)) {
        Ok(answer) => respond(answer),
        Err(Untold::Refused(response)) => Ok(response),
        Err(Untold::Problem(problem)) => Err(problem),
    }
}

/// What is not an answer of the protocol.
pub(super) enum Untold {
    /// A refusal of the registry, as it came.
    Refused(Response),
    /// A key that is not live is for the client to see.
    Problem(Problem),
}

/// A failure as an answer of the protocol.
pub(super) fn told(id: &str, failed: Failed) -> Result<Answer, Untold> {
    let fault = match failed {
        Failed::Fault(fault) => fault,
        Failed::Refused(response) => return Err(Untold::Refused(response)),
        Failed::Problem(problem) if problem.kind == problems::INVALID_KEY => return Err(Untold::Problem(problem)),
        // A 404 has a meaning of its own here: no such method, and before 2026-07-28 no such session.
        Failed::Problem(problem) if problem.kind.status == 404 => Fault::new(200, INTERNAL_ERROR, problem.detail),
        Failed::Problem(problem) => Fault::new(problem.kind.status, INTERNAL_ERROR, problem.detail),
    };
    Ok(mcp::failure(&Fault { id: Some(id.to_owned()), ..fault }))
}

fn respond(answer: Answer) -> Handled {
    let content_type = answer.body.is_some().then_some("application/json");
    let headers =
        toolgate_durable::headers(answer.status, content_type).map_err(|error| internal("answering", error))?;
    if let Some(session) = &answer.session {
        headers.set("mcp-session-id", session).map_err(|error| internal("answering", error))?;
    }
    let response = ResponseBuilder::new().with_status(answer.status).with_headers(headers);
    Ok(match answer.body {
        Some(body) => response.fixed(body.into_bytes()),
        None => response.empty(),
    })
}

async fn handle(edge: &Edge, who: &Identity, request: &Request) -> Result<Answer, Failed> {
    let Request { id, era, client, session, method } = request;
    Ok(match method {
        Method::Discover => mcp::answer(id, &mcp::discover()),
        Method::Initialize(hello) => initialize(edge, who, id, hello)?,
        Method::SetLevel(level) => {
            let Some(session) = session else { return Err(Fault::no_method("logging/setLevel", *era).into()) };
            // Nothing is kept for a key that is not live; the object that keeps it would not know.
            catalogue(edge, who).await?;
            let set = LevelCommand::set(session, *level, toolgate_durable::now());
            edge.ask_level(who, &principal(who)?, &set).await?;
            mcp::answer(id, &mcp::empty(*era))
        }
        Method::Ping => mcp::answer(id, &mcp::empty(*era)),
        Method::ListTools(cursor) => list_tools(edge, who, id, *era, cursor.as_deref()).await?,
        Method::CallTool(call) if call.name == STATUS_TOOL => ToolCall { edge, who, request, call }.status().await?,
        Method::CallTool(call) => ToolCall { edge, who, request, call }.answer().await?,
        Method::GetTask(asked) => mcp::answer(id, &mcp::task(&mcp_tasks::get(edge, who, asked).await?, client)),
        Method::UpdateTask(update) => {
            mcp_tasks::update(edge, who, client, update).await?;
            mcp::answer(id, &mcp::empty(*era))
        }
        Method::CancelTask(asked) => {
            mcp_tasks::cancel(edge, who, asked).await?;
            mcp::answer(id, &mcp::empty(*era))
        }
        Method::Listen(_) => return Err(Fault::no_method("subscriptions/listen", *era).into()),
    })
}

/// A client that can be asked for something begins a session: nothing else says so in its later requests.
fn initialize(edge: &Edge, who: &Identity, id: &str, hello: &Initialize) -> Result<Answer, Failed> {
    let Initialize { version, answers } = hello;
    if answers.is_empty() {
        return Ok(mcp::answer(id, &mcp::initialized(version, false)));
    }
    let entropy = toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?;
    let session = Sessions::new(&master(edge)?).begin(who, answers, &entropy);
    Ok(Answer { session: Some(session), ..mcp::answer(id, &mcp::initialized(version, true)) })
}

/// What there is, as the registry last told it.
pub(super) async fn catalogue(edge: &Edge, who: &Identity) -> Result<Rc<Offers>, Failed> {
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
                _ => Some(Vec::new()),
            }
        }
    };
    Ok(offers.listed(agent, &permissions, offered))
}

async fn list_tools(edge: &Edge, who: &Identity, id: &str, era: Era, cursor: Option<&str>) -> Result<Answer, Failed> {
    let offers = catalogue(edge, who).await?;
    let names = listed(edge, who, &offers).await?;
    let (shown, next) = mcp::page(&names, cursor)?;
    let agent = who.scope.agent.as_deref().unwrap_or_default();
    let definition = |name: &String| offers.mcp_definition(agent, name, era == Era::Modern);
    let mut tools: Vec<Box<RawValue>> = shown.iter().filter_map(definition).collect();
    if next.is_none() {
        tools.extend(mcp::status_tool());
    }
    Ok(mcp::answer(id, &mcp::tool_list(era, tools, next)))
}

pub(super) fn principal(who: &Identity) -> Result<Principal, Problem> {
    Principal::parse(who.scope.principal.as_deref().map_or("null", RawValue::get))
}

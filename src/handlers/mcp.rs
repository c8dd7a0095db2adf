//! `POST /mcp/{agent}`: the Model Context Protocol. What a message says and how it is answered is `core::mcp`; here it is
//! taken to where the rest of the gateway is.

use std::rc::Rc;

use serde_json::value::RawValue;
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Answer, Era, Fault, Headers, Message, Method, Request, STATUS_TOOL};
use toolgate_core::principal::Principal;
use toolgate_core::problem::Problem;
use toolgate_core::run::{self, Offers};
use toolgate_protocol::control::Role;
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::limits::MCP_BODY_BYTES_MAX;
use toolgate_protocol::problems;
use toolgate_protocol::runs::Door;
use worker::{Response, ResponseBuilder};

use super::{Handled, listen, mcp_calls};
use crate::catalogue;
use crate::edge::Edge;
use crate::http::{self, internal};

const INTERNAL_ERROR: i32 = -32_603;

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
    let headers =
        Headers { version: header("mcp-protocol-version"), method: header("mcp-method"), name: header("mcp-name") };
    let body = http::json_text(&mut edge.request, MCP_BODY_BYTES_MAX).await?;
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
        Method::CallTool(call) if call.name == STATUS_TOOL => mcp_calls::status(edge, who, id, *era, call).await?,
        Method::CallTool(call) => mcp_calls::call_tool(edge, who, id, *era, client, call).await?,
        Method::GetTask(asked) => mcp::answer(id, &mcp::task(&mcp_calls::task(edge, who, asked).await?, false)),
        // A task never waits for its client: a tool asks in its answer, and the repeat is another call.
        Method::UpdateTask(asked) => {
            mcp_calls::task(edge, who, asked).await?;
            mcp::answer(id, &mcp::empty(*era))
        }
        Method::CancelTask(asked) => {
            mcp_calls::cancel_task(edge, who, asked).await?;
            mcp::answer(id, &mcp::empty(*era))
        }
        Method::Listen(_) => return Err(Fault::no_method("subscriptions/listen").into()),
    })
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

pub(super) fn principal(who: &Identity) -> Result<Principal, Problem> {
    Principal::parse(who.scope.principal.as_deref().map_or("null", RawValue::get))
}

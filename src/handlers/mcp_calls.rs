//! What the MCP door does about calls: it submits them, and says how they stand.

use serde::de::DeserializeOwned;
use toolgate_core::contract::read_arguments;
use toolgate_core::hash::hex;
use toolgate_core::ids::IdKind;
use toolgate_core::json::Json;
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{
    self, Answer, Bound, CallTool, Capability, Carried, Era, Fault, Request, RequestStates, Waits,
};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, Submit};
use toolgate_durable::now;
use toolgate_protocol::calls::{CallInput, CallView};
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::limits::{MCP_APPROVAL_SECONDS, MCP_INPUT_SECONDS, MCP_TASK_WAIT_SECONDS, MCP_WAIT_SECONDS};
use toolgate_protocol::problems;
use worker::Response;

use super::carry;
use super::mcp::{Failed, catalogue, principal};
use crate::edge::Edge;
use crate::http::internal;
use crate::mcp_rules;

/// `tools/call`, and who sends it.
#[derive(Clone, Copy)]
pub(super) struct ToolCall<'a> {
    pub edge: &'a Edge,
    pub who: &'a Identity,
    pub request: &'a Request,
    pub call: &'a CallTool,
}

/// A call that was accepted.
pub(super) struct Submitted {
    /// Canonical texts of what its state is bound to.
    principal: String,
    arguments: String,
    /// As it stood then.
    pub view: CallView,
}

impl ToolCall<'_> {
    /// The call's answer, which is held for its end.
    pub async fn answer(self) -> Result<Answer, Failed> {
        match self.submit(self.wait_seconds()).await? {
            Ok(submitted) => self.outcome(&submitted, &submitted.view).await,
            Err(refused) => Ok(refused),
        }
    }

    /// How long a client is kept waiting: one that follows tasks has one then.
    pub fn wait_seconds(self) -> u64 {
        if self.request.client.tasks { MCP_TASK_WAIT_SECONDS } else { MCP_WAIT_SECONDS }
    }

    /// Makes the call. A refusal that a model can act on is an answer.
    pub async fn submit(self, wait_seconds: u64) -> Result<Result<Submitted, Answer>, Failed> {
        let ToolCall { edge, who, call, .. } = self;
        let principal = principal(who)?.text;
        let arguments = match read_arguments(call.arguments.as_deref().map(|raw| raw.get())) {
            Ok(arguments) => arguments,
            Err(problem) => return Ok(Err(self.refused(&problem))),
        };
        if let Some(refused) = self.check_rules(&arguments).await? {
            return Ok(Err(refused));
        }
        let arguments = arguments.canonical();
        let carried = {
            let bound = self.bound(&principal, &arguments);
            opened(&RequestStates::new(&master(edge)?), &bound, call.request_state.as_deref())?
        };
        // Whoever was led to an approval asks about that call, for as long as its record is kept.
        let begun = match &carried {
            Some(Carried::Call(id)) => self.begun(id, wait_seconds).await?,
            _ => None,
        };
        let input = mcp::input_of(call, carried)?;
        let told = match begun {
            Some(told) => told,
            None => read_answer(carry(edge, who, self.submission(input, wait_seconds)?).await).await?,
        };
        match told {
            Ok(view) => Ok(Ok(Submitted { principal, arguments, view })),
            Err(problem) if problem.kind == problems::UNKNOWN_TOOL => Err(unknown_tool(&call.name).into()),
            Err(problem) if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY => Err(problem.into()),
            Err(problem) => Ok(Err(self.refused(&problem))),
        }
    }

    /// A call that was made before; `None` where its record is gone.
    async fn begun(self, id: &str, wait_seconds: u64) -> Result<Option<Result<CallView, Problem>>, Failed> {
        let ToolCall { edge, who, .. } = self;
        let Ok((place, call)) = edge.find(IdKind::Call, who, id) else { return Ok(None) };
        let read = |wait_seconds| Ask::Read { call: call.clone(), wait_seconds, submitted: true };
        let mut told: Result<CallView, Problem> = read_answer(edge.ask_pool(place.clone(), who, read(0)).await).await?;
        // Like a submission: a person is not waited for here, code that runs is.
        let waits = told.as_ref().ok().and_then(Waits::of);
        if waits.is_some_and(|waits| waits != Waits::Decision) {
            told = read_answer(edge.ask_pool(place, who, read(wait_seconds)).await).await?;
        }
        Ok(Some(told).filter(|told| told.as_ref().err().is_none_or(|problem| problem.kind != problems::NOT_FOUND)))
    }

    /// What the agent's admin says of the tool: headers that mirror arguments, and clients that it is kept for.
    async fn check_rules(self, arguments: &Json) -> Result<Option<Answer>, Failed> {
        let ToolCall { edge, who, request, call } = self;
        let agent = who.scope.agent.as_deref().unwrap_or_default();
        let rules = mcp_rules::of(edge, who, agent).await?.map_err(Failed::Refused)?;
        if let Some(mirrors) = rules.mirrors.get(&call.name).filter(|_| request.era == Era::Modern) {
            mcp::check_mirrors(mirrors, arguments, &call.headers)?;
        }
        if rules.tasks_required.contains(&call.name) && !request.client.tasks {
            if request.era == Era::Modern {
                return Err(mcp::needs_tasks().into());
            }
            let detail = "The tool may be called by clients that follow tasks alone, which needs revision 2026-07-28.";
            return Ok(Some(self.refused(&Problem::new(problems::INVALID_REQUEST, detail))));
        }
        Ok(None)
    }

    /// What a call that was accepted is answered with, as it stands now.
    pub async fn outcome(self, submitted: &Submitted, view: &CallView) -> Result<Answer, Failed> {
        let ToolCall { edge, who, request: Request { id, era, client, .. }, call } = self;
        let (bound, states) =
            (self.bound(&submitted.principal, &submitted.arguments), RequestStates::new(&master(edge)?));
        if mcp::is_question(view) {
            let reads = is_read(edge, who, &call.name).await?;
            let seal = |carried: &Carried| states.seal(&bound, carried, now().plus_seconds(MCP_INPUT_SECONDS));
            return Ok(mcp::answer(id, &mcp::question_result(view, *era, client, reads, seal)?));
        }
        let waits = Waits::of(view);
        if let Some(waits) = waits.filter(|_| client.tasks) {
            return Ok(mcp::answer(id, &mcp::created_task(view, waits)));
        }
        if waits == Some(Waits::Decision) && *era == Era::Modern && client.can(Capability::Url) {
            let state =
                states.seal(&bound, &Carried::Call(view.call.clone()), now().plus_seconds(MCP_APPROVAL_SECONDS));
            return Ok(mcp::answer(id, &mcp::waits_for_input(view, &state)));
        }
        Ok(mcp::answer(id, &mcp::call_result(view, *era)))
    }

    fn bound<'b>(self, principal: &'b str, arguments: &'b str) -> Bound<'b>
    where
        Self: 'b,
    {
        let agent = self.who.scope.agent.as_deref().unwrap_or_default();
        Bound { org: &self.who.org, agent, principal, tool: &self.call.name, arguments }
    }

    fn submission(self, input: Option<CallInput>, wait_seconds: u64) -> Result<Submit, Problem> {
        let ToolCall { who, call, .. } = self;
        let key = toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?;
        Ok(Submit {
            tool: call.name.clone(),
            agent: who.scope.agent.clone().unwrap_or_default(),
            run: who.scope.run.as_ref().map(|scope| scope.run.clone()),
            profile: Some(Profile::Mcp),
            purpose: None,
            principal: who.scope.principal.clone().ok_or_else(Problem::not_found)?,
            arguments: call.arguments.clone(),
            input,
            // Of this request alone: nothing of the protocol says that two requests are one.
            idempotency_key: Some(hex(&key)),
            alike: true,
            moves: None,
            wait_seconds,
        })
    }

    /// The tool of this door itself: how a call stands.
    pub async fn status(self) -> Result<Answer, Failed> {
        let ToolCall { edge, who, request, call } = self;
        let asked = mcp::asked_of(call.arguments.as_deref());
        let found = asked.ok_or_else(|| Problem::invalid("id", "is required, and nothing else.")).and_then(|asked| {
            edge.find(IdKind::Approval, who, &asked).or_else(|_| edge.find(IdKind::Call, who, &asked))
        });
        let (place, local) = match found {
            Ok(found) => found,
            Err(problem) => return Ok(self.refused(&problem)),
        };
        let read = Ask::Read { call: local, wait_seconds: 0, submitted: false };
        match read_answer(edge.ask_pool(place, who, read).await).await? {
            Ok(view) => Ok(mcp::answer(&request.id, &mcp::approval_status(&view, request.era))),
            Err(problem) if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY => Err(problem.into()),
            Err(problem) => Ok(self.refused(&problem)),
        }
    }

    fn refused(self, problem: &Problem) -> Answer {
        mcp::answer(&self.request.id, &mcp::refused_result(problem, self.request.era))
    }
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

/// Absent is an error of the protocol, 200 in HTTP: the request itself was understood.
fn unknown_tool(name: &str) -> Fault {
    Fault { status: 200, ..Fault::params(format!("Unknown tool: {}", name.chars().take(64).collect::<String>())) }
}

pub(super) fn master(edge: &Edge) -> Result<Vec<u8>, Problem> {
    toolgate_durable::master_key(&edge.env).map_err(|why| internal("the configuration", why))
}

/// What a pool answers, or its refusal.
pub(super) async fn read_answer<T: DeserializeOwned>(
    answer: Result<Response, Problem>,
) -> Result<Result<T, Problem>, Failed> {
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

//! Server calls: each is submitted as through any other door, and its end is waited for. All calls of a message are under
//! way at once.

use std::pin::Pin;
use std::rc::Rc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_core::chat::events::{Event, activity_id};
use toolgate_core::chat::transcript::{CallItem, Parked, Standing};
use toolgate_core::ids::IdKind;
use toolgate_core::keys::Identity;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, Submit};
use toolgate_durable::now;
use toolgate_protocol::calls::{Activity, CallState, CallView, INPUT_REQUIRED};
use toolgate_protocol::chat::{CallEnd, ThreadCall};
use toolgate_protocol::definitions::{Profile, SideEffect};
use toolgate_protocol::limits::{
    CHAT_LEFT_SECONDS, CHAT_RENEW_SECONDS, CHAT_SETTLE_SECONDS, PURPOSE_CHARS_MAX, WAIT_SECONDS_MAX,
};
use toolgate_protocol::problems;
use worker::Response;

use super::run::{Fault, Run};
use crate::edge::Edge;
use crate::handlers::carry;
use crate::http::internal;

/// Pauses between the tries to reach a pool: a submission is repeated with its own key, so it is the same call.
const AGAIN_MILLIS: [u64; 4] = [200, 1_000, 2_000, 4_000];
/// Types of activities that are for MCP clients alone.
const MCP_KINDS: &str = "application/vnd.modelcontextprotocol.";

/// A call's id, and how it stands or why it was refused.
type Told = (String, Result<CallView, Problem>);
type Work = Pin<Box<dyn Future<Output = Told>>>;

impl Run {
    /// Looks whether somebody decided what waits; what was decided is settled like any other call.
    pub(super) async fn look_at_parked(&mut self) -> Result<(), Fault> {
        let parked = self.transcript.calls().filter_map(|call| match &call.standing {
            Standing::Parked(parked) => Some((call.id.clone(), parked.call.clone())),
            _ => None,
        });
        let looks: Vec<Work> = parked.map(|(id, call)| self.look(id, call, 0)).collect();
        let mut looks: FuturesUnordered<Work> = looks.into_iter().collect();
        while let Some((id, told)) = self.hold(looks.next()).await? {
            match told {
                Ok(view) if view.state == CallState::WaitingApproval => {}
                Ok(_) => self.transcript.decided(&id),
                Err(problem) if problem.kind == problems::INVALID_KEY => return Err(problem.into()),
                // Gone with its pool's record, or not to be reached now.
                Err(problem) if problem.kind == problems::NOT_FOUND => self.transcript.decided(&id),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Brings every call of the gate's to its end, or to where it waits for a decision.
    pub(super) async fn settle(&mut self) -> Result<(), Fault> {
        let open: Vec<CallItem> =
            self.transcript.calls().filter(|call| matches!(call.standing, Standing::Open { .. })).cloned().collect();
        let mut work: FuturesUnordered<Work> = FuturesUnordered::new();
        for call in open {
            match &call.standing {
                Standing::Open { call: Some(known) } => {
                    work.push(self.look(call.id.clone(), known.clone(), WAIT_SECONDS_MAX))
                }
                _ if call.at.plus_seconds(CHAT_SETTLE_SECONDS) <= now() => self.give_up(&call.id),
                _ => work.push(self.submit(&call)?),
            }
        }
        let (mut left, mut failed) = (None, None);
        loop {
            match toolgate_durable::before(now().plus_seconds(CHAT_RENEW_SECONDS), work.next()).await {
                Some(None) => break,
                Some(Some((id, Ok(view)))) => {
                    if let Some(more) = self.take(&id, view) {
                        work.push(more);
                    }
                }
                Some(Some((id, Err(problem)))) => failed = self.refused(&id, problem).or(failed),
                None => {}
            }
            self.keep_and_say().await?;
            if self.sink.is_gone() {
                let since = *left.get_or_insert_with(now);
                if since.plus_seconds(CHAT_LEFT_SECONDS) <= now() {
                    return Err(Fault::Left);
                }
            }
        }
        self.keep_and_say().await?;
        failed.map_or(Ok(()), |problem| Err(Fault::Problem(problem)))
    }

    /// Takes how a call stands; what is to be waited for next, if it has not ended.
    fn take(&mut self, id: &str, view: CallView) -> Option<Work> {
        let known = match self.transcript.call(id).map(|call| &call.standing) {
            Some(Standing::Open { call }) => call.clone(),
            _ => return None,
        };
        if known.is_none() {
            self.say_accepted(id, &view);
        }
        self.transcript.known_as(id, &view.call);
        match view.state {
            CallState::WaitingApproval => {
                if let Some(link) = &view.approval {
                    let parked = Parked {
                        call: view.call.clone(),
                        approval: link.id.clone(),
                        url: link.url.clone(),
                        digest: link.digest.clone(),
                        expires_at: link.expires_at.clone(),
                        told: view.tool_result.clone().unwrap_or_default(),
                        superseded: false,
                    };
                    self.transcript.parked(id, parked);
                }
                None
            }
            CallState::Queued | CallState::Running => {
                self.transcript.accepted(id, &view.call);
                Some(self.look(id.to_owned(), view.call, WAIT_SECONDS_MAX))
            }
            _ => {
                self.end(id, &view);
                None
            }
        }
    }

    fn end(&mut self, id: &str, view: &CallView) {
        let activity = view.activity.as_deref().and_then(|raw| serde_json::from_str::<Activity>(raw.get()).ok());
        let asks = activity.as_ref().is_some_and(|activity| activity.kind == INPUT_REQUIRED);
        let content = match (&view.tool_result, asks) {
            (Some(told), _) => told.clone(),
            (None, true) => "The tool asked for something that cannot be asked here, and did nothing.".to_owned(),
            (None, false) => result_text(view),
        };
        if self.transcript.ended(id, &content).is_none() {
            return;
        }
        // Only a state that is an end comes here.
        self.say_when_kept(id, CallEnd::of(view.state).unwrap_or(CallEnd::Unknown));
        if let Some(activity) = activity.filter(|activity| !activity.kind.starts_with(MCP_KINDS)) {
            let content = as_object(activity.content);
            self.transcript.showed(id, activity.kind.clone(), content.get().to_owned());
            let message_id = activity_id(id);
            self.unsaid.push(Event::ActivitySnapshot { message_id, activity_type: activity.kind, content });
        }
    }

    /// A refusal that the model can act on is the call's result. Anything else ends the run, and the next one goes on here.
    fn refused(&mut self, id: &str, problem: Problem) -> Option<Problem> {
        if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY {
            return Some(problem);
        }
        let taken = self.transcript.call(id).is_some_and(|call| call.at_gateway().is_some());
        let (told, end) = if problem.kind == problems::NOT_FOUND {
            ("What became of this call is no longer known.".to_owned(), CallEnd::Unknown)
        } else if taken {
            (format!("What became of this call is not known: {}", problem.detail), CallEnd::Unknown)
        } else {
            (format!("The call was refused: {}", problem.detail), CallEnd::Refused)
        };
        if self.transcript.ended(id, &told).is_some() {
            self.say_when_kept(id, end);
        }
        None
    }

    /// Nobody knows whether the call was made, and its key may be forgotten: submitted again it could run twice.
    fn give_up(&mut self, id: &str) {
        let told = "It is not known whether this call was made; it was not made again. Look before asking for it anew.";
        if self.transcript.ended(id, told).is_some() {
            self.say_when_kept(id, CallEnd::Unknown);
        }
    }

    /// A client may send back all that it was told: nothing is said of a call before the thread has it.
    fn say_when_kept(&mut self, id: &str, end: CallEnd) {
        self.transcript.ended_as(id, end);
        self.unsaid.extend(self.end_event(id));
        self.unsaid.extend(self.result_event(id));
    }

    /// How a server's call ended, apart from the words for the model.
    pub(super) fn end_event(&self, id: &str) -> Option<Event> {
        let call = self.transcript.call(id)?;
        let value = ThreadCall {
            tool_call_id: call.id.clone(),
            call: call.at_gateway().map(str::to_owned),
            tool: call.name.clone(),
            side_effect: self.side_effect(&call.name),
            state: Some(call.end?),
        };
        Some(Event::Custom { name: "toolgate.call", value: to_raw_value(&value).ok()? })
    }

    fn side_effect(&self, tool: &str) -> Option<SideEffect> {
        self.person.offers.catalogue.policy.tools.get(tool).map(|tool| tool.definition.side_effect)
    }

    async fn keep_and_say(&mut self) -> Result<(), Fault> {
        self.keep().await?;
        for event in std::mem::take(&mut self.unsaid) {
            self.sink.say(&event);
        }
        Ok(())
    }

    fn say_accepted(&self, id: &str, view: &CallView) {
        let side_effect = self.side_effect(&view.tool);
        let value = serde_json::json!({
            "toolCallId": id, "call": view.call, "tool": view.tool, "side_effect": side_effect, "state": view.state,
        });
        if let Ok(value) = to_raw_value(&value) {
            self.sink.say(&Event::Custom { name: "toolgate.call", value });
        }
    }

    fn submit(&self, call: &CallItem) -> Result<Work, Fault> {
        let said: String = self.transcript.last_said().chars().take(PURPOSE_CHARS_MAX).collect();
        let (id, who) = (call.id.clone(), self.person.who.clone());
        let submit = Submit {
            tool: call.name.clone(),
            agent: self.person.agent.clone(),
            run: who.scope.run.as_ref().map(|scope| scope.run.clone()),
            purpose: Some(said).filter(|said| !said.is_empty()),
            principal: who.scope.principal.clone().ok_or_else(Problem::not_found)?,
            arguments: arguments(&call.arguments),
            input: None,
            profile: Some(Profile::Openai),
            idempotency_key: Some(call.key.clone()),
            alike: false,
            moves: None,
            wait_seconds: 0,
        };
        let edge = Rc::clone(&self.edge);
        Ok(Box::pin(async move {
            let told = again(|| submitted(&edge, &who, submit.clone())).await;
            (id, told)
        }))
    }

    fn look(&self, id: String, call: String, wait_seconds: u64) -> Work {
        let (edge, who) = (Rc::clone(&self.edge), self.person.reader.clone());
        Box::pin(async move {
            let told = again(|| looked(&edge, &who, &call, wait_seconds)).await;
            (id, told)
        })
    }
}

async fn submitted(edge: &Edge, who: &Identity, submit: Submit) -> Result<CallView, Problem> {
    read(carry(edge, who, submit).await?).await
}

async fn looked(edge: &Edge, who: &Identity, call: &str, wait_seconds: u64) -> Result<CallView, Problem> {
    let (place, call) = edge.find(IdKind::Call, who, call)?;
    read(edge.ask_pool(place, who, Ask::Read { call, wait_seconds, submitted: false }).await?).await
}

async fn read(mut answer: Response) -> Result<CallView, Problem> {
    let status = answer.status_code();
    let text = answer.text().await.map_err(|error| internal("reading a pool's answer", error))?;
    if status < 300 {
        return serde_json::from_str(&text).map_err(|error| internal("reading a pool's answer", error));
    }
    Err(Problem::read(status, &text).unwrap_or_else(|| internal("reading a pool's refusal", "it has no code")))
}

/// Asks again while a pool is too busy or not to be reached.
async fn again(ask: impl AsyncFn() -> Result<CallView, Problem>) -> Result<CallView, Problem> {
    for pause_millis in AGAIN_MILLIS {
        match ask().await {
            Err(problem) if problem.kind.status >= 500 => toolgate_durable::pause(pause_millis).await,
            told => return told,
        }
    }
    ask().await
}

/// As the model wrote them; what is no JSON goes on as a text, so that the gate says what is wrong with it.
fn arguments(text: &str) -> Option<Box<RawValue>> {
    if text.trim().is_empty() {
        return None;
    }
    RawValue::from_string(text.to_owned()).or_else(|_| to_raw_value(text)).ok()
}

/// What a model is shown of a result: a string as its own text, anything else as JSON, and what an approver changed.
fn result_text(view: &CallView) -> String {
    let result = view.returned();
    let text = serde_json::from_str::<String>(result.get()).ok().filter(|text| !text.trim().is_empty());
    // A text of nothing stays in its quotes: it would be told from no answer by nobody.
    let text = text.unwrap_or_else(|| result.get().to_owned());
    match &view.edited_arguments {
        Some(edited) => format!("{text}\n[Who approved this call changed its arguments to {}]", edited.get()),
        None => text,
    }
}

/// AG-UI wants an object.
fn as_object(content: Box<RawValue>) -> Box<RawValue> {
    if content.get().trim_start().starts_with('{') {
        return content;
    }
    RawValue::from_string(format!("{{\"value\":{}}}", content.get())).unwrap_or(content)
}

//! The chat: what an agent can do there, and its threads. The body of a run and its events are AG-UI 1.0's own.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::calls::CallState;
use crate::definitions::SideEffect;
use crate::runs::{LeftOut, NoTools, Offer, OfferReason, OfferedTool};

/// Answer of `GET /v1/agents/{agent}/agui`, as AG-UI 1.0 writes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatCapabilities {
    /// Who it is.
    pub identity: ChatIdentity,
    /// What it may call.
    pub tools: ChatTools,
    /// Where a person comes in.
    pub human_in_the_loop: ChatPeople,
    /// What is kept.
    pub state: ChatState,
    /// How a run arrives.
    pub transport: ChatTransport,
    /// What AG-UI has no word for.
    pub custom: ChatCustom,
}

/// Who an agent is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatIdentity {
    /// The agent.
    pub name: String,
    /// `toolgate`.
    pub provider: String,
}

/// What an agent may call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatTools {
    /// It calls tools.
    pub supported: bool,
    /// Those behind the gateway that it may call now.
    pub items: Vec<ChatTool>,
    /// It calls tools of the browser too.
    pub client_provided: bool,
    /// Several at a time.
    pub parallel_calls: bool,
}

/// A tool of an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatTool {
    /// Its name.
    pub name: String,
    /// What the model reads.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Box<RawValue>,
    /// What AG-UI has no word for.
    pub metadata: ChatToolMetadata,
}

/// What AG-UI has no word for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatToolMetadata {
    /// The declared class.
    pub side_effect: SideEffect,
    /// The pool that has it.
    pub pool: String,
    /// `worker`, `webhook`, `console` or `builtin`.
    pub managed_by: String,
}

/// Where a person comes in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatPeople {
    /// A person comes in.
    pub supported: bool,
    /// To approve.
    pub approvals: bool,
    /// By interrupts; a resume of one names the stored decision and brings no edit.
    pub interrupts: bool,
}

/// What is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatState {
    /// No state is sent.
    pub snapshots: bool,
    /// Nor its changes.
    pub deltas: bool,
    /// Nothing is known beyond the thread.
    pub memory: bool,
    /// Nor kept but the thread itself.
    pub persistent_state: bool,
}

/// How a run arrives.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatTransport {
    /// As a stream of events.
    pub streaming: bool,
    /// A stream that broke is not taken up; the thread is read instead.
    pub resumable: bool,
}

/// What AG-UI has no word for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatCustom {
    /// The model behind the agent.
    pub model: ChatModel,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatModel {
    /// Its name; empty where what is set leads to no model.
    pub label: String,
    /// It is the demo model, which only plays one.
    pub demo: bool,
}

/// How a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ThreadState {
    /// Nothing waits.
    Idle,
    /// A run is under way.
    Running,
    /// The browser must answer a call.
    WaitingClient,
    /// A person must decide a call.
    WaitingApproval,
}

/// A thread in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadHead {
    /// Its id, as its client chose it.
    pub thread: String,
    /// The first message, cut, until it is renamed.
    pub title: String,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// How many messages it has.
    pub messages: u64,
    /// How it stands.
    pub state: ThreadState,
}

/// Answer of `GET /v1/threads`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadPage {
    /// Newest first.
    pub threads: Vec<ThreadHead>,
    /// Give this as `cursor` for those behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Answer of `GET /v1/threads/{thread}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadAnswer {
    /// Its id.
    pub thread: String,
    /// Its title.
    pub title: String,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// How it stands.
    pub state: ThreadState,
    /// AG-UI messages in order, results directly behind their calls, activities among them.
    pub messages: Vec<Box<RawValue>>,
    /// What waits for somebody.
    pub pending: ThreadPending,
    /// Client rounds since the person's last message.
    pub rounds: u64,
    /// The calls behind the gateway, as the event `toolgate.call` told them.
    pub calls: Vec<ThreadCall>,
    /// The offer of the last run that asked the model, as the event `toolgate.offer` told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<ShownOffer>,
    /// The first message that the model answered it with; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer_message: Option<String>,
}

/// How a call of a thread ended: the state of the gateway's call as the conversation was told it, or `refused`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    /// Ended with a result.
    Succeeded,
    /// Ended with an error.
    Failed,
    /// A human said no.
    Rejected,
    /// Nobody took it, or nobody decided, in time.
    Expired,
    /// Taken back before it ran.
    Cancelled,
    /// What it was accepted under is gone.
    Invalidated,
    /// Whether it happened is not known.
    Unknown,
    /// The gateway did not take it, so it was never a call there.
    Refused,
}

impl CallEnd {
    /// The end that this state is; none while the call goes on.
    pub fn of(state: CallState) -> Option<CallEnd> {
        Some(match state {
            CallState::WaitingApproval | CallState::Queued | CallState::Running => return None,
            CallState::Succeeded => CallEnd::Succeeded,
            CallState::Failed => CallEnd::Failed,
            CallState::Rejected => CallEnd::Rejected,
            CallState::Expired => CallEnd::Expired,
            CallState::Cancelled => CallEnd::Cancelled,
            CallState::Invalidated => CallEnd::Invalidated,
            CallState::Unknown => CallEnd::Unknown,
        })
    }
}

/// A call of a thread behind the gateway.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadCall {
    /// The call in the thread.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: String,
    /// Its id in `GET /v1/calls/{call}`; absent where the gateway took none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    pub tool: String,
    /// The declared class, as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect: Option<SideEffect>,
    /// How it ended, as the conversation was told; absent before that, and of calls of older days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<CallEnd>,
}

/// An offer as it is shown, in the event `toolgate.offer`, in a thread and in a run: without the definitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownOffer {
    /// In the order in which they were advertised.
    pub tools: Vec<ShownTool>,
    /// Granted tools that were not.
    pub left_out: Vec<LeftOut>,
    /// How many more of those there were, where not all are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_more: Option<u64>,
    /// Tokens that the offer may take.
    pub budget_tokens: u32,
    /// Tokens that it takes.
    pub used_tokens: u32,
    /// Why there was nothing to advertise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_tools: Option<NoTools>,
}

/// A tool of an offer, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownTool {
    /// The tool.
    pub name: String,
    /// What this turn's text said for it; 0 for what an earlier turn brought.
    pub score: u32,
    /// Whose points are the score.
    pub reasons: Vec<OfferReason>,
    /// What the definition takes.
    pub tokens: u32,
    /// New in this turn.
    pub added: bool,
}

impl From<&Offer> for ShownOffer {
    fn from(offer: &Offer) -> ShownOffer {
        let tool = |tool: &OfferedTool| ShownTool {
            name: tool.name.clone(),
            score: tool.score,
            reasons: tool.reasons.clone(),
            tokens: tool.tokens,
            added: tool.added,
        };
        ShownOffer {
            tools: offer.tools.iter().map(tool).collect(),
            left_out: offer.left_out.clone(),
            left_out_more: None,
            budget_tokens: offer.budget_tokens,
            used_tokens: offer.used_tokens,
            no_tools: offer.no_tools.clone(),
        }
    }
}

/// What waits for somebody.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadPending {
    /// Calls for the browser.
    pub client_calls: Vec<ClientCall>,
    /// AG-UI interrupts: calls for a person's decision, until a run took it up.
    pub interrupts: Vec<Box<RawValue>>,
}

/// A call for the browser.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClientCall {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub name: String,
    /// JSON text, as the model wrote it.
    pub arguments: String,
}

/// Body of `PUT /v1/threads/{thread}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ThreadRequest {
    /// 1 to 200 printable characters.
    pub title: String,
}

/// Answer of `DELETE /v1/threads/{thread}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadDeleted {
    /// Its id.
    pub thread: String,
    /// `true`
    pub deleted: bool,
}

//! Calls as the REST door shows them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Body of `POST /v1/calls`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    /// The tool's name.
    pub tool: String,
    /// An object, null, absent, or a string that holds JSON text.
    pub arguments: Option<Box<RawValue>>,
    /// The agent; caller keys only.
    pub agent: Option<String>,
    /// On whose behalf; caller keys only.
    pub principal: Option<Box<RawValue>>,
}

/// The states of a call on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Parked for a human.
    WaitingApproval,
    /// Waits for an executor.
    Queued,
    /// An executor holds it.
    Running,
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
    /// A write whose outcome cannot be known.
    Unknown,
}

/// Why a call ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallError {
    /// A stable code of ours, or the handler's own.
    pub code: String,
    /// Words fit for a model and a person.
    pub message: String,
}

/// Something for the screen beside the result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// A content type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its content.
    pub content: Box<RawValue>,
}

/// The type of an activity with which a tool says that it needs something of its client before it can answer.
pub const INPUT_REQUIRED: &str = "application/vnd.modelcontextprotocol.input-required+json";

/// What the client of a call answered to what its tool had asked for. JSON text from edge to handler, like arguments.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallInput {
    /// By the key under which the tool asked: an object of objects.
    pub responses: Box<RawValue>,
    /// What the tool gave along with its question, as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<RawValue>>,
}

/// The approval that a parked call waits for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalLink {
    /// The approval's id.
    pub id: String,
    /// What a decision must name.
    pub digest: String,
    /// RFC 3339.
    pub expires_at: String,
    /// The page or resource where it is decided.
    pub url: String,
}

/// Answer of `POST /v1/calls` and `GET /v1/calls/{call}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallView {
    /// The call's id.
    pub call: String,
    /// Its state.
    pub state: CallState,
    /// The tool's name.
    pub tool: String,
    /// The agent's name.
    pub agent: String,
    /// The run that it was made in, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The result as the code returned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CallError>,
    /// Something for the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Activity>"))]
    pub activity: Option<Box<RawValue>>,
    /// What was sent, where an approver edited the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_arguments: Option<Box<RawValue>>,
    /// A sentence for the model in place of a result: what became of the call, or what it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<String>,
    /// Present while it waits for a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalLink>,
    /// This is the outcome of an earlier call of the same run or agent, which was not asked for again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// How an unknown outcome became known: `late_result`, or who resolved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
}

impl CallView {
    /// What a call that succeeded returned. A result of `null` reads as none.
    pub fn returned(&self) -> &RawValue {
        self.result.as_deref().unwrap_or(RawValue::NULL)
    }
}

/// One entry of a call's timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineEntry {
    /// What happened.
    pub event: String,
    /// Milliseconds since 1970 inside, RFC 3339 on the wire.
    pub at: u64,
    /// By whom: a key's name, a worker, or `gateway`.
    pub by: String,
    /// The attempt it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// More, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Body of `POST /v1/calls/{call}/resolution`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResolutionRequest {
    /// What the resolver found.
    pub outcome: ResolvedOutcome,
    /// How they know.
    pub note: String,
    /// The result, where known.
    pub result: Option<Box<RawValue>>,
}

/// What an unknown call turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResolvedOutcome {
    /// It did happen.
    Succeeded,
    /// It did not.
    Failed,
}

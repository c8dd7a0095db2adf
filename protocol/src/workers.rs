//! What a worker and the gateway say to each other (design: "Worker transport").

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::calls::{Activity, CallInput};
use crate::definitions::{Manifest, SideEffect};

/// Body of `POST /v1/pools/{pool}/workers`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegisterRequest {
    /// The instance's id; the same id again supersedes.
    pub worker: String,
    /// What it can run.
    pub manifest: Manifest,
    /// How many handlers it runs at a time.
    pub concurrency: Option<u32>,
}

/// What became of one announced tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolStatus {
    /// The tool's name as announced.
    pub name: String,
    /// What was done.
    pub status: RegistrationStatus,
    /// The fence or fault, when refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Where and what to do, when refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What became of one announced context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextStatus {
    /// The type as announced.
    pub context_type: String,
    /// What was done.
    pub status: RegistrationStatus,
    /// The fault, when refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Where and what to do, when refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What registration did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RegistrationStatus {
    /// New.
    Added,
    /// Changed.
    Updated,
    /// As before.
    Unchanged,
    /// The last accepted definition stays.
    Refused,
}

/// Result of an announcement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegistrationResult {
    /// Per tool.
    pub tools: Vec<ToolStatus>,
    /// Per context.
    pub contexts: Vec<ContextStatus>,
    /// Tools of the pool that no live session announces.
    pub disabled: Vec<String>,
}

/// Answer of a registration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterAnswer {
    /// Names the session from now on.
    pub session: String,
    /// The longest lease, of an accepted write.
    pub lease_seconds: u64,
    /// The longest poll.
    pub poll_seconds: u64,
    /// Per tool.
    pub tools: Vec<ToolStatus>,
    /// Per context.
    pub contexts: Vec<ContextStatus>,
    /// Tools that no live session announces.
    pub disabled: Vec<String>,
}

/// Body of `POST …/goodbyes`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GoodbyeRequest {
    /// The session that ends.
    pub session: String,
}

/// Body of `POST …/claims`: a poll, which may carry accepts and results.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PollRequest {
    /// The session.
    pub session: String,
    /// How many jobs it takes.
    pub max: u32,
    /// How long the poll may wait.
    pub wait_seconds: Option<u64>,
    /// Claims of writes about to start.
    #[serde(default)]
    pub accepts: Vec<String>,
    /// Outcomes.
    #[serde(default)]
    pub results: Vec<ResultEntry>,
}

/// Body of `…/accepts`, `…/renewals`, `…/returns`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClaimsRequest {
    /// The session.
    pub session: String,
    /// The claims.
    pub claims: Vec<String>,
}

/// Body of `…/results`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResultsRequest {
    /// The session.
    pub session: String,
    /// The outcomes.
    pub results: Vec<ResultEntry>,
}

/// One outcome: a result or an error.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResultEntry {
    /// The claim it belongs to.
    pub claim: String,
    /// What the handler returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// What the handler threw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<HandlerError>,
    /// Something for the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
}

/// The handler's own no.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HandlerError {
    /// Words for the model.
    pub message: String,
    /// The handler's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A job as handed out.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Job {
    /// The call's id, stable across attempts: the idempotency key for the handler's own writes.
    pub call: String,
    /// The token of this attempt.
    pub claim: String,
    /// The tool.
    pub tool: String,
    /// Canonical text.
    pub arguments: Box<RawValue>,
    /// Verbatim.
    pub principal: Box<RawValue>,
    /// The run, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What the client answered, when the tool had asked it for something (reads only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<CallInput>,
    /// From 1.
    pub attempt: u32,
    /// The class it was accepted under.
    pub side_effect: SideEffect,
    /// A read: its first lease. A write: how long it may take to accept.
    pub lease_seconds: u64,
    /// The execution deadline, from now for a read, from the accept for a write.
    pub deadline_seconds: u64,
}

/// Status of one claim in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimStatus {
    /// The claim.
    pub claim: String,
    /// `accepted`, `renewed`, `returned`, `recorded`, `repeated`, `late`, `claim_lost`, `already_accepted`, `deadline_exceeded`.
    pub status: String,
    /// With `accepted` and `renewed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_seconds: Option<u64>,
    /// Somebody asked to cancel the running write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_requested: Option<bool>,
}

/// Answer of a poll.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PollAnswer {
    /// What to run.
    pub jobs: Vec<Job>,
    /// Statuses of the accepts that came along.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepts: Vec<ClaimStatus>,
    /// Statuses of the results that came along.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ClaimStatus>,
}

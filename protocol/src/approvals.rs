//! Approvals as the REST door shows them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Body of `POST /v1/approvals/{id}/decision`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// Yes or no.
    pub decision: DecisionKind,
    /// Required with `approve`: the digest of what was shown.
    pub digest: Option<String>,
    /// Required with `reject`: goes back to the model.
    pub reason: Option<String>,
    /// With `approve`: sent in place of the arguments that were asked for, all of them.
    pub arguments: Option<Box<RawValue>>,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// Let it run, once.
    Approve,
    /// Do not run it.
    Reject,
}

/// A decision that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionView {
    /// Yes or no.
    pub decision: DecisionKind,
    /// The approver's name.
    pub by: String,
    /// The key it was made with.
    pub key: String,
    /// Who the approver is as a principal, where the key says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_id: Option<String>,
    /// RFC 3339.
    pub at: String,
    /// The digest it named: that of what was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of what is sent, where the decision edited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_digest: Option<String>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A decision on an earlier call of the same tool for the same principal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EarlierDecision {
    /// That approval.
    pub approval: String,
    /// Yes or no.
    pub decision: DecisionKind,
    /// The approver's name.
    pub by: String,
    /// RFC 3339.
    pub at: String,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the arguments were the same.
    pub same_arguments: bool,
}

/// One member of the arguments that a decision changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArgumentChange {
    /// The member.
    pub field: String,
    /// What was asked for; absent for a new member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<RawValue>>,
    /// What is sent; absent for a removed member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Box<RawValue>>,
}

/// An approval.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalView {
    /// Its id.
    pub id: String,
    /// The call that waits.
    pub call: String,
    /// Who asks.
    pub agent: String,
    /// On whose behalf.
    pub principal: Box<RawValue>,
    /// The tool.
    pub tool: String,
    /// The definition's version.
    pub version: String,
    /// Exactly what was asked for, and what the code will receive unless a decision edits it.
    pub arguments: Box<RawValue>,
    /// The same as JSON text to be shown: every control, invisible or turning character as an escape.
    #[serde(default)]
    pub arguments_text: String,
    /// What the code receives instead, after an edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_arguments: Option<Box<RawValue>>,
    /// What the edit changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ArgumentChange>,
    /// What the run's last turn said before the call, cut, unseen characters as escapes. Nobody verified it: it says what
    /// the agent claims to do, the arguments say what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// What a decision must name.
    pub digest: String,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub expires_at: String,
    /// How many approvers must say yes.
    pub required: u32,
    /// What was decided so far.
    pub decisions: Vec<DecisionView>,
    /// Earlier decisions on calls of the same tool for the same principal, newest first.
    pub earlier: Vec<EarlierDecision>,
    /// `pending`, `approved`, `rejected`, `expired`, `cancelled`, `invalidated`.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["pending", "approved", "rejected", "expired", "cancelled", "invalidated"]))
    )]
    pub state: String,
}

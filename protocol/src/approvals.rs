//! Approvals as the REST door shows them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Body of `POST /v1/approvals/{id}/decision`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// Yes or no.
    pub decision: DecisionKind,
    /// Required with `approve`: the digest of what was shown.
    pub digest: Option<String>,
    /// Required with `reject`: goes back to the model.
    pub reason: Option<String>,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// Let it run, once.
    Approve,
    /// Do not run it.
    Reject,
}

/// A decision that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionView {
    /// Yes or no.
    pub decision: DecisionKind,
    /// The approver's name.
    pub by: String,
    /// The key it was made with.
    pub key: String,
    /// RFC 3339.
    pub at: String,
    /// The digest it named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An approval.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// Exactly what the code will receive.
    pub arguments: Box<RawValue>,
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
    /// Earlier decisions on the like.
    pub earlier: Vec<DecisionView>,
    /// `pending`, `approved`, `rejected`, `expired`, `cancelled`, `invalidated`.
    pub state: String,
}

//! Notifications of approvals: how they are set up, and the message that is sent (design: "Approvals").
//!
//! A message may gain members, which a receiver ignores. It never holds a call's arguments: it goes to chats and
//! mailboxes, which nobody would trust with them.

use serde::{Deserialize, Serialize};

/// Body of `PUT /v1/notifications/{name}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NotificationRequest {
    /// Where messages go.
    pub url: String,
    /// `whsec_…`; left out, the one that is there is kept, or one is made and shown once.
    pub secret: Option<String>,
    /// What it wants to hear of.
    pub events: Vec<NotificationEvent>,
}

/// What a message can be about; its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NotificationEvent {
    /// A call waits for a decision.
    #[serde(rename = "approval.requested")]
    Requested,
    /// Somebody decided, or the call was taken back or lost its ground: `state` says which.
    #[serde(rename = "approval.decided")]
    Decided,
    /// Nobody decided in time.
    #[serde(rename = "approval.expired")]
    Expired,
}

impl NotificationEvent {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            NotificationEvent::Requested => "approval.requested",
            NotificationEvent::Decided => "approval.decided",
            NotificationEvent::Expired => "approval.expired",
        }
    }
}

/// Where a notification stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotificationState {
    /// Messages are sent.
    Active,
    /// The receiver answered 410: nothing is gathered or sent until the next `PUT`.
    Disabled,
}

/// The body of a message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoticeMessage {
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: NotificationEvent,
    /// When the batch was closed (RFC 3339); the same at every attempt.
    pub timestamp: String,
    /// The batch.
    pub data: NoticeData,
}

/// What happened to how many approvals.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoticeData {
    /// All of them.
    pub count: u64,
    /// The first of them.
    pub approvals: Vec<ApprovalSummary>,
}

/// An approval in few words, as it stood when the event was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalSummary {
    /// Its id.
    pub id: String,
    /// The call that waits, or waited.
    pub call: String,
    /// Who asks.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// On whose behalf.
    pub principal: PrincipalSummary,
    /// `pending`, `approved`, `rejected`, `expired`, `cancelled`, `invalidated`.
    pub state: String,
    /// What a decision must name, once its maker has seen what it covers.
    pub digest: String,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub expires_at: String,
    /// Shows the approval to who has a key; opening it decides nothing.
    pub url: String,
    /// The approver whose decision was the last one needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Who a principal is, without what it may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PrincipalSummary {
    /// Unique within the tenant.
    pub id: String,
    /// The customer's own tenant.
    pub tenant_id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_one_name() {
        for event in [NotificationEvent::Requested, NotificationEvent::Decided, NotificationEvent::Expired] {
            assert_eq!(serde_json::to_value(event).unwrap(), event.name());
        }
        for text in ["\"requested\"", "\"Requested\"", "\"approval.*\"", "\"\"", "null"] {
            assert!(serde_json::from_str::<NotificationEvent>(text).is_err(), "{text}");
        }
    }
}

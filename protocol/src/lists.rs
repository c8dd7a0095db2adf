//! Answers around what other modules describe: pages of lists, numbers of a pool, a call's timeline, a refusal.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::answers::{AgentView, AuditView, CapabilityView, KeyView, NotificationView, PoolView, ToolView};
use crate::approvals::ApprovalView;
use crate::calls::CallView;
use crate::control::EndpointState;
use crate::workers::ClaimStatus;

macro_rules! pages {
    ($($what:literal $name:ident $list:ident: $item:ty;)*) => {
        $(
            #[doc = concat!("A page of ", $what, ".")]
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            pub struct $name {
                #[doc = concat!("The ", $what, ".")]
                pub $list: Vec<$item>,
                /// The `cursor` of the next page; absent on the last one.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub next_cursor: Option<String>,
            }
        )*
    };
}

pages! {
    "keys" KeyPage keys: KeyView;
    "capabilities" CapabilityPage capabilities: CapabilityView;
    "agents" AgentPage agents: AgentView;
    "pools" PoolPage pools: PoolView;
    "tools" ToolPage tools: ToolView;
    "entries of the audit record" AuditPage audit: AuditView;
    "notifications" NotificationPage notifications: NotificationView;
    "approvals" ApprovalPage approvals: ApprovalView;
    "calls, newest first" CallPage calls: CallView;
}

/// Answer of `…/accepts`, `…/renewals`, `…/returns`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimsAnswer {
    /// Per claim, in the order asked.
    pub claims: Vec<ClaimStatus>,
}

/// Answer of `…/results`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultsAnswer {
    /// Per claim, in the order given.
    pub results: Vec<ClaimStatus>,
}

/// Answer of `GET /v1/calls/{call}/events`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallEvents {
    /// The call.
    pub call: String,
    /// Exactly what was asked for.
    pub arguments: Box<RawValue>,
    /// What happened, in order.
    pub events: Vec<EventView>,
    /// What an executor said too late to count.
    pub evidence: Vec<EvidenceView>,
}

/// An entry of a timeline.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventView {
    /// What happened.
    pub event: String,
    /// RFC 3339.
    pub at: String,
    /// By whom: a key's name, a worker, or `gateway`.
    pub by: String,
    /// The attempt it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// More, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What came too late to count.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceView {
    /// The hand-over that sent it.
    pub hand_over: u32,
    /// What it said, cut to a preview.
    pub says: String,
    /// RFC 3339.
    pub at: String,
}

/// Answer of `GET /v1/pools/{pool}/stats`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PoolStats {
    /// Calls that wait for an executor.
    pub depth: u64,
    /// Calls that an executor holds.
    pub running: u64,
    /// Calls that wait for a decision.
    pub waiting_approval: u64,
    /// How long the oldest queued call waits; null when none does.
    pub oldest_queued_seconds: Option<u64>,
    /// Sessions that were seen lately.
    pub workers: Vec<WorkerStats>,
    /// A webhook pool's endpoint; null for other pools.
    pub endpoint: Option<EndpointStats>,
    /// `calls_wait_while_workers_poll`.
    pub alerts: Vec<String>,
    /// Rows and alarms since the object was built.
    pub rows_written: u64,
}

/// Outcomes since the object was built.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rates {
    /// How many succeeded.
    pub succeeded: u64,
    /// How many failed.
    pub failed: u64,
    /// 0 to 1.
    pub failure_rate: f64,
}

/// A worker's session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerStats {
    /// The instance's id.
    pub worker: String,
    /// The session.
    pub session: String,
    /// When it was last heard of.
    pub last_seen_seconds: u64,
    /// Whether a poll of its waits.
    pub polling: bool,
    /// Its outcomes.
    #[serde(flatten)]
    pub rates: Rates,
}

/// A webhook pool's endpoint in numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EndpointStats {
    /// Where it stands.
    pub state: EndpointState,
    /// Rises with each new address.
    pub revision: u64,
    /// Its outcomes.
    #[serde(flatten)]
    pub rates: Rates,
}

/// What a 202 of the control plane adds to its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lagging {
    /// Pools that do not have the change yet.
    pub lagging: Vec<String>,
}

/// An answer that says nothing more than its status.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {}

/// A refusal (RFC 9457). Some codes bring further members, which their pages in docs/errors name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemBody {
    /// `urn:toolgate:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// What went wrong, in a few words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong, where, and what to do.
    pub detail: String,
    /// The stable code.
    pub code: String,
}

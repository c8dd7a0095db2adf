//! The control plane: orgs, keys, capabilities, agents, pools.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::definitions::{Routing, SideEffect};
use crate::models::ModelSetting;

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything of the org.
    Admin,
    /// Calls for agents in its scope, for any principal.
    Caller,
    /// Serves pools in its scope.
    Worker,
    /// Decides approvals.
    Approver,
    /// Calls for one agent and principal.
    Agent,
}

/// Body of `POST /v1/orgs`.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrgRequest {
    /// `[a-z][a-z0-9_-]{0,31}`.
    pub id: String,
    /// Where its data may live.
    pub jurisdiction: Option<String>,
}

/// Body of `POST /v1/keys`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KeyRequest {
    /// The role.
    pub role: Role,
    /// Shown in lists and timelines.
    pub name: String,
    /// Worker keys: the pools.
    pub pools: Option<Vec<String>>,
    /// Caller keys: the agents; absent means all.
    pub agents: Option<Vec<String>>,
    /// Agent keys: the agent.
    pub agent: Option<String>,
    /// Agent keys: on whose behalf.
    pub principal: Option<Box<RawValue>>,
    /// Approver keys: who the approver is as a principal.
    pub principal_id: Option<String>,
    /// 1 to 3,650 days.
    pub expires_in_days: Option<u32>,
}

/// Body of `POST /v1/sessions`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SessionRequest {
    /// `approver`, or `admin` for whom the operator named.
    pub role: Role,
}

/// Body of `PUT /v1/capabilities/{name}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Capability {
    /// Tools granted together.
    pub tools: Vec<String>,
    /// The opt-in.
    #[serde(default)]
    pub allow_reversible_writes: bool,
    /// How many approvers must say yes, 1 to 5.
    #[serde(default = "one")]
    pub approvals_required: u32,
    /// Whether who asked may approve.
    #[serde(default = "yes")]
    pub requester_may_approve: bool,
    /// Seconds that people have to decide, 60 to 2,592,000 (30 days). Of several that say one the shortest counts; 24 hours
    /// where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_seconds: Option<u64>,
}

/// Body of `PUT /v1/agents/{name}`. Its model is kept and shown in other forms than it is sent in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Agent"))]
#[serde(deny_unknown_fields)]
pub struct Agent<M = ModelSetting> {
    /// What it holds.
    pub capabilities: Vec<String>,
    /// Always advertised.
    #[serde(default)]
    pub pinned_tools: Vec<String>,
    /// Tokens that an offer may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer_budget_tokens: Option<u32>,
    /// The model that the chat door drives: `demo`, a model's name at the deployment's endpoint, or an endpoint.
    #[serde(default = "none::<M>", skip_serializing_if = "Option::is_none")]
    pub model: Option<M>,
    /// What the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The data set that its database tools read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// How its tools are served at the MCP door.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<AgentMcp>,
}

/// How an agent's tools are served at the MCP door, beyond what is the same for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AgentMcp {
    /// By tool and field: the argument is mirrored into the header `Mcp-Param-` and this name, for who routes requests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, BTreeMap<String, String>>,
    /// Tools that only clients with the Tasks extension may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks_required: Vec<String>,
}

impl<M> Agent<M> {
    /// The same with its model in another form.
    pub fn with_model<N>(self, model: Option<N>) -> Agent<N> {
        let Agent { capabilities, pinned_tools, offer_budget_tokens, model: _, instructions, dataset, mcp } = self;
        Agent { capabilities, pinned_tools, offer_budget_tokens, model, instructions, dataset, mcp }
    }
}

/// The ways to reach a pool's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A process polls.
    Worker,
    /// An HTTPS endpoint is called.
    Webhook,
    /// Ships with the gateway.
    Builtin,
}

/// Body of `PUT /v1/pools/{pool}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PoolRequest {
    /// The transport.
    pub transport: Transport,
    /// Webhook only.
    pub url: Option<String>,
    /// Webhook only.
    pub secret: Option<String>,
    /// Webhook only.
    pub timeout_seconds: Option<u64>,
}

/// Where a webhook endpoint stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndpointState {
    /// Saved, not yet challenged with success: nothing is sent to it but challenges.
    Pending,
    /// It answered a challenge: calls are delivered.
    Active,
    /// Its name led to a forbidden address: nothing is sent until a challenge passes.
    Suspended,
}

/// Body of `POST /v1/tools/{tool}/acceptances`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AcceptanceRequest {
    /// The hash of the refused definition, as `GET /v1/tools/{tool}` shows it.
    pub version: String,
}

/// Body of `PUT /v1/tools/{tool}`: a definition made by hand, for an endpoint that answers no manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolRequest {
    /// The webhook pool.
    pub pool: String,
    /// What the model reads.
    pub description: String,
    /// The declared class.
    pub side_effect: SideEffect,
    /// Field name to type text.
    pub input: BTreeMap<String, String>,
    /// What the principal must hold.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// Words and patterns for the offer.
    #[serde(default)]
    pub routing: Routing,
    /// 1 to 3,600 s.
    #[serde(default)]
    pub queue_deadline_seconds: Option<u64>,
    /// 1 to 900 s; a delivery ends at its own deadline in any case.
    #[serde(default)]
    pub execution_deadline_seconds: Option<u64>,
}

fn none<M>() -> Option<M> {
    None
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

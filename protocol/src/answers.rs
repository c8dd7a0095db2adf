//! What the control plane answers, and lists of what other modules describe. Members may be added, which a reader
//! ignores. Times are RFC 3339 in UTC.

use serde::{Deserialize, Serialize};

use crate::chat::ChatModel;
use crate::control::{Agent, Capability, EndpointState, Role, Transport};
use crate::definitions::ToolDefinition;
use crate::models::ModelView;
use crate::notifications::{NotificationEvent, NotificationState, PrincipalSummary};
use crate::workers::{RegistrationResult, RegistrationStatus};

/// Answer of `GET /healthz`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// The gateway's version.
    pub version: String,
}

/// Answer of `GET /.well-known/oauth-protected-resource/mcp/{agent}` (RFC 9728, section 2).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceMetadata {
    /// The URL of the agent's MCP door.
    pub resource: String,
    /// Issuers whose access tokens are keys for it.
    pub authorization_servers: Vec<String>,
    /// `header` alone.
    pub bearer_methods_supported: Vec<String>,
}

/// Answer of `POST /v1/orgs`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OrgAnswer {
    /// The org's id.
    pub org: String,
    /// Its first admin key, shown once.
    pub admin_key: String,
}

/// Answer of `POST /v1/keys`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewKey {
    /// The key's id.
    pub id: String,
    /// The key, shown once.
    pub key: String,
}

/// A key without its text, which is not kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyView {
    /// Its id.
    pub id: String,
    /// What it may do.
    pub role: Role,
    /// Shown in lists and timelines.
    pub name: String,
    /// When it was made.
    pub created_at: String,
    /// Worker keys: the pools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pools: Option<Vec<String>>,
    /// Caller keys: the agents; absent means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// Agent keys: the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Agent keys: on whose behalf; only who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<PrincipalSummary>,
    /// Approver keys: who the approver is as a principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_id: Option<String>,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

/// Answer of `GET /v1/site`: what the pages must know before anybody has a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Site {
    /// The gateway's version.
    pub version: String,
    /// Whether one may sign in by Cloudflare Access.
    pub access: bool,
    /// Where maps get their tiles; absent unless the operator names a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiles: Option<Tiles>,
}

/// A server of map tiles.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tiles {
    /// With `{z}`, `{x}` and `{y}`.
    pub url: String,
    /// Whom the map names.
    pub attribution: String,
}

/// Answer of `GET /v1/session`: what the key is that asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionView {
    /// Its org.
    pub org: String,
    /// A run token's run; the other members are the token's own, but for the id, which is that of the key it lives by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The key.
    #[serde(flatten)]
    pub key: KeyView,
}

/// A capability with its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapabilityView {
    /// Its name.
    pub name: String,
    /// As it was written.
    #[serde(flatten)]
    pub capability: Capability,
}

/// An agent with its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// As it was written.
    #[serde(flatten)]
    pub agent: Agent<ModelView>,
    /// The model that its chat has now: what `model` and the deployment come to. No part of what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_model: Option<ChatModel>,
}

/// A webhook endpoint as an admin sees it; never a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EndpointView {
    /// Where it stands.
    pub state: EndpointState,
    /// Rises with each new address.
    pub revision: u64,
    /// The canonical text.
    pub url: String,
    /// How long a delivery may take.
    pub timeout_seconds: u64,
    /// Why it is not active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Until when the secrets before the newest sign too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_secret_until: Option<String>,
}

/// Answer of `PUT /v1/pools/{pool}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PoolSaved {
    /// The pool.
    pub pool: String,
    /// Its transport.
    pub transport: Transport,
    /// Webhook pools: the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointView>,
    /// The signing secret that was made for it, shown once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// What became of the manifest, where the endpoint is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration: Option<ManifestTaken>,
    /// Pools that do not have the change yet; with 202.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lagging: Vec<String>,
}

impl PoolSaved {
    /// A pool that was written, without what the edge adds.
    pub fn new(pool: &str, transport: Transport, endpoint: Option<EndpointView>) -> PoolSaved {
        PoolSaved { pool: pool.to_owned(), transport, endpoint, secret: None, registration: None, lagging: Vec::new() }
    }
}

/// What became of an endpoint's manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ManifestTaken {
    /// It was registered.
    Taken(RegistrationResult),
    /// It was not.
    Failed {
        /// Why not, for a person.
        failed: String,
    },
}

/// Answer of `GET /v1/pools/{pool}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PoolView {
    /// The pool.
    pub pool: String,
    /// Its transport.
    pub transport: Transport,
    /// How its policy travels.
    pub policy: PolicyView,
    /// Webhook pools: the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointView>,
}

/// Which policy a pool has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyView {
    /// The newest version.
    pub version: u64,
    /// The one that the pool has stored.
    pub stored: u64,
}

/// Answer of `POST /v1/pools/{pool}/challenges`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChallengeAnswer {
    /// Where the endpoint stands now.
    pub state: EndpointState,
    /// Why it is not active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why an active endpoint, which stays so, did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What became of the manifest, where it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration: Option<ManifestTaken>,
    /// Pools that do not have the change yet; with 202.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lagging: Vec<String>,
}

impl ChallengeAnswer {
    /// A challenge that was judged, without what the edge adds.
    pub fn new(state: EndpointState, reason: Option<String>, failed: Option<String>) -> ChallengeAnswer {
        ChallengeAnswer { state, reason, failed, registration: None, lagging: Vec::new() }
    }
}

/// Answer of `POST /v1/pools/{pool}/secret-rotations`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RotationAnswer {
    /// The new secret, shown once.
    #[serde(default)]
    pub secret: String,
    /// Until when those before it sign too.
    pub old_secret_until: String,
    /// Pools that do not have the change yet; with 202.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lagging: Vec<String>,
}

/// A tool of the catalogue.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolView {
    /// Its name.
    pub name: String,
    /// The pool that owns the name; null once it is released.
    pub pool: Option<String>,
    /// Another pool may announce the name.
    pub released: bool,
    /// `worker`, `webhook` or `console`.
    pub managed_by: String,
    /// Whether somebody serves it now.
    pub enabled: bool,
    /// The hash of the definition.
    pub version: String,
    /// What was accepted last.
    pub definition: ToolDefinition,
    /// What was refused last, where that has not been accepted since.
    pub refused: Option<RefusedView>,
    /// `GET` of one tool: its definitions, newest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<Vec<VersionView>>,
    /// `PUT`: what was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RegistrationStatus>,
    /// A release: the capabilities that grant the name, whoever takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<Vec<String>>,
}

/// A definition that met a fence.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedView {
    /// As announced.
    pub definition: ToolDefinition,
    /// Its hash: what an acceptance names.
    pub version: String,
    /// The fence.
    pub code: String,
    /// Where, and what to do.
    pub detail: String,
    /// When.
    pub at: String,
    /// Against the accepted one.
    pub changes: Vec<DefinitionChange>,
}

/// A definition that was accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionView {
    /// Its hash.
    pub version: String,
    /// When.
    pub at: String,
    /// By whom.
    pub by: String,
    /// Against the one before.
    pub changes: Vec<DefinitionChange>,
}

/// A member in which two definitions differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DefinitionChange {
    /// The member.
    pub field: String,
    /// Its value before; null where it was absent.
    pub from: serde_json::Value,
    /// Its value after; null where it is absent.
    pub to: serde_json::Value,
}

/// An entry of the audit record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditView {
    /// When.
    pub at: String,
    /// A key's name and id, a worker, or `gateway`.
    pub by: String,
    /// What happened.
    pub event: String,
    /// To what.
    pub subject: String,
    /// More, as the event has it.
    pub detail: serde_json::Value,
}

/// A notification as an admin sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotificationView {
    /// Its name.
    pub name: String,
    /// Where messages go.
    pub url: String,
    /// What it wants to hear of.
    pub events: Vec<NotificationEvent>,
    /// Where it stands.
    pub state: NotificationState,
    /// `GET` of one: what it was not told yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Vec<WaitingNotice>>,
    /// The signing secret that was made for it, shown once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// Approvals that a notification was not told of yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingNotice {
    /// Of which event.
    pub event: NotificationEvent,
    /// How many.
    pub count: u64,
    /// How often the message was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// When it is sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<String>,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

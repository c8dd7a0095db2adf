//! The control plane of an org: the truth about definitions, grants and keys.
//!
//! [`Registry::step`] takes one command and a transaction. After a change it compiles the policy of every pool anew
//! and compares: a pool whose policy changed gets a higher version, and a push if its object exists (an object is
//! created by the first worker or call, never by a push). Pushes are effects; which pool lags stands in storage.

mod access;
mod builtin_pool;
mod catalogue;
mod documents;
mod endpoints;
mod keys;
mod notices;
mod notifications;
mod offers;
mod ownership;
mod policies;
mod records;
mod webhook_tools;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolgate_protocol::answers::OrgAnswer;
use toolgate_protocol::control::{AcceptanceRequest, Agent, Capability, KeyRequest, PoolRequest, Role, ToolRequest};
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::PUSH_SECONDS;
use toolgate_protocol::problems;
use toolgate_protocol::workers::RegistrationResult;

use crate::access::Person;
use crate::chat::model::ModelSpec;
use crate::ids::Place;
use crate::keys::{Identity, KeyRing};
use crate::policy::PolicyEndpoint;
use crate::problem::Problem;
use crate::queue::messages::{AuditEntry, Manifests, PoolBatch, Push, VERSION};
use crate::sql_port::{Sql, StoreError};
use crate::time::UnixMillis;
use documents::Documents;

pub(crate) use builtin_pool::MANAGER as BUILTIN;
pub use documents::SCHEMA;
pub use endpoints::{Challenged, EndpointSpec, NewSecret, timeout_seconds};
pub use notices::{Notice, NoticeOutcome, NoticeReport};
pub use notifications::{NotificationSpec, check_events, notification_place};
pub use offers::OfferCatalogue;

/// A page of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Page {
    /// How many.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

/// From which end a list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// What waits longest comes first.
    OldestFirst,
    /// What came last comes first.
    NewestFirst,
}

/// A request to an org's object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Envelope {
    /// Version of these messages.
    pub v: u32,
    /// The org.
    pub org: String,
    /// Who asks, when a key did; the edge verified it.
    pub who: Option<Identity>,
    /// What is asked.
    pub command: Command,
}

/// What is asked of the registry. The edge has checked the role.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// A new org, with its first admin key.
    CreateOrg,
    /// A new key.
    CreateKey(Box<KeyRequest>),
    /// Keys.
    ListKeys(Page),
    /// Revokes a key.
    RevokeKey(String),
    /// What the key is that asks.
    Session,
    /// A key for who signed in.
    CreateSession {
        /// Which key; the edge has checked that they may.
        role: Role,
        /// Who.
        person: Person,
    },
    /// Capabilities.
    ListCapabilities(Page),
    /// Agents.
    ListAgents(Page),
    /// Pools.
    ListPools(Page),
    /// Writes a capability.
    PutCapability(String, Capability),
    /// Reads a capability.
    GetCapability(String),
    /// Writes an agent.
    PutAgent(String, Box<Agent<ModelSpec>>),
    /// Reads an agent.
    GetAgent(String),
    /// Writes a pool.
    PutPool(String, PoolRequest),
    /// Reads a pool.
    GetPool(String),
    /// The endpoint of a pool, for the edge; a secret that serves something else is refused.
    EndpointFor {
        /// The pool.
        pool: String,
        /// Of the secret that is to serve it.
        fingerprint: Option<String>,
    },
    /// Writes a webhook pool.
    PutEndpoint(String, Box<EndpointSpec>),
    /// A challenge was answered, or failed and why.
    Challenged {
        /// The pool.
        pool: String,
        /// Of the endpoint that was challenged.
        revision: u64,
        /// The newest secret that it was challenged with, sealed.
        secret: String,
        /// Why it failed.
        failed: Option<String>,
    },
    /// A new secret beside the old one.
    RotateSecret(String, NewSecret),
    /// The endpoint's name led to a forbidden address.
    Suspend {
        /// The pool.
        pool: String,
        /// Of the endpoint.
        revision: u64,
        /// Why, for the admin's view.
        reason: String,
    },
    /// A reply named a manifest; is it to be fetched?
    BeginSync {
        /// The pool.
        pool: String,
        /// Of the endpoint.
        revision: u64,
        /// The endpoint's name for it.
        hash: String,
    },
    /// An endpoint's manifest.
    SyncManifest(Box<EndpointManifest>),
    /// A tool made by hand.
    PutTool(String, Box<ToolRequest>),
    /// Takes a refused definition by its exact hash.
    AcceptRefused(String, AcceptanceRequest),
    /// Gives a disabled name free.
    Release(String),
    /// Writes a notification.
    PutNotification(String, Box<NotificationSpec>),
    /// Reads a notification.
    GetNotification(String),
    /// Notifications.
    ListNotifications(Page),
    /// Ends a notification.
    DeleteNotification(String),
    /// What became of a message about approvals.
    NoticeReport(Box<NoticeReport>),
    /// The catalogue.
    ListTools(Page),
    /// A tool with its versions and diffs.
    GetTool(String),
    /// The audit record.
    ListAudit(Page),
    /// The approval index.
    ListApprovals(Option<String>, Page),
    /// Approvals of a state or of all, newest first.
    NewestApprovals(Option<String>, Page),
    /// Somebody decides on an id that the gateway never gave this org; a refusal and audited.
    DecideNothing(String),
    /// A worker announces a manifest that its pool does not know.
    Announce(Announcement),
    /// Which pool has this tool? Asked for an agent; a miss is a refusal and audited.
    FindTool {
        /// The tool.
        tool: String,
        /// The agent that asks.
        agent: String,
    },
    /// How an agent's tools are served at the MCP door.
    McpRules(String),
    /// What offers are made from, unless this version of it is known.
    OfferCatalogue(Option<String>),
    /// A pool's object asks for its policy.
    Policy(Place),
    /// A pool tells what happened.
    Batch(PoolBatch),
    /// A pool stored this version of its policy.
    Stored {
        /// The pool.
        pool: String,
        /// The version.
        version: u64,
    },
    /// The alarm.
    Tick,
}

/// A manifest that an endpoint answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EndpointManifest {
    /// The pool.
    pub pool: String,
    /// Of the endpoint.
    pub revision: u64,
    /// The canonical text.
    pub manifest: Box<RawValue>,
    /// The endpoint's own name for it.
    pub hash: Option<String>,
}

/// A manifest that is news to its pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Announcement {
    /// The pool.
    pub pool: String,
    /// The worker, for the audit record.
    pub worker: String,
    /// The canonical text.
    pub manifest: Box<RawValue>,
    /// Its hash.
    pub hash: String,
    /// The manifests that its pool knows.
    pub manifests: Manifests,
}

/// Where calls of a tool go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolOf {
    /// The pool that has the tool.
    pub pool: String,
    /// The tool's class.
    pub side_effect: SideEffect,
    /// Pools that had it before: a submission that is repeated may be a call of theirs.
    #[serde(default)]
    pub former: Vec<String>,
}

/// What the registry answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A body for the client, with its status.
    Body(u16, Value),
    /// A body with JSON text that nothing may re-read.
    Text(u16, String),
    /// A policy.
    Policy(Box<Push>),
    /// What became of a manifest.
    Registered(RegistrationResult),
    /// The pool of a tool.
    Pool(PoolOf),
    /// What offers are made from; nothing when what is known is current.
    Catalogue(Option<Box<OfferCatalogue>>),
    /// An endpoint, for the edge.
    Endpoint(Option<Box<PolicyEndpoint>>),
    /// Nothing to say.
    Done,
}

/// An answer or a refusal.
pub type Reply = Result<Answer, Problem>;

/// What must happen after the commit.
pub struct Effects {
    /// For who asked.
    pub reply: Reply,
    /// Policies to push; the reply waits for them, at most five seconds.
    pub pushes: Vec<Push>,
    /// Messages about approvals for the edge to send; only the alarm has any.
    pub notices: Vec<Notice>,
    /// Set the alarm.
    pub alarm: Option<UnixMillis>,
}

/// The registry of one org.
pub struct Registry {
    /// Makes keys.
    pub ring: KeyRing,
}

/// The org that a storage belongs to, once it was made.
///
/// # Errors
/// When storage cannot be read.
pub fn org_of(sql: &dyn Sql) -> Result<Option<String>, StoreError> {
    let org = Documents::new(sql).get::<Value>("org", "org")?;
    Ok(org.and_then(|org| org.get("id").and_then(Value::as_str).map(str::to_owned)))
}

/// One step under way.
pub(crate) struct Step<'a> {
    pub ring: &'a KeyRing,
    pub docs: Documents<'a>,
    pub org: String,
    pub who: Option<Identity>,
    pub now: UnixMillis,
    pub entropy: [u8; 16],
    /// For the edge to send.
    pub notices: Vec<Notice>,
    /// A notice may be due earlier than the alarm that is set.
    pub wakes: bool,
}

/// A refusal is an answer; only storage errors undo a step.
pub(crate) type Stepped = Result<Reply, StoreError>;

impl Registry {
    /// One command, inside one transaction.
    pub fn step(
        &self,
        sql: &dyn Sql,
        envelope: Envelope,
        now: UnixMillis,
        entropy: [u8; 16],
    ) -> Result<Effects, StoreError> {
        let Envelope { v, org, who, command } = envelope;
        if v != VERSION {
            let reply = Err(Problem::new(problems::BUSY, "A deploy is under way; try again."));
            return Ok(Effects { reply, pushes: Vec::new(), notices: Vec::new(), alarm: None });
        }
        let (docs, notices) = (Documents::new(sql), Vec::new());
        let mut step = Step { ring: &self.ring, docs, org, who, now, entropy, notices, wakes: false };
        let changes = command.changes_policy();
        let reply = step.command(command)?;
        step.stamp_catalogue()?;
        if changes && reply.is_ok() {
            step.compile_policies()?;
        }
        // Only a change waits for its pushes; what lagged before is the alarm's to bring.
        let pushes = if changes { step.pending_pushes()? } else { Vec::new() };
        let alarm = if changes || step.wakes { step.next_alarm()? } else { None };
        Ok(Effects { reply, pushes, notices: step.notices, alarm })
    }
}

impl Command {
    fn changes_policy(&self) -> bool {
        match self {
            Command::CreateOrg
            | Command::CreateKey(_)
            | Command::CreateSession { .. }
            | Command::RevokeKey(_)
            | Command::PutCapability(..)
            | Command::PutAgent(..)
            | Command::PutPool(..)
            | Command::PutEndpoint(..)
            | Command::Challenged { .. }
            | Command::RotateSecret(..)
            | Command::Suspend { .. }
            | Command::SyncManifest(_)
            | Command::PutTool(..)
            | Command::AcceptRefused(..)
            | Command::Release(_)
            | Command::Announce(_)
            | Command::Tick => true,
            Command::Batch(batch) => batch
                .messages
                .iter()
                .any(|(_, message)| matches!(message, crate::queue::messages::PoolMessage::Live(_))),
            _ => false,
        }
    }
}

impl Step<'_> {
    /// There is one alarm: whoever sets it asks everybody.
    fn next_alarm(&self) -> Result<Option<UnixMillis>, StoreError> {
        let lagging = self.has_lagging()?.then(|| self.now.plus_seconds(PUSH_SECONDS));
        Ok([lagging, self.next_unconfirmed()?, self.next_notice()?].into_iter().flatten().min())
    }

    fn tick(&mut self) -> Stepped {
        self.send_due_notices()?;
        self.reconcile_unconfirmed()
    }

    fn command(&mut self, command: Command) -> Stepped {
        if !matches!(command, Command::CreateOrg | Command::Tick) && !self.docs.exists("org", "org")? {
            return Ok(Err(Problem::not_found()));
        }
        if let Some(who) = self.who.clone()
            && !self.key_is_live(&who)?
        {
            return Ok(Err(Problem::new(problems::INVALID_KEY, "The key was revoked; use another.")));
        }
        match command {
            Command::CreateOrg => self.create_org(),
            Command::CreateKey(spec) => self.create_key(*spec),
            Command::ListKeys(page) => self.list_keys(&page),
            Command::RevokeKey(id) => self.revoke_key(&id),
            Command::Session => self.session(),
            Command::CreateSession { role, person } => self.create_session(role, &person),
            Command::ListCapabilities(page) => self.list_capabilities(&page),
            Command::ListAgents(page) => self.list_agents(&page),
            Command::ListPools(page) => self.list_pools(&page),
            Command::PutCapability(name, capability) => self.put_capability(&name, &capability),
            Command::GetCapability(name) => self.get_capability(&name),
            Command::PutAgent(name, agent) => self.put_agent(&name, *agent),
            Command::GetAgent(name) => self.get_agent(&name),
            Command::PutPool(name, pool) => self.put_pool(&name, &pool),
            Command::GetPool(name) => self.get_pool(&name),
            Command::EndpointFor { pool, fingerprint } => self.endpoint_for(&pool, fingerprint.as_deref()),
            Command::PutEndpoint(name, spec) => self.put_endpoint(&name, *spec),
            Command::Challenged { pool, revision, secret, failed } => self.challenged(&pool, revision, &secret, failed),
            Command::RotateSecret(name, secret) => self.rotate_secret(&name, secret),
            Command::Suspend { pool, revision, reason } => self.suspend(&pool, revision, reason),
            Command::BeginSync { pool, revision, hash } => self.begin_sync(&pool, revision, &hash),
            Command::SyncManifest(manifest) => self.sync_manifest(*manifest),
            Command::PutTool(name, tool) => self.put_tool(&name, *tool),
            Command::AcceptRefused(name, request) => self.accept_refused(&name, &request),
            Command::Release(name) => self.release(&name),
            Command::PutNotification(name, spec) => self.put_notification(&name, *spec),
            Command::GetNotification(name) => self.get_notification(&name),
            Command::ListNotifications(page) => self.list_notifications(&page),
            Command::DeleteNotification(name) => self.delete_notification(&name),
            Command::NoticeReport(report) => self.notice_report(*report),
            Command::ListTools(page) => self.list_tools(&page),
            Command::GetTool(name) => self.get_tool(&name),
            Command::ListAudit(page) => self.list_audit(&page),
            Command::ListApprovals(state, page) => self.list_approvals(state.as_deref(), Order::OldestFirst, &page),
            Command::NewestApprovals(state, page) => self.list_approvals(state.as_deref(), Order::NewestFirst, &page),
            Command::DecideNothing(id) => self.decide_nothing(&id),
            Command::Announce(announcement) => self.announce(announcement),
            Command::FindTool { tool, agent } => self.find_tool(&tool, &agent),
            Command::McpRules(agent) => self.mcp_rules(&agent),
            Command::OfferCatalogue(known) => self.offer_catalogue(known.as_deref()),
            Command::Policy(place) => self.give_policy(&place),
            Command::Batch(batch) => self.take_batch(batch),
            Command::Stored { pool, version } => self.stored(&pool, version),
            Command::Tick => self.tick(),
        }
    }

    fn create_org(&mut self) -> Stepped {
        if self.docs.exists("org", "org")? {
            return Ok(Err(Problem::new(problems::ORG_EXISTS, format!("There is an org {} already.", self.org))));
        }
        self.docs.put(
            "org",
            "org",
            &json!({ "id": self.org, "created_at": self.now.rfc3339(), "epoch": self.now.0 }),
        )?;
        let key = self.first_key()?;
        self.audit("org.created", &self.org.clone(), Value::Null)?;
        body(201, &OrgAnswer { org: self.org.clone(), admin_key: key })
    }

    fn audit(&mut self, event: &str, subject: &str, detail: Value) -> Result<(), StoreError> {
        let by = self.who.as_ref().map_or("gateway".to_owned(), |who| format!("{} ({})", who.name, who.key_id));
        self.docs.audit(&AuditEntry {
            at: self.now.0,
            by,
            event: event.to_owned(),
            subject: subject.to_owned(),
            detail,
        })
    }
}

/// An answer of this type.
fn body<T: Serialize>(status: u16, body: &T) -> Stepped {
    let body = serde_json::to_value(body).map_err(|error| StoreError::Corrupt(format!("an answer: {error}")))?;
    Ok(Ok(Answer::Body(status, body)))
}

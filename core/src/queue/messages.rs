//! What the edge asks of a pool's object, what it answers, and what the object tells the registry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_protocol::approvals::{ApprovalView, DecisionRequest};
use toolgate_protocol::calls::{CallInput, CallView, ResolutionRequest};
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::lists::{CallEvents, CallPage, ClaimsAnswer, PoolStats, ResultsAnswer};
use toolgate_protocol::workers::{
    ClaimStatus, ClaimsRequest, GoodbyeRequest, PollAnswer, PollRequest, RegisterAnswer, RegistrationResult,
    ResultsRequest,
};

use super::delivery::Delivery;
use super::store::Filter;
use crate::ids::{LocalId, Place};
use crate::keys::Identity;
use crate::policy::Snapshot;
use crate::problem::Problem;

/// Version of these messages: old and new code meet during a deploy.
pub const VERSION: u32 = 1;

/// A request to a pool's object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Envelope {
    /// [`VERSION`].
    pub v: u32,
    /// The object's place.
    pub place: Place,
    /// Who asks; the edge verified the key.
    pub who: Identity,
    /// What links in answers begin with.
    pub base_url: String,
    /// What is asked.
    pub ask: Ask,
}

/// What the edge asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// A new call, or the one that the idempotency key names.
    Submit(Submit),
    /// The call that the idempotency key names, made while the tool was this pool's. Never a new one.
    SubmitKnown(Submit),
    /// A call as it stands; may wait for its end.
    Read {
        /// The call.
        call: LocalId,
        /// How long the answer may be held.
        wait_seconds: u64,
        /// It is the rest of a submission: 202 unless it has ended.
        #[serde(default)]
        submitted: bool,
    },
    /// A call as it stands once more than so much has happened to it, or it has ended; may wait for that.
    Watch {
        /// The call.
        call: LocalId,
        /// What is known of already.
        known: usize,
        /// How long the answer may be held.
        wait_seconds: u64,
    },
    /// A call's timeline.
    Events(LocalId),
    /// Take a call back.
    Cancel(LocalId),
    /// A call as a task: with the calls that answered its tool's questions.
    Task(LocalId),
    /// Answers to what its tool asks.
    AnswerTask(AnswerTask),
    /// Take it back, whichever call it is now.
    CancelTask(LocalId),
    /// Say what an unknown call turned out to be.
    Resolve(LocalId, ResolutionRequest),
    /// Calls, newest first.
    List(Filter, usize),
    /// An approval as it stands.
    Approval(LocalId),
    /// Decide an approval.
    Decide(LocalId, DecisionRequest),
    /// Depth and health.
    Stats,
    /// A worker announces itself.
    Register(Register),
    /// A worker leaves.
    Goodbye(GoodbyeRequest),
    /// A worker wants jobs.
    Poll(PollRequest),
    /// A worker is about to start writes.
    Accept(ClaimsRequest),
    /// A worker is still at it.
    Renew(ClaimsRequest),
    /// A worker gives back what it has not started.
    Return(ClaimsRequest),
    /// A worker is done.
    Results(ResultsRequest),
}

/// A submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Submit {
    /// The tool.
    pub tool: String,
    /// The agent.
    pub agent: String,
    /// The run, when it was asked in one.
    #[serde(default)]
    pub run: Option<String>,
    /// What the run's turn said, for the approver: a claim of who asks, nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The principal, verbatim.
    pub principal: Box<RawValue>,
    /// The arguments, verbatim.
    pub arguments: Option<Box<RawValue>>,
    /// What the client answered to the tool's questions. A write never has any: what was approved or accepted is all
    /// there is to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<CallInput>,
    /// The form in which the tool was told to the model that wrote them; absent where nobody but us named the fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// The idempotency key.
    pub idempotency_key: Option<String>,
    /// A consequential call goes by what it asks for instead of by that key: the same one again is the one that waits, or
    /// that ended a moment ago.
    #[serde(default)]
    pub alike: bool,
    /// How often the tool had moved from pool to pool when the edge learnt where it is. One that has moved since is
    /// looked for again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// How long the answer may be held.
    pub wait_seconds: u64,
}

/// A client's answers to what the tool of a task asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerTask {
    /// The task's first call.
    pub call: LocalId,
    /// Which question: how many were answered in full before it.
    pub answered: u32,
    /// The answers, by the tool's own keys.
    pub answers: BTreeMap<String, Box<RawValue>>,
    /// All keys for which the tool is told an answer: when each has one, it is called again.
    pub wanted: Vec<String>,
    /// What the tool gave along with its question.
    pub state: Option<Box<RawValue>>,
    /// There will be no answer: the question is withdrawn.
    #[serde(default)]
    pub gives_up: bool,
    /// Refused where it changes nothing, because that is not asked, or not any more.
    #[serde(default)]
    pub once: bool,
}

/// A registration. The first time without `result`: when the manifest is news, the object says so and the edge asks
/// the registry, then comes again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Register {
    /// The worker's own id.
    pub worker: String,
    /// Hash of the manifest's canonical text.
    pub manifest: String,
    /// Tool name to hash of the class and input announced.
    pub contracts: BTreeMap<String, String>,
    /// What the registry made of the manifest.
    pub result: Option<RegistrationResult>,
}

/// What the object answers, before it is HTTP.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A call; `held` when the caller asked by submission, where a call that has not ended is a 202.
    Call {
        /// The call.
        view: Box<CallView>,
        /// 202 unless it has ended.
        accepted: bool,
    },
    /// A call that is watched.
    Watched(Box<Watched>),
    /// A task.
    Task(Box<TaskView>),
    /// A timeline.
    Events(Box<CallEvents>),
    /// Calls.
    Calls(Box<CallPage>),
    /// An approval.
    Approval(Box<ApprovalView>),
    /// Numbers.
    Stats(Box<PoolStats>),
    /// A session.
    Registered(Box<RegisterAnswer>),
    /// The registry must be asked first; the manifests of the live sessions.
    NewManifest(Manifests),
    /// Jobs and statuses.
    Poll(Box<PollAnswer>),
    /// Nothing to do (204).
    Idle,
    /// Statuses of claims.
    Claims(Vec<ClaimStatus>),
    /// Statuses of results.
    Results(Vec<ClaimStatus>),
    /// A new call that the edge is to deliver itself.
    Deliver(Box<ToDeliver>),
    /// Whether a write may be sent.
    MaySend(bool),
    /// The snapshot is stored, or a newer one was.
    Stored,
}

/// A submission that became a delivery, for the edge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToDeliver {
    /// The call as it stands: what a caller that does not wait is answered.
    pub view: CallView,
    /// The delivery.
    pub delivery: Delivery,
}

/// A call and what has happened to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Watched {
    /// The call as it stands.
    pub view: CallView,
    /// The events of its timeline.
    pub events: Vec<String>,
    /// How many there were, with those that its timeline does not have any more.
    #[serde(default)]
    pub happened: usize,
}

impl Watched {
    /// What has happened since, each event with its number. Of more than a timeline keeps, some are missing.
    pub fn since(&self, known: usize) -> impl Iterator<Item = (usize, &str)> {
        let missing = self.happened.saturating_sub(self.events.len());
        let news = self.happened.saturating_sub(known).min(self.events.len());
        let numbered = self.events.iter().enumerate().skip(self.events.len().saturating_sub(news));
        numbered.map(move |(at, event)| (at.saturating_add(missing).saturating_add(1), event.as_str()))
    }
}

/// A call as a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskView {
    /// The id of the first call, which is the task's.
    pub task: String,
    /// When that was made, RFC 3339.
    pub created_at: String,
    /// When any of it last changed.
    pub changed_at: String,
    /// The call that stands for it now.
    pub view: CallView,
    /// That call ended with a question, which may be answered.
    pub asks: bool,
    /// Questions that were answered in full.
    pub answered: u32,
    /// Keys of the question that stands which have an answer.
    pub has: Vec<String>,
    /// The client gave it up while it was asked.
    pub cancelled: bool,
}

/// An answer or a refusal.
pub type Reply = Result<Answer, Problem>;

/// Header of an answer that is for the edge and not for the client; its value says what it is.
pub const INTERNAL_HEADER: &str = "toolgate-internal";
/// The tool is not in this pool.
pub const WRONG_POOL: &str = "wrong_pool";
/// The registry must see the manifest.
pub const NEW_MANIFEST: &str = "new_manifest";
/// The body is a [`ToDeliver`].
pub const DELIVER: &str = "deliver";

/// An answer as HTTP: status, body, and what only the edge sees.
pub struct Http {
    /// The status.
    pub status: u16,
    /// JSON; none for a refusal, whose body the shell makes, and for an answer without one.
    pub body: Option<String>,
    /// Value of [`INTERNAL_HEADER`].
    pub internal: Option<&'static str>,
}

/// The HTTP form of a reply: what the edge sends on as it is.
pub fn http(reply: &Reply) -> Http {
    let plain = |status: u16, body: Result<String, serde_json::Error>| match body {
        Ok(body) => Http { status, body: Some(body), internal: None },
        Err(_) => Http { status: 500, body: None, internal: None },
    };
    match reply {
        Err(problem) => Http {
            status: problem.kind.status,
            body: None,
            internal: (problem.kind.code == "unknown_tool").then_some(WRONG_POOL),
        },
        Ok(Answer::Call { view, accepted }) => {
            plain(if *accepted && view.ended_at.is_none() { 202 } else { 200 }, serde_json::to_string(view))
        }
        Ok(Answer::Watched(watched)) => plain(200, serde_json::to_string(watched)),
        Ok(Answer::Task(task)) => plain(200, serde_json::to_string(task)),
        Ok(Answer::Events(events)) => plain(200, serde_json::to_string(events)),
        Ok(Answer::Stats(stats)) => plain(200, serde_json::to_string(stats)),
        Ok(Answer::Calls(page)) => plain(200, serde_json::to_string(page)),
        Ok(Answer::Approval(view)) => plain(200, serde_json::to_string(view)),
        Ok(Answer::Registered(answer)) => plain(200, serde_json::to_string(answer)),
        Ok(Answer::NewManifest(live)) => {
            Http { internal: Some(NEW_MANIFEST), ..plain(200, serde_json::to_string(live)) }
        }
        Ok(Answer::Poll(answer)) => plain(200, serde_json::to_string(answer)),
        Ok(Answer::Idle) => Http { status: 204, body: None, internal: None },
        Ok(Answer::Claims(claims)) => plain(200, serde_json::to_string(&ClaimsAnswer { claims: claims.clone() })),
        Ok(Answer::Results(results)) => plain(200, serde_json::to_string(&ResultsAnswer { results: results.clone() })),
        Ok(Answer::Deliver(delivery)) => {
            Http { internal: Some(DELIVER), ..plain(200, serde_json::to_string(delivery)) }
        }
        Ok(Answer::MaySend(may)) => plain(200, serde_json::to_string(may)),
        Ok(Answer::Stored) => plain(200, Ok("{}".into())),
    }
}

/// The manifests of a pool's sessions, by hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifests {
    /// Of live sessions.
    pub live: Vec<String>,
    /// Of sessions that are remembered, live or gone: what the pool has seen. Of any other it can say nothing.
    pub seen: Vec<String>,
}

/// What a pool tells the registry. Told at least once, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PoolMessage {
    /// For the audit record.
    Audit(AuditEntry),
    /// The approval index.
    Approval(Box<ApprovalView>),
    /// The manifests of its sessions, when the set of the live ones changed.
    Live(Manifests),
}

/// One entry of the audit record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Milliseconds since 1970.
    pub at: u64,
    /// A key's name and id, a worker, or `gateway`.
    pub by: String,
    /// What happened.
    pub event: String,
    /// To what.
    pub subject: String,
    /// More, in words or values.
    pub detail: serde_json::Value,
}

/// A batch from a pool to the registry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PoolBatch {
    /// [`VERSION`].
    pub v: u32,
    /// From where.
    pub place: Place,
    /// Numbered messages.
    pub messages: Vec<(u64, PoolMessage)>,
}

/// What the registry pushes to a pool, or answers when asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Push {
    /// [`VERSION`].
    pub v: u32,
    /// To where.
    pub place: Place,
    /// The policy.
    pub snapshot: Snapshot,
}

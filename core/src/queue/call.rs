//! A call's whole life in one record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toolgate_protocol::approvals::DecisionView;
use toolgate_protocol::calls::{CallError, CallState, TimelineEntry};
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::TIMELINE_ENTRIES_MAX;

use crate::ids::LocalId;
use crate::policy::Accepted;
use crate::time::UnixMillis;

/// One request to execute a tool. Arguments, principal and results are JSON text that nothing here reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its id within the object.
    pub id: LocalId,
    /// Where it stands.
    pub state: CallState,
    /// What was asked, by whom, under which policy. Never changes.
    pub asked: Asked,
    /// Queued: not handed out before this (the pause between attempts of a read).
    pub ready_at: UnixMillis,
    /// Queued: expires then.
    pub queue_deadline: UnixMillis,
    /// Counted attempts that ended without a result (reads).
    pub attempts: u32,
    /// How often it was handed out; numbers the claim tokens.
    pub hand_overs: u32,
    /// Who holds it.
    pub claim: Option<Claim>,
    /// The hand-over whose accept was answered (writes): from then on it runs at most there.
    pub accepted: Option<u32>,
    /// The human decision, for consequential calls.
    pub approval: Option<Approval>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// When it ended; records go by this.
    pub ended_at: Option<UnixMillis>,
    /// Idempotency keys beside its own that lead here.
    #[serde(default)]
    pub joined: usize,
    /// Somebody wants a running write to stop.
    pub cancel_requested: bool,
    /// How the client's part of it stands, where the call is followed as a task and its tool asked for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<Dialogue>,
    /// Results of writes that did not settle the call.
    pub evidence: Vec<Evidence>,
    /// Everything that happened.
    pub timeline: Vec<TimelineEntry>,
    /// Entries that went out of its middle, because there were too many.
    #[serde(default)]
    pub left_out: usize,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The tool.
    pub tool: String,
    /// The agent.
    pub agent: String,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Canonical text of the arguments.
    pub arguments: String,
    /// JSON text of what the client answered to the tool's questions (reads only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Canonical text of the principal.
    pub principal: String,
    /// The principal's tenant and id.
    pub principal_key: (String, String),
    /// What the principal held.
    pub permissions: Vec<String>,
    /// The key it was asked with.
    pub key_id: String,
    /// That key's hash.
    pub key_sha256: String,
    /// That key's name.
    pub by: String,
    /// The class it was accepted under.
    pub side_effect: SideEffect,
    /// The definition's version.
    pub version: String,
    /// Class and input.
    pub contract_hash: String,
    /// What an approval binds to.
    pub approval_hash: String,
    /// Revision of the pool's endpoint; approvals bind to it.
    #[serde(default)]
    pub endpoint_revision: u64,
    /// The tool's queue deadline.
    pub queue_seconds: u64,
    /// The tool's execution deadline.
    pub execution_seconds: u64,
    /// When.
    pub at: UnixMillis,
    /// Hash over the idempotency scope and key, when a key was given.
    pub idempotency: Option<String>,
}

/// An executor's hold of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Which hand-over; part of the token.
    pub hand_over: u32,
    /// The session that holds it.
    pub session: String,
    /// Its worker, for the timeline.
    pub worker: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// A write before accept: the end of the accept window. Else the execution deadline.
    pub deadline: UnixMillis,
    /// A rebuilt object granted one more period until then; cleared by a sign of life.
    pub grace_until: Option<UnixMillis>,
}

/// The parked state and its decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// What a decision must name.
    pub digest: String,
    /// No decision from then on.
    pub expires_at: UnixMillis,
    /// Approvers needed.
    pub required: u32,
    /// What was decided.
    pub decisions: Vec<DecisionView>,
    /// `pending`, `approved`, `rejected`, `expired`, `cancelled`, `invalidated`.
    pub state: String,
    /// What the run's turn said: unverified, shown below the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// What the approver is shown of the definition, to say later what changed.
    #[serde(default)]
    pub bound: Option<Bound>,
    /// The same for the same call asked again: agent, principal, run, tool, arguments.
    #[serde(default)]
    pub likeness: String,
    /// Canonical text of what is sent instead of what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
}

/// What an approval binds to of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// The class.
    pub side_effect: SideEffect,
    /// The input.
    pub input: BTreeMap<String, String>,
    /// The permissions.
    pub permissions: Vec<String>,
}

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// JSON text.
    pub result: Option<String>,
    /// Why there is none.
    pub error: Option<CallError>,
    /// JSON text of something for the screen.
    pub activity: Option<String>,
    /// The hand-over that settled it.
    pub settled_by: Option<u32>,
    /// How an unknown outcome became known.
    pub resolved_by: Option<String>,
}

impl Outcome {
    /// An end without a result.
    pub fn error(code: &str, message: impl Into<String>) -> Outcome {
        Outcome { error: Some(CallError { code: code.to_owned(), message: message.into() }), ..Outcome::default() }
    }
}

/// A call whose tool asked its client for something, and the calls that brought the answers: one after the other, kept
/// with the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dialogue {
    /// The call that stands for it now; the first itself until a question was answered.
    pub latest: Option<LocalId>,
    /// How many questions were answered in full.
    pub answered: u32,
    /// Answers to the question that stands, JSON text by the tool's own key.
    pub answers: BTreeMap<String, String>,
    /// The client gave it up while it was asked.
    pub cancelled: bool,
    /// When any of it changed.
    pub at: UnixMillis,
}

/// A result that came but did not settle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The hand-over that sent it.
    pub hand_over: u32,
    /// What it said, cut to a preview.
    pub says: String,
    /// When.
    pub at: UnixMillis,
}

/// Where a record is kept: by what is to be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bucket {
    /// Waits for an executor.
    Queued = 0,
    /// Held by one.
    Running = 1,
    /// Waits for a human.
    Parked = 2,
    /// Done; kept for reading.
    Ended = 3,
}

impl Bucket {
    /// Every bucket.
    pub const ALL: [Bucket; 4] = [Bucket::Queued, Bucket::Running, Bucket::Parked, Bucket::Ended];

    /// The bucket of a state.
    pub fn of(state: CallState) -> Bucket {
        match state {
            CallState::Queued => Bucket::Queued,
            CallState::Running => Bucket::Running,
            CallState::WaitingApproval => Bucket::Parked,
            _ => Bucket::Ended,
        }
    }
}

impl Call {
    /// A new call, queued or parked.
    pub fn new(id: LocalId, asked: Asked, approval: Option<Approval>) -> Call {
        let at = asked.at;
        let state = if approval.is_some() { CallState::WaitingApproval } else { CallState::Queued };
        let (by, queue_deadline) = (asked.by.clone(), at.plus_seconds(asked.queue_seconds));
        let event = if approval.is_some() { "parked" } else { "queued" };
        let timeline = vec![TimelineEntry { event: event.into(), at: at.0, by, attempt: None, note: None }];
        Call {
            id,
            state,
            asked,
            ready_at: at,
            queue_deadline,
            attempts: 0,
            hand_overs: 0,
            claim: None,
            accepted: None,
            approval,
            outcome: None,
            ended_at: None,
            joined: 0,
            cancel_requested: false,
            dialogue: None,
            evidence: Vec::new(),
            timeline,
            left_out: 0,
        }
    }

    /// When, in storage alone, something is due: leases live in memory.
    pub fn due(&self) -> Option<UnixMillis> {
        match Bucket::of(self.state) {
            Bucket::Queued => Some(self.queue_deadline),
            Bucket::Running => self.claim.as_ref().map(|claim| claim.deadline),
            Bucket::Parked => self.approval.as_ref().map(|approval| approval.expires_at),
            Bucket::Ended => None,
        }
    }

    /// Has it ended?
    pub fn ended(&self) -> bool {
        Bucket::of(self.state) == Bucket::Ended
    }

    /// What is sent: canonical text, as asked for or as an approver edited it.
    pub fn arguments(&self) -> &str {
        let edited = self.approval.as_ref().and_then(|approval| approval.edited.as_deref());
        edited.unwrap_or(&self.asked.arguments)
    }

    /// What its executor is sent of data, in bytes.
    pub fn weight(&self) -> usize {
        self.arguments().len().saturating_add(self.asked.input.as_ref().map_or(0, String::len))
    }

    /// What the policy compares at hand-out and at a decision.
    pub fn accepted_under(&self) -> Accepted<'_> {
        Accepted {
            tool: &self.asked.tool,
            agent: &self.asked.agent,
            permissions: &self.asked.permissions,
            key_id: &self.asked.key_id,
            key_sha256: &self.asked.key_sha256,
            side_effect: self.asked.side_effect,
            contract_hash: &self.asked.contract_hash,
            endpoint_revision: self.asked.endpoint_revision,
            approval_hash: self.approval.as_ref().map(|_| self.asked.approval_hash.as_str()),
            bound: self.approval.as_ref().and_then(|approval| approval.bound.as_ref()),
        }
    }

    /// How much happened to it so far, also what its timeline does not have any more.
    pub fn happened(&self) -> usize {
        self.timeline.len().saturating_add(self.left_out)
    }

    /// Adds to the timeline; of a very long one the middle goes first.
    pub fn note(&mut self, event: &str, now: UnixMillis, by: &str, attempt: Option<u32>, note: Option<String>) {
        if self.timeline.len() >= TIMELINE_ENTRIES_MAX {
            self.timeline.remove(TIMELINE_ENTRIES_MAX / 2);
            self.left_out = self.left_out.saturating_add(1);
        }
        self.timeline.push(TimelineEntry { event: event.to_owned(), at: now.0, by: by.to_owned(), attempt, note });
    }
}

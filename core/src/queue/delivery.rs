//! The deliverer as an executor: it lives at the edge, claims with a lease, and reports like a worker. It sends the call
//! to the endpoint of a webhook pool, or runs the tool that ships with the gateway.
//!
//! A delivery is handed over with all that the edge needs. Before a write is sent the edge has its hand-over accepted;
//! so what is refused before sending is certain not to have run, and what is lost after it is `unknown`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_protocol::calls::CallInput;
use toolgate_protocol::control::{EndpointState, Transport};
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{
    DELIVERIES_BYTES_MAX, DELIVERIES_MAX, DELIVERIES_STEP_MAX, DELIVERIES_UNACCEPTED_MAX, DELIVERY_LEASE_SECONDS,
    DUE_BATCH, PUSH_SECONDS, RESOLVE_SECONDS, RESOLVER_PAUSE_SECONDS, RETRY_AFTER_SECONDS_MAX,
};
use toolgate_protocol::problems;
use toolgate_protocol::webhooks::CallReply;
use toolgate_protocol::workers::ResultEntry;

use super::call::{Bucket, Call, Outcome};
use super::claims::{outcome_of, worker_of};
use super::machine::{self, CallEvent, Phase, Verdict};
use super::messages::Answer;
use super::store::{Head, Stored};
use super::target::{BuiltinTarget, DELIVERER, Target};
use super::{Step, Stepped};
use crate::builtin::DATA_UNREACHABLE;
use crate::ids::Place;
use crate::policy::{PolicyEndpoint, Snapshot};
use crate::problem::Problem;

/// Queued calls looked at per page.
const PAGE: usize = 64;
/// The lease of a delivery: look-up, deadline, and time to report.
pub(super) fn delivery_lease_seconds() -> u64 {
    DELIVERY_LEASE_SECONDS.saturating_add(RESOLVE_SECONDS)
}

/// A call on its way to what runs it: all that the edge needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Delivery {
    /// Where the report goes.
    pub place: Place,
    /// The call's public id: the `webhook-id`.
    pub call: String,
    /// Names this hand-over in the report.
    pub claim: String,
    /// The tool.
    pub tool: String,
    /// Canonical text.
    pub arguments: Box<RawValue>,
    /// Canonical text.
    pub principal: Box<RawValue>,
    /// The run, when it was asked in one.
    pub run: Option<String>,
    /// What the client answered to the tool's questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<CallInput>,
    /// From 1.
    pub attempt: u32,
    /// The class.
    pub side_effect: SideEffect,
    /// The deadline of the whole delivery.
    pub timeout_seconds: u64,
    /// What runs it. Called `endpoint` in the message, for an edge of before there was another target.
    #[serde(rename = "endpoint")]
    pub target: Target,
}

/// What the deliverer says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeliveryEnvelope {
    /// Version of these messages.
    pub v: u32,
    /// The object's place.
    pub place: Place,
    /// What links in answers begin with.
    pub base_url: String,
    /// Which hand-over.
    pub claim: String,
    /// The id and hash of the key that waits for the outcome, if one does.
    pub waits: Option<(String, String)>,
    /// What it says.
    pub report: Report,
}

/// One step of a delivery.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Report {
    /// It is about to be sent (writes), to the endpoint of this revision.
    Accept {
        /// The revision.
        revision: u64,
        /// The newest secret that it is signed with, sealed, which tells it from any other.
        secret: String,
    },
    /// The word of the endpoint, or of the gateway's own code.
    Replied(Box<CallReply>),
    /// The destination may not be called: nothing was sent.
    Refused {
        /// Why, for the audit record: who made the call need not know where the name leads.
        reason: String,
    },
    /// No resolver answered, or the message did not reach the edge: nothing was sent.
    NotTried,
    /// Something went wrong after bytes may have been sent.
    Lost {
        /// What, as a stable code.
        code: String,
        /// The endpoint asked for this pause.
        retry_after_seconds: Option<u64>,
    },
}

impl Step<'_> {
    /// The endpoint, when this is a webhook pool.
    pub(super) fn endpoint(policy: &Snapshot) -> Option<&PolicyEndpoint> {
        policy.endpoint.as_ref().filter(|_| policy.transport == Transport::Webhook)
    }

    /// What runs the calls of this agent, when it is not workers.
    fn target(&self, policy: &Snapshot, agent: &str) -> Option<Target> {
        match policy.transport {
            Transport::Worker => None,
            Transport::Webhook => policy.endpoint.clone().map(|mut endpoint| {
                endpoint.secrets.retain(|secret| secret.until.is_none_or(|until| self.now < until));
                Target::Endpoint(endpoint)
            }),
            Transport::Builtin => Some(Target::Builtin(BuiltinTarget { dataset: policy.datasets.get(agent).cloned() })),
        }
    }

    /// Hands queued calls to the edge, oldest first, while there is room: in the alarm's own step, for which any other
    /// one asks. What an inactive endpoint leaves queued is ended, as nothing would ever take it.
    pub(super) fn deliver_queued(&mut self) -> Stored<()> {
        let mut after = None;
        let Ok(policy) = self.policy() else {
            if !self.store.queued(self.now, None, 1)?.is_empty() {
                self.effects.wants_snapshot = true;
                // The registry may not answer just now, and nobody polls here who would have it asked again.
                self.queue.memory.wake_at(self.now.plus_seconds(PUSH_SECONDS));
            }
            return Ok(());
        };
        if !policy.takes_deliveries() {
            return self.refuse_queued();
        }
        if !self.delivers {
            if self.has_room() && !self.store.queued(self.now, None, 1)?.is_empty() {
                self.queue.memory.wake_at(self.now);
            }
            return Ok(());
        }
        while self.has_room() {
            let heads = self.store.queued(self.now, after.as_ref(), PAGE)?;
            let Some(last) = heads.last() else { break };
            after = Some(last.id.clone());
            for head in heads {
                if self.effects.deliveries.len() >= DELIVERIES_STEP_MAX {
                    // The rest by the next alarm.
                    self.queue.memory.wake_at(self.now);
                    return Ok(());
                }
                if self.has_room()
                    && let Some(delivery) = self.deliver_one(&policy, &head)?
                {
                    self.effects.deliveries.push(delivery);
                }
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let memory = &self.queue.memory;
        let bytes = memory.running.values().copied().fold(0, usize::saturating_add);
        // What holds a lease is a read or an accepted write.
        let unaccepted = memory.running.len().saturating_sub(memory.leases.len());
        memory.running.len() < DELIVERIES_MAX && bytes < DELIVERIES_BYTES_MAX && unaccepted < DELIVERIES_UNACCEPTED_MAX
    }

    fn deliver_one(&mut self, policy: &Snapshot, head: &Head) -> Stored<Option<Delivery>> {
        let tool = policy.tools.get(&head.tool);
        let disabled = tool.is_some_and(|tool| !tool.enabled);
        // Before its record is read: there may be many, and each step comes by.
        if disabled && tool.is_some_and(|tool| tool.contract_hash == head.contract_hash) {
            return Ok(None);
        }
        let Some(mut call) = self.current(&head.id)?.filter(|call| machine::phase(call) == Phase::Queued) else {
            return Ok(None);
        };
        if let Some(withdrawn) = policy.withdrawn(&call.accepted_under()) {
            self.invalidate(&mut call, withdrawn, Bucket::Queued)?;
            return Ok(None);
        }
        if disabled {
            return Ok(None);
        }
        self.hand_to_edge(policy, &mut call, Some(Bucket::Queued))
    }

    /// Hands a new call to the edge that submitted it, when there is room.
    pub(super) fn deliver_new(&mut self, policy: &Snapshot, call: &mut Call) -> Stored<Option<Delivery>> {
        if !self.has_room() { Ok(None) } else { self.hand_to_edge(policy, call, None) }
    }

    fn hand_to_edge(&mut self, policy: &Snapshot, call: &mut Call, was: Option<Bucket>) -> Stored<Option<Delivery>> {
        let Some(target) = self.target(policy, &call.asked.agent) else { return Ok(None) };
        let holder = || target.holder().to_owned();
        self.change(call, CallEvent::HandOut { session: holder(), worker: holder() }, target.holder(), None, was)?;
        if machine::phase(call) == Phase::Reading {
            self.set_lease(call, delivery_lease_seconds());
        }
        let job = self.job(call);
        Ok(Some(Delivery {
            place: self.place(),
            call: job.call,
            claim: job.claim,
            tool: job.tool,
            arguments: job.arguments,
            run: job.run,
            input: job.input,
            principal: job.principal,
            attempt: job.attempt,
            side_effect: job.side_effect,
            timeout_seconds: target.timeout_seconds().min(call.asked.execution_seconds),
            target,
        }))
    }

    /// Nothing is delivered to an endpoint that is not active: what waits for it ends, a bounded batch at a time.
    fn refuse_queued(&mut self) -> Stored<()> {
        let ids = self.store.in_bucket(Bucket::Queued, None, DUE_BATCH)?;
        if ids.len() >= DUE_BATCH {
            self.queue.memory.wake_at(self.now);
        }
        for id in ids {
            if let Some(mut call) = self.current(&id)?.filter(|call| machine::phase(call) == Phase::Queued) {
                self.change(&mut call, CallEvent::Refuse(suspended()), "gateway", None, Some(Bucket::Queued))?;
            }
        }
        Ok(())
    }

    /// A report of the deliverer.
    pub(super) fn report(&mut self, envelope: DeliveryEnvelope) -> Stepped {
        let DeliveryEnvelope { base_url, claim, waits, report, .. } = envelope;
        let Some((mut call, hand_over)) = self.claimed(&claim)? else { return Ok(Err(Problem::not_found())) };
        if let Report::Accept { revision, secret } = report {
            let may = self.accept_delivery(&mut call, hand_over, revision, &secret)?;
            self.dispatch()?;
            return Ok(Ok(Answer::MaySend(may)));
        }
        let counts = !matches!(report, Report::NotTried);
        let failed = !matches!(&report, Report::Replied(reply) if reply.error.is_none());
        let (event, note) = match report {
            Report::Replied(reply) => (CallEvent::Settle(hand_over, outcome_of(entry(*reply, claim))), None),
            Report::Refused { reason } => {
                let detail = serde_json::json!({ "reason": reason, "tool": call.asked.tool });
                self.audit("gateway", "delivery.refused", &self.call_id(&call), detail)?;
                (CallEvent::NotSent(hand_over, not_sent()), None)
            }
            Report::NotTried => (CallEvent::Postpone(hand_over, pause_seconds(hand_over)), None),
            Report::Lost { code, retry_after_seconds } => {
                let pause_seconds = retry_after_seconds.unwrap_or(0).min(RETRY_AFTER_SECONDS_MAX);
                let (read, write) = (lost_read(&code), lost_write(&code));
                (CallEvent::TransportLost { hand_over, read, write, pause_seconds }, Some(code))
            }
            Report::Accept { .. } => return Ok(Err(Problem::not_found())),
        };
        let (was, by) = (Bucket::of(call.state), worker_of(&call, hand_over));
        let verdict = self.change(&mut call, event, &by, note, Some(was))?;
        if counts && matches!(verdict, Verdict::Done | Verdict::Late) {
            self.count(&by, failed);
        }
        self.run_due()?;
        self.dispatch()?;
        // The outcome is kept; who asked for it may have lost its key meanwhile.
        let policy = self.queue.memory.snapshot.clone();
        let revoked = |(id, sha256): (String, String)| policy.is_none_or(|policy| !policy.is_live(&id, &sha256));
        Ok(if waits.is_some_and(revoked) {
            Err(Problem::new(problems::INVALID_KEY, "The key was revoked; use another."))
        } else {
            Ok(self.call_answer(&call, &base_url, true))
        })
    }

    /// May this write be sent? Its ground and its endpoint are looked at once more: it has certainly not started.
    fn accept_delivery(&mut self, call: &mut Call, hand_over: u32, revision: u64, secret: &str) -> Stored<bool> {
        let was = Bucket::of(call.state);
        let Some(policy) = self.queue.memory.snapshot.clone() else { return Ok(false) };
        if machine::phase(call) == Phase::HandedOver {
            if let Some(withdrawn) = policy.withdrawn(&call.accepted_under()) {
                self.invalidate(call, withdrawn, was)?;
                return Ok(false);
            }
            let event = match Step::endpoint(&policy) {
                Some(endpoint) if endpoint.state != EndpointState::Active => Some(CallEvent::Refuse(suspended())),
                // During a rotation the older secret is as good as the new one, and endpoints may not have that yet.
                Some(endpoint) if endpoint.revision == revision && endpoint.has_secret(secret, self.now) => None,
                // It goes elsewhere now (to another endpoint, or to workers), or is signed with what counts no more.
                _ => Some(CallEvent::Postpone(hand_over, 0)),
            };
            if let Some(event) = event {
                self.change(call, event, "gateway", None, Some(was))?;
                return Ok(false);
            }
        }
        // Once only: a second deliverer with the same hand-over must not send.
        let verdict = self.change(call, CallEvent::Accept(hand_over), DELIVERER, None, Some(was))?;
        Ok(verdict == Verdict::Done)
    }
}

/// The pause before the next try of what could not be tried: longer each time, so that an outage does not cost more than
/// it must.
fn pause_seconds(hand_overs: u32) -> u64 {
    let doublings = hand_overs.saturating_sub(1).min(4);
    RESOLVER_PAUSE_SECONDS.saturating_mul(1 << doublings).min(RETRY_AFTER_SECONDS_MAX)
}

fn entry(reply: CallReply, claim: String) -> ResultEntry {
    let CallReply { result, error, activity, .. } = reply;
    ResultEntry { claim, result, error, activity }
}

fn suspended() -> Outcome {
    Outcome::error("endpoint_suspended", "The pool's endpoint is not active, so this attempt was not sent.")
}

fn not_sent() -> Outcome {
    Outcome::error("not_sent", "The endpoint's address may not be called now, so this attempt was not sent.")
}

fn lost_read(code: &str) -> Outcome {
    let message = match code {
        DATA_UNREACHABLE => "The data set could not be read, at every attempt.",
        _ => "The endpoint gave no valid reply, at every attempt.",
    };
    Outcome::error(code, message)
}

fn lost_write(code: &str) -> Outcome {
    let message = "The endpoint gave no valid reply after the call was sent. Whether it happened is not known; it will not be sent again.";
    Outcome::error(code, message)
}

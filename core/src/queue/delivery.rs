//! The webhook deliverer as an executor: it lives at the edge, claims with a lease, and reports like a worker.
//!
//! A delivery is handed over with all that the edge needs. Before a write is sent the edge has its hand-over accepted;
//! so what is refused before sending is certain not to have run, and what is lost after it is `unknown`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_protocol::control::{EndpointState, Transport};
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::limits::{
    DELIVERIES_MAX, DELIVERY_LEASE_SECONDS, DUE_BATCH, PUSH_SECONDS, RESOLVE_SECONDS, RESOLVER_PAUSE_SECONDS,
    RETRY_AFTER_SECONDS_MAX,
};
use toolgate_protocol::webhooks::CallReply;
use toolgate_protocol::workers::ResultEntry;

use super::call::{Bucket, Call, Outcome};
use super::claims::outcome_of;
use super::machine::{self, CallEvent, Phase, Verdict};
use super::messages::Answer;
use super::store::{Head, Stored};
use super::{Step, Stepped};
use crate::ids::Place;
use crate::policy::{PolicyEndpoint, Snapshot};
use crate::problem::Problem;

/// The holder of every delivery's claim, in timelines and numbers.
pub const DELIVERER: &str = "webhook";

/// Queued calls looked at per page.
const PAGE: usize = 64;
/// Arguments that one step hands to the edge.
const DELIVERED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A call on its way to an endpoint: all that the edge needs.
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
    /// From 1.
    pub attempt: u32,
    /// The class.
    pub side_effect: SideEffect,
    /// The deadline of the whole delivery.
    pub timeout_seconds: u64,
    /// The endpoint as the policy has it.
    pub endpoint: PolicyEndpoint,
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
    /// What it says.
    pub report: Report,
}

/// One step of a delivery.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Report {
    /// It is about to be sent (writes).
    Accept,
    /// The endpoint's word.
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

    /// Hands queued calls to the edge, oldest first, while there is room. What an inactive endpoint leaves queued is
    /// ended, as nothing would ever take it.
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
        if Step::endpoint(&policy).is_none_or(|endpoint| endpoint.state != EndpointState::Active) {
            return self.refuse_queued();
        }
        // Of the whole step: learning a policy and doing what is due both come here.
        let handed = self.effects.deliveries.iter().map(|delivery| delivery.arguments.get().len());
        let mut bytes = handed.fold(0, usize::saturating_add);
        while self.has_room() {
            let heads = self.store.queued(self.now, after.as_ref(), PAGE)?;
            let Some(last) = heads.last() else { break };
            after = Some(last.id.clone());
            for head in heads {
                if self.has_room()
                    && bytes < DELIVERED_BYTES_MAX
                    && let Some(delivery) = self.deliver_one(&policy, &head)?
                {
                    bytes = bytes.saturating_add(delivery.arguments.get().len());
                    self.effects.deliveries.push(delivery);
                }
            }
            if bytes >= DELIVERED_BYTES_MAX {
                // The rest by the next step: what is on its way to the edge stands in memory more than once.
                self.queue.memory.wake_at(self.now);
                break;
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.queue.memory.running.len() < DELIVERIES_MAX
    }

    fn deliver_one(&mut self, policy: &Snapshot, head: &Head) -> Stored<Option<Delivery>> {
        let disabled = policy.tools.get(&head.tool).is_some_and(|tool| !tool.enabled);
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
        let Some(endpoint) = Step::endpoint(policy) else { return Ok(None) };
        let holder = || DELIVERER.to_owned();
        self.change(call, CallEvent::HandOut { session: holder(), worker: holder() }, DELIVERER, None, was)?;
        if machine::phase(call) == Phase::Reading {
            self.set_lease(call, DELIVERY_LEASE_SECONDS.saturating_add(RESOLVE_SECONDS));
        }
        let job = self.job(call);
        let mut endpoint = endpoint.clone();
        endpoint.secrets.retain(|secret| secret.until.is_none_or(|until| self.now < until));
        Ok(Some(Delivery {
            place: self.place(),
            call: job.call,
            claim: job.claim,
            tool: job.tool,
            arguments: job.arguments,
            principal: job.principal,
            attempt: job.attempt,
            side_effect: job.side_effect,
            timeout_seconds: endpoint.timeout_seconds.min(call.asked.execution_seconds),
            endpoint,
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
        let DeliveryEnvelope { base_url, claim, report, .. } = envelope;
        let Some((mut call, hand_over)) = self.claimed(&claim)? else { return Ok(Err(Problem::not_found())) };
        if let Report::Accept = report {
            return self.accept_delivery(&mut call, hand_over).map(|may| Ok(Answer::MaySend(may)));
        }
        let failed = !matches!(&report, Report::Replied(reply) if reply.error.is_none());
        let (event, note) = match report {
            Report::Replied(reply) => (CallEvent::Settle(hand_over, outcome_of(entry(*reply, claim))), None),
            Report::Refused { reason } => {
                let detail = serde_json::json!({ "reason": reason, "tool": call.asked.tool });
                self.audit("gateway", "delivery.refused", &self.call_id(&call), detail)?;
                (CallEvent::NotSent(hand_over, not_sent()), None)
            }
            Report::NotTried => (CallEvent::Postpone(hand_over, RESOLVER_PAUSE_SECONDS), None),
            Report::Lost { code, retry_after_seconds } => {
                let pause_seconds = retry_after_seconds.unwrap_or(0).min(RETRY_AFTER_SECONDS_MAX);
                let (read, write) = (lost_read(&code), lost_write(&code));
                (CallEvent::TransportLost { hand_over, read, write, pause_seconds }, Some(code))
            }
            Report::Accept => return Ok(Err(Problem::not_found())),
        };
        let was = Bucket::of(call.state);
        let verdict = self.change(&mut call, event, DELIVERER, note, Some(was))?;
        if matches!(verdict, Verdict::Done | Verdict::Late) {
            self.count(DELIVERER, failed);
        }
        self.run_due()?;
        self.dispatch()?;
        Ok(Ok(self.call_answer(&call, &base_url, true)))
    }

    /// May this write be sent? Its ground and its endpoint are looked at once more: it has certainly not started.
    fn accept_delivery(&mut self, call: &mut Call, hand_over: u32) -> Stored<bool> {
        let was = Bucket::of(call.state);
        if machine::phase(call) == Phase::HandedOver
            && let Some(policy) = self.queue.memory.snapshot.clone()
        {
            if let Some(withdrawn) = policy.withdrawn(&call.accepted_under()) {
                self.invalidate(call, withdrawn, was)?;
                self.dispatch()?;
                return Ok(false);
            }
            // Workers serve the pool now, or the endpoint is not active any more.
            let event = match Step::endpoint(&policy).map(|endpoint| endpoint.state) {
                Some(EndpointState::Active) => None,
                Some(_) => Some(CallEvent::Refuse(suspended())),
                None => Some(CallEvent::Postpone(hand_over, 0)),
            };
            if let Some(event) = event {
                self.change(call, event, "gateway", None, Some(was))?;
                self.dispatch()?;
                return Ok(false);
            }
        }
        // Once only: a second deliverer with the same hand-over must not send.
        let verdict = self.change(call, CallEvent::Accept(hand_over), DELIVERER, None, Some(was))?;
        Ok(verdict == Verdict::Done)
    }
}

fn entry(reply: CallReply, claim: String) -> ResultEntry {
    let CallReply { result, error, activity, .. } = reply;
    ResultEntry { claim, result, error, activity }
}

fn suspended() -> Outcome {
    Outcome::error("endpoint_suspended", "The pool's endpoint is not active, so the call was not sent.")
}

fn not_sent() -> Outcome {
    Outcome::error("not_sent", "The endpoint's address may not be called now, so nothing was sent.")
}

fn lost_read(code: &str) -> Outcome {
    Outcome::error(code, "The endpoint gave no valid reply, at every attempt.")
}

fn lost_write(code: &str) -> Outcome {
    let message = "The endpoint gave no valid reply after the call was sent. Whether it happened is not known; it will not be sent again.";
    Outcome::error(code, message)
}

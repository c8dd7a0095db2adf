//! Reading: who may see a call, timelines, lists, numbers.

use toolgate_protocol::calls::TimelineEntry;
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::LIST_MAX;
use toolgate_protocol::lists::{
    CallEvents, CallPage, EndpointStats, EventView, EvidenceView, PoolStats, Rates, WorkerStats,
};

use super::call::{Bucket, Call};
use super::delivery::DELIVERER;
use super::memory::Health;
use super::messages::Answer;
use super::store::{Filter, Stored};
use super::views::raw;
use super::{Step, Stepped};
use crate::ids::LocalId;
use crate::keys::Identity;
use crate::principal::Principal;
use crate::problem::Problem;
use crate::time::UnixMillis;

impl Step<'_> {
    /// A call, for who may see it; to others it is not there.
    pub fn visible(&mut self, who: &Identity, id: &LocalId) -> Stored<Result<Call, Problem>> {
        let call = self.current(id)?.filter(|call| may_see(who, call));
        Ok(call.ok_or_else(Problem::not_found))
    }

    /// A call's timeline.
    pub fn events(&mut self, who: &Identity, id: &LocalId) -> Stepped {
        let call = match self.visible(who, id)? {
            Ok(call) => call,
            Err(problem) => return Ok(Err(problem)),
        };
        let (timeline, evidence) = (call.timeline.iter().cloned(), call.evidence.iter());
        let events = timeline.map(|TimelineEntry { event, at, by, attempt, note }| EventView {
            event,
            at: UnixMillis(at).rfc3339(),
            by,
            attempt,
            note,
        });
        let evidence = evidence.map(|piece| EvidenceView {
            hand_over: piece.hand_over,
            says: piece.says.clone(),
            at: piece.at.rfc3339(),
        });
        let (events, evidence) = (events.collect(), evidence.collect());
        let arguments = raw(&call.asked.arguments);
        Ok(Ok(Answer::Events(Box::new(CallEvents { call: self.call_id(&call), arguments, events, evidence }))))
    }

    /// Calls, newest first, without their results.
    pub fn list(&mut self, base_url: &str, filter: &Filter, limit: usize) -> Stepped {
        let limit = limit.clamp(1, LIST_MAX);
        let mut calls = self.store.list(filter, limit.saturating_add(1))?;
        let more = calls.len() > limit;
        calls.truncate(limit);
        let next_cursor = calls.last().filter(|_| more).map(|call| call.id.as_str().to_owned());
        let calls = calls.iter().map(|call| self.call_view(call, base_url)).collect();
        Ok(Ok(Answer::Calls(Box::new(CallPage { calls, next_cursor }))))
    }

    /// An approval, decided or not.
    pub fn approval(&mut self, id: &LocalId) -> Stepped {
        Ok(match self.current(id)?.filter(|call| call.approval.is_some()) {
            Some(call) => Ok(Answer::Approval(Box::new(self.approval_view(&call)?))),
            None => Err(Problem::not_found()),
        })
    }

    /// Depth and health.
    pub fn stats(&mut self) -> Stepped {
        let (depth, running, waiting) =
            (self.store.count(Bucket::Queued)?, self.store.count(Bucket::Running)?, self.store.count(Bucket::Parked)?);
        let oldest = self.store.queued(self.now, None, 1)?.first().map(|head| self.now.seconds_from(head.id.time()));
        let polls = self.queue.memory.polls();
        let mut workers = Vec::new();
        for (id, live) in &self.queue.memory.seen {
            let health = self.queue.memory.health.get(&live.worker).copied().unwrap_or_default();
            workers.push(WorkerStats {
                worker: live.worker.clone(),
                session: id.clone(),
                last_seen_seconds: self.now.seconds_from(live.at),
                polling: polls.iter().any(|(_, owner, _)| owner == id),
                rates: rates(health),
            });
        }
        // A call that waits while somebody polls is one that no live worker announces as it was accepted.
        let stuck = depth > 0 && !polls.is_empty();
        let alerts = stuck.then(|| "calls_wait_while_workers_poll".to_owned()).into_iter().collect();
        Ok(Ok(Answer::Stats(Box::new(PoolStats {
            depth,
            running,
            waiting_approval: waiting,
            oldest_queued_seconds: oldest,
            workers,
            endpoint: self.endpoint_stats(),
            alerts,
            rows_written: self.queue.memory.rows_written,
        }))))
    }
}

impl Step<'_> {
    /// The endpoint of a webhook pool and how its deliveries go; null for other pools.
    fn endpoint_stats(&self) -> Option<EndpointStats> {
        let policy = self.queue.memory.snapshot.as_ref();
        let endpoint = policy.and_then(|policy| Step::endpoint(policy))?;
        let health = self.queue.memory.health.get(DELIVERER).copied().unwrap_or_default();
        Some(EndpointStats { state: endpoint.state, revision: endpoint.revision, rates: rates(health) })
    }
}

/// Outcomes as numbers for people.
fn rates(health: Health) -> Rates {
    let total = health.succeeded.saturating_add(health.failed);
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = if total == 0 { 0.0 } else { health.failed as f64 / total as f64 };
    Rates { succeeded: health.succeeded, failed: health.failed, failure_rate: rate }
}

fn may_see(who: &Identity, call: &Call) -> bool {
    match who.role {
        Role::Admin | Role::Approver => true,
        Role::Caller => who.scope.agents.as_ref().is_none_or(|agents| agents.contains(&call.asked.agent)),
        Role::Agent => {
            let own = who.scope.principal.as_ref().and_then(|raw| Principal::parse(raw.get()).ok());
            let same = own.is_some_and(|own| (own.tenant_id, own.id) == call.asked.principal_key);
            let in_run = who.scope.run.as_ref().is_none_or(|scope| call.asked.run.as_ref() == Some(&scope.run));
            same && in_run && who.scope.agent.as_ref() == Some(&call.asked.agent)
        }
        Role::Worker => false,
    }
}

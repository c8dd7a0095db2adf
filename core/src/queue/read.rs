//! Reading: who may see a call, timelines, lists, numbers.

use serde::Serialize;
use serde_json::json;
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::LIST_MAX;

use super::call::{Bucket, Call};
use super::delivery::DELIVERER;
use super::memory::Health;
use super::messages::Answer;
use super::store::{Filter, Stored};
use super::{Step, Stepped};
use crate::ids::LocalId;
use crate::keys::Identity;
use crate::principal::Principal;
use crate::problem::Problem;
use crate::time::UnixMillis;

/// An entry of a timeline, as shown.
#[derive(Serialize)]
struct EventView<'a> {
    event: &'a str,
    at: String,
    by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

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
        let events: Vec<EventView<'_>> = call
            .timeline
            .iter()
            .map(|entry| EventView {
                event: &entry.event,
                at: UnixMillis(entry.at).rfc3339(),
                by: &entry.by,
                attempt: entry.attempt,
                note: entry.note.as_deref(),
            })
            .collect();
        let evidence: Vec<serde_json::Value> = call
            .evidence
            .iter()
            .map(|piece| json!({ "hand_over": piece.hand_over, "says": piece.says, "at": piece.at.rfc3339() }))
            .collect();
        Ok(Ok(Answer::Events(json!({ "call": self.call_id(&call), "events": events, "evidence": evidence }))))
    }

    /// Calls, newest first, without their results.
    pub fn list(&mut self, base_url: &str, filter: &Filter, limit: usize) -> Stepped {
        let limit = limit.clamp(1, LIST_MAX);
        let mut calls = self.store.list(filter, limit.saturating_add(1))?;
        let more = calls.len() > limit;
        calls.truncate(limit);
        let next_cursor = calls.last().filter(|_| more).map(|call| call.id.as_str().to_owned());
        let calls = calls.iter().map(|call| self.call_view(call, base_url)).collect();
        Ok(Ok(Answer::Calls { calls, next_cursor }))
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
            let worker = json!({
                "worker": live.worker, "session": id, "last_seen_seconds": self.now.seconds_from(live.at),
                "polling": polls.iter().any(|(_, owner, _)| owner == id),
            });
            workers.push(joined(worker, rates(health)));
        }
        // A call that waits while somebody polls is one that no live worker announces as it was accepted.
        let stuck = depth > 0 && !polls.is_empty();
        let alerts: Vec<&str> = stuck.then_some("calls_wait_while_workers_poll").into_iter().collect();
        let endpoint = self.endpoint_stats();
        Ok(Ok(Answer::Stats(json!({
            "depth": depth, "running": running, "waiting_approval": waiting, "oldest_queued_seconds": oldest, "workers": workers, "endpoint": endpoint, "alerts": alerts,
            "rows_written": self.queue.memory.rows_written,
        }))))
    }
}

impl Step<'_> {
    /// The endpoint of a webhook pool and how its deliveries go; null for other pools.
    fn endpoint_stats(&self) -> serde_json::Value {
        let policy = self.queue.memory.snapshot.as_ref();
        let Some(endpoint) = policy.and_then(|policy| Step::endpoint(policy)) else { return serde_json::Value::Null };
        let health = self.queue.memory.health.get(DELIVERER).copied().unwrap_or_default();
        joined(json!({ "state": endpoint.state, "revision": endpoint.revision }), rates(health))
    }
}

fn joined(mut members: serde_json::Value, more: serde_json::Value) -> serde_json::Value {
    if let (Some(members), serde_json::Value::Object(more)) = (members.as_object_mut(), more) {
        members.extend(more);
    }
    members
}

/// Outcomes as numbers for people.
fn rates(health: Health) -> serde_json::Value {
    let total = health.succeeded.saturating_add(health.failed);
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = if total == 0 { 0.0 } else { health.failed as f64 / total as f64 };
    json!({ "succeeded": health.succeeded, "failed": health.failed, "failure_rate": rate })
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

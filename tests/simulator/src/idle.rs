//! Nobody waits in vain: what can go on goes on, or is about to by itself.

use toolgate_core::queue::call::{Bucket, Call};
use toolgate_core::queue::store::Store as _;
use toolgate_protocol::control::{EndpointState, Transport};
use toolgate_protocol::limits::{
    DELIVERIES_MAX, DELIVERIES_UNACCEPTED_MAX, DELIVERY_LEASE_SECONDS, PUSH_SECONDS, RESOLVE_SECONDS,
};

use crate::checks::Checked;
use crate::world::{Waits, World};

/// Room that anything but a report has made (a cancel, say) may be filled only when the next lease is over.
const FILLED_SECONDS: u64 = DELIVERY_LEASE_SECONDS + RESOLVE_SECONDS;

impl World {
    /// A held request whose call has ended was answered; a poll waits only while no queued call fits it.
    pub(crate) fn nobody_waits_in_vain(&mut self) -> Checked {
        let (running, leased) = (self.queue.memory.running.len(), self.queue.memory.leases.len());
        if running >= DELIVERIES_MAX || running.saturating_sub(leased) >= DELIVERIES_UNACCEPTED_MAX {
            self.full_at = Some(self.now);
        }
        for (waits, _) in self.held.values() {
            if let Waits::Caller(id) = waits
                && self.store.peek(id).is_none_or(Call::ended)
            {
                return Err(format!("a caller waits for {id:?}, which has ended"));
            }
        }
        self.no_poll_is_passed_by()?;
        self.no_delivery_is_held_back()?;
        for name in self.held.keys() {
            if !self.queue.memory.waiters.contains_key(name) {
                return Err(format!("the request {name} is held and the queue has forgotten it"));
            }
        }
        Ok(())
    }

    /// A poll of a live session waits only while no queued call fits it (under a policy that is known to be fresh).
    fn no_poll_is_passed_by(&self) -> Checked {
        let memory = &self.queue.memory;
        let Some(policy) = memory.snapshot.as_ref().filter(|_| self.queue.snapshot_is_fresh(self.now)) else {
            return Ok(());
        };
        for (name, session, _) in memory.polls() {
            let Some(live) = memory.seen.get(&session) else { continue };
            let Ok(Some(manifest)) = self.store.manifest(&live.manifest) else { continue };
            let silent = self.now.0.saturating_sub(live.at.0) >= 60_000;
            for head in self.store.queued(self.now, None, 50).map_err(|error| error.to_string())? {
                let enabled = policy.tools.get(&head.tool).is_some_and(|tool| tool.enabled);
                let Some(call) = self.store.peek(&head.id).filter(|_| enabled && !silent) else { continue };
                let fits = manifest.contracts.get(&head.tool) == Some(&head.contract_hash);
                let due = call.queue_deadline <= self.now || policy.withdrawn(&call.accepted_under()).is_some();
                if fits && !due && memory.next_due > self.now {
                    return Err(format!("the poll {name} waits while {:?} is queued and fits it", head.id));
                }
            }
        }
        Ok(())
    }

    /// A call of a webhook pool waits only while there is no room, or for a policy that is asked for again and again;
    /// for an endpoint that is not active none waits, and no worker is kept waiting.
    fn no_delivery_is_held_back(&self) -> Checked {
        let memory = &self.queue.memory;
        let webhook = memory.snapshot.as_ref().filter(|policy| policy.transport == Transport::Webhook);
        let Some(policy) = webhook else { return Ok(()) };
        if let Some((name, ..)) = memory.polls().first() {
            return Err(format!("the poll {name} waits in a pool that workers do not serve"));
        }
        if memory.next_due <= self.now {
            return Ok(());
        }
        let fresh = self.queue.snapshot_is_fresh(self.now);
        let active = policy.endpoint.as_ref().is_some_and(|endpoint| endpoint.state == EndpointState::Active);
        if fresh && !active {
            let queued = self.store.in_bucket(Bucket::Queued, None, 1).map_err(|error| error.to_string())?;
            return match queued.first() {
                Some(id) => Err(format!("4: {id:?} waits for an endpoint that is not active")),
                None => Ok(()),
            };
        }
        let full = self.full_at.is_some_and(|at| self.now < at.plus_seconds(FILLED_SECONDS));
        let asked_again = !fresh && memory.next_due <= self.now.plus_seconds(PUSH_SECONDS);
        if fresh && full || asked_again {
            return Ok(());
        }
        for head in self.store.queued(self.now, None, 50).map_err(|error| error.to_string())? {
            // Of a disabled tool the queue deadline decides, whatever else was lost.
            let tool = policy.tools.get(&head.tool);
            if tool.is_none_or(|tool| tool.enabled || tool.contract_hash != head.contract_hash) {
                return Err(format!("4: {:?} waits although it could be delivered", head.id));
            }
        }
        Ok(())
    }
}

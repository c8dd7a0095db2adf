//! What the object's shell does: steps in transactions, kills, storage that fails, held requests, effects; and the
//! checks after each step.

use std::cell::Cell;
use std::collections::BTreeSet;

use toolgate_core::ids::{IdKind, LocalId};
use toolgate_core::keys::Identity;
use toolgate_core::queue::call::Call;
use toolgate_core::queue::memory::Waiting;
use toolgate_core::queue::messages::{Answer, Ask, Envelope, Reply, Submit, VERSION};
use toolgate_core::queue::store::Store as _;
use toolgate_core::queue::{Effects, Event, Outcome, Queue};
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::workers::ClaimStatus;

use crate::bugs::Bug;
use crate::checks::{self, Checked};
use crate::rough::Rough;
use crate::workers::{Held, Stage, Worker};
use crate::world::{Done, Waits, World, ids};

impl World {
    /// Evicted or killed: memory is gone, and everybody who was held is disconnected.
    pub(crate) fn rebuild(&mut self) {
        self.queue = Queue::new(ids());
        self.held.clear();
        self.record(Done::Rebuilt, String::new());
    }

    /// The storage fails in the middle of a step: nothing of the step may remain, and nobody may be left waiting.
    pub(crate) fn fault(&mut self) -> Checked {
        let before = self.store.clone();
        let fails_after = self.random.below(14);
        let at = self.now.plus_seconds(self.random.below(30) as u64);
        self.now = at;
        if self.step_raw(Event::Tick, Some(fails_after))?.is_some() {
            // It got by with fewer operations: an ordinary step whose effects were lost, as by a kill.
            self.rebuild();
            return Ok(());
        }
        self.store = before;
        for (name, _) in self.queue.forget() {
            self.held.remove(&name);
        }
        if self.held.is_empty() { Ok(()) } else { Err("a storage error left a request unanswered".into()) }
    }

    /// A request through the shell: the policy first, when the request needs it fresh.
    pub(crate) fn ask(&mut self, waits: Waits, who: Identity, ask: Ask) -> Checked {
        if !self.queue.memory.ready {
            self.step(Event::Tick)?;
        }
        if self.queue.needs_snapshot(&ask, &who, self.now) && self.random.chance(970) {
            self.give_policy()?;
        }
        let submitted = if let Ask::Submit(submit) = &ask { Some(submit.clone()) } else { None };
        let envelope = Envelope { v: VERSION, place: self.place.clone(), who, base_url: "http://gate".into(), ask };
        let Some(effects) = self.step_for(waits, Event::Ask(Box::new(envelope)))? else { return Ok(()) };
        if let Some(submit) = submitted {
            self.acknowledge(&submit, &effects.outcome);
        }
        Ok(())
    }

    /// The caller was told that the call is accepted: from now on it must not be lost.
    pub(crate) fn acknowledge(&mut self, submit: &Submit, outcome: &Outcome) {
        let id = match outcome {
            Outcome::Reply(Ok(Answer::Call { view, .. })) => {
                self.queue.ids.read(IdKind::Call, "acme", &view.call).map(|(_, id)| id)
            }
            Outcome::Hold(name, _) => self.queue.memory.waiters.get(name).and_then(|waiter| match &waiter.waiting {
                Waiting::Call { id, .. } => Some(id.clone()),
                Waiting::Poll { .. } => None,
            }),
            Outcome::Reply(_) => None,
        };
        if let Some(id) = id
            && let Ok(arguments) =
                toolgate_core::contract::read_arguments(submit.arguments.as_ref().map(|raw| raw.get()))
        {
            if !self.ledger.acknowledged.contains_key(&id) {
                self.known_calls.push(id.clone());
            }
            self.ledger.acknowledged.insert(id, arguments.canonical());
        }
    }

    /// As the shell does it: a held request is known before anything else happens.
    pub(crate) fn receive(&mut self, waits: Waits, outcome: &Outcome) -> Checked {
        match outcome {
            Outcome::Hold(name, deadline) => {
                let waits = match (&waits, self.queue.memory.waiters.get(name).map(|waiter| &waiter.waiting)) {
                    (Waits::Nobody, Some(Waiting::Call { id, .. })) => Waits::Caller(id.clone()),
                    _ => waits,
                };
                self.held.insert(*name, (waits, *deadline));
                Ok(())
            }
            Outcome::Reply(reply) => self.hear(waits, reply.clone()),
        }
    }

    /// A worker hears an answer, unless it is frozen: then the answer is lost.
    pub(crate) fn hear(&mut self, waits: Waits, reply: Reply) -> Checked {
        let Waits::Poll(index) = waits else { return Ok(()) };
        if self.workers[index].frozen {
            return Ok(());
        }
        let worker = &mut self.workers[index];
        match reply {
            Ok(Answer::Registered(answer)) => worker.session = Some(answer.session),
            Ok(Answer::Poll(answer)) => {
                for status in answer.accepts {
                    Self::hear_status(worker, &status);
                }
                for status in answer.results {
                    Self::hear_status(worker, &status);
                }
                for job in answer.jobs {
                    let (_, id) = self
                        .queue
                        .ids
                        .read(IdKind::Call, "acme", &job.call)
                        .ok_or("9: a job's call id does not read")?;
                    if let Some(call) = self.store.peek(&id) {
                        checks::bytes(&self.ledger, call, job.arguments.get())?;
                    }
                    worker.jobs.push(Held { job, stage: Stage::Received });
                }
            }
            Ok(Answer::Claims(statuses) | Answer::Results(statuses)) => {
                statuses.iter().for_each(|status| Self::hear_status(worker, status))
            }
            Err(problem) if problem.kind.status == 409 => worker.session = None,
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn hear_status(worker: &mut Worker, status: &ClaimStatus) {
        let job = worker.jobs.iter().position(|held| held.job.claim == status.claim);
        let Some(at) = job else { return };
        match status.status.as_str() {
            "accepted" if worker.jobs[at].stage == Stage::Received => worker.jobs[at].stage = Stage::Cleared,
            "recorded" | "repeated" | "late" | "returned" => drop(worker.jobs.swap_remove(at)),
            "claim_lost" | "deadline_exceeded" if worker.jobs[at].stage != Stage::Ran => {
                drop(worker.jobs.swap_remove(at))
            }
            _ => {}
        }
    }

    /// One step with all that follows: commit, perhaps a kill, effects, checks. `None` when the object was killed.
    pub(crate) fn step(&mut self, event: Event) -> Result<Option<Effects>, String> {
        self.step_for(Waits::Nobody, event)
    }

    pub(crate) fn step_for(&mut self, waits: Waits, event: Event) -> Result<Option<Effects>, String> {
        self.steps += 1;
        let given_up = if let Event::WaiterDue(name) = event { Some(name) } else { None };
        let Some(mut effects) = self.step_raw(event, None)? else { return Err("the storage failed by itself".into()) };
        self.check(&effects)?;
        if self.random.chance(8) {
            // Killed between commit and effects.
            self.rebuild();
            return Ok(None);
        }
        if self.bug == Some(Bug::AcceptsAStaleClaim)
            && let Outcome::Reply(Ok(Answer::Claims(statuses))) = &mut effects.outcome
        {
            statuses
                .iter_mut()
                .filter(|status| status.status == "claim_lost")
                .for_each(|status| status.status = "accepted".into());
        }
        self.receive(waits, &effects.outcome)?;
        let mut answers = std::mem::take(&mut effects.answers);
        if let Some(name) = given_up.filter(|name| answers.iter().any(|(answered, _)| answered == name)) {
            return Err(format!("the request {name} was answered while it was being given up: the answer is lost"));
        }
        if self.bug == Some(Bug::LosesAWaiter) && self.random.chance(100) {
            answers.pop();
        }
        for (name, reply) in answers {
            if let Some((waits, _)) = self.held.remove(&name) {
                self.hear(waits, reply)?;
            }
        }
        self.nobody_waits_in_vain()?;
        if effects.wants_snapshot && self.random.chance(900) && !self.give_policy()? {
            return Ok(None);
        }
        Ok(Some(effects))
    }

    /// `None` when the storage failed.
    pub(crate) fn step_raw(&mut self, event: Event, fails_after: Option<usize>) -> Result<Option<Effects>, String> {
        let entropy = self.random.bytes();
        self.store.at(self.now);
        let done = Done::Step(event.clone(), self.now, entropy, fails_after);
        let retries_writes = self.bug == Some(Bug::RetriesAWrite);
        let mut store = Rough { store: &mut self.store, fails_after: Cell::new(fails_after), retries_writes };
        let effects = self.queue.step(&mut store, event, self.now, entropy);
        if self.log.is_some() {
            self.record(done, format!("{effects:?}"));
        }
        match effects {
            Ok(effects) => {
                self.alarm = effects.alarm.or(self.alarm);
                Ok(Some(effects))
            }
            Err(_) if fails_after.is_some() => Ok(None),
            Err(error) => Err(format!("the storage failed by itself: {}", error)),
        }
    }

    pub(crate) fn record(&mut self, done: Done, effects: String) {
        if let Some(log) = &mut self.log {
            log.push((done, effects));
        }
    }

    pub(crate) fn check(&mut self, effects: &Effects) -> Checked {
        let mut touched: BTreeSet<&LocalId> = BTreeSet::new();
        for transition in &effects.transitions {
            self.ledger.visited.insert((transition.from, transition.event));
            touched.insert(&transition.call);
            if transition.event == "hand_out" {
                let known = self.queue.memory.snapshot.as_ref().map_or(0, |policy| policy.version);
                let Some(call) = self.store.peek(&transition.call).cloned() else { continue };
                self.check_hand_out(&call, known)?;
            }
        }
        for id in touched {
            if let Some(call) = self.store.peek(id) {
                checks::moved(&mut self.ledger, call, self.now)?;
            }
        }
        Ok(())
    }

    pub(crate) fn check_hand_out(&mut self, call: &Call, known: u64) -> Checked {
        let asked = &call.asked;
        let allowed =
            self.truth.allowed(self.now, known, &asked.tool, &asked.agent, &asked.key_id, &asked.contract_hash);
        if !allowed {
            return Err(format!("8: {:?} was handed out against the policy {known}", call.id));
        }
        if call.queue_deadline <= self.now {
            return Err(format!("4: {:?} was handed out after its queue deadline", call.id));
        }
        if asked.side_effect == SideEffect::Consequential
            && call.approval.as_ref().is_none_or(|approval| approval.state != "approved")
        {
            return Err(format!("1: {:?} was handed out without an approval", call.id));
        }
        Ok(())
    }

    /// A held request whose call has ended was answered; a poll waits only while no queued call fits it.
    pub(crate) fn nobody_waits_in_vain(&self) -> Checked {
        for (waits, _) in self.held.values() {
            if let Waits::Caller(id) = waits
                && self.store.peek(id).is_none_or(Call::ended)
            {
                return Err(format!("a caller waits for {id:?}, which has ended"));
            }
        }
        self.no_poll_is_passed_by()?;
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
}

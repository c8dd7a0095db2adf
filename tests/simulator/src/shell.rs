//! What the object's shell does: steps in transactions, kills, storage that fails, held requests, effects; and the
//! checks after each step.

use std::cell::Cell;
use std::collections::BTreeSet;

use toolgate_core::ids::{IdKind, LocalId};
use toolgate_core::keys::Identity;
use toolgate_core::queue::call::Call;
use toolgate_core::queue::delivery::Report;
use toolgate_core::queue::machine::Phase;
use toolgate_core::queue::memory::Waiting;
use toolgate_core::queue::messages::{Answer, Ask, Envelope, Reply, Submit, VERSION};
use toolgate_core::queue::target::DELIVERER;
use toolgate_core::queue::{Effects, Event, Outcome, Queue};
use toolgate_protocol::control::Role;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::workers::ClaimStatus;

use crate::bugs::Bug;
use crate::checks::{self, Checked};
use crate::rough::{Requeues, Rough};
use crate::truth::identity;
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
        let fails_after = self.random.below(16);
        let at = self.now.plus_seconds(self.random.below(30) as u64);
        self.now = at;
        let event = self.any_event();
        if let Some(effects) = self.step_raw(event, Some(fails_after))? {
            // It got by with fewer operations: an ordinary step whose effects were lost, as by a kill.
            self.check(&effects)?;
            self.rebuild();
            return Ok(());
        }
        self.store = before;
        for (name, _) in self.queue.forget() {
            self.held.remove(&name);
        }
        if self.held.is_empty() { Ok(()) } else { Err("a storage error left a request unanswered".into()) }
    }

    /// One of the events that do much: time, a policy, a submission, a report.
    fn any_event(&mut self) -> Event {
        match self.random.below(6) {
            0 => Event::Snapshot(Box::new(self.truth.now.snapshot())),
            1 => {
                let ask = Ask::Submit(self.submission());
                Event::Ask(Box::new(self.envelope_of(identity(Role::Caller, "caller"), ask)))
            }
            2 | 3 if !self.reports.is_empty() => {
                let at = self.random.below(self.reports.len());
                Event::Report(Box::new(self.reports.swap_remove(at)))
            }
            _ => Event::Tick,
        }
    }

    fn envelope_of(&self, who: Identity, ask: Ask) -> Envelope {
        Envelope { v: VERSION, place: self.place.clone(), who, base_url: "http://gate".into(), ask }
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
        let envelope = self.envelope_of(who, ask);
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
            Outcome::Reply(Ok(Answer::Deliver(made))) => {
                self.queue.ids.read(IdKind::Call, "acme", &made.view.call).map(|(_, id)| id)
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
                let parked = self.store.peek(&id).and_then(|call| call.approval.as_ref());
                self.ledger.ends.extend(parked.map(|approval| (id.clone(), approval.expires_at)));
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
        let asks_leave = match &event {
            Event::Report(envelope) => match &envelope.report {
                Report::Accept { secret, .. } => Some((envelope.claim.clone(), secret.clone())),
                _ => None,
            },
            _ => None,
        };
        let Some(mut effects) = self.step_raw(event, None)? else { return Err("the storage failed by itself".into()) };
        self.check(&effects)?;
        if let (Some((claim, secret)), Outcome::Reply(Ok(Answer::MaySend(true)))) = (asks_leave, &effects.outcome) {
            let (id, _) = self.queue.ids.read_claim(&self.place, &claim).ok_or("6: an unreadable claim may send")?;
            if !self.ledger.cleared.insert(id.clone()) {
                return Err(format!("2: a second deliverer was told that it may send {id:?}"));
            }
            let endpoint = self.queue.memory.snapshot.as_ref().and_then(|policy| policy.endpoint.as_ref());
            if !endpoint.is_some_and(|endpoint| endpoint.has_secret(&secret, self.now)) {
                return Err(format!("11: {id:?} may be sent with {secret}, which counts no more"));
            }
        }
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
        if let Outcome::Reply(Ok(Answer::Deliver(made))) = &effects.outcome {
            self.check_delivery(&made.delivery)?;
            // The edge that submits it delivers it, unless it dies.
            if !self.random.chance(60) {
                self.take_up(made.delivery.clone());
            }
        }
        for delivery in std::mem::take(&mut effects.deliveries) {
            self.send_to_edge(delivery)?;
        }
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
        let requeues = match self.bug {
            Some(Bug::RetriesAWrite) => Requeues::Everything,
            Some(Bug::RequeuesALostReply) => Requeues::Deliveries,
            Some(Bug::ApprovesATwin) => Requeues::Twins,
            Some(Bug::SendsAnUncheckedEdit) => Requeues::Edits,
            Some(Bug::PutsOffTheEnd) => Requeues::Ends,
            _ => Requeues::Nothing,
        };
        let mut store = Rough { store: &mut self.store, fails_after: Cell::new(fails_after), requeues };
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
        let known = self.queue.memory.snapshot.as_ref().map_or(0, |policy| policy.version);
        let mut touched: BTreeSet<&LocalId> = BTreeSet::new();
        let mut delivers = false;
        for transition in &effects.transitions {
            self.ledger.visited.insert((transition.from, transition.event));
            if let Some(call) = self.store.peek(&transition.call) {
                checks::in_time(&self.ledger, call, transition.event, self.now)?;
            }
            touched.insert(&transition.call);
            let starts = (transition.event, transition.to) == ("accept", Phase::Writing);
            if transition.event != "hand_out" && !(starts && transition.from == Phase::HandedOver) {
                continue;
            }
            let Some(call) = self.store.peek(&transition.call).cloned() else { continue };
            delivers |= call.claim.as_ref().is_some_and(|claim| claim.session == DELIVERER);
            if starts && !self.truth.may_start(known, &call) {
                return Err(format!("8: {:?} was accepted against the policy {known}", call.id));
            }
            if !starts {
                self.check_hand_out(&call, known)?;
            }
        }
        for id in touched {
            if let Some(call) = self.store.peek(id) {
                checks::moved(&mut self.ledger, call, self.now)?;
            }
        }
        if delivers { self.check_running() } else { Ok(()) }
    }

    pub(crate) fn check_hand_out(&mut self, call: &Call, known: u64) -> Checked {
        let asked = &call.asked;
        if !self.truth.allowed(self.now, known, call) {
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
}

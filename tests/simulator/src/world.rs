//! The world: one pool's object and everybody around it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;
use toolgate_core::ids::{IdKind, Ids, LocalId, Place};
use toolgate_core::queue::call::Call;
use toolgate_core::queue::machine::Phase;
use toolgate_core::queue::messages::{Answer, Ask, Envelope, Reply, Submit, VERSION};
use toolgate_core::queue::store::Filter;
use toolgate_core::queue::{Effects, Event, Outcome, Queue};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::{DecisionKind, DecisionRequest};
use toolgate_protocol::calls::{ResolutionRequest, ResolvedOutcome};
use toolgate_protocol::control::Role;
use toolgate_protocol::definitions::SideEffect;

use crate::bugs::Bug;
use crate::checks::{self, Checked, Ledger};
use crate::model::Model;
use crate::random::Random;
use crate::rough::Rough;
use crate::truth::{AGENTS, TOOLS, Truth, identity};
use crate::workers::{Held, Stage, Worker};

const MASTER: &[u8] = b"a master key for the simulator 32b";
const WORKERS: usize = 4;

/// What was done to the queue, so that another storage can be put through the same.
#[derive(Clone)]
pub enum Done {
    /// A step; the storage fails after so many operations.
    Step(Event, UnixMillis, [u8; 16], Option<usize>),
    /// The object was built anew.
    Rebuilt,
}

/// Who waits for a held answer.
#[derive(Clone, Debug)]
enum Waits {
    Caller(LocalId),
    Poll(usize),
    Nobody,
}

pub struct World {
    pub random: Random,
    pub now: UnixMillis,
    pub queue: Queue,
    pub store: Model,
    pub truth: Truth,
    pub ledger: Ledger,
    pub workers: Vec<Worker>,
    pub steps: u64,
    pub log: Option<Vec<(Done, String)>>,
    alarm: Option<UnixMillis>,
    held: BTreeMap<u64, (Waits, UnixMillis)>,
    /// Requests that were sent and have not arrived.
    in_flight: Vec<(usize, Ask)>,
    known_calls: Vec<LocalId>,
    keys_used: Vec<Submit>,
    bug: Option<Bug>,
    place: Place,
}

pub fn ids() -> Ids {
    Ids::new(MASTER)
}

impl World {
    pub fn new(seed: u64, bug: Option<Bug>) -> World {
        let now = UnixMillis(1_764_500_000_000);
        World {
            random: Random::new(seed),
            now,
            queue: Queue::new(ids()),
            store: Model::default(),
            truth: Truth::new(now),
            ledger: Ledger::default(),
            workers: (0..WORKERS).map(Worker::new).collect(),
            steps: 0,
            log: None,
            alarm: None,
            held: BTreeMap::new(),
            in_flight: Vec::new(),
            known_calls: Vec::new(),
            keys_used: Vec::new(),
            bug,
            place: Place::of("acme", "shop"),
        }
    }

    /// Lets this many things happen, then lets everything end by alarms alone.
    pub fn run(&mut self, steps: u64) -> Checked {
        let until = self.steps + steps;
        while self.steps < until {
            self.pass_time();
            self.act()?;
            if self.steps.is_multiple_of(256) {
                let store = &self.store;
                checks::durable(&mut self.ledger, self.now, |id| store.peek(id).is_some())?;
            }
        }
        self.wind_down()
    }

    /// Nobody touches the pool any more: its alarms alone must end every call.
    fn wind_down(&mut self) -> Checked {
        self.rebuild();
        self.step(Event::Tick)?;
        for _ in 0..100_000 {
            if self.store.open_count() == 0 {
                return Ok(());
            }
            let Some(at) = self.alarm.take() else { return Err("4: calls are open and no alarm is set".into()) };
            self.now = self.now.max(at);
            self.step(Event::Tick)?;
        }
        Err(format!("4: {} calls never end", self.store.open_count()))
    }

    fn pass_time(&mut self) {
        let millis = match self.random.below(10_000) {
            0..6_500 => self.random.below(60),
            6_500..9_300 => self.random.below(2_500),
            9_300..9_930 => self.random.below(40_000),
            9_930..9_990 => self.random.below(2 * 3_600_000),
            9_990..9_998 => self.random.below(26 * 3_600_000),
            _ => self.random.below(9 * 24 * 3_600_000),
        };
        self.now = UnixMillis(self.now.0 + millis as u64);
    }

    fn act(&mut self) -> Checked {
        self.ring()?;
        self.time_out()?;
        match self.random.below(100) {
            0..16 => self.submit(),
            16..20 => self.repeat(),
            20..68 => self.worker(),
            68..74 => self.arrive(),
            74..83 => self.decide(),
            83..86 => self.about_a_call(Ask::Cancel),
            86..88 => self.resolve(),
            88..91 => self.read(),
            91..93 => self.look(),
            93..95 => self.change_policy(),
            95..97 => self.tell(),
            97 => {
                self.rebuild();
                Ok(())
            }
            98 => self.fault(),
            _ => self.step(Event::Tick).map(|_| ()),
        }
    }

    /// The alarm: mostly on time, sometimes late, sometimes twice.
    fn ring(&mut self) -> Checked {
        if self.alarm.is_none_or(|at| at > self.now) || self.random.chance(300) {
            return Ok(());
        }
        self.alarm = None;
        let twice = self.random.chance(50);
        self.step(Event::Tick)?;
        if twice { self.step(Event::Tick).map(|_| ()) } else { Ok(()) }
    }

    /// The shell's timers: a held request is given up at its deadline.
    fn time_out(&mut self) -> Checked {
        let over: Vec<u64> =
            self.held.iter().filter(|(_, (_, deadline))| *deadline <= self.now).map(|(name, _)| *name).collect();
        for name in over {
            if let Some((waits, _)) = self.held.remove(&name) {
                self.step_for(waits, Event::WaiterDue(name))?;
            }
        }
        Ok(())
    }

    fn submit(&mut self) -> Checked {
        let (tool, class) = *self.random.pick(&TOOLS).expect("tools");
        let arguments = match self.random.below(12) {
            0 => r#"{"n":"7"}"#.to_owned(),
            1 => r#"{"n":9007199254740993, "note":"ü"}"#.to_owned(),
            _ => format!(r#"{{"note":"x","n":{}}}"#, self.random.below(1000)),
        };
        let permitted = if self.random.chance(970) { r#""use""# } else { "" };
        let principal = format!(r#"{{"id":"u{}","tenant_id":"t","permissions":[{permitted}]}}"#, self.random.below(2));
        let keyed = class != "read_only" && self.random.chance(950) || self.random.chance(200);
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("json");
        let submit = Submit {
            tool: tool.to_owned(),
            agent: (*self.random.pick(&AGENTS).expect("agents")).to_owned(),
            principal: raw(&principal),
            arguments: Some(raw(&arguments)),
            idempotency_key: keyed.then(|| format!("key {}", self.random.next())),
            wait_seconds: if self.random.chance(400) { self.random.below(26) as u64 } else { 0 },
        };
        if keyed {
            self.keys_used.push(submit.clone());
            if self.keys_used.len() > 50 {
                self.keys_used.remove(0);
            }
        }
        self.send_submit(submit)
    }

    /// The same key again: mostly the same arguments, spelled otherwise.
    fn repeat(&mut self) -> Checked {
        let Some(mut submit) = self.random.pick(&self.keys_used).cloned() else { return Ok(()) };
        if self.random.chance(200) {
            submit.arguments = RawValue::from_string(r#"{"n":123456}"#.to_owned()).ok();
        }
        self.send_submit(submit)
    }

    fn send_submit(&mut self, submit: Submit) -> Checked {
        let who = *self.random.pick(&["caller", "other"]).expect("keys");
        self.ask(Waits::Nobody, identity(Role::Caller, who), Ask::Submit(submit))
    }

    fn worker(&mut self) -> Checked {
        let index = self.random.below(WORKERS);
        match self.random.below(1000) {
            0..4 => {
                // Killed: what it held is gone, and whatever was on its way to it.
                self.workers[index] = Worker::new(index);
                return Ok(());
            }
            4..10 => self.workers[index].frozen = true,
            10..60 => self.workers[index].frozen = false,
            60..160 => return self.start_handlers(index),
            160..200 => self.workers[index].jobs.retain(|held| held.stage != Stage::Ran || !self.random.chance(300)),
            _ => {}
        }
        if self.workers[index].frozen {
            return Ok(());
        }
        let ask = match &self.workers[index].session {
            None => Some(self.workers[index].register(&mut self.random, &self.truth.now)),
            Some(_) => self.workers[index].speak(&mut self.random),
        };
        let Some(ask) = ask else { return self.start_handlers(index) };
        match self.random.below(100) {
            // Lost on the way; repeated; late; else it arrives, and its answer may be lost.
            0..4 => Ok(()),
            4..8 => {
                self.in_flight.push((index, ask.clone()));
                self.worker_asks(index, ask, true)
            }
            8..14 => {
                self.in_flight.push((index, ask));
                Ok(())
            }
            14..20 => self.worker_asks(index, ask, false),
            _ => self.worker_asks(index, ask, true),
        }
    }

    /// Something that was sent long ago arrives; its sender has given up waiting for the answer.
    fn arrive(&mut self) -> Checked {
        if self.in_flight.is_empty() {
            return Ok(());
        }
        let at = self.random.below(self.in_flight.len());
        let (index, ask) = self.in_flight.swap_remove(at);
        self.worker_asks(index, ask, false)
    }

    fn worker_asks(&mut self, index: usize, ask: Ask, hears: bool) -> Checked {
        let waits = if hears { Waits::Poll(index) } else { Waits::Nobody };
        self.ask(waits, identity(Role::Worker, "worker"), ask)
    }

    fn start_handlers(&mut self, index: usize) -> Checked {
        if self.workers[index].frozen {
            return Ok(());
        }
        let mut started = Vec::new();
        for held in &mut self.workers[index].jobs {
            let read = held.job.side_effect == SideEffect::ReadOnly;
            if held.stage == Stage::Cleared || read && held.stage == Stage::Received {
                held.stage = Stage::Ran;
                started.push(held.job.clone());
            }
        }
        for job in started {
            let (_, id) =
                self.queue.ids.read(IdKind::Call, "acme", &job.call).ok_or("9: a job's call id does not read")?;
            if let Some(call) = self.store.peek(&id).cloned() {
                checks::starts(&mut self.ledger, &call, &job.call)?;
            }
        }
        Ok(())
    }

    fn decide(&mut self) -> Checked {
        let waiting: Vec<LocalId> = self
            .known_calls
            .iter()
            .rev()
            .take(40)
            .filter(|id| self.store.peek(id).is_some_and(|call| call.approval.is_some()))
            .cloned()
            .collect();
        let Some(id) = self.random.pick(&waiting).cloned() else { return Ok(()) };
        let digest = self.digest_of(&id);
        let digest = if self.random.chance(900) { digest } else { Some("another".to_owned()) };
        let approve = self.random.chance(800);
        let request = DecisionRequest {
            decision: if approve { DecisionKind::Approve } else { DecisionKind::Reject },
            digest: if approve { digest } else { None },
            reason: (!approve).then(|| "no".to_owned()),
        };
        let who = *self.random.pick(&["ann", "ben"]).expect("approvers");
        let was_waiting =
            self.store.peek(&id).is_some_and(|call| call.state == toolgate_protocol::calls::CallState::WaitingApproval);
        let before = self.decisions(&id);
        if approve && was_waiting && self.digest_of(&id) == request.digest {
            // A human said yes to these bytes, whether or not the answer arrives.
            self.ledger.approved.insert(id.clone());
        }
        self.ask(Waits::Nobody, identity(Role::Approver, who), Ask::Decide(id.clone(), request))?;
        if !was_waiting && self.decisions(&id) != before {
            return Err(format!("1: {id:?} was decided though it did not wait"));
        }
        Ok(())
    }

    fn digest_of(&self, id: &LocalId) -> Option<String> {
        self.store.peek(id).and_then(|call| call.approval.as_ref()).map(|approval| approval.digest.clone())
    }

    fn decisions(&self, id: &LocalId) -> usize {
        self.store.peek(id).and_then(|call| call.approval.as_ref()).map_or(0, |approval| approval.decisions.len())
    }

    fn any_call(&mut self) -> Option<LocalId> {
        let recent: Vec<LocalId> = self.known_calls.iter().rev().take(60).cloned().collect();
        self.random.pick(&recent).cloned()
    }

    fn about_a_call(&mut self, ask: fn(LocalId) -> Ask) -> Checked {
        let Some(id) = self.any_call() else { return Ok(()) };
        self.ask(Waits::Nobody, identity(Role::Caller, "caller"), ask(id))
    }

    fn resolve(&mut self) -> Checked {
        let unknown = |id: &&LocalId| {
            self.store.peek(id).is_some_and(|call| call.state == toolgate_protocol::calls::CallState::Unknown)
        };
        let unknown = self.known_calls.iter().rev().take(400).find(unknown).cloned();
        let Some(id) = unknown.filter(|_| self.random.chance(500)).or_else(|| self.any_call()) else { return Ok(()) };
        let outcome = if self.random.chance(500) { ResolvedOutcome::Succeeded } else { ResolvedOutcome::Failed };
        let request = ResolutionRequest { outcome, note: "looked".into(), result: None };
        self.ask(Waits::Nobody, identity(Role::Admin, "admin"), Ask::Resolve(id, request))
    }

    fn read(&mut self) -> Checked {
        let Some(call) = self.any_call() else { return Ok(()) };
        let wait_seconds = self.random.below(26) as u64;
        self.ask(Waits::Nobody, identity(Role::Caller, "caller"), Ask::Read { call, wait_seconds })
    }

    fn look(&mut self) -> Checked {
        let ask = match self.random.below(3) {
            0 => Ask::Stats,
            1 => Ask::List(Filter { tool: Some("mark".into()), ..Filter::default() }, 5),
            _ => return self.about_a_call(Ask::Events),
        };
        self.ask(Waits::Nobody, identity(Role::Admin, "admin"), ask)
    }

    /// A change in the registry; its push mostly arrives.
    fn change_policy(&mut self) -> Checked {
        self.truth.change(&mut self.random, self.now);
        if self.random.chance(850) { self.give_policy().map(|_| ()) } else { Ok(()) }
    }

    /// False when the object was killed on the way.
    fn give_policy(&mut self) -> Result<bool, String> {
        let snapshot = self.truth.now.snapshot();
        self.step(Event::Snapshot(Box::new(snapshot))).map(|effects| effects.is_some())
    }

    fn tell(&mut self) -> Checked {
        use toolgate_core::queue::store::Store as _;
        let last = self.store.outbox(20).ok().and_then(|messages| messages.last().map(|(number, _)| *number));
        match last.filter(|_| self.random.chance(800)) {
            Some(last) => self.step(Event::Told(last)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Evicted or killed: memory is gone, and everybody who was held is disconnected.
    fn rebuild(&mut self) {
        self.queue = Queue::new(ids());
        self.held.clear();
        self.record(Done::Rebuilt, String::new());
    }

    /// The storage fails in the middle of a step: nothing of the step may remain, and nobody may be left waiting.
    fn fault(&mut self) -> Checked {
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
    fn ask(&mut self, waits: Waits, who: toolgate_core::keys::Identity, ask: Ask) -> Checked {
        if !self.queue.memory.ready {
            self.step(Event::Tick)?;
        }
        if self.queue.needs_snapshot(&ask, self.now) && self.random.chance(970) {
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
    fn acknowledge(&mut self, submit: &Submit, outcome: &Outcome) {
        let id = match outcome {
            Outcome::Reply(Ok(Answer::Call { view, .. })) => {
                self.queue.ids.read(IdKind::Call, "acme", &view.call).map(|(_, id)| id)
            }
            Outcome::Hold(name, _) => self.queue.memory.waiters.get(name).and_then(|waiter| match &waiter.waiting {
                toolgate_core::queue::memory::Waiting::Call { id, .. } => Some(id.clone()),
                toolgate_core::queue::memory::Waiting::Poll { .. } => None,
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
    fn receive(&mut self, waits: Waits, outcome: &Outcome) -> Checked {
        match outcome {
            Outcome::Hold(name, deadline) => {
                let waits = match (&waits, self.queue.memory.waiters.get(name).map(|waiter| &waiter.waiting)) {
                    (Waits::Nobody, Some(toolgate_core::queue::memory::Waiting::Call { id, .. })) => {
                        Waits::Caller(id.clone())
                    }
                    _ => waits,
                };
                self.held.insert(*name, (waits, *deadline));
                Ok(())
            }
            Outcome::Reply(reply) => self.hear(waits, reply.clone()),
        }
    }

    /// A worker hears an answer, unless it is frozen: then the answer is lost.
    fn hear(&mut self, waits: Waits, reply: Reply) -> Checked {
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

    fn hear_status(worker: &mut Worker, status: &toolgate_protocol::workers::ClaimStatus) {
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
    fn step(&mut self, event: Event) -> Result<Option<Effects>, String> {
        self.step_for(Waits::Nobody, event)
    }

    fn step_for(&mut self, waits: Waits, event: Event) -> Result<Option<Effects>, String> {
        self.steps += 1;
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
    fn step_raw(&mut self, event: Event, fails_after: Option<usize>) -> Result<Option<Effects>, String> {
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
            Err(error) => Err(format!("the storage failed by itself: {}", error.0)),
        }
    }

    fn record(&mut self, done: Done, effects: String) {
        if let Some(log) = &mut self.log {
            log.push((done, effects));
        }
    }

    fn check(&mut self, effects: &Effects) -> Checked {
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

    fn check_hand_out(&mut self, call: &Call, known: u64) -> Checked {
        let asked = &call.asked;
        let allowed =
            self.truth.allowed(self.now, known, &asked.tool, &asked.agent, &asked.key_id, &asked.contract_hash);
        if !allowed {
            return Err(format!("8: {:?} was handed out against the policy {known}", call.id));
        }
        if asked.side_effect == SideEffect::Consequential
            && !call.approval.as_ref().is_some_and(|approval| approval.state == "approved")
        {
            return Err(format!("1: {:?} was handed out without an approval", call.id));
        }
        Ok(())
    }

    /// A held request whose call has ended was answered; a poll waits only while no queued call fits it.
    fn nobody_waits_in_vain(&self) -> Checked {
        for (waits, _) in self.held.values() {
            if let Waits::Caller(id) = waits
                && self.store.peek(id).is_none_or(Call::ended)
            {
                return Err(format!("a caller waits for {id:?}, which has ended"));
            }
        }
        for name in self.held.keys() {
            if !self.queue.memory.waiters.contains_key(name) {
                return Err(format!("the request {name} is held and the queue has forgotten it"));
            }
        }
        Ok(())
    }
}

/// The pairs that the state machine must have been through. A pair that a run misses, or that is new in one, fails.
pub const PAIRS: &[(Phase, &str)] = &[
    (Phase::Waiting, "approval_expired"),
    (Phase::Waiting, "approve"),
    (Phase::Waiting, "cancel"),
    (Phase::Waiting, "invalidate"),
    (Phase::Waiting, "reject"),
    (Phase::Waiting, "resolve"),
    (Phase::Queued, "cancel"),
    (Phase::Queued, "hand_out"),
    (Phase::Queued, "invalidate"),
    (Phase::Queued, "queue_deadline"),
    (Phase::Queued, "resolve"),
    (Phase::Queued, "return"),
    (Phase::Queued, "settle"),
    (Phase::HandedOver, "accept"),
    (Phase::HandedOver, "cancel"),
    (Phase::HandedOver, "invalidate"),
    (Phase::HandedOver, "lease_lapsed"),
    (Phase::HandedOver, "resolve"),
    (Phase::HandedOver, "return"),
    (Phase::HandedOver, "settle"),
    (Phase::Reading, "accept"),
    (Phase::Reading, "cancel"),
    (Phase::Reading, "execution_deadline"),
    (Phase::Reading, "lease_lapsed"),
    (Phase::Reading, "resolve"),
    (Phase::Reading, "return"),
    (Phase::Reading, "settle"),
    (Phase::Writing, "accept"),
    (Phase::Writing, "cancel"),
    (Phase::Writing, "execution_deadline"),
    (Phase::Writing, "lease_lapsed"),
    (Phase::Writing, "resolve"),
    (Phase::Writing, "return"),
    (Phase::Writing, "settle"),
    (Phase::Unknown, "accept"),
    (Phase::Unknown, "cancel"),
    (Phase::Unknown, "resolve"),
    (Phase::Unknown, "return"),
    (Phase::Unknown, "settle"),
    (Phase::Ended, "accept"),
    (Phase::Ended, "cancel"),
    (Phase::Ended, "resolve"),
    (Phase::Ended, "return"),
    (Phase::Ended, "settle"),
];

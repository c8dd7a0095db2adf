//! What everybody does: callers, executors, approvers, the admin, and the registry's pushes.

use serde_json::value::RawValue;
use toolgate_core::ids::{IdKind, LocalId};
use toolgate_core::queue::Event;
use toolgate_core::queue::messages::{Ask, Submit};
use toolgate_core::queue::store::{Filter, Store as _};
use toolgate_protocol::approvals::{DecisionKind, DecisionRequest};
use toolgate_protocol::calls::{CallState, ResolutionRequest, ResolvedOutcome};
use toolgate_protocol::control::{Role, Transport};
use toolgate_protocol::definitions::SideEffect;

use crate::checks::{self, Checked};
use crate::truth::{AGENTS, TOOLS, identity};
use crate::workers::{Stage, Worker};
use crate::world::{WORKERS, Waits, World};

impl World {
    pub(crate) fn submit(&mut self) -> Checked {
        let submit = self.submission();
        if submit.idempotency_key.is_some() {
            self.keys_used.push(submit.clone());
            if self.keys_used.len() > 50 {
                self.keys_used.remove(0);
            }
        }
        self.send_submit(submit)
    }

    pub(crate) fn submission(&mut self) -> Submit {
        let (tool, class) = *self.random.pick(&TOOLS).expect("tools");
        let arguments = match self.random.below(12) {
            0 => r#"{"n":"7"}"#.to_owned(),
            1 => r#"{"n":9007199254740993, "note":"ü"}"#.to_owned(),
            _ => {
                let most = if class == "consequential" { 20 } else { 1000 };
                format!(r#"{{"note":"x","n":{}}}"#, self.random.below(most))
            }
        };
        let permitted = if self.random.chance(970) { r#""use""# } else { "" };
        let principal = format!(r#"{{"id":"u{}","tenant_id":"t","permissions":[{permitted}]}}"#, self.random.below(2));
        let keyed = class != "read_only" && self.random.chance(950) || self.random.chance(200);
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("json");
        let run = self.random.chance(500).then(|| format!("run {}", self.random.below(2)));
        Submit {
            tool: tool.to_owned(),
            run,
            agent: (*self.random.pick(&AGENTS).expect("agents")).to_owned(),
            principal: raw(&principal),
            arguments: Some(raw(&arguments)),
            idempotency_key: keyed.then(|| format!("key {}", self.random.draw())),
            purpose: None,
            input: None,
            profile: None,
            alike: false,
            moves: None,
            wait_seconds: if self.random.chance(400) { self.random.below(26) as u64 } else { 0 },
        }
    }

    /// More calls at one instant than one step ends when they are due; or, before their endpoint goes, than the step
    /// that learns of it.
    pub(crate) fn burst(&mut self) -> Checked {
        if !self.random.chance(20) {
            return Ok(());
        }
        let endpoint_goes = self.random.chance(250);
        if endpoint_goes {
            self.truth.heal(self.now);
            self.give_policy()?;
        }
        for _ in 0..if endpoint_goes { 1_200 } else { 420 } {
            self.submit()?;
        }
        if endpoint_goes {
            self.truth.lose_endpoint(self.now);
            self.give_policy()?;
        }
        Ok(())
    }

    /// The same key again: mostly the same arguments, spelled otherwise.
    pub(crate) fn repeat(&mut self) -> Checked {
        let Some(mut submit) = self.random.pick(&self.keys_used).cloned() else { return Ok(()) };
        if self.random.chance(200) {
            submit.arguments = RawValue::from_string(r#"{"n":123456}"#.to_owned()).ok();
        }
        self.send_submit(submit)
    }

    pub(crate) fn send_submit(&mut self, submit: Submit) -> Checked {
        let who = *self.random.pick(&["caller", "other"]).expect("keys");
        self.ask(Waits::Nobody, identity(Role::Caller, who), Ask::Submit(submit))
    }

    /// Whoever serves the pool; now and then who served it before, or comes too early.
    pub(crate) fn executor(&mut self) -> Checked {
        let edge = if self.truth.now.transport == Transport::Webhook { 850 } else { 80 };
        if self.random.chance(edge) { self.edge() } else { self.worker() }
    }

    pub(crate) fn worker(&mut self) -> Checked {
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
    pub(crate) fn arrive(&mut self) -> Checked {
        if self.in_flight.is_empty() || self.random.chance(300) {
            return self.arrive_report();
        }
        let at = self.random.below(self.in_flight.len());
        let (index, ask) = self.in_flight.swap_remove(at);
        self.worker_asks(index, ask, false)
    }

    pub(crate) fn worker_asks(&mut self, index: usize, ask: Ask, hears: bool) -> Checked {
        let waits = if hears { Waits::Poll(index) } else { Waits::Nobody };
        self.ask(waits, identity(Role::Worker, "worker"), ask)
    }

    pub(crate) fn start_handlers(&mut self, index: usize) -> Checked {
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
            let claim = self.queue.ids.read_claim(&self.place, &job.claim).filter(|(of, _)| *of == id);
            let (_, hand_over) = claim.ok_or("6: a job's claim is not of its call")?;
            if let Some(call) = self.store.peek(&id).cloned() {
                checks::starts(&mut self.ledger, &call, hand_over, None)?;
            }
        }
        Ok(())
    }

    pub(crate) fn decide(&mut self) -> Checked {
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
        let edit = match self.random.below(10) {
            0 | 1 if approve => Some((r#"{ "note": "edited", "n": 5 }"#, Some(r#"{"n":5,"note":"edited"}"#))),
            2 if approve => Some((r#"{"n":"five"}"#, None)),
            _ => None,
        };
        let request = DecisionRequest {
            decision: if approve { DecisionKind::Approve } else { DecisionKind::Reject },
            digest: if approve { digest } else { None },
            reason: (!approve).then(|| "no".to_owned()),
            arguments: edit.map(|(text, _)| RawValue::from_string(text.to_owned()).expect("json")),
        };
        let wanted = edit.map(|(_, canonical)| canonical);
        let who = *self.random.pick(&["ann", "ben"]).expect("approvers");
        let was_waiting = self.store.peek(&id).is_some_and(|call| call.state == CallState::WaitingApproval);
        let before = self.decisions(&id);
        if approve && was_waiting && self.digest_of(&id) == request.digest && wanted != Some(None) {
            // A human said yes to these bytes, whether or not the answer arrives.
            let shown = self.store.peek(&id).map_or(0, |call| call.asked.endpoint_revision);
            self.ledger.approved.insert(id.clone(), shown);
            self.ledger.said_yes.entry(id.clone()).or_default().insert(who);
        }
        // What is sent from now on is what this decision wrote, canonical; unless it was refused.
        if let Some(canonical) = wanted.flatten().filter(|_| was_waiting) {
            self.ledger.edited.insert(id.clone(), canonical.to_owned());
        }
        self.ask(Waits::Nobody, identity(Role::Approver, who), Ask::Decide(id.clone(), request))?;
        let decided = self.decisions(&id) != before;
        if let Some(call) = self.store.peek(&id).filter(|_| decided) {
            checks::in_time(&self.ledger, call, "approval_given", self.now)?;
        }
        if decided && wanted == Some(None) {
            return Err(format!("9: {id:?} was decided with arguments that do not fit"));
        }
        if was_waiting && !decided {
            self.ledger.edited.remove(&id);
        }
        if !was_waiting && self.decisions(&id) != before {
            return Err(format!("1: {id:?} was decided though it did not wait"));
        }
        Ok(())
    }

    pub(crate) fn digest_of(&self, id: &LocalId) -> Option<String> {
        self.store.peek(id).and_then(|call| call.approval.as_ref()).map(|approval| approval.digest.clone())
    }

    pub(crate) fn decisions(&self, id: &LocalId) -> usize {
        self.store.peek(id).and_then(|call| call.approval.as_ref()).map_or(0, |approval| approval.decisions.len())
    }

    pub(crate) fn any_call(&mut self) -> Option<LocalId> {
        let recent: Vec<LocalId> = self.known_calls.iter().rev().take(60).cloned().collect();
        self.random.pick(&recent).cloned()
    }

    pub(crate) fn about_a_call(&mut self, ask: fn(LocalId) -> Ask) -> Checked {
        let Some(id) = self.any_call() else { return Ok(()) };
        self.ask(Waits::Nobody, identity(Role::Caller, "caller"), ask(id))
    }

    pub(crate) fn resolve(&mut self) -> Checked {
        let unknown = |id: &&LocalId| self.store.peek(id).is_some_and(|call| call.state == CallState::Unknown);
        let unknown = self.known_calls.iter().rev().take(400).find(unknown).cloned();
        let Some(id) = unknown.filter(|_| self.random.chance(500)).or_else(|| self.any_call()) else { return Ok(()) };
        let outcome = if self.random.chance(500) { ResolvedOutcome::Succeeded } else { ResolvedOutcome::Failed };
        let request = ResolutionRequest { outcome, note: "looked".into(), result: None };
        self.ask(Waits::Nobody, identity(Role::Admin, "admin"), Ask::Resolve(id, request))
    }

    pub(crate) fn read(&mut self) -> Checked {
        let Some(call) = self.any_call() else { return Ok(()) };
        let (wait_seconds, submitted) = (self.random.below(26) as u64, self.random.chance(200));
        self.ask(Waits::Nobody, identity(Role::Caller, "caller"), Ask::Read { call, wait_seconds, submitted })
    }

    pub(crate) fn look(&mut self) -> Checked {
        let ask = match self.random.below(3) {
            0 => Ask::Stats,
            1 => Ask::List(Filter { tool: Some("mark".into()), ..Filter::default() }, 5),
            _ => return self.about_a_call(Ask::Events),
        };
        self.ask(Waits::Nobody, identity(Role::Admin, "admin"), ask)
    }

    /// A change in the registry; its push mostly arrives.
    pub(crate) fn change_policy(&mut self) -> Checked {
        self.truth.change(&mut self.random, self.now);
        if self.random.chance(850) { self.give_policy().map(|_| ()) } else { Ok(()) }
    }

    /// False when the object was killed on the way.
    pub(crate) fn give_policy(&mut self) -> Result<bool, String> {
        let snapshot = self.truth.now.snapshot();
        self.step(Event::Snapshot(Box::new(snapshot))).map(|effects| effects.is_some())
    }

    pub(crate) fn tell(&mut self) -> Checked {
        let most = self.random.below(200);
        let Ok(messages) = self.store.outbox(most) else { return Ok(()) };
        let Some(last) = messages.last().map(|(number, _)| *number) else { return Ok(()) };
        if !self.random.chance(800) {
            return self.office.hear_in_vain(messages, self.now);
        }
        match self.office.hear(messages, self.now)? {
            true => self.step(Event::Told(last)).map(|_| ()),
            false => Ok(()),
        }
    }

    /// The rest of the outbox, in order.
    pub(crate) fn tell_all(&mut self) -> Checked {
        while let Some((last, _)) = self.store.outbox(100).map_err(|error| error.to_string())?.last() {
            let last = *last;
            let messages = self.store.outbox(100).map_err(|error| error.to_string())?;
            if !self.office.hear(messages, self.now)? {
                return Err("the registry does not take what the pool tells".into());
            }
            self.step(Event::Told(last))?;
        }
        Ok(())
    }
}

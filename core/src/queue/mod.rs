//! The queue of a pool: a call's whole life, parked approval included, in one object.
//!
//! [`Queue::step`] takes one event and a transaction; it first does what is due, then the event, and says what must
//! happen outside ([`Effects`]). Every transition of a call goes through [`machine::apply`] and is stored by
//! `Step::change`, in the same transaction as everything that follows from it (the approval index, evidence, keys of
//! idempotency). What a crash between commit and effects loses is brought back by the next alarm, poll or retry:
//! effects are answers to requests that a crash has ended anyway, and messages that stand in the outbox.

pub mod call;
mod claims;
mod decide;
pub mod delivery;
mod due;
mod edits;
mod handout;
pub mod machine;
pub mod memory;
pub mod messages;
pub mod parking;
mod read;
mod sessions;
pub mod sql;
pub mod store;
mod submit;
pub mod target;
mod tasks;
mod told;
mod views;

use std::rc::Rc;

use toolgate_protocol::limits::{RETRY_AFTER_SECONDS, SNAPSHOT_SECONDS, WAITERS_MAX};
use toolgate_protocol::problems;

use crate::ids::{IdKind, Ids, LocalId, Place};
use crate::keys::Identity;
use crate::policy::Snapshot;
use crate::problem::Problem;
use crate::sql_port::StoreError;
use crate::time::UnixMillis;
use call::Call;
use delivery::{Delivery, DeliveryEnvelope};
use machine::Phase;
use memory::{Memory, Waiter, WaiterId, Waiting};
use messages::{Answer, Ask, AuditEntry, Envelope, PoolMessage, Reply};
use store::{Store, Stored};

/// Something that happens to the object.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request.
    Ask(Box<Envelope>),
    /// The policy, pushed or fetched.
    Snapshot(Box<Snapshot>),
    /// The alarm, which only wakes.
    Tick,
    /// A held request has waited long enough.
    WaiterDue(WaiterId),
    /// The registry was told everything up to here.
    Told(u64),
    /// The webhook deliverer says how it goes.
    Report(Box<DeliveryEnvelope>),
}

/// What became of a request.
#[derive(Debug)]
pub enum Outcome {
    /// Answer it.
    Reply(Reply),
    /// Hold it under this name, until then at most.
    Hold(WaiterId, UnixMillis),
}

/// A transition, for coverage and logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The call.
    pub call: LocalId,
    /// From where.
    pub from: Phase,
    /// By what.
    pub event: &'static str,
    /// To where.
    pub to: Phase,
}

/// What must happen outside, after the commit.
#[derive(Debug)]
pub struct Effects {
    /// For who asked.
    pub outcome: Outcome,
    /// For requests that were held.
    pub answers: Vec<(WaiterId, Reply)>,
    /// Set the alarm, in the same turn.
    pub alarm: Option<UnixMillis>,
    /// Calls that the edge is to deliver. Those that do not reach it lapse, and come again.
    pub deliveries: Vec<Delivery>,
    /// There is something to tell the registry.
    pub outbox: bool,
    /// Jobs wait for a policy that is not known to be fresh.
    pub wants_snapshot: bool,
    /// What moved.
    pub transitions: Vec<Transition>,
}

/// The queue of one place.
pub struct Queue {
    /// Makes and reads ids and tokens.
    pub ids: Ids,
    /// What may vanish.
    pub memory: Memory,
    /// Where this is; known after the first request.
    pub place: Option<Place>,
}

impl Queue {
    /// A freshly built object.
    pub fn new(ids: Ids) -> Queue {
        Queue { ids, memory: Memory::default(), place: None }
    }

    /// Must the policy be fetched before this? Settlements, renewals and alarms never wait for it. A key that the
    /// policy does not know may be new: then it is asked for again, once a second at most.
    pub fn needs_snapshot(&self, ask: &Ask, who: &Identity, now: UnixMillis) -> bool {
        let Some(policy) = &self.memory.snapshot else { return true };
        if matches!(ask, Ask::Results(_) | Ask::Renew(_) | Ask::Return(_) | Ask::Goodbye(_)) {
            return false;
        }
        let stranger = !policy.keys.contains_key(&who.key_id);
        let asked_just_now = self.memory.snapshot_at.is_some_and(|at| now < at.plus_seconds(1));
        !self.snapshot_is_fresh(now) || (stranger && !asked_just_now)
    }

    /// Is the policy known to be at most five minutes old?
    pub fn snapshot_is_fresh(&self, now: UnixMillis) -> bool {
        self.memory.snapshot_at.is_some_and(|at| at <= now && now < at.plus_seconds(SNAPSHOT_SECONDS))
    }

    /// One event, inside one transaction of `store`. After an `Err` the shell undoes the transaction and calls
    /// [`Queue::forget`].
    pub fn step(
        &mut self,
        store: &mut dyn Store,
        event: Event,
        now: UnixMillis,
        entropy: [u8; 16],
    ) -> Result<Effects, StoreError> {
        let effects = Effects {
            outcome: Outcome::Reply(Ok(Answer::Stored)),
            answers: Vec::new(),
            alarm: None,
            deliveries: Vec::new(),
            outbox: false,
            wants_snapshot: false,
            transitions: Vec::new(),
        };
        // A chain of requests must end somewhere: deliveries start from the alarm alone, which begins a new one.
        let delivers = matches!(event, Event::Tick);
        let mut step = Step { queue: self, store, now, entropy, effects, delivers };
        let done = step.run(event);
        let effects = step.effects;
        if done.is_err() {
            // Who was about to be answered is told of the failure instead.
            self.memory.undone = std::mem::take(&mut self.memory.answered);
        }
        self.memory.answered.clear();
        done.map(|()| effects)
    }

    /// After a storage error: the object is as if built anew, and every held request is told so.
    pub fn forget(&mut self) -> Vec<(WaiterId, Reply)> {
        let Memory { waiters, undone, next_waiter, .. } = std::mem::take(&mut self.memory);
        self.memory.next_waiter = next_waiter;
        let kept = |waiter: Waiter| match waiter.waiting {
            Waiting::Call { id, .. } => self.place.as_ref().map(|place| self.ids.public(IdKind::Call, place, &id)),
            Waiting::Poll { .. } => None,
        };
        let told = |call: Option<String>| match call {
            // Accepted before the failure, so it is kept: a new submission would be a second call.
            Some(call) => {
                Problem::new(problems::STORAGE_UNAVAILABLE, "The call is kept; read it again.").with("call", call)
            }
            None => Problem::storage(),
        };
        let waiting = waiters.into_iter().chain(undone);
        waiting.map(|(name, waiter)| (name, Err(told(kept(waiter))))).collect()
    }
}

/// One step under way.
pub(crate) struct Step<'a> {
    pub queue: &'a mut Queue,
    pub store: &'a mut dyn Store,
    pub now: UnixMillis,
    pub entropy: [u8; 16],
    pub effects: Effects,
    /// Queued calls of a webhook pool may be handed to the edge by this step.
    pub delivers: bool,
}

/// A refusal is an answer; only storage errors undo a step.
pub(crate) type Stepped = Stored<Reply>;

impl Step<'_> {
    fn run(&mut self, event: Event) -> Stored<()> {
        self.wake()?;
        match event {
            // A new policy comes before what is due: nothing more is handed out under the old one.
            Event::Snapshot(snapshot) => {
                self.learn(*snapshot)?;
                self.run_due()?;
            }
            Event::Tick => {
                self.queue.memory.alarm = None;
                let more = self.sweep()?;
                self.run_due()?;
                if more {
                    self.queue.memory.wake_at(self.now.plus_seconds(1));
                }
                self.effects.outbox |= self.store.has_outbox()?;
            }
            // Taken out first: what is due must not answer a request that is being given up.
            Event::WaiterDue(name) => {
                let waiter = self.queue.memory.waiters.remove(&name);
                self.run_due()?;
                self.effects.outcome = self.waiter_due(waiter)?;
            }
            event => {
                self.run_due()?;
                self.effects.outcome = self.event(event)?;
            }
        }
        self.plan_alarm()
    }

    fn event(&mut self, event: Event) -> Stored<Outcome> {
        match event {
            Event::Ask(envelope) => self.ask(*envelope),
            Event::Told(up_to) => {
                self.store.told(up_to)?;
                self.effects.outbox = self.store.has_outbox()?;
                Ok(Outcome::Reply(Ok(Answer::Stored)))
            }
            Event::Report(envelope) => {
                let DeliveryEnvelope { v, place, .. } = &*envelope;
                if let Some(refused) = self.misdirected(*v, place)? {
                    return Ok(Outcome::Reply(Err(refused)));
                }
                self.report(*envelope).map(Outcome::Reply)
            }
            Event::Snapshot(_) | Event::Tick | Event::WaiterDue(_) => Ok(Outcome::Reply(Ok(Answer::Stored))),
        }
    }

    fn ask(&mut self, envelope: Envelope) -> Stored<Outcome> {
        let Envelope { v, place, who, base_url, ask } = envelope;
        if let Some(refused) = self.misdirected(v, &place)? {
            return Ok(Outcome::Reply(Err(refused)));
        }
        // The policy as last stored tells whether the key was revoked; who needs a fresh one asks for it below.
        let live =
            self.queue.memory.snapshot.as_ref().map_or_else(|| Err(no_policy()), |policy| policy.check_key(&who));
        if let Err(problem) = live {
            return Ok(Outcome::Reply(Err(problem)));
        }
        let reply = match ask {
            Ask::Submit(submit) => return self.submit(&who, &base_url, submit),
            Ask::SubmitKnown(submit) => return self.submit_known(&who, &base_url, submit),
            Ask::Read { call, wait_seconds, submitted } => {
                return self.read(&who, &base_url, &call, wait_seconds, submitted);
            }
            Ask::Watch { call, known, wait_seconds } => {
                return self.watch(&who, &base_url, &call, known, wait_seconds);
            }
            Ask::Poll(poll) => return self.poll(poll),
            Ask::Events(call) => self.events(&who, &call),
            Ask::Cancel(call) => self.cancel(&who, &base_url, &call),
            Ask::Task(call) => self.task(&who, &base_url, &call),
            Ask::AnswerTask(answer) => self.answer_task(&who, &base_url, answer),
            Ask::CancelTask(call) => self.cancel_task(&who, &base_url, &call),
            Ask::Resolve(call, request) => self.resolve(&who, &base_url, &call, request),
            Ask::List(filter, limit) => self.list(&base_url, &filter, limit),
            Ask::Approval(call) => self.approval(&call),
            Ask::Decide(call, request) => self.decide(&who, &call, request),
            Ask::Stats => self.stats(),
            Ask::Register(register) => self.register(&who, register),
            Ask::Goodbye(goodbye) => self.goodbye(&goodbye.session),
            Ask::Accept(request) => self.accept(&request),
            Ask::Renew(request) => self.renew(&request),
            Ask::Return(request) => self.give_back(&request),
            Ask::Results(request) => {
                self.results(&request.session, request.results).map(|statuses| statuses.map(Answer::Results))
            }
        };
        reply.map(Outcome::Reply)
    }

    /// Why a message is not for this object; the first one tells it where it is.
    fn misdirected(&mut self, v: u32, place: &Place) -> Stored<Option<Problem>> {
        if v != messages::VERSION {
            return Ok(Some(Problem::new(problems::BUSY, "A deploy is under way; try again.")));
        }
        match &self.queue.place {
            Some(known) if known != place => return Ok(Some(Problem::not_found())),
            Some(_) => {}
            None => {
                self.store.set_place(place)?;
                self.queue.place = Some(place.clone());
            }
        }
        Ok(None)
    }

    /// The place; requests set it before anything uses it.
    pub fn place(&self) -> Place {
        self.queue.place.clone().unwrap_or_else(|| Place::of("", ""))
    }

    /// The policy, when it is known to be fresh.
    pub fn policy(&self) -> Result<Rc<Snapshot>, Problem> {
        match &self.queue.memory.snapshot {
            Some(policy) if self.queue.snapshot_is_fresh(self.now) => Ok(Rc::clone(policy)),
            _ => Err(no_policy()),
        }
    }

    /// Holds a request, unless too many wait already.
    pub fn hold(&mut self, waiting: Waiting, seconds: u64) -> Outcome {
        let memory = &mut self.queue.memory;
        if memory.waiters.len() >= WAITERS_MAX {
            let detail =
                format!("{WAITERS_MAX} requests wait in this pool already; the limit is {WAITERS_MAX}. Try again.");
            return Outcome::Reply(Err(
                Problem::new(problems::BUSY, detail).with("retry_after_seconds", RETRY_AFTER_SECONDS)
            ));
        }
        let (name, deadline) = (memory.next_waiter, self.now.plus_seconds(seconds));
        memory.next_waiter = name.saturating_add(1);
        memory.waiters.insert(name, Waiter { waiting, deadline });
        Outcome::Hold(name, deadline)
    }

    /// Answers a request that was held.
    pub fn answer(&mut self, name: WaiterId, reply: Reply) {
        if let Some(waiter) = self.queue.memory.waiters.remove(&name) {
            self.queue.memory.answered.push((name, waiter));
            self.effects.answers.push((name, reply));
        }
    }

    fn waiter_due(&mut self, waiter: Option<Waiter>) -> Stored<Outcome> {
        // Unknown only after a storage error, of which the request was told.
        let Some(waiter) = waiter else { return Ok(Outcome::Reply(Err(Problem::storage()))) };
        Ok(Outcome::Reply(match waiter.waiting {
            Waiting::Poll { .. } => Ok(Answer::Idle),
            Waiting::Call { id, base_url, submitted, known, .. } => match self.store.call(&id)? {
                Some(call) => Ok(self.waited(&call, &base_url, submitted, known)),
                None => Err(Problem::not_found()),
            },
        }))
    }

    /// Tells the registry, at least once.
    pub fn tell(&mut self, message: &PoolMessage) -> Stored<()> {
        self.effects.outbox = true;
        self.store.push(message)
    }

    /// An open call that is about to be moved. One whose record cannot be read is set aside, and said so.
    pub fn load(&mut self, id: &LocalId) -> Stored<Option<Call>> {
        match self.store.call(id) {
            Err(StoreError::Corrupt(why)) => {
                self.store.set_aside(id)?;
                self.queue.memory.leases.remove(id);
                self.queue.memory.running.remove(id);
                self.audit("gateway", "record.set_aside", id.as_str(), serde_json::json!({ "why": why }))?;
                Ok(None)
            }
            other => other,
        }
    }

    /// An entry of the audit record.
    pub fn audit(&mut self, by: &str, event: &str, subject: &str, detail: serde_json::Value) -> Stored<()> {
        let entry = AuditEntry {
            at: self.now.0,
            by: by.to_owned(),
            event: event.to_owned(),
            subject: subject.to_owned(),
            detail,
        };
        self.tell(&PoolMessage::Audit(entry))
    }
}

fn no_policy() -> Problem {
    Problem::new(problems::REGISTRY_UNAVAILABLE, "The pool could not read its policy; nothing was accepted. Try again.")
        .with("retry_after_seconds", RETRY_AFTER_SECONDS)
}

//! The world: one pool's object and everybody around it.

use std::collections::BTreeMap;

use toolgate_core::ids::{IdKind, Ids, LocalId, Place};
use toolgate_core::queue::delivery::DeliveryEnvelope;
use toolgate_core::queue::machine::Phase;
use toolgate_core::queue::messages::{Ask, Submit};
use toolgate_core::queue::{Event, Queue};
use toolgate_core::time::UnixMillis;

use crate::bugs::Bug;
use crate::checks::{self, Checked, Ledger};
use crate::deliverer::Task;
use crate::model::Model;
use crate::office::Office;
use crate::random::Random;
use crate::truth::{Course, Truth};
use crate::workers::Worker;

const MASTER: &[u8] = b"a master key for the simulator 32b";
pub(crate) const WORKERS: usize = 4;

/// What was done to the queue, so that another storage can be put through the same.
#[derive(Clone, Debug)]
pub enum Done {
    /// A step; the storage fails after so many operations.
    Step(Event, UnixMillis, [u8; 16], Option<usize>),
    /// The object was built anew.
    Rebuilt,
}

/// Who waits for a held answer.
#[derive(Clone, Debug)]
pub(crate) enum Waits {
    Caller(LocalId),
    Poll(usize),
    Nobody,
}

pub struct World {
    pub random: Random,
    pub now: UnixMillis,
    pub queue: Queue,
    pub store: Model,
    /// The registry that the pool tells of its approvals.
    pub office: Office,
    pub truth: Truth,
    pub ledger: Ledger,
    pub workers: Vec<Worker>,
    pub steps: u64,
    pub log: Option<Vec<(Done, String)>>,
    pub(crate) alarm: Option<UnixMillis>,
    pub(crate) held: BTreeMap<u64, (Waits, UnixMillis)>,
    /// Requests that were sent and have not arrived.
    pub(crate) in_flight: Vec<(usize, Ask)>,
    /// Deliveries at the edge.
    pub(crate) tasks: Vec<Task>,
    /// Reports of deliverers that have not arrived.
    pub(crate) reports: Vec<DeliveryEnvelope>,
    /// When so many calls were last running that none more was delivered.
    pub(crate) full_at: Option<UnixMillis>,
    pub(crate) known_calls: Vec<LocalId>,
    pub(crate) keys_used: Vec<Submit>,
    pub(crate) bug: Option<Bug>,
    pub(crate) place: Place,
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
            office: Office::new(seed, now, bug),
            truth: Truth::new(now, Course::of(seed)),
            ledger: Ledger::default(),
            workers: (0..WORKERS).map(Worker::new).collect(),
            steps: 0,
            log: None,
            alarm: None,
            held: BTreeMap::new(),
            in_flight: Vec::new(),
            tasks: Vec::new(),
            reports: Vec::new(),
            full_at: None,
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
            self.office.go_on(self.now)?;
            if self.steps.is_multiple_of(256) {
                let store = &self.store;
                checks::durable(&mut self.ledger, self.now, |id| store.peek(id).is_some())?;
            }
        }
        self.wind_down()
    }

    /// Nobody touches the pool any more: its alarms alone must end every call, with a registry that does not answer for
    /// more than a day, and then does.
    pub(crate) fn wind_down(&mut self) -> Checked {
        self.rebuild();
        self.step(Event::Tick)?;
        for alarms in 0..100_000 {
            if self.store.open_count() == 0 {
                self.tell_all()?;
                self.office.wind_down()?;
                return self.compare_index();
            }
            let Some(at) = self.alarm.take() else { return Err("4: calls are open and no alarm is set".into()) };
            self.now = self.now.max(at);
            self.step(Event::Tick)?;
            if alarms > 20_000 {
                self.tell_all()?;
            }
        }
        Err(format!("4: {} calls never end", self.store.open_count()))
    }

    /// The index of approvals says what the pool says, as long as it keeps an end, and nothing waits in it.
    fn compare_index(&mut self) -> Checked {
        let listed = self.office.index()?;
        if let Some(open) = listed.iter().find(|view| view.state == "pending") {
            return Err(format!("the index shows {} as pending", open.id));
        }
        if listed.len() != self.office.books.kept() {
            return Err(format!("the index shows {} approvals of {}", listed.len(), self.office.books.kept()));
        }
        let listed: BTreeMap<String, String> = listed.into_iter().map(|view| (view.id, view.state)).collect();
        for call in self.store.everything() {
            let Some(approval) = call.approval else { continue };
            let id = self.queue.ids.public(IdKind::Approval, &self.place, &call.id);
            let state = listed.get(&id);
            if state.is_some_and(|state| *state != approval.state) || state.is_none() && self.office.books.keeps(&id) {
                return Err(format!("the index shows {id} as {state:?}, and it is {}", approval.state));
            }
        }
        Ok(())
    }

    pub(crate) fn pass_time(&mut self) {
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

    pub(crate) fn act(&mut self) -> Checked {
        self.ring()?;
        self.time_out()?;
        match self.random.below(100) {
            0..16 => self.submit(),
            16..20 => self.repeat(),
            20..68 => self.executor(),
            68..74 => self.arrive(),
            74..83 => self.decide(),
            83..86 => self.about_a_call(Ask::Cancel),
            86..88 => self.resolve(),
            88..91 => self.read(),
            91..93 => self.look(),
            93..95 => self.change_policy(),
            95 => self.tell(),
            96 => self.burst(),
            97 => {
                self.rebuild();
                Ok(())
            }
            98 => self.fault(),
            _ => self.step(Event::Tick).map(|_| ()),
        }
    }

    /// The alarm: mostly on time, sometimes late, sometimes twice.
    pub(crate) fn ring(&mut self) -> Checked {
        if self.alarm.is_none_or(|at| at > self.now) || self.random.chance(300) {
            return Ok(());
        }
        self.alarm = None;
        let twice = self.random.chance(50);
        self.step(Event::Tick)?;
        if twice { self.step(Event::Tick).map(|_| ()) } else { Ok(()) }
    }

    /// The shell's timers: a held request is given up at its deadline.
    pub(crate) fn time_out(&mut self) -> Checked {
        let over: Vec<u64> =
            self.held.iter().filter(|(_, (_, deadline))| *deadline <= self.now).map(|(name, _)| *name).collect();
        for name in over {
            if let Some((waits, _)) = self.held.remove(&name) {
                self.step_for(waits, Event::WaiterDue(name))?;
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
    (Phase::Queued, "accept"),
    (Phase::Queued, "cancel"),
    (Phase::Queued, "hand_out"),
    (Phase::Queued, "invalidate"),
    (Phase::Queued, "not_sent"),
    (Phase::Queued, "postpone"),
    (Phase::Queued, "queue_deadline"),
    (Phase::Queued, "refuse"),
    (Phase::Queued, "resolve"),
    (Phase::Queued, "return"),
    (Phase::Queued, "settle"),
    (Phase::Queued, "transport_lost"),
    (Phase::HandedOver, "accept"),
    (Phase::HandedOver, "cancel"),
    (Phase::HandedOver, "invalidate"),
    (Phase::HandedOver, "lease_lapsed"),
    (Phase::HandedOver, "not_sent"),
    (Phase::HandedOver, "postpone"),
    (Phase::HandedOver, "refuse"),
    (Phase::HandedOver, "resolve"),
    (Phase::HandedOver, "return"),
    (Phase::HandedOver, "settle"),
    (Phase::HandedOver, "transport_lost"),
    (Phase::Reading, "accept"),
    (Phase::Reading, "cancel"),
    (Phase::Reading, "execution_deadline"),
    (Phase::Reading, "lease_lapsed"),
    (Phase::Reading, "not_sent"),
    (Phase::Reading, "postpone"),
    (Phase::Reading, "resolve"),
    (Phase::Reading, "return"),
    (Phase::Reading, "settle"),
    (Phase::Reading, "transport_lost"),
    (Phase::Writing, "accept"),
    (Phase::Writing, "cancel"),
    (Phase::Writing, "execution_deadline"),
    (Phase::Writing, "lease_lapsed"),
    (Phase::Writing, "not_sent"),
    (Phase::Writing, "postpone"),
    (Phase::Writing, "resolve"),
    (Phase::Writing, "return"),
    (Phase::Writing, "settle"),
    (Phase::Writing, "transport_lost"),
    (Phase::Unknown, "accept"),
    (Phase::Unknown, "cancel"),
    (Phase::Unknown, "not_sent"),
    (Phase::Unknown, "postpone"),
    (Phase::Unknown, "resolve"),
    (Phase::Unknown, "return"),
    (Phase::Unknown, "settle"),
    (Phase::Unknown, "transport_lost"),
    (Phase::Ended, "accept"),
    (Phase::Ended, "cancel"),
    (Phase::Ended, "not_sent"),
    (Phase::Ended, "postpone"),
    (Phase::Ended, "resolve"),
    (Phase::Ended, "return"),
    (Phase::Ended, "settle"),
    (Phase::Ended, "transport_lost"),
];

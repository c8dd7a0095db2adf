//! A pool by hand, over a real SQLite, for tests that say themselves what happens and when: its clock stands still until
//! the test moves it, and its alarm rings when the test rings it.

use serde_json::value::RawValue;
use toolgate_core::contract::contract_hash;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::queue::messages::{Answer, Ask, Envelope, PoolMessage, Register, Reply, Submit, VERSION};
use toolgate_core::queue::sql::SqlStore;
use toolgate_core::queue::store::Store as _;
use toolgate_core::queue::{Effects, Event, Outcome, Queue};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::{DecisionKind, DecisionRequest};
use toolgate_protocol::calls::CallView;
use toolgate_protocol::control::Role;
use toolgate_protocol::workers::{ClaimsRequest, Job, PollRequest, RegistrationResult, ResultEntry, ResultsRequest};

use crate::port::Sqlite;
use crate::truth::{Policy, TOOLS, definition, identity};
use crate::world::ids;

/// What the shell tells the registry at once.
const TOLD_AT_ONCE: usize = 20;

pub struct Pool {
    pub now: UnixMillis,
    /// What the registry holds.
    pub policy: Policy,
    pub queue: Queue,
    sqlite: Sqlite,
    steps: u64,
}

/// JSON text.
pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("json")
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::new()
    }
}

impl Pool {
    pub fn new() -> Pool {
        let (now, queue, sqlite) = (UnixMillis(1_764_500_000_000), Queue::new(ids()), Sqlite::queue());
        let mut pool = Pool { now, policy: Policy::first(), queue, sqlite, steps: 0 };
        pool.step(Event::Snapshot(Box::new(pool.policy.snapshot())));
        pool
    }

    /// The object is built anew.
    pub fn rebuild(&mut self) {
        self.queue = Queue::new(ids());
    }

    pub fn step(&mut self, event: Event) -> Effects {
        self.steps += 1;
        let mut entropy = [0; 16];
        entropy[..8].copy_from_slice(&self.steps.to_be_bytes());
        let mut store = SqlStore::new(&self.sqlite, self.now);
        self.queue.step(&mut store, event, self.now, entropy).expect("storage")
    }

    /// A request, with the policy that the shell would fetch for it.
    pub fn ask(&mut self, who: Identity, ask: Ask) -> Reply {
        if !self.queue.memory.ready {
            self.step(Event::Tick);
        }
        if self.queue.needs_snapshot(&ask, &who, self.now) {
            self.step(Event::Snapshot(Box::new(self.policy.snapshot())));
        }
        let (place, base_url) = (Place::of("acme", "shop"), "http://gate".to_owned());
        match self.step(Event::Ask(Box::new(Envelope { v: VERSION, place, who, base_url, ask }))).outcome {
            Outcome::Reply(reply) => reply,
            Outcome::Hold(..) => panic!("a request that does not wait is held"),
        }
    }

    /// Asks for `refund`, which a person must approve.
    pub fn park(&mut self, agent: &str, principal: &str, n: usize) -> Result<CallView, &'static str> {
        let raw = |text: String| RawValue::from_string(text).expect("json");
        let submit = Submit {
            run: None,
            tool: "refund".into(),
            agent: agent.into(),
            principal: raw(format!(r#"{{"id":"{principal}","tenant_id":"t","permissions":["use"]}}"#)),
            arguments: Some(raw(format!(r#"{{"n":{n}}}"#))),
            idempotency_key: Some(format!("key {}", self.steps)),
            purpose: None,
            input: None,
            profile: None,
            alike: false,
            moves: None,
            wait_seconds: 0,
        };
        match self.ask(identity(Role::Caller, "caller"), Ask::Submit(submit)) {
            Ok(Answer::Call { view, .. }) => Ok(*view),
            Err(problem) => Err(problem.kind.code),
            other => panic!("{other:?}"),
        }
    }

    pub fn local(&self, call: &CallView) -> LocalId {
        self.queue.ids.read(IdKind::Call, "acme", &call.call).expect("an id").1
    }

    /// Something changed in the registry, and the pool is told.
    pub fn change(&mut self, change: impl FnOnce(&mut Policy)) {
        self.policy.version += 1;
        change(&mut self.policy);
        self.step(Event::Snapshot(Box::new(self.policy.snapshot())));
    }

    /// Decides a parked call as it was shown, as Ann; the state of its approval, or the code of the refusal.
    pub fn decide(&mut self, call: &CallView, decision: DecisionKind) -> Result<String, &'static str> {
        self.decide_as("ann", call, decision)
    }

    /// The same, as somebody else.
    pub fn decide_as(&mut self, who: &str, call: &CallView, decision: DecisionKind) -> Result<String, &'static str> {
        let digest = call.approval.as_ref().map(|approval| approval.digest.clone());
        let reason = (decision == DecisionKind::Reject).then(|| "no".to_owned());
        let request = DecisionRequest { decision, digest, reason, arguments: None };
        match self.ask(identity(Role::Approver, who), Ask::Decide(self.local(call), request)) {
            Ok(Answer::Approval(view)) => Ok(view.state),
            Err(problem) => Err(problem.kind.code),
            other => panic!("{other:?}"),
        }
    }

    /// The states of calls, as their caller reads them.
    pub fn states(&mut self, calls: &[&CallView]) -> Vec<String> {
        let read = |pool: &mut Pool, call: &CallView| {
            let ask = Ask::Read { call: pool.local(call), wait_seconds: 0, submitted: false };
            match pool.ask(identity(Role::Caller, "caller"), ask) {
                Ok(Answer::Call { view, .. }) => format!("{:?}", view.state),
                other => panic!("{other:?}"),
            }
        };
        calls.iter().map(|call| read(self, call)).collect()
    }

    /// A worker takes what there is, runs it and settles it; the calls.
    pub fn work(&mut self) -> Vec<String> {
        let worker = identity(Role::Worker, "worker");
        let session = self.session();
        let poll =
            PollRequest { session: session.clone(), max: 64, wait_seconds: Some(0), accepts: vec![], results: vec![] };
        let jobs: Vec<Job> = match self.ask(worker.clone(), Ask::Poll(poll)) {
            Ok(Answer::Poll(answer)) => answer.jobs,
            Ok(Answer::Idle) => Vec::new(),
            other => panic!("{other:?}"),
        };
        let claims = jobs.iter().map(|job| job.claim.clone()).collect();
        assert!(self.ask(worker.clone(), Ask::Accept(ClaimsRequest { session: session.clone(), claims })).is_ok());
        let result = |job: &Job| ResultEntry {
            claim: job.claim.clone(),
            result: RawValue::from_string("true".into()).ok(),
            error: None,
            activity: None,
        };
        let results = jobs.iter().map(result).collect();
        assert!(self.ask(worker, Ask::Results(ResultsRequest { session, results })).is_ok());
        jobs.into_iter().map(|job| job.call).collect()
    }

    /// A fresh session of a worker that announces the tools as they are.
    pub fn session(&mut self) -> String {
        let contract = |(name, class): &(&str, &str)| ((*name).to_owned(), contract_hash(&definition(name, class, 0)));
        let register = Register {
            worker: "w".into(),
            manifest: "m".into(),
            contracts: TOOLS.iter().map(contract).collect(),
            result: Some(RegistrationResult::default()),
        };
        match self.ask(identity(Role::Worker, "worker"), Ask::Register(register)) {
            Ok(Answer::Registered(answer)) => answer.session,
            other => panic!("{other:?}"),
        }
    }

    /// What the registry is to be told next, and the event that says that it was.
    pub fn outbox(&self) -> Option<(Vec<(u64, PoolMessage)>, Event)> {
        let messages = SqlStore::new(&self.sqlite, self.now).outbox(TOLD_AT_ONCE).expect("storage");
        let told = Event::Told(messages.last()?.0);
        Some((messages, told))
    }
}

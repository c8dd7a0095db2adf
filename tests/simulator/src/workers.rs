//! Workers as the SDK makes them, on a bad day: they poll, accept before a write, renew, finish, return, leave, crash,
//! freeze and come back with what they held.

use toolgate_core::queue::messages::{Ask, Register};
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::workers::{
    ClaimsRequest, GoodbyeRequest, HandlerError, Job, PollRequest, RegistrationResult, ResultEntry, ResultsRequest,
};

use crate::random::Random;
use crate::truth::{Policy, TOOLS, definition};

/// Where a job stands in the worker's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Received; a write must be accepted first.
    Received,
    /// May start.
    Cleared,
    /// The handler ran.
    Ran,
}

#[derive(Clone, Debug)]
pub struct Held {
    pub job: Job,
    pub stage: Stage,
}

#[derive(Clone, Debug)]
pub struct Worker {
    pub id: String,
    pub session: Option<String>,
    pub jobs: Vec<Held>,
    /// Receives nothing and does nothing.
    pub frozen: bool,
    /// The tools' input variants that it was deployed with.
    pub variant: usize,
}

impl Worker {
    pub fn new(id: usize) -> Worker {
        Worker { id: format!("w{id}"), session: None, jobs: Vec::new(), frozen: false, variant: 0 }
    }

    fn session(&self) -> String {
        self.session.clone().unwrap_or_else(|| "ses_none".into())
    }

    /// Announces the tools as the registry has them, or as an older or newer deploy had them.
    pub fn register(&mut self, random: &mut Random, policy: &Policy) -> Ask {
        let matching = random.chance(850);
        self.variant = random.below(2);
        let variant = |name: &str| if matching { policy.variants[name] } else { self.variant };
        let contract = |(name, class): &(&str, &str)| {
            ((*name).to_owned(), toolgate_core::contract::contract_hash(&definition(name, class, variant(name))))
        };
        let contracts: std::collections::BTreeMap<String, String> = TOOLS.iter().map(contract).collect();
        let manifest = toolgate_core::hash::sha256_hex(format!("{contracts:?}").as_bytes());
        Ask::Register(Register {
            worker: self.id.clone(),
            manifest,
            contracts,
            result: Some(RegistrationResult::default()),
        })
    }

    /// What it says next; `None` when there is nothing to say.
    pub fn speak(&mut self, random: &mut Random) -> Option<Ask> {
        let session = self.session();
        let claims = |jobs: Vec<&Held>| ClaimsRequest {
            session: session.clone(),
            claims: jobs.into_iter().map(|held| held.job.claim.clone()).collect(),
        };
        let at = |stage: Stage| self.jobs.iter().filter(|held| held.stage == stage).collect::<Vec<_>>();
        let writes = |jobs: Vec<&Held>| -> ClaimsRequest {
            claims(jobs.into_iter().filter(|held| held.job.side_effect != SideEffect::ReadOnly).collect())
        };
        match random.below(100) {
            0..35 => {
                let accepts = if random.chance(300) { writes(at(Stage::Received)).claims } else { Vec::new() };
                let results = if random.chance(300) { self.results(random) } else { Vec::new() };
                let (max, wait) = (random.below(4) as u32, random.below(21) as u64);
                Some(Ask::Poll(PollRequest { session, max, wait_seconds: Some(wait), accepts, results }))
            }
            35..60 => {
                // Reads need no accept; saying it anyway does no harm.
                let received = at(Stage::Received);
                let some = !received.is_empty();
                Some(Ask::Accept(if random.chance(100) { claims(received) } else { writes(received) })).filter(|_| some)
            }
            60..80 => {
                let results = self.results(random);
                Some(Ask::Results(ResultsRequest { session, results })).filter(|_| !self.jobs.is_empty())
            }
            80..93 => Some(Ask::Renew(claims(self.jobs.iter().collect()))).filter(|_| !self.jobs.is_empty()),
            93..96 => {
                // Also what has started, as no SDK would: the gate must say no.
                let jobs = if random.chance(800) { at(Stage::Received) } else { self.jobs.iter().collect() };
                Some(Ask::Return(claims(jobs)))
            }
            96 => Some(Ask::Goodbye(GoodbyeRequest { session })),
            _ => None,
        }
    }

    fn results(&mut self, random: &mut Random) -> Vec<ResultEntry> {
        let mut entries = Vec::new();
        for held in &self.jobs {
            // Arguments that a handler cannot take are an error before anything starts, also of a write.
            let unstarted = held.stage == Stage::Received && random.chance(30);
            if held.stage != Stage::Ran && !unstarted {
                continue;
            }
            let fails = unstarted || random.chance(150);
            let error = fails.then(|| HandlerError { message: "no".into(), code: None });
            let result =
                (!fails).then(|| serde_json::value::RawValue::from_string("9007199254740993".into()).expect("json"));
            entries.push(ResultEntry { claim: held.job.claim.clone(), result, error, activity: None });
        }
        entries
    }
}

//! What the registry holds, and when it held it: the snapshots that the queue is given, and the judge of hand-outs and
//! accepts.

use std::collections::BTreeMap;

use toolgate_core::contract::contract_hash;
use toolgate_core::keys::{Identity, Scope};
use toolgate_core::policy::{LiveKey, PolicyEndpoint, PolicyTool, SealedSecret, Snapshot};
use toolgate_core::queue::call::Call;
use toolgate_core::queue::target::DELIVERER;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::control::{Capability, EndpointState, Role, Transport};
use toolgate_protocol::definitions::ToolDefinition;
use toolgate_protocol::limits::{APPROVAL_SECONDS_MAX, APPROVAL_SECONDS_MIN, ROTATION_SECONDS, SNAPSHOT_SECONDS};

use crate::random::Random;

pub const TOOLS: [(&str, &str); 4] =
    [("look", "read_only"), ("peek", "read_only"), ("mark", "reversible_write"), ("refund", "consequential")];
pub const AGENTS: [&str; 2] = ["alice", "bob"];
/// What the capability says of the time to decide.
pub const TIMES_TO_DECIDE: [Option<u64>; 3] = [None, Some(APPROVAL_SECONDS_MIN), Some(APPROVAL_SECONDS_MAX)];

/// How the pool is served over a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// By an endpoint, throughout.
    Webhook,
    /// By an endpoint, then by workers, and back, again and again.
    WebhookFirst,
    /// The other way round.
    WorkersFirst,
}

impl Course {
    pub fn of(seed: u64) -> Course {
        match seed % 4 {
            0 => Course::Webhook,
            2 => Course::WebhookFirst,
            _ => Course::WorkersFirst,
        }
    }
}

/// One state of the registry.
#[derive(Clone)]
pub struct Policy {
    pub version: u64,
    /// Agents that hold the capability.
    pub granted: BTreeMap<String, bool>,
    pub writes: bool,
    /// Approvers that a consequential call needs.
    pub quorum: u32,
    /// Seconds to decide, where the capability says so.
    pub approval_seconds: Option<u64>,
    pub live_keys: BTreeMap<String, bool>,
    /// Each tool's input variant.
    pub variants: BTreeMap<String, usize>,
    pub enabled: BTreeMap<String, bool>,
    pub transport: Transport,
    /// Rises with each change of where calls go.
    pub revision: u64,
    /// Of an endpoint, while there is one.
    pub state: EndpointState,
    pub secrets: Vec<SealedSecret>,
}

/// The registry's history.
pub struct Truth {
    pub now: Policy,
    /// Whether the transport changes over the run.
    switches: bool,
    /// When each state began; the last five minutes of them.
    history: Vec<(UnixMillis, Policy)>,
}

pub fn identity(role: Role, id: &str) -> Identity {
    Identity {
        org: "acme".into(),
        role,
        key_id: id.into(),
        name: id.into(),
        sha256: format!("hash of {id}"),
        scope: Scope::default(),
        expires: None,
    }
}

pub fn definition(name: &str, class: &str, variant: usize) -> ToolDefinition {
    let mut input = serde_json::json!({ "n": "integer", "note": "string?" });
    if variant > 0 {
        input["extra"] = "string?".into();
    }
    let definition = serde_json::json!({
        "name": name, "description": "a tool", "side_effect": class, "input": input, "permissions": ["use"],
        "execution_deadline_seconds": 120
    });
    serde_json::from_value(definition).expect("a definition")
}

impl Policy {
    pub fn first() -> Policy {
        let all = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), true)).collect::<BTreeMap<_, _>>();
        let tools: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
        Policy {
            version: 1,
            granted: all(&AGENTS),
            writes: true,
            quorum: 1,
            approval_seconds: None,
            live_keys: all(&["caller", "other", "worker", "ann", "ben", "admin"]),
            variants: tools.iter().map(|name| ((*name).to_owned(), 0)).collect(),
            enabled: all(&tools),
            transport: Transport::Worker,
            revision: 0,
            state: EndpointState::Pending,
            secrets: Vec::new(),
        }
    }

    /// The same pool, served by an endpoint.
    pub fn first_webhook() -> Policy {
        let mut policy = Policy::first();
        policy.switch(EndpointState::Active);
        policy
    }

    /// To the other transport; an endpoint starts in this state.
    fn switch(&mut self, state: EndpointState) {
        self.revision += 1;
        self.transport = match self.transport {
            Transport::Worker => Transport::Webhook,
            _ => Transport::Worker,
        };
        self.state = state;
        self.secrets = vec![SealedSecret { sealed: format!("sealed {}", self.version), until: None }];
    }

    /// Where calls go under this revision.
    pub fn url(revision: u64) -> String {
        format!("https://endpoint{revision}.example/tools")
    }

    fn endpoint(&self) -> Option<PolicyEndpoint> {
        (self.transport == Transport::Webhook).then(|| PolicyEndpoint {
            url: Policy::url(self.revision),
            state: self.state,
            revision: self.revision,
            timeout_seconds: 15,
            secrets: self.secrets.clone(),
            manifest: None,
        })
    }

    pub fn snapshot(&self) -> Snapshot {
        let tool = |(name, class): &(&str, &str)| {
            let definition = definition(name, class, self.variants[*name]);
            ((*name).to_owned(), PolicyTool::new(definition, self.enabled[*name], 0))
        };
        let names = TOOLS.iter().map(|(name, _)| (*name).to_owned()).collect();
        let capability = Capability {
            tools: names,
            allow_reversible_writes: self.writes,
            approvals_required: self.quorum,
            requester_may_approve: true,
            approval_seconds: self.approval_seconds,
        };
        let held = self
            .granted
            .iter()
            .filter(|(_, granted)| **granted)
            .map(|(agent, _)| (agent.clone(), vec!["all".to_owned()]));
        let keys = self.live_keys.iter().filter(|(_, live)| **live);
        let key =
            |(id, _): (&String, &bool)| (id.clone(), LiveKey { sha256: format!("hash of {id}"), role: Role::Caller });
        Snapshot {
            epoch: 1,
            version: self.version,
            transport: self.transport,
            endpoint_revision: self.revision,
            endpoint: self.endpoint(),
            datasets: BTreeMap::new(),
            tools: TOOLS.iter().map(tool).collect(),
            capabilities: BTreeMap::from([("all".to_owned(), capability)]),
            agents: held.collect(),
            keys: keys.map(key).collect(),
        }
    }

    /// Something about the endpoint: mostly back to what works.
    fn change_endpoint(&mut self, random: &mut Random, now: UnixMillis, switches: bool) {
        let heal = random.chance(750);
        let state = if heal { EndpointState::Active } else { EndpointState::Pending };
        if switches && random.chance(80) {
            return self.switch(state);
        }
        match random.below(5) {
            _ if self.transport != Transport::Webhook => {}
            0 => (self.revision, self.state) = (self.revision + 1, state),
            1 => {
                let until = Some(now.plus_seconds(ROTATION_SECONDS));
                self.secrets.truncate(1);
                self.secrets.iter_mut().for_each(|old| old.until = until);
                self.secrets.insert(0, SealedSecret { sealed: format!("sealed {}", self.version), until: None });
            }
            // A PUT of the same URL with another secret.
            2 => self.secrets = vec![SealedSecret { sealed: format!("sealed {}", self.version), until: None }],
            _ => self.state = if heal { EndpointState::Active } else { EndpointState::Suspended },
        }
    }

    /// An independent judgement: may whoever holds this call now have it, under this state?
    fn allows(&self, call: &Call) -> bool {
        let asked = &call.asked;
        let tool = asked.tool.as_str();
        let class = TOOLS.iter().find(|(name, _)| *name == tool).map_or("", |(_, class)| class);
        let same = contract_hash(&definition(tool, class, self.variants[tool])) == asked.contract_hash;
        let opted = class != "reversible_write" || self.writes;
        let approved_for = class != "consequential" || asked.endpoint_revision == self.revision;
        let by_edge = call.claim.as_ref().is_some_and(|claim| claim.session == DELIVERER);
        let reached = match self.transport {
            Transport::Webhook => by_edge && self.state == EndpointState::Active,
            _ => !by_edge && self.live_keys["worker"],
        };
        same && opted && approved_for && reached && self.granted[&asked.agent] && self.live_keys[&asked.key_id]
    }
}

impl Truth {
    pub fn new(now: UnixMillis, course: Course) -> Truth {
        let first = if course == Course::WorkersFirst { Policy::first() } else { Policy::first_webhook() };
        Truth { now: first.clone(), switches: course != Course::Webhook, history: vec![(now, first)] }
    }

    /// Changes something at random, mostly back to what works.
    pub fn change(&mut self, random: &mut Random, now: UnixMillis) {
        let policy = &mut self.now;
        policy.version += 1;
        let heal = random.chance(650);
        match random.below(7) {
            0 => policy.granted.values_mut().for_each(|granted| *granted = heal || !*granted),
            1 => policy.writes = heal || !policy.writes,
            5 if random.chance(300) => policy.quorum = 3 - policy.quorum,
            6 if random.chance(300) => policy.approval_seconds = TIMES_TO_DECIDE[random.below(TIMES_TO_DECIDE.len())],
            2 => {
                let live = policy.live_keys.get_mut(["caller", "other", "worker"][random.below(3)]).expect("a key");
                *live = heal || !*live;
            }
            3 => {
                let (name, _) = TOOLS[random.below(TOOLS.len())];
                policy.variants.insert(name.to_owned(), usize::from(!heal));
            }
            4 => {
                let (name, _) = TOOLS[random.below(TOOLS.len())];
                policy.enabled.insert(name.to_owned(), heal);
            }
            _ => policy.change_endpoint(random, now, self.switches),
        }
        self.history.push((now, policy.clone()));
    }

    /// Everything works.
    pub fn heal(&mut self, now: UnixMillis) {
        let policy = &mut self.now;
        policy.version += 1;
        for all in [&mut policy.granted, &mut policy.live_keys, &mut policy.enabled] {
            all.values_mut().for_each(|one| *one = true);
        }
        (policy.writes, policy.quorum, policy.state) = (true, 1, EndpointState::Active);
        self.history.push((now, policy.clone()));
    }

    /// The pool is left with an endpoint that is not active.
    pub fn lose_endpoint(&mut self, now: UnixMillis) {
        let policy = &mut self.now;
        policy.version += 1;
        if policy.transport == Transport::Webhook {
            policy.state = EndpointState::Suspended;
        } else if self.switches {
            policy.switch(EndpointState::Pending);
        }
        self.history.push((now, policy.clone()));
    }

    /// Was this hand-out allowed by the state that the object had been given, and was that state in force within the
    /// last five minutes?
    pub fn allowed(&mut self, now: UnixMillis, known: u64, call: &Call) -> bool {
        let horizon = now.minus_seconds(SNAPSHOT_SECONDS);
        // A state is over when the next one begins; those over before the horizon must not be used any more.
        let over = |at: usize| self.history.get(at + 1).map(|(from, _)| *from);
        let first = (0..self.history.len()).find(|at| over(*at).is_none_or(|end| end >= horizon)).unwrap_or(0);
        self.history.drain(..first);
        self.state(known).is_some_and(|policy| policy.enabled[&call.asked.tool] && policy.allows(call))
    }

    /// Was this accept allowed by the state that the object had been given? (A tool that was disabled since its
    /// hand-out may still start.)
    pub fn may_start(&self, known: u64, call: &Call) -> bool {
        self.state(known).is_some_and(|policy| policy.allows(call))
    }

    /// What the registry held at this version, if it was in force of late.
    pub fn state(&self, version: u64) -> Option<&Policy> {
        self.history.iter().map(|(_, policy)| policy).find(|policy| policy.version == version)
    }
}

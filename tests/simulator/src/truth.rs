//! What the registry holds, and when it held it: the snapshots that the queue is given, and the judge of hand-outs.

use std::collections::BTreeMap;

use toolgate_core::contract::contract_hash;
use toolgate_core::keys::{Identity, Scope};
use toolgate_core::policy::{LiveKey, PolicyTool, Snapshot};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::control::{Capability, Role, Transport};
use toolgate_protocol::definitions::ToolDefinition;
use toolgate_protocol::limits::SNAPSHOT_SECONDS;

use crate::random::Random;

pub const TOOLS: [(&str, &str); 4] =
    [("look", "read_only"), ("peek", "read_only"), ("mark", "reversible_write"), ("refund", "consequential")];
pub const AGENTS: [&str; 2] = ["alice", "bob"];

/// One state of the registry.
#[derive(Clone)]
pub struct Policy {
    pub version: u64,
    /// Agents that hold the capability.
    pub granted: BTreeMap<String, bool>,
    pub writes: bool,
    pub live_keys: BTreeMap<String, bool>,
    /// Each tool's input variant.
    pub variants: BTreeMap<String, usize>,
    pub enabled: BTreeMap<String, bool>,
}

/// The registry's history.
pub struct Truth {
    pub now: Policy,
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
            live_keys: all(&["caller", "other", "worker", "ann", "ben", "admin"]),
            variants: tools.iter().map(|name| ((*name).to_owned(), 0)).collect(),
            enabled: all(&tools),
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        let tool = |(name, class): &(&str, &str)| {
            let definition = definition(name, class, self.variants[*name]);
            ((*name).to_owned(), PolicyTool::new(definition, self.enabled[*name]))
        };
        let names = TOOLS.iter().map(|(name, _)| (*name).to_owned()).collect();
        let capability = Capability {
            tools: names,
            allow_reversible_writes: self.writes,
            approvals_required: 1,
            requester_may_approve: true,
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
            transport: Transport::Worker,
            tools: TOOLS.iter().map(tool).collect(),
            capabilities: BTreeMap::from([("all".to_owned(), capability)]),
            agents: held.collect(),
            keys: keys.map(key).collect(),
        }
    }

    /// An independent judgement: may this call be handed out under this state?
    fn allows(&self, tool: &str, agent: &str, key: &str, contract: &str) -> bool {
        let class = TOOLS.iter().find(|(name, _)| *name == tool).map_or("", |(_, class)| class);
        let same = contract_hash(&definition(tool, class, self.variants[tool])) == contract;
        let opted = class != "reversible_write" || self.writes;
        same && opted && self.enabled[tool] && self.granted[agent] && self.live_keys[key] && self.live_keys["worker"]
    }
}

impl Truth {
    pub fn new(now: UnixMillis) -> Truth {
        Truth { now: Policy::first(), history: vec![(now, Policy::first())] }
    }

    /// Changes something at random, mostly back to what works.
    pub fn change(&mut self, random: &mut Random, now: UnixMillis) {
        let policy = &mut self.now;
        policy.version += 1;
        let heal = random.chance(650);
        match random.below(5) {
            0 => policy.granted.values_mut().for_each(|granted| *granted = heal || !*granted),
            1 => policy.writes = heal || !policy.writes,
            2 => {
                let live = policy.live_keys.get_mut(["caller", "other", "worker"][random.below(3)]).expect("a key");
                *live = heal || !*live;
            }
            3 => {
                let (name, _) = TOOLS[random.below(TOOLS.len())];
                policy.variants.insert(name.to_owned(), usize::from(!heal));
            }
            _ => {
                let (name, _) = TOOLS[random.below(TOOLS.len())];
                policy.enabled.insert(name.to_owned(), heal);
            }
        }
        self.history.push((now, policy.clone()));
    }

    /// Was this hand-out allowed by the state that the object had been given, and was that state in force within the
    /// last five minutes?
    pub fn allowed(&mut self, now: UnixMillis, known: u64, tool: &str, agent: &str, key: &str, contract: &str) -> bool {
        let horizon = now.minus_seconds(SNAPSHOT_SECONDS);
        // A state is over when the next one begins; those over before the horizon must not be used any more.
        let over = |at: usize| self.history.get(at + 1).map(|(from, _)| *from);
        let first = (0..self.history.len()).find(|at| over(*at).is_none_or(|end| end >= horizon)).unwrap_or(0);
        self.history.drain(..first);
        let state = self.history.iter().find(|(_, policy)| policy.version == known);
        state.is_some_and(|(_, policy)| policy.allows(tool, agent, key, contract))
    }
}

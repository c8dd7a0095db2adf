//! An org of its own over a real SQLite, for tests of the registry: one command a second, and every answer to a client
//! is searched for what must never be in one.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolgate_core::hash::sha256_hex;
use toolgate_core::ids::Place;
use toolgate_core::keys::{Identity, KeyRing};
use toolgate_core::policy::Snapshot;
use toolgate_core::queue::messages::{Manifests, PoolBatch, PoolMessage, VERSION};
use toolgate_core::registry::{Announcement, Answer, Command, Effects, Envelope, Registry, Reply};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::workers::{RegistrationResult, RegistrationStatus};

use crate::port::Sqlite;

pub const MASTER: &[u8] = b"a master key for the registry 32";

pub struct Org {
    pub sql: Sqlite,
    registry: Registry,
    pub admin: Option<Identity>,
    pub now: UnixMillis,
    steps: u64,
    /// What the pool has seen.
    seen: Vec<String>,
    /// What no client may be shown.
    pub hidden: Vec<String>,
}

impl Default for Org {
    fn default() -> Org {
        Org::new()
    }
}

impl Org {
    pub fn new() -> Org {
        let registry = Registry { ring: KeyRing::new(MASTER) };
        let mut org = Org {
            sql: Sqlite::registry(),
            registry,
            admin: None,
            now: UnixMillis(1_764_500_000_000),
            steps: 0,
            seen: Vec::new(),
            hidden: Vec::new(),
        };
        let Ok(Answer::Body(201, body)) = org.ask(Command::CreateOrg) else { panic!("no org") };
        org.admin = Some(org.verify(&body["admin_key"]));
        org.body(
            "pool",
            Command::PutPool("shop".into(), serde_json::from_value(json!({"transport":"worker"})).expect("json")),
        );
        org
    }

    pub fn verify(&self, key: &Value) -> Identity {
        KeyRing::new(MASTER).verify(key.as_str().expect("a key"), self.now).expect("a good key")
    }

    pub fn step(&mut self, command: Command) -> Effects {
        self.steps += 1;
        self.now = self.now.plus_seconds(1);
        let mut entropy = [0; 16];
        entropy[..8].copy_from_slice(&self.steps.to_be_bytes());
        let envelope = Envelope { v: VERSION, org: "acme".into(), who: self.admin.clone(), command };
        let effects = self.registry.step(&self.sql, envelope, self.now, entropy).expect("storage");
        let shown = shown(&effects.reply);
        assert!(!self.hidden.iter().any(|hidden| shown.contains(hidden)), "a secret is shown: {shown}");
        effects
    }

    pub fn ask(&mut self, command: Command) -> Reply {
        self.step(command).reply
    }

    pub fn body(&mut self, what: &str, command: Command) -> Value {
        match self.ask(command) {
            Ok(Answer::Body(_, body)) => body,
            other => panic!("{what}: {other:?}"),
        }
    }

    pub fn refused(&mut self, command: Command) -> &'static str {
        match self.ask(command) {
            Err(problem) => problem.kind.code,
            Ok(answer) => panic!("not refused: {answer:?}"),
        }
    }

    pub fn announce(&mut self, pool: &str, manifest: &Value, live: &[&Value]) -> RegistrationResult {
        match self.try_announce(pool, manifest, live) {
            Ok(Answer::Registered(result)) => result,
            other => panic!("{other:?}"),
        }
    }

    pub fn try_announce(&mut self, pool: &str, manifest: &Value, live: &[&Value]) -> Reply {
        let live: Vec<String> = live.iter().map(|manifest| hash(manifest)).collect();
        self.seen.extend(live.iter().cloned());
        self.ask(Command::Announce(Announcement {
            pool: pool.into(),
            worker: "w".into(),
            manifest: RawValue::from_string(manifest.to_string()).expect("json"),
            hash: hash(manifest),
            manifests: Manifests { live, seen: self.seen.clone() },
        }))
    }

    pub fn live(&mut self, manifests: &[&Value]) {
        let live: Vec<String> = manifests.iter().map(|manifest| hash(manifest)).collect();
        self.seen.extend(live.iter().cloned());
        let live = PoolMessage::Live(Manifests { live, seen: self.seen.clone() });
        let batch = PoolBatch { v: VERSION, place: Place::of("acme", "shop"), messages: vec![(1, live)] };
        assert!(self.ask(Command::Batch(batch)).is_ok());
    }

    pub fn policy(&mut self, pool: &str) -> Snapshot {
        match self.ask(Command::Policy(Place::of("acme", pool))) {
            Ok(Answer::Policy(push)) => push.snapshot,
            other => panic!("{other:?}"),
        }
    }

    pub fn tool(&mut self, name: &str) -> Value {
        self.body("tool", Command::GetTool(name.into()))
    }

    pub fn put_capability(&mut self, name: &str, capability: Value) -> Reply {
        self.ask(Command::PutCapability(name.into(), serde_json::from_value(capability).expect("json")))
    }
}

pub fn hash(manifest: &Value) -> String {
    sha256_hex(manifest.to_string().as_bytes())
}

pub fn tool(name: &str, class: &str, permissions: &[&str]) -> Value {
    json!({"name": name, "description": "d", "side_effect": class, "input": {}, "permissions": permissions})
}

pub fn manifest(tools: &[Value]) -> Value {
    json!({ "tools": tools, "contexts": [] })
}

pub fn statuses(result: &RegistrationResult) -> Vec<(&str, RegistrationStatus, Option<&str>)> {
    result.tools.iter().map(|tool| (tool.name.as_str(), tool.status, tool.code.as_deref())).collect()
}

/// What a client gets to see of an answer.
fn shown(reply: &Reply) -> String {
    match reply {
        Ok(Answer::Body(_, body)) => body.to_string(),
        Ok(Answer::Text(_, text)) => text.clone(),
        Ok(Answer::Registered(result)) => json!(result).to_string(),
        Err(problem) => format!("{} {:?}", problem.detail, problem.members),
        // For the edge and for pools alone.
        Ok(Answer::Policy(_) | Answer::Pool(_) | Answer::Catalogue(_) | Answer::Endpoint(_) | Answer::Done) => {
            String::new()
        }
    }
}

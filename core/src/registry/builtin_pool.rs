//! The pool of the tools that ship with the gateway: their definitions meet the same fences as a worker's announcement.
//!
//! An org has one, as names belong to one pool. It keeps its transport: what ships here is nobody else's code.

use serde_json::json;
use toolgate_protocol::answers::{ManifestTaken, PoolSaved};
use toolgate_protocol::control::Transport;
use toolgate_protocol::problems;
use toolgate_protocol::workers::{RegistrationResult, ToolStatus};

use super::policies::PoolRecord;
use super::{Step, Stepped, body};
use crate::builtin::{definitions, definitions_hash};
use crate::problem::Problem;
use crate::registration::ReadManifest;
use crate::sql_port::StoreError;

/// Who manages what ships, in the catalogue.
pub(crate) const MANAGER: &str = "builtin";

impl Step<'_> {
    pub(super) fn put_builtin(&mut self, name: &str, known: Option<PoolRecord>) -> Stepped {
        let other = self.docs.all::<PoolRecord>("pool")?.into_iter();
        let mut other = other.filter(|(other, pool)| other != name && pool.transport == Transport::Builtin);
        if let Some((other, _)) = other.next() {
            let detail =
                format!("The pool {other} has the tools that ship with the gateway; an org has one such pool.");
            return Ok(Err(Problem::new(problems::TRANSPORT_IN_USE, detail).with("pool", other)));
        }
        let status = if known.is_some() { 200 } else { 201 };
        let mut pool = match known {
            Some(pool) if pool.transport != Transport::Builtin => {
                let detail = "The pool has another transport, and tools of its own; give the builtin pool a name that is not in use.";
                return Ok(Err(Problem::new(problems::TRANSPORT_IN_USE, detail)));
            }
            Some(pool) => pool,
            None => PoolRecord::new(Transport::Builtin),
        };
        if status == 201 {
            self.audit("pool.written", name, json!({ "transport": pool.transport }))?;
        }
        // Again at each PUT: a name that was taken the last time may be free now.
        let tools = self.register(name, &mut pool)?;
        self.docs.put("pool", name, &pool)?;
        let taken = ManifestTaken::Taken(RegistrationResult { tools, ..RegistrationResult::default() });
        let saved = PoolSaved { registration: Some(taken), ..PoolSaved::new(name, pool.transport, None) };
        body(status, &saved)
    }

    /// Registers what this version of the gateway ships, when another one was registered last. The caller keeps the
    /// record.
    pub(super) fn register_shipped(&mut self, name: &str, pool: &mut PoolRecord) -> Result<(), StoreError> {
        let news = pool.transport == Transport::Builtin && pool.shipped.as_deref() != Some(definitions_hash().as_str());
        if news { self.register(name, pool).map(|_| ()) } else { Ok(()) }
    }

    fn register(&mut self, name: &str, pool: &mut PoolRecord) -> Result<Vec<ToolStatus>, StoreError> {
        let shipped = definitions();
        let tools = shipped.into_iter().map(|tool| (tool.name.clone(), Ok(tool))).collect();
        let read = ReadManifest { tools, contexts: Vec::new() };
        let statuses = self.apply_tools(name, MANAGER, &read)?;
        self.enable_announced(name, MANAGER, &read.tools.iter().map(|(name, _)| name).collect())?;
        pool.shipped = Some(definitions_hash());
        Ok(statuses)
    }
}

/// A builtin pool that is to be served by something else.
pub(super) fn builtin_stays() -> Problem {
    let detail =
        "The pool has the tools that ship with the gateway, and no other transport serves them; use another name.";
    Problem::new(problems::TRANSPORT_IN_USE, detail)
}

//! Pools, and the policy that each of them decides with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate_protocol::answers::{PolicyView, PoolSaved, PoolView};
use toolgate_protocol::control::{Capability, PoolRequest, Role, Transport};
use toolgate_protocol::lists::PoolPage;
use toolgate_protocol::problems;

use super::builtin_pool::builtin_stays;
use super::endpoints::EndpointRecord;
use super::keys::KeyRecord;
use super::{Answer, Page, Step, Stepped, body};
use crate::chat::model::AgentRecord;
use crate::hash::sha256_hex;
use crate::ids::Place;
use crate::names;
use crate::policy::{LiveKey, PolicyTool, Snapshot};
use crate::problem::Problem;
use crate::queue::messages::{Push, VERSION};
use crate::registration::CatalogueTool;
use crate::sql_port::StoreError;

/// A pool as the registry keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PoolRecord {
    pub transport: Transport,
    /// Its object exists: it has asked for its policy.
    pub has_object: bool,
    /// Version of its policy.
    pub version: u64,
    /// The version that its object has stored.
    pub stored: u64,
    /// Hash of the policy's content.
    pub content: String,
    /// Rank of the next new manifest.
    pub next_rank: u64,
    /// The manifests of its live sessions, as last told.
    pub live: Vec<String>,
    /// Rises with each change of where calls go. 0 for a pool that only workers ever served.
    #[serde(default)]
    pub revision: u64,
    /// Of a webhook pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointRecord>,
    /// Of a builtin pool: the hash of the shipped definitions that were registered last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped: Option<String>,
}

impl PoolRecord {
    pub(super) fn new(transport: Transport) -> PoolRecord {
        PoolRecord {
            transport,
            has_object: false,
            version: 0,
            stored: 0,
            content: String::new(),
            next_rank: 1,
            live: Vec::new(),
            revision: 0,
            endpoint: None,
            shipped: None,
        }
    }
}

impl Step<'_> {
    pub(super) fn put_pool(&mut self, name: &str, request: &PoolRequest) -> Stepped {
        if let Err(problem) = names::plain("pool", name) {
            return Ok(Err(problem));
        }
        if request.url.is_some() || request.secret.is_some() || request.timeout_seconds.is_some() {
            return Ok(Err(Problem::invalid(
                "url",
                "url, secret and timeout_seconds belong to the transport webhook.",
            )));
        }
        let known = self.docs.get::<PoolRecord>("pool", name)?;
        if request.transport == Transport::Builtin {
            return self.put_builtin(name, known);
        }
        if known.as_ref().is_some_and(|pool| pool.transport == Transport::Builtin) {
            return Ok(Err(builtin_stays()));
        }
        let status = if known.is_some() { 200 } else { 201 };
        if known.as_ref().is_none_or(|pool| pool.transport != Transport::Worker) {
            let mut pool = known.unwrap_or_else(|| PoolRecord::new(Transport::Worker));
            if pool.transport != Transport::Worker {
                pool.transport = Transport::Worker;
                pool.revision = pool.revision.saturating_add(1);
                pool.endpoint = None;
                self.manage_by(name, "worker")?;
            }
            self.docs.put("pool", name, &pool)?;
            self.audit("pool.written", name, json!({ "transport": request.transport }))?;
        }
        body(status, &PoolSaved::new(name, request.transport, None))
    }

    pub(super) fn get_pool(&mut self, name: &str) -> Stepped {
        match self.docs.get::<PoolRecord>("pool", name)? {
            Some(pool) => body(200, &self.pool_view(name.to_owned(), &pool)),
            None => Ok(Err(Problem::not_found())),
        }
    }

    pub(super) fn list_pools(&mut self, asked: &Page) -> Stepped {
        let (found, next_cursor) = self.docs.listed::<PoolRecord>("pool", asked)?;
        let pools = found.into_iter().map(|(name, pool)| self.pool_view(name, &pool)).collect();
        body(200, &PoolPage { pools, next_cursor })
    }

    fn pool_view(&self, name: String, pool: &PoolRecord) -> PoolView {
        let policy = PolicyView { version: pool.version, stored: pool.stored };
        PoolView { pool: name, transport: pool.transport, policy, endpoint: pool.endpoint_view(self.now) }
    }

    /// A pool's object asks: from now on it is pushed to.
    pub(super) fn give_policy(&mut self, place: &Place) -> Stepped {
        let Some(mut pool) = self.docs.get::<PoolRecord>("pool", &place.pool)? else {
            let detail =
                format!("There is no pool {:?}; an admin makes it with PUT /v1/pools/{}.", place.pool, place.pool);
            return Ok(Err(Problem::new(problems::NOT_FOUND, detail)));
        };
        let before = (pool.has_object, pool.version, pool.shipped.clone());
        self.register_shipped(&place.pool, &mut pool)?;
        let snapshot = self.snapshot(&place.pool, &mut pool)?;
        pool.has_object = true;
        // That it is stored is said by the object, once it is.
        if before != (true, pool.version, pool.shipped.clone()) {
            self.docs.put("pool", &place.pool, &pool)?;
        }
        Ok(Ok(Answer::Policy(Box::new(Push { v: VERSION, place: place.clone(), snapshot }))))
    }

    pub(super) fn stored(&mut self, name: &str, version: u64) -> Stepped {
        if let Some(mut pool) = self.docs.get::<PoolRecord>("pool", name)?
            && version > pool.stored
        {
            pool.stored = version;
            self.docs.put("pool", name, &pool)?;
        }
        Ok(Ok(Answer::Done))
    }

    /// Compiles every pool's policy anew; a changed one gets a higher version.
    pub(super) fn compile_policies(&mut self) -> Result<(), StoreError> {
        for (name, mut pool) in self.docs.all::<PoolRecord>("pool")? {
            let before = pool.version;
            self.snapshot(&name, &mut pool)?;
            if pool.version != before {
                self.docs.put("pool", &name, &pool)?;
            }
        }
        Ok(())
    }

    /// Whether an object has not stored its policy yet.
    pub(super) fn has_lagging(&self) -> Result<bool, StoreError> {
        let lags = |pool: &PoolRecord| pool.has_object && pool.stored < pool.version;
        Ok(self.docs.all::<PoolRecord>("pool")?.iter().any(|(_, pool)| lags(pool)))
    }

    /// What objects have not stored yet.
    pub(super) fn pending_pushes(&mut self) -> Result<Vec<Push>, StoreError> {
        let mut pushes = Vec::new();
        for (name, mut pool) in self.docs.all::<PoolRecord>("pool")? {
            if pool.has_object && pool.stored < pool.version {
                let before = pool.version;
                let snapshot = self.snapshot(&name, &mut pool)?;
                if pool.version != before {
                    self.docs.put("pool", &name, &pool)?;
                }
                pushes.push(Push { v: VERSION, place: Place::of(&self.org, &name), snapshot });
            }
        }
        Ok(pushes)
    }

    /// The pool's policy as of now; raises the version when the content changed.
    fn snapshot(&self, name: &str, pool: &mut PoolRecord) -> Result<Snapshot, StoreError> {
        let epoch = self
            .docs
            .get::<serde_json::Value>("org", "org")?
            .and_then(|org| org.get("epoch").and_then(serde_json::Value::as_u64));
        let tools = self.policy_tools(name)?;
        let (capabilities, agents) = self.grants(&tools)?;
        let mut snapshot = Snapshot {
            epoch: epoch.unwrap_or(0),
            version: 0,
            transport: pool.transport,
            endpoint_revision: pool.revision,
            endpoint: pool.policy_endpoint(),
            tools,
            capabilities,
            datasets: self.datasets(pool.transport, &agents)?,
            agents,
            keys: self.live_keys(name)?,
        };
        let content = serde_json::to_string(&snapshot).map_err(|error| StoreError::Failed(error.to_string()))?;
        let content = sha256_hex(content.as_bytes());
        if content != pool.content {
            pool.version = pool.version.saturating_add(1);
            pool.content = content;
        }
        snapshot.version = pool.version;
        Ok(snapshot)
    }

    fn policy_tools(&self, pool: &str) -> Result<BTreeMap<String, PolicyTool>, StoreError> {
        let tools = self.docs.all::<CatalogueTool>("tool")?.into_iter().filter(|(_, tool)| tool.pool == pool);
        Ok(tools
            .map(|(name, tool)| {
                (name, {
                    let moves = tool.moves();
                    PolicyTool::new(tool.definition, tool.enabled, moves)
                })
            })
            .collect())
    }

    /// Capabilities cut to these tools, and which of them each agent holds.
    #[expect(clippy::type_complexity, reason = "two maps, named at the only use")]
    pub(super) fn grants(
        &self,
        tools: &BTreeMap<String, PolicyTool>,
    ) -> Result<(BTreeMap<String, Capability>, BTreeMap<String, Vec<String>>), StoreError> {
        let mut capabilities = BTreeMap::new();
        for (name, mut capability) in self.docs.all::<Capability>("capability")? {
            capability.tools.retain(|tool| tools.contains_key(tool));
            if !capability.tools.is_empty() {
                capabilities.insert(name, capability);
            }
        }
        let mut agents = BTreeMap::new();
        for (name, agent) in self.docs.all::<AgentRecord>("agent")? {
            let held: Vec<String> =
                agent.capabilities.into_iter().filter(|held| capabilities.contains_key(held)).collect();
            if !held.is_empty() {
                agents.insert(name, held);
            }
        }
        Ok((capabilities, agents))
    }

    /// What the database tools of a builtin pool read, for each of these agents.
    fn datasets(
        &self,
        transport: Transport,
        agents: &BTreeMap<String, Vec<String>>,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        if transport != Transport::Builtin {
            return Ok(BTreeMap::new());
        }
        let all = self.docs.all::<AgentRecord>("agent")?.into_iter().filter(|(name, _)| agents.contains_key(name));
        Ok(all.filter_map(|(name, agent)| Some((name, agent.dataset?))).collect())
    }

    fn live_keys(&self, pool: &str) -> Result<BTreeMap<String, LiveKey>, StoreError> {
        let touches = |key: &KeyRecord| {
            key.role != Role::Worker
                || key.scope.pools.as_ref().is_some_and(|pools| pools.iter().any(|name| name == pool))
        };
        let keys =
            self.docs.all::<KeyRecord>("key")?.into_iter().filter(|(_, key)| key.revoked_at.is_none() && touches(key));
        Ok(keys.map(|(id, key)| (id, LiveKey { sha256: key.sha256, role: key.role })).collect())
    }
}

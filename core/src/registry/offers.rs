//! What offers are made from: the whole catalogue with its grants, under a version that changes with it. The edge keeps
//! a copy; an offer decides nothing, so an old copy harms nobody.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate_protocol::control::Transport;
use toolgate_protocol::definitions::ContextDefinition;

use super::catalogue::ContextRecord;
use super::{Answer, Step, Stepped};
use crate::chat::model::AgentRecord;
use crate::hash::hex;
use crate::policy::{PolicyTool, Snapshot};
use crate::registration::CatalogueTool;
use crate::sql_port::StoreError;

/// An org's tools, contexts and agents, as of one version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfferCatalogue {
    /// Another one after each change; compared for equality alone.
    pub version: String,
    /// All tools of the org with all grants, to be asked as a pool asks its own. It has no keys.
    pub policy: Snapshot,
    /// The pool of each tool.
    pub pools: BTreeMap<String, String>,
    /// Who manages each tool.
    #[serde(default)]
    pub managers: BTreeMap<String, String>,
    /// Screens that stand.
    pub contexts: BTreeMap<String, ContextDefinition>,
    /// Agents; the keys of their models are sealed.
    pub agents: BTreeMap<String, AgentRecord>,
}

/// Kinds of documents that offers are made from.
pub(super) const OFFERED_KINDS: [&str; 4] = ["tool", "context", "capability", "agent"];

/// A context with the tools of its own pool alone: since it was registered a name may have gone to another one. `None` when
/// its prefetch tool has.
fn own_pools(context: ContextRecord, pools: &BTreeMap<String, String>) -> Option<ContextDefinition> {
    let mut definition = context.definition;
    let own = |tool: &String| pools.get(tool) == Some(&context.pool);
    definition.pinned_tools.retain(own);
    definition.prefetch_tool.as_ref().is_none_or(own).then_some(definition)
}

impl Step<'_> {
    /// The catalogue, unless this version of it is known.
    pub(super) fn offer_catalogue(&mut self, known: Option<&str>) -> Stepped {
        let version = self.docs.get::<String>("org", "catalogue")?.unwrap_or_default();
        if known == Some(version.as_str()) {
            return Ok(Ok(Answer::Catalogue(None)));
        }
        let (mut tools, mut pools, mut managers) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (name, tool) in self.docs.all::<CatalogueTool>("tool")? {
            let (enabled, moves) = (tool.enabled && !tool.is_released(), tool.moves());
            pools.insert(name.clone(), tool.pool);
            managers.insert(name.clone(), tool.managed_by);
            tools.insert(name, PolicyTool::new(tool.definition, enabled, moves));
        }
        let (capabilities, agents) = self.grants(&tools)?;
        let policy = Snapshot {
            epoch: 0,
            version: 0,
            transport: Transport::Worker,
            datasets: BTreeMap::new(),
            endpoint_revision: 0,
            endpoint: None,
            tools,
            capabilities,
            agents,
            keys: BTreeMap::new(),
        };
        let contexts = self.docs.all::<ContextRecord>("context")?.into_iter().filter(|(_, context)| context.enabled);
        let contexts = contexts.filter_map(|(name, context)| Some((name, own_pools(context, &pools)?))).collect();
        let agents = self.docs.all::<AgentRecord>("agent")?.into_iter().collect();
        let catalogue = OfferCatalogue { version, policy, pools, managers, contexts, agents };
        Ok(Ok(Answer::Catalogue(Some(Box::new(catalogue)))))
    }

    /// Gives the catalogue a new version when this step wrote anything that offers are made from.
    pub(super) fn stamp_catalogue(&mut self) -> Result<(), StoreError> {
        if self.docs.wrote_offered() {
            // Never one that was used before, also not after a restore from a backup.
            let version = format!("{}-{}", self.now.0, hex(self.entropy.get(..6).unwrap_or_default()));
            self.docs.put("org", "catalogue", &json!(version))?;
        }
        Ok(())
    }
}

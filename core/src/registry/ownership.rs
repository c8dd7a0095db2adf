//! What an admin alone may do to a name: accept a definition that met a fence, and release a name for another owner.
//!
//! Both name what they mean exactly. An acceptance carries the hash of the refused definition, so that nothing else can
//! slip in between reading and accepting; a released name keeps its class and permissions as the floor for whoever
//! announces it next.

use serde_json::json;
use toolgate_protocol::answers::ToolView;
use toolgate_protocol::control::{AcceptanceRequest, Capability};
use toolgate_protocol::problems;

use super::{Step, Stepped, body, catalogue};
use crate::policy::unknown_tool;
use crate::problem::Problem;
use crate::registration::CatalogueTool;
use crate::sql_port::StoreError;

impl Step<'_> {
    /// Takes the refused definition with exactly this hash as if no fence had been there.
    pub(super) fn accept_refused(&mut self, name: &str, request: &AcceptanceRequest) -> Stepped {
        let Some(mut tool) = self.docs.get::<CatalogueTool>("tool", name)? else { return Ok(Err(unknown_tool(name))) };
        let Some(refused) = tool.refused.take().filter(|refused| refused.version == request.version) else {
            let detail = "No refused definition of this tool has this hash; read the tool again for the one that was refused last.";
            return Ok(Err(Problem::new(problems::NOTHING_TO_ACCEPT, detail)));
        };
        tool.definition = refused.definition;
        self.docs.put("tool", name, &tool)?;
        self.add_version(&tool.definition)?;
        let detail =
            json!({ "version": refused.version, "fence": refused.code, "side_effect": tool.definition.side_effect });
        self.audit("tool.accepted", name, detail)?;
        body(200, &catalogue::view(name, &tool))
    }

    /// Lets another pool announce the name. Grants stay, and are told: whoever takes the name serves them.
    pub(super) fn release(&mut self, name: &str) -> Stepped {
        let Some(mut tool) = self.docs.get::<CatalogueTool>("tool", name)? else { return Ok(Err(unknown_tool(name))) };
        if tool.is_released() {
            return body(200, &catalogue::view(name, &tool));
        }
        if tool.enabled && tool.managed_by != "console" {
            let detail = format!("{name} is served by the pool {}; only a disabled name can be released.", tool.pool);
            return Ok(Err(Problem::new(problems::TOOL_IN_USE, detail)));
        }
        let pool = std::mem::take(&mut tool.pool);
        tool.former_pools.push(pool.clone());
        (tool.enabled, tool.refused) = (false, None);
        self.docs.put("tool", name, &tool)?;
        let capabilities = self.capabilities_with(name)?;
        self.audit("tool.released", name, json!({ "pool": pool, "capabilities": capabilities }))?;
        body(200, &ToolView { granted_by: Some(capabilities), ..catalogue::view(name, &tool) })
    }

    fn capabilities_with(&self, tool: &str) -> Result<Vec<String>, StoreError> {
        let all = self.docs.all::<Capability>("capability")?.into_iter();
        let with = all.filter(|(_, capability)| capability.tools.iter().any(|granted| granted == tool));
        Ok(with.map(|(name, _)| name).collect())
    }
}

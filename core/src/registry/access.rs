//! Capabilities and agents: who is granted what.

use serde_json::json;
use toolgate_protocol::answers::{AgentView, CapabilityView};
use toolgate_protocol::control::{Agent, Capability};
use toolgate_protocol::limits::{AGENT_NAMES_MAX, CAPABILITY_TOOLS_MAX};
use toolgate_protocol::lists::{AgentPage, CapabilityPage};
use toolgate_protocol::problems;

use super::{Page, Step, Stepped, body};
use crate::chat::model::{AgentRecord, ModelSpec, agent_view};
use crate::names;
use crate::problem::Problem;
use crate::registration::CatalogueTool;
use crate::sql_port::StoreError;

impl Step<'_> {
    pub(super) fn put_capability(&mut self, name: &str, capability: &Capability) -> Stepped {
        if let Err(problem) = names::plain("name", name) {
            return Ok(Err(problem));
        }
        if !(1..=5).contains(&capability.approvals_required) {
            return Ok(Err(Problem::invalid("approvals_required", "needs 1 to 5.")));
        }
        if let Err(problem) = few("tools", &capability.tools, CAPABILITY_TOOLS_MAX) {
            return Ok(Err(problem));
        }
        if let Some(unknown) = self.first_unowned(&capability.tools)? {
            return Ok(Err(ungranted(&unknown)));
        }
        self.docs.put("capability", name, capability)?;
        self.audit("capability.written", name, json!(capability))?;
        body(200, &CapabilityView { name: name.to_owned(), capability: capability.clone() })
    }

    pub(super) fn put_agent(&mut self, name: &str, agent: Agent<ModelSpec>) -> Stepped {
        if let Err(problem) = names::plain("name", name) {
            return Ok(Err(problem));
        }
        let lists = [("capabilities", &agent.capabilities), ("pinned_tools", &agent.pinned_tools)];
        if let Some(problem) = lists.into_iter().find_map(|(field, names)| few(field, names, AGENT_NAMES_MAX).err()) {
            return Ok(Err(problem));
        }
        if let Some(unknown) = self.first_absent("capability", &agent.capabilities)? {
            let detail = format!("There is no capability {unknown:?}; write it first.");
            return Ok(Err(Problem::new(problems::UNKNOWN_CAPABILITY, detail).with("capability", unknown)));
        }
        if let Some(unknown) = self.first_unowned(&agent.pinned_tools)? {
            return Ok(Err(ungranted(&unknown)));
        }
        let known = self.docs.find::<AgentRecord>("agent", name)?.and_then(|known| known.model);
        let model = agent.model.clone().map(|model| model.over(known.as_ref()));
        let record: AgentRecord = agent.with_model(model);
        let view = agent_view(&record);
        self.docs.put("agent", name, &record)?;
        self.audit("agent.written", name, json!(view))?;
        body(200, &AgentView { name: name.to_owned(), agent: view })
    }

    pub(super) fn get_capability(&mut self, name: &str) -> Stepped {
        match self.docs.get::<Capability>("capability", name)? {
            Some(capability) => body(200, &CapabilityView { name: name.to_owned(), capability }),
            None => Ok(Err(Problem::not_found())),
        }
    }

    pub(super) fn get_agent(&mut self, name: &str) -> Stepped {
        match self.docs.get::<AgentRecord>("agent", name)? {
            Some(agent) => body(200, &AgentView { name: name.to_owned(), agent: agent_view(&agent) }),
            None => Ok(Err(Problem::not_found())),
        }
    }

    pub(super) fn list_capabilities(&mut self, asked: &Page) -> Stepped {
        let (found, next_cursor) = self.docs.listed("capability", asked)?;
        let view = |(name, capability)| CapabilityView { name, capability };
        body(200, &CapabilityPage { capabilities: found.into_iter().map(view).collect(), next_cursor })
    }

    pub(super) fn list_agents(&mut self, asked: &Page) -> Stepped {
        let (found, next_cursor) = self.docs.listed::<AgentRecord>("agent", asked)?;
        let view = |(name, agent)| AgentView { name, agent: agent_view(&agent) };
        body(200, &AgentPage { agents: found.into_iter().map(view).collect(), next_cursor })
    }

    /// The first of these tools that no pool owns.
    fn first_unowned(&self, named: &[String]) -> Result<Option<String>, StoreError> {
        for name in named {
            if self.docs.get::<CatalogueTool>("tool", name)?.is_none_or(|tool| tool.is_released()) {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    fn first_absent(&self, kind: &str, named: &[String]) -> Result<Option<String>, StoreError> {
        for name in named {
            if !self.docs.exists(kind, name)? {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }
}

/// Offers are worked out from these lists in each turn.
fn few(field: &str, names: &[String], most: usize) -> Result<(), Problem> {
    if names.len() > most {
        return Err(Problem::invalid(field, format!("has {} names; the limit is {most}.", names.len())));
    }
    Ok(())
}

/// A name that does not exist cannot be granted: the next worker that announces it would widen the agent.
fn ungranted(tool: &str) -> Problem {
    let detail = format!("No tool {tool:?} is registered; only registered tools can be granted.");
    Problem::new(problems::UNKNOWN_GRANTED_TOOL, detail).with("tool", tool)
}

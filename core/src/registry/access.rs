//! Capabilities and agents: who is granted what.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::json;
use toolgate_protocol::answers::CapabilityView;
use toolgate_protocol::control::{Agent, AgentMcp, Capability};
use toolgate_protocol::definitions::ToolDefinition;
use toolgate_protocol::limits::{AGENT_NAMES_MAX, APPROVAL_SECONDS_MAX, APPROVAL_SECONDS_MIN, CAPABILITY_TOOLS_MAX};
use toolgate_protocol::lists::{AgentPage, CapabilityPage};
use toolgate_protocol::problems;

use super::{Page, Step, Stepped, body};
use crate::chat::model::{AgentRecord, ModelSpec, agent_view, named_view};
use crate::mcp::{Rules, is_header_name, may_mirror, mirrors};
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
        let told = APPROVAL_SECONDS_MIN..=APPROVAL_SECONDS_MAX;
        if capability.approval_seconds.is_some_and(|seconds| !told.contains(&seconds)) {
            let detail = format!("needs {APPROVAL_SECONDS_MIN} to {APPROVAL_SECONDS_MAX}.");
            return Ok(Err(Problem::invalid("approval_seconds", &detail)));
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
        if let Some(problem) = self.mcp_fault(agent.mcp.as_ref())? {
            return Ok(Err(problem));
        }
        let known = self.docs.find::<AgentRecord>("agent", name)?.and_then(|known| known.model);
        let model = agent.model.clone().map(|model| model.over(known.as_ref()));
        let record: AgentRecord = agent.with_model(model);
        self.docs.put("agent", name, &record)?;
        self.audit("agent.written", name, json!(agent_view(&record)))?;
        body(200, &named_view(name, &record))
    }

    /// How an agent's tools are served at the MCP door; nothing special for one that is not there.
    pub(super) fn mcp_rules(&mut self, name: &str) -> Stepped {
        #[derive(Deserialize)]
        struct Door {
            mcp: Option<AgentMcp>,
        }
        let mcp = self.docs.get::<Door>("agent", name)?.and_then(|agent| agent.mcp);
        let mut rules = Rules::default();
        if let Some(AgentMcp { headers, tasks_required }) = &mcp {
            rules.tasks_required.extend(tasks_required.iter().cloned());
            for tool in headers.keys() {
                let Some(found) = self.docs.get::<CatalogueTool>("tool", tool)? else { continue };
                let named = mirrors(mcp.as_ref(), &found.definition).into_iter();
                let named = named.map(|(field, header)| (field.to_owned(), header.to_owned()));
                rules.mirrors.insert(tool.clone(), named.collect());
            }
        }
        body(200, &rules)
    }

    /// What is wrong with how an agent's tools are to be served at the MCP door.
    fn mcp_fault(&self, mcp: Option<&AgentMcp>) -> Result<Option<Problem>, StoreError> {
        let Some(AgentMcp { headers, tasks_required }) = mcp else { return Ok(None) };
        let named: Vec<String> = headers.keys().cloned().collect();
        for (field, names) in [("mcp.headers", &named), ("mcp.tasks_required", tasks_required)] {
            if let Err(problem) = few(field, names, AGENT_NAMES_MAX) {
                return Ok(Some(problem));
            }
            if let Some(unknown) = self.first_unowned(names)? {
                return Ok(Some(ungranted(&unknown)));
            }
        }
        for (tool, fields) in headers {
            let Some(found) = self.docs.get::<CatalogueTool>("tool", tool)? else { continue };
            if let Some(why) = header_fault(&found.definition, fields) {
                return Ok(Some(Problem::invalid(&format!("mcp.headers.{tool}"), why)));
            }
        }
        Ok(None)
    }

    pub(super) fn get_capability(&mut self, name: &str) -> Stepped {
        match self.docs.get::<Capability>("capability", name)? {
            Some(capability) => body(200, &CapabilityView { name: name.to_owned(), capability }),
            None => Ok(Err(Problem::not_found())),
        }
    }

    pub(super) fn get_agent(&mut self, name: &str) -> Stepped {
        match self.docs.get::<AgentRecord>("agent", name)? {
            Some(agent) => body(200, &named_view(name, &agent)),
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
        let agents = found.iter().map(|(name, agent)| named_view(name, agent)).collect();
        body(200, &AgentPage { agents, next_cursor })
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

/// The protocol's own rules: a client drops a tool that breaks one.
fn header_fault(tool: &ToolDefinition, fields: &BTreeMap<String, String>) -> Option<String> {
    let mut taken = BTreeSet::new();
    for (field, header) in fields {
        if !tool.input.get(field).is_some_and(|kind| may_mirror(kind)) {
            return Some(format!(
                "names {field:?}, which is no field of the tool, or is a number, a list or any JSON."
            ));
        }
        if !is_header_name(header) {
            return Some(format!(
                "needs a header name, a token of HTTP of 1 to 64 characters (RFC 9110, section 5.6.2), not {header:?}."
            ));
        }
        if !taken.insert(header.to_ascii_lowercase()) {
            return Some(format!("names the header {header:?} twice."));
        }
    }
    None
}

/// A name that does not exist cannot be granted: the next worker that announces it would widen the agent.
fn ungranted(tool: &str) -> Problem {
    let detail = format!("No tool {tool:?} is registered; only registered tools can be granted.");
    Problem::new(problems::UNKNOWN_GRANTED_TOOL, detail).with("tool", tool)
}

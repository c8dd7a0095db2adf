//! The policy snapshot that a pool decides with, and the checks of a submission in their fixed order.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use toolgate_protocol::control::{Capability, EndpointState, Role, Transport};
use toolgate_protocol::definitions::{SideEffect, ToolDefinition};
use toolgate_protocol::problems;

use crate::contract::{approval_hash, contract_hash, version};
use crate::keys::Identity;
use crate::problem::Problem;
use crate::queue::call::Bound;
use crate::time::UnixMillis;

/// All that a pool needs to know of its org, as of one version of the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Rises when the registry was restored from a backup; compared first.
    pub epoch: u64,
    /// Rises with each change; compared second.
    pub version: u64,
    /// How the pool's code is reached.
    pub transport: Transport,
    /// Rises with each change of where calls go; approvals bind to it.
    #[serde(default)]
    pub endpoint_revision: u64,
    /// The endpoint of a webhook pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<PolicyEndpoint>,
    /// The pool's tools.
    pub tools: BTreeMap<String, PolicyTool>,
    /// The capabilities that hold any of them, cut to the pool's tools.
    pub capabilities: BTreeMap<String, Capability>,
    /// Which of those each agent holds.
    pub agents: BTreeMap<String, Vec<String>>,
    /// Of a builtin pool: the data set that each of them reads, where it has one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub datasets: BTreeMap<String, String>,
    /// The live keys that may touch the pool.
    pub keys: BTreeMap<String, LiveKey>,
}

/// Where calls of a webhook pool go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyEndpoint {
    /// The canonical text that passed the rules: exactly this is called.
    pub url: String,
    /// Calls go to an active one alone.
    pub state: EndpointState,
    /// Which endpoint this is: a report on an older one changes nothing.
    pub revision: u64,
    /// The deadline of a delivery.
    pub timeout_seconds: u64,
    /// Newest first.
    pub secrets: Vec<SealedSecret>,
    /// The hash of the manifest as the endpoint names it; a reply with another one asks for a sync.
    pub manifest: Option<String>,
}

impl PolicyEndpoint {
    /// Is this sealed secret one of those that count now?
    pub fn has_secret(&self, sealed: &str, now: UnixMillis) -> bool {
        self.secrets.iter().any(|secret| secret.sealed == sealed && secret.until.is_none_or(|until| now < until))
    }
}

/// A secret that only the edge opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedSecret {
    /// Bound to org and pool.
    pub sealed: String,
    /// When it ends, after a rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UnixMillis>,
}

/// A tool as the pool sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyTool {
    /// The accepted definition.
    pub definition: ToolDefinition,
    /// Hash over all of it.
    pub version: String,
    /// What approvals bind to.
    pub approval_hash: String,
    /// What sessions must announce.
    pub contract_hash: String,
    /// A live session announces it.
    pub enabled: bool,
    /// How often it has moved from pool to pool.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moves: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl PolicyTool {
    /// With its hashes.
    pub fn new(definition: ToolDefinition, enabled: bool, moves: u32) -> PolicyTool {
        PolicyTool {
            version: version(&definition),
            approval_hash: approval_hash(&definition),
            contract_hash: contract_hash(&definition),
            definition,
            enabled,
            moves,
        }
    }
}

/// A tool in a capability that an agent holds; of several the widest opt-in and the strictest approval rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The opt-in for reversible writes.
    pub reversible_writes: bool,
    /// Approvers needed.
    pub approvals_required: u32,
    /// Whether who asked may approve.
    pub requester_may_approve: bool,
    /// Seconds to decide, where any of them says so.
    pub approval_seconds: Option<u64>,
}

/// A key that is not revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveKey {
    /// SHA-256 of its text.
    pub sha256: String,
    /// Its role.
    pub role: Role,
}

impl Snapshot {
    /// The edge runs its calls: no worker is handed any.
    pub fn is_delivered(&self) -> bool {
        self.transport != Transport::Worker
    }

    /// Calls may be handed to the edge now: of a webhook pool while its endpoint is active, of a builtin pool always.
    pub fn takes_deliveries(&self) -> bool {
        match self.transport {
            Transport::Worker => false,
            Transport::Webhook => {
                self.endpoint.as_ref().is_some_and(|endpoint| endpoint.state == EndpointState::Active)
            }
            Transport::Builtin => true,
        }
    }

    /// Is `self` older than `other`?
    pub fn older_than(&self, other: &Snapshot) -> bool {
        (self.epoch, self.version) < (other.epoch, other.version)
    }

    /// Is this the key that the registry knows under this id?
    pub fn is_live(&self, key_id: &str, sha256: &str) -> bool {
        self.keys.get(key_id).is_some_and(|key| key.sha256 == sha256)
    }

    /// Refuses a key that is not live.
    pub fn check_key(&self, who: &Identity) -> Result<(), Problem> {
        if self.is_live(&who.key_id, &who.sha256) {
            Ok(())
        } else {
            Err(Problem::new(problems::INVALID_KEY, "The key was revoked; use another."))
        }
    }

    /// The checks of a submission up to the idempotency key: exists, enabled, granted, permissions, write opt-in.
    pub fn permit(&self, tool: &str, agent: &str, permissions: &[String]) -> Result<(&PolicyTool, Grant), Problem> {
        let found = self.enabled(tool)?;
        self.allow(found, agent, permissions).map(|grant| (found, grant))
    }

    /// The same checks for a grant that was looked up before: for who asks about many tools at a time.
    pub fn permit_granted(
        &self,
        tool: &str,
        agent: &str,
        grant: Option<Grant>,
        permissions: &[String],
    ) -> Result<(), Problem> {
        let found = self.enabled(tool)?;
        allowed(found, agent, grant, permissions).map(|_| ())
    }

    fn enabled(&self, tool: &str) -> Result<&PolicyTool, Problem> {
        let found = self.tools.get(tool).ok_or_else(|| unknown_tool(tool))?;
        if found.enabled {
            return Ok(found);
        }
        let detail = format!("No live worker of the pool announces {tool}; deploy one that does.");
        Err(Problem::new(problems::TOOL_DISABLED, detail))
    }

    /// The agent's grant of a tool: of several capabilities the widest opt-in and the strictest approval rule.
    pub fn grant(&self, agent: &str, tool: &str) -> Option<Grant> {
        let held = self.agents.get(agent)?.iter().filter_map(|name| self.capabilities.get(name));
        held.filter(|capability| capability.tools.iter().any(|granted| granted == tool)).fold(
            None,
            |grant, capability| {
                let so_far = grant.unwrap_or(Grant {
                    reversible_writes: false,
                    approvals_required: 1,
                    requester_may_approve: true,
                    approval_seconds: None,
                });
                Some(Grant {
                    reversible_writes: so_far.reversible_writes || capability.allow_reversible_writes,
                    approvals_required: so_far.approvals_required.max(capability.approvals_required),
                    requester_may_approve: so_far.requester_may_approve && capability.requester_may_approve,
                    approval_seconds: so_far.approval_seconds.into_iter().chain(capability.approval_seconds).min(),
                })
            },
        )
    }

    /// Granted, permissions, write opt-in. (A disabled tool's calls are not withdrawn: the queue deadline decides.)
    fn allow(&self, found: &PolicyTool, agent: &str, permissions: &[String]) -> Result<Grant, Problem> {
        allowed(found, agent, self.grant(agent, &found.definition.name), permissions)
    }

    /// Why a call that was accepted may not be handed out any more; `None` when it may.
    pub fn withdrawn(&self, call: &Accepted<'_>) -> Option<Withdrawn> {
        let lost = |code, detail: String| Some(Withdrawn { code, detail });
        if !self.is_live(call.key_id, call.key_sha256) {
            return lost("key_revoked", "The key that the call was made with was revoked.".into());
        }
        let Some(found) = self.tools.get(call.tool) else {
            return lost("definition_changed", format!("The tool {} is gone from the pool.", call.tool));
        };
        if call.approval_hash.is_some() && call.endpoint_revision != self.endpoint_revision {
            return lost("endpoint_changed", "What was approved would go to another endpoint now.".into());
        }
        if let Some(difference) = difference(call, found) {
            return lost("definition_changed", difference);
        }
        self.allow(found, call.agent, call.permissions)
            .err()
            .and_then(|problem| lost(problem.kind.code, problem.detail))
    }
}

/// What a call was accepted under.
#[derive(Clone, Debug)]
pub struct Accepted<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// What the principal held.
    pub permissions: &'a [String],
    /// The key's id.
    pub key_id: &'a str,
    /// The key's hash.
    pub key_sha256: &'a str,
    /// The class.
    pub side_effect: SideEffect,
    /// Class and input.
    pub contract_hash: &'a str,
    /// The endpoint it was accepted for; compared with an approval.
    pub endpoint_revision: u64,
    /// With an approval: what it binds to.
    pub approval_hash: Option<&'a str>,
    /// With an approval: what that was, to say what changed.
    pub bound: Option<&'a Bound>,
}

/// Why a call is `invalidated`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// A stable code.
    pub code: &'static str,
    /// What changed.
    pub detail: String,
}

/// The 404 of a tool that does not exist.
pub fn unknown_tool(tool: &str) -> Problem {
    Problem::new(problems::UNKNOWN_TOOL, format!("There is no tool {tool:?}."))
}

fn difference(call: &Accepted<'_>, found: &PolicyTool) -> Option<String> {
    let (tool, now) = (call.tool, &found.definition);
    if now.side_effect != call.side_effect {
        let class = |class: SideEffect| serde_json::to_string(&class).unwrap_or_default();
        return Some(format!(
            "The side effect of {tool} changed from {} to {}.",
            class(call.side_effect),
            class(now.side_effect)
        ));
    }
    if found.contract_hash != call.contract_hash {
        let fields = call.bound.map(|bound| fields_changed(&bound.input, &now.input)).unwrap_or_default();
        return Some(sentence(&format!("The input of {tool} changed"), &fields));
    }
    match call.approval_hash {
        Some(bound) if bound != found.approval_hash => {
            let before = call.bound.map(|bound| bound.permissions.as_slice()).unwrap_or_default();
            let added =
                now.permissions.iter().filter(|held| !before.contains(held)).map(|held| format!("{held} was added"));
            let dropped =
                before.iter().filter(|held| !now.permissions.contains(held)).map(|held| format!("{held} was dropped"));
            Some(sentence(&format!("The permissions of {tool} changed"), &added.chain(dropped).collect::<Vec<_>>()))
        }
        _ => None,
    }
}

/// The fields that differ, each with what it was and is.
fn fields_changed(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let change = |name: &String| match (before.get(name), now.get(name)) {
        (Some(was), Some(is)) if was != is => Some(format!("{name} was {was} and is {is}")),
        (Some(was), None) => Some(format!("{name} ({was}) was removed")),
        (None, Some(is)) => Some(format!("{name} ({is}) was added")),
        _ => None,
    };
    names.into_iter().filter_map(change).collect()
}

fn allowed(found: &PolicyTool, agent: &str, grant: Option<Grant>, permissions: &[String]) -> Result<Grant, Problem> {
    let tool = &found.definition.name;
    let grant = grant.ok_or_else(|| {
        let detail = format!("The agent {agent} holds no capability with {tool}; an admin can grant one.");
        Problem::new(problems::NOT_GRANTED, detail)
    })?;
    if let Some(missing) = found.definition.permissions.iter().find(|needed| !permissions.contains(needed)) {
        let detail = format!("{tool} requires the permission {missing}, which the principal lacks.");
        return Err(Problem::new(problems::PERMISSION_MISSING, detail).with("permission", missing.as_str()));
    }
    if found.definition.side_effect == SideEffect::ReversibleWrite && !grant.reversible_writes {
        let detail = format!(
            "{tool} is a reversible write, and no capability of {agent} that holds it sets allow_reversible_writes."
        );
        return Err(Problem::new(problems::WRITE_NOT_ENABLED, detail));
    }
    Ok(grant)
}

fn sentence(what: &str, changes: &[String]) -> String {
    if changes.is_empty() { format!("{what}.") } else { format!("{what}: {}.", changes.join(", ")) }
}

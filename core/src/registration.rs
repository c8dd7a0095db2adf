//! The fences: what an announcement may do to the catalogue.
//!
//! Definitions are written here and grants never: nothing in this module can reach a capability.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_protocol::definitions::{ContextDefinition, Manifest, ToolDefinition};
use toolgate_protocol::limits::{MANIFEST_BYTES_MAX, MANIFEST_CONTEXTS_MAX, MANIFEST_TOOLS_MAX};
use toolgate_protocol::workers::RegistrationStatus;

use crate::contract::{check_context, check_tool, contract_hash, version};
use crate::hash::sha256_hex;
use crate::json;
use crate::problem::Problem;

/// A tool in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CatalogueTool {
    /// The pool that owns the name; empty for a released one.
    pub pool: String,
    /// Pools that owned it before, one for each release: they keep the calls that were made then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_pools: Vec<String>,
    /// `worker`, `webhook`, `console` or `builtin`.
    pub managed_by: String,
    /// A live session announces it.
    pub enabled: bool,
    /// The last accepted definition.
    pub definition: ToolDefinition,
    /// The last refused one, and why.
    pub refused: Option<RefusedDefinition>,
}

impl CatalogueTool {
    /// An admin released the name: any pool may announce it, above the floor of its last definition.
    pub fn is_released(&self) -> bool {
        self.pool.is_empty()
    }

    /// How often it was released.
    pub fn moves(&self) -> u32 {
        u32::try_from(self.former_pools.len()).unwrap_or(u32::MAX)
    }
}

/// A definition that met a fence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedDefinition {
    /// The definition.
    pub definition: ToolDefinition,
    /// Its version, by which it may be accepted.
    pub version: String,
    /// The fence.
    pub code: String,
    /// Where and why.
    pub detail: String,
    /// RFC 3339.
    pub at: String,
}

/// What a fence says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What happens to the catalogue.
    pub status: RegistrationStatus,
    /// The fence or fault, when refused.
    pub code: Option<&'static str>,
    /// Where and what to do, when refused.
    pub detail: Option<String>,
}

impl Verdict {
    fn of(status: RegistrationStatus) -> Verdict {
        Verdict { status, code: None, detail: None }
    }

    /// A refusal.
    pub fn refused(code: &'static str, detail: impl Into<String>) -> Verdict {
        Verdict { status: RegistrationStatus::Refused, code: Some(code), detail: Some(detail.into()) }
    }
}

/// What an announced tool meets.
pub fn judge(announced: &ToolDefinition, pool: &str, manager: &str, known: Option<&CatalogueTool>) -> Verdict {
    let Some(known) = known else { return Verdict::of(RegistrationStatus::Added) };
    if known.pool != pool && !known.is_released() {
        return Verdict::refused("name_taken", "name: another pool of the org owns this name; choose another one.");
    }
    if known.managed_by != manager && !known.is_released() {
        return Verdict::refused("managed_elsewhere", format!("name: the tool is managed by {}.", known.managed_by));
    }
    let accepted = &known.definition;
    if announced.side_effect < accepted.side_effect {
        let detail = format!(
            "side_effect: {} would become {}; a definition may only strengthen it.",
            class(accepted),
            class(announced)
        );
        return Verdict::refused("side_effect_weakened", detail);
    }
    if let Some(dropped) = accepted.permissions.iter().find(|held| !announced.permissions.contains(held)) {
        let detail =
            format!("permissions: {dropped} was declared and is missing; a definition may only add permissions.");
        return Verdict::refused("permission_dropped", detail);
    }
    Verdict::of(if announced == accepted && !known.is_released() {
        RegistrationStatus::Unchanged
    } else {
        RegistrationStatus::Updated
    })
}

fn class(definition: &ToolDefinition) -> String {
    serde_json::to_value(definition.side_effect)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// What an announced context meets, with the catalogue as it is after the tools.
pub fn judge_context(
    announced: &ContextDefinition,
    known: Option<&ContextDefinition>,
    pool: &str,
    tools: &BTreeMap<String, CatalogueTool>,
) -> Verdict {
    let own = |name: &String| tools.get(name).filter(|tool| tool.pool == pool);
    if let Some(foreign) = announced.pinned_tools.iter().find(|name| own(name).is_none()) {
        return Verdict::refused("foreign_tool", format!("pinned_tools: {foreign} is no tool of this pool."));
    }
    if let Some(name) = &announced.prefetch_tool {
        let Some(tool) = own(name) else {
            return Verdict::refused("foreign_tool", format!("prefetch_tool: {name} is no tool of this pool."));
        };
        if tool.definition.side_effect.is_write() {
            let detail = format!(
                "prefetch_tool: {name} is a {}; a prefetch runs unasked and must be read_only.",
                class(&tool.definition)
            );
            return Verdict::refused("prefetch_writes", detail);
        }
        if let Some(extra) = announced.prefetch_args.keys().find(|field| !tool.definition.input.contains_key(*field)) {
            return Verdict::refused("invalid_definition", format!("prefetch_args.{extra}: {name} has no such field."));
        }
    }
    Verdict::of(match known {
        None => RegistrationStatus::Added,
        Some(known) if known == announced => RegistrationStatus::Unchanged,
        Some(_) => RegistrationStatus::Updated,
    })
}

/// A manifest that was read: each entry good, or at fault by itself.
#[derive(Clone, Debug, Default)]
pub struct ReadManifest {
    /// Tools by position: the name as announced, and the definition or its fault.
    pub tools: Vec<(String, Result<ToolDefinition, String>)>,
    /// Contexts likewise.
    pub contexts: Vec<(String, Result<ContextDefinition, String>)>,
}

impl ReadManifest {
    /// Tool name to the hash of class and input.
    pub fn contracts(&self) -> BTreeMap<String, String> {
        let good = self.tools.iter().filter_map(|(name, tool)| tool.as_ref().ok().map(|tool| (name, tool)));
        good.map(|(name, tool)| (name.clone(), contract_hash(tool))).collect()
    }

    /// The version of each good definition.
    pub fn version_of(&self, name: &str) -> Option<String> {
        self.tools.iter().find(|(known, _)| known == name).and_then(|(_, tool)| tool.as_ref().ok()).map(version)
    }
}

/// The canonical text of a manifest and its hash. Whole-manifest limits are refused here, loudly; what is wrong with
/// one tool is left to that tool.
pub fn canonical_manifest(manifest: &Manifest) -> Result<(String, String), Problem> {
    if manifest.tools.len() > MANIFEST_TOOLS_MAX {
        let detail =
            format!("has {} tools; the limit is {MANIFEST_TOOLS_MAX} tools in one manifest.", manifest.tools.len());
        return Err(Problem::invalid("manifest.tools", detail));
    }
    if manifest.contexts.len() > MANIFEST_CONTEXTS_MAX {
        let detail = format!("has {} contexts; the limit is {MANIFEST_CONTEXTS_MAX}.", manifest.contexts.len());
        return Err(Problem::invalid("manifest.contexts", detail));
    }
    let text = serde_json::to_string(manifest).map_err(|_| Problem::invalid("manifest", "cannot be read."))?;
    if text.len() > MANIFEST_BYTES_MAX {
        return Err(Problem::too_large("manifest", text.len(), MANIFEST_BYTES_MAX));
    }
    let json = json::parse(&text).map_err(|fault| Problem::invalid("manifest", format!("{}.", fault.what)))?;
    let canonical = json.canonical();
    let hash = sha256_hex(canonical.as_bytes());
    Ok((canonical, hash))
}

/// Reads a manifest entry by entry.
pub fn read_manifest(text: &str) -> ReadManifest {
    let Ok(manifest) = serde_json::from_str::<Manifest>(text) else { return ReadManifest::default() };
    let mut read = ReadManifest::default();
    for (index, raw) in manifest.tools.iter().enumerate() {
        let name = name_of(raw, "name").unwrap_or_else(|| format!("tools[{index}]"));
        let tool = serde_json::from_str::<ToolDefinition>(raw.get()).map_err(|error| error.to_string());
        let tool = tool.and_then(|tool| {
            check_tool(&tool).map(|()| tool).map_err(|fault| format!("{}: {}.", fault.field, fault.what))
        });
        let twice = read.tools.iter().any(|(known, _)| *known == name);
        let tool = if twice {
            Err("name: the manifest names this tool twice; the first one counts.".to_owned())
        } else {
            tool
        };
        read.tools.push((name, tool));
    }
    for (index, raw) in manifest.contexts.iter().enumerate() {
        let name = name_of(raw, "context_type").unwrap_or_else(|| format!("contexts[{index}]"));
        let context = serde_json::from_str::<ContextDefinition>(raw.get()).map_err(|error| error.to_string());
        let context = context.and_then(|context| {
            check_context(&context).map(|()| context).map_err(|fault| format!("{}: {}.", fault.field, fault.what))
        });
        let twice = read.contexts.iter().any(|(known, _)| *known == name);
        let fault = || "context_type: the manifest names this type twice; the first one counts.".to_owned();
        read.contexts.push((name, if twice { Err(fault()) } else { context }));
    }
    read
}

fn name_of(raw: &RawValue, member: &str) -> Option<String> {
    let json = json::parse(raw.get()).ok()?;
    json.get(member).and_then(|name| name.as_str()).map(|name| name.chars().take(64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolgate_protocol::definitions::SideEffect;

    fn tool(class: SideEffect, permissions: &[&str]) -> ToolDefinition {
        let text = json!({"name":"t","description":"d","side_effect":class,"input":{},"permissions":permissions});
        serde_json::from_value(text).unwrap()
    }

    fn known(class: SideEffect, permissions: &[&str]) -> CatalogueTool {
        CatalogueTool {
            pool: "p".into(),
            former_pools: Vec::new(),
            managed_by: "worker".into(),
            enabled: true,
            definition: tool(class, permissions),
            refused: None,
        }
    }

    #[test]
    fn fences() {
        use SideEffect::{Consequential as C, ReadOnly as R, ReversibleWrite as W};
        for (announced, accepted, status, code) in [
            (tool(R, &[]), None, RegistrationStatus::Added, None),
            (tool(R, &[]), Some(known(R, &[])), RegistrationStatus::Unchanged, None),
            (tool(W, &[]), Some(known(R, &[])), RegistrationStatus::Updated, None),
            (tool(C, &[]), Some(known(W, &[])), RegistrationStatus::Updated, None),
            (tool(R, &[]), Some(known(W, &[])), RegistrationStatus::Refused, Some("side_effect_weakened")),
            (tool(R, &[]), Some(known(C, &[])), RegistrationStatus::Refused, Some("side_effect_weakened")),
            (tool(W, &[]), Some(known(C, &[])), RegistrationStatus::Refused, Some("side_effect_weakened")),
            (tool(R, &["a", "b"]), Some(known(R, &["a"])), RegistrationStatus::Updated, None),
            (tool(R, &["b"]), Some(known(R, &["a", "b"])), RegistrationStatus::Refused, Some("permission_dropped")),
            (tool(C, &[]), Some(known(R, &["a"])), RegistrationStatus::Refused, Some("permission_dropped")),
        ] {
            let verdict = judge(&announced, "p", "worker", accepted.as_ref());
            assert_eq!((verdict.status, verdict.code), (status, code), "{announced:?} over {accepted:?}");
        }
        assert_eq!(judge(&tool(R, &[]), "p", "webhook", Some(&known(R, &[]))).code, Some("managed_elsewhere"));
        assert_eq!(judge(&tool(R, &[]), "other", "worker", Some(&known(R, &[]))).code, Some("name_taken"));
    }

    #[test]
    fn one_faulty_tool_blocks_no_other() {
        let text = json!({"tools":[
            {"name":"good","description":"d","side_effect":"read_only","input":{"a":"string"}},
            {"name":"bad","description":"d","side_effect":"harmless","input":{}},
            {"name":"worse","description":"d","side_effect":"read_only","input":{"a":"str"}},
            {"name":"good","description":"other","side_effect":"read_only","input":{}},
            7
        ],"contexts":[{"context_type":"c","scope":"screen","prefetch_args":{"a":"$context_id"}}]});
        let read = read_manifest(&text.to_string());
        let good: Vec<bool> = read.tools.iter().map(|(_, tool)| tool.is_ok()).collect();
        assert_eq!(good, [true, false, false, false, false]);
        assert!(read.contexts[0].1.is_err());
        assert_eq!(read.contracts().len(), 1);
        assert!(read.tools[2].1.as_ref().unwrap_err().starts_with("input.a:"));
    }

    #[test]
    fn contexts_stay_in_their_pool_and_prefetch_reads_only() {
        let mut write = known(SideEffect::Consequential, &[]);
        write.definition.input.insert("id".into(), "integer".into());
        let mut foreign = known(SideEffect::ReadOnly, &[]);
        foreign.pool = "other".into();
        let tools = BTreeMap::from([
            ("w".to_owned(), write),
            ("r".to_owned(), known(SideEffect::ReadOnly, &[])),
            ("f".to_owned(), foreign),
        ]);
        for (members, code) in [
            (json!({"pinned_tools":["w","r"],"prefetch_tool":"r"}), None),
            (json!({"pinned_tools":["f"]}), Some("foreign_tool")),
            (json!({"pinned_tools":["nobody"]}), Some("foreign_tool")),
            (json!({"prefetch_tool":"w"}), Some("prefetch_writes")),
            (json!({"prefetch_tool":"r","prefetch_args":{"id":"$context_id"}}), Some("invalid_definition")),
        ] {
            let mut context = members;
            context["context_type"] = json!("c");
            context["scope"] = json!("entity");
            let context: ContextDefinition = serde_json::from_value(context).unwrap();
            assert_eq!(judge_context(&context, None, "p", &tools).code, code, "{context:?}");
        }
    }
}

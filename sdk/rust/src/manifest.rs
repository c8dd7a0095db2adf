//! The manifest: what the endpoint can do, as the gateway reads it.

use sha2::{Digest as _, Sha256};
use toolgate_protocol::definitions::{ContextDefinition, ToolDefinition};
use toolgate_protocol::limits::{MANIFEST_BYTES_MAX, MANIFEST_CONTEXTS_MAX, MANIFEST_TOOLS_MAX};

use crate::definition::{ConfigurationFault, check_context, check_tool, fault};

/// The manifest's texts; equal code has equal ones.
#[derive(Debug)]
pub(crate) struct ManifestText {
    /// The body of a reply: `{"tools":[…],"contexts":[…],"hash"}`.
    pub reply: String,
    /// SHA-256 over `{"tools":[…],"contexts":[…]}`, 64 lower-case hexadecimal digits.
    pub hash: String,
}

impl ManifestText {
    pub fn new(tools: &[ToolDefinition], contexts: &[ContextDefinition]) -> Result<ManifestText, ConfigurationFault> {
        for (name, count, most) in
            [("tools", tools.len(), MANIFEST_TOOLS_MAX), ("contexts", contexts.len(), MANIFEST_CONTEXTS_MAX)]
        {
            if count > most {
                return fault("manifest", format!("has {count} {name}; the limit is {most}"));
            }
        }
        tools.iter().try_for_each(check_tool)?;
        contexts.iter().try_for_each(|context| check_context(context, tools))?;
        check_unique("tool", tools.iter().map(|tool| &tool.name))?;
        check_unique("context", contexts.iter().map(|context| &context.context_type))?;
        let Some(members) = serde_json::to_string(tools).ok().zip(serde_json::to_string(contexts).ok()) else {
            return fault("manifest", "cannot be written as JSON");
        };
        let members = format!(r#""tools":{},"contexts":{}"#, members.0, members.1);
        let text = format!("{{{members}}}");
        if text.len() > MANIFEST_BYTES_MAX {
            return fault("manifest", format!("has {} bytes; the limit is {MANIFEST_BYTES_MAX}", text.len()));
        }
        let hash: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(ManifestText { reply: format!(r#"{{{members},"hash":"{hash}"}}"#), hash })
    }
}

fn check_unique<'a>(kind: &str, names: impl Iterator<Item = &'a String>) -> Result<(), ConfigurationFault> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return fault(format!("{kind} {name}"), "is defined twice");
        }
    }
    Ok(())
}

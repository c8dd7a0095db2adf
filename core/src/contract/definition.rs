//! Definitions: what may be registered, and the hashes that name a definition.

use serde_json::json;
use toolgate_protocol::definitions::{ContextDefinition, ContextScope, ToolDefinition};
use toolgate_protocol::limits::{
    AGENT_NAMES_MAX, DESCRIPTION_CHARS_MAX, DIGEST_FIELDS_MAX, EXECUTION_DEADLINE_SECONDS_MAX, FIELDS_MAX,
    KEYWORDS_MAX, PATTERNS_MAX, PERMISSIONS_MAX, QUEUE_DEADLINE_SECONDS_MAX, WORD_CHARS_MAX,
};

use super::FieldType;
use crate::hash::sha256_hex;
use crate::names;

/// Where a definition is at fault, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFault {
    /// The member.
    pub field: String,
    /// What is wrong and what is right.
    pub what: String,
}

fn fault<T>(field: impl Into<String>, what: impl Into<String>) -> Result<T, DefinitionFault> {
    Err(DefinitionFault { field: field.into(), what: what.into() })
}

/// May this tool be registered?
pub fn check_tool(tool: &ToolDefinition) -> Result<(), DefinitionFault> {
    if !names::is_tool(&tool.name) {
        return fault("name", "must match [a-z][a-z0-9_]{0,47} and not begin with toolgate_");
    }
    let characters = tool.description.chars().count();
    if characters == 0 || characters > DESCRIPTION_CHARS_MAX {
        return fault("description", format!("has {characters} characters; it needs 1 to {DESCRIPTION_CHARS_MAX}"));
    }
    if tool.input.len() > FIELDS_MAX {
        return fault("input", format!("has {} fields; the limit is {FIELDS_MAX}", tool.input.len()));
    }
    for (name, kind) in &tool.input {
        if !names::is_field(name) {
            return fault(format!("input.{name}"), "the name must match [A-Za-z_][A-Za-z0-9_.-]{0,63}");
        }
        if FieldType::parse(kind).is_none() {
            return fault(
                format!("input.{name}"),
                format!(
                    "{kind:?} is no type; use string, integer, number, boolean, date, datetime, uuid, email, url or json, with [] for a list and ? for optional"
                ),
            );
        }
    }
    check_words("permissions", &tool.permissions, PERMISSIONS_MAX)?;
    check_words("routing.keywords", &tool.routing.keywords, KEYWORDS_MAX)?;
    check_words("routing.patterns", &tool.routing.patterns, PATTERNS_MAX)?;
    for (index, pattern) in tool.routing.patterns.iter().enumerate() {
        if let Err(error) = crate::offer::compile_pattern(pattern) {
            return fault(
                format!("routing.patterns[{index}]"),
                format!("is no regular expression of the linear-time kind: {error}"),
            );
        }
    }
    check_seconds("queue_deadline_seconds", tool.queue_deadline_seconds, QUEUE_DEADLINE_SECONDS_MAX)?;
    check_seconds("execution_deadline_seconds", tool.execution_deadline_seconds, EXECUTION_DEADLINE_SECONDS_MAX)
}

fn check_words(field: &str, words: &[String], most: usize) -> Result<(), DefinitionFault> {
    if words.len() > most {
        return fault(field, format!("has {} entries; the limit is {most}", words.len()));
    }
    for (index, word) in words.iter().enumerate() {
        let characters = word.chars().count();
        if characters == 0 || characters > WORD_CHARS_MAX {
            return fault(
                format!("{field}[{index}]"),
                format!("has {characters} characters; it needs 1 to {WORD_CHARS_MAX}"),
            );
        }
    }
    Ok(())
}

fn check_seconds(field: &str, seconds: Option<u64>, most: u64) -> Result<(), DefinitionFault> {
    match seconds {
        Some(seconds) if seconds == 0 || seconds > most => {
            fault(field, format!("is {seconds}; it needs 1 to {most} seconds"))
        }
        _ => Ok(()),
    }
}

/// May this context be registered, as far as it can be seen without the catalogue?
pub fn check_context(context: &ContextDefinition) -> Result<(), DefinitionFault> {
    if !names::is_plain(&context.context_type) {
        return fault("context_type", "must match [a-z][a-z0-9_-]{0,31}");
    }
    if context.scope == ContextScope::Screen && context.prefetch_args.values().any(|value| value == "$context_id") {
        return fault("prefetch_args", "a screen has no id, so $context_id cannot be used");
    }
    if context.pinned_tools.len() > AGENT_NAMES_MAX {
        return fault(
            "pinned_tools",
            format!("has {} entries; the limit is {AGENT_NAMES_MAX}", context.pinned_tools.len()),
        );
    }
    if context.digest_fields.len() > DIGEST_FIELDS_MAX {
        return fault(
            "digest_fields",
            format!("has {} entries; the limit is {DIGEST_FIELDS_MAX}", context.digest_fields.len()),
        );
    }
    for (index, field) in context.digest_fields.iter().enumerate() {
        let label = field.label.chars().count();
        if field.path.is_empty() || label == 0 || label > WORD_CHARS_MAX {
            return fault(
                format!("digest_fields[{index}]"),
                format!("needs a path and a label of 1 to {WORD_CHARS_MAX} characters"),
            );
        }
    }
    Ok(())
}

/// The version: a hash over everything in the definition.
pub fn version(tool: &ToolDefinition) -> String {
    short_hash(&json!(tool))
}

/// What approvals bind to: name, input, side effect and permissions only.
pub fn approval_hash(tool: &ToolDefinition) -> String {
    short_hash(
        &json!({ "name": tool.name, "input": tool.input, "side_effect": tool.side_effect, "permissions": sorted(&tool.permissions) }),
    )
}

/// What a session must have announced to be handed a call: class and input.
pub fn contract_hash(tool: &ToolDefinition) -> String {
    short_hash(&json!({ "input": tool.input, "side_effect": tool.side_effect }))
}

fn sorted(words: &[String]) -> Vec<&String> {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort();
    words.dedup();
    words
}

/// 128 bits of SHA-256: enough against a chosen second definition, short enough to read.
fn short_hash(value: &serde_json::Value) -> String {
    let mut text = sha256_hex(value.to_string().as_bytes());
    text.truncate(32);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> serde_json::Value {
        json!({"name":"get_order","description":"d","side_effect":"read_only","input":{"order_id":"integer"}})
    }

    fn with(member: &str, value: serde_json::Value) -> ToolDefinition {
        let mut tool = tool();
        tool[member] = value;
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn definitions_are_judged() {
        assert_eq!(check_tool(&with("name", json!("x"))), Ok(()));
        assert_eq!(
            check_tool(&with("routing", json!({"patterns":["\\bORD-\\d+\\b"],"keywords":["money back"]}))),
            Ok(())
        );
        for (member, value, field) in [
            ("name", json!("Get"), "name"),
            ("description", json!(""), "description"),
            ("description", json!("x".repeat(2001)), "description"),
            ("input", json!({"a":"int"}), "input.a"),
            ("input", json!({"a b":"string"}), "input.a b"),
            ("permissions", json!([""]), "permissions[0]"),
            ("routing", json!({"patterns":["("]}), "routing.patterns[0]"),
            ("routing", json!({"patterns":["(a)\\1"]}), "routing.patterns[0]"),
            ("routing", json!({"patterns":["(\\w{100}){100}"]}), "routing.patterns[0]"),
            ("routing", json!({"keywords":vec!["k"; 33]}), "routing.keywords"),
            ("queue_deadline_seconds", json!(0), "queue_deadline_seconds"),
            ("execution_deadline_seconds", json!(901), "execution_deadline_seconds"),
        ] {
            assert_eq!(check_tool(&with(member, value)).unwrap_err().field, field);
        }
    }

    #[test]
    fn hashes_bind_what_they_should() {
        let base = with("name", json!("get_order"));
        let worded = with("routing", json!({"keywords":["k"]}));
        assert_ne!(version(&base), version(&worded));
        assert_eq!(approval_hash(&base), approval_hash(&worded));
        let permitted = with("permissions", json!(["p"]));
        assert_ne!(approval_hash(&base), approval_hash(&permitted));
        assert_eq!(contract_hash(&base), contract_hash(&permitted));
        assert_ne!(contract_hash(&base), contract_hash(&with("side_effect", json!("consequential"))));
    }
}

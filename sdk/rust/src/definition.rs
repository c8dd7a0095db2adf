//! What makes a definition faulty, said when the endpoint is built: the gateway would refuse the tool alone, at the
//! next sync, where nobody looks. The gateway's own rules (`core::contract`) decide; a test compares the two.

use toolgate_protocol::definitions::{ContextDefinition, ContextScope, ToolDefinition};
use toolgate_protocol::limits::{
    DESCRIPTION_CHARS_MAX, EXECUTION_DEADLINE_SECONDS_MAX, FIELDS_MAX, KEYWORDS_MAX, PATTERNS_MAX, PERMISSIONS_MAX,
    QUEUE_DEADLINE_SECONDS_MAX, WORD_CHARS_MAX,
};

const TYPES: &str = "string, integer, number, boolean, date, datetime, uuid, email, url, json";

/// What is wrong with the endpoint's definition, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationFault {
    /// Such as `tool get_order: input.order_id`.
    pub at: String,
    /// What is wrong and what is right.
    pub what: String,
}

impl std::fmt::Display for ConfigurationFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl std::error::Error for ConfigurationFault {}

pub(crate) fn fault<T>(at: impl Into<String>, what: impl Into<String>) -> Result<T, ConfigurationFault> {
    Err(ConfigurationFault { at: at.into(), what: what.into() })
}

pub(crate) fn check_tool(tool: &ToolDefinition) -> Result<(), ConfigurationFault> {
    let at = |member: &str| format!("tool {}: {member}", tool.name);
    if !is_tool_name(&tool.name) {
        return fault(at("name"), "must match [a-z][a-z0-9_]{0,47} and not begin with toolgate_");
    }
    check_text(at("description"), &tool.description, DESCRIPTION_CHARS_MAX)?;
    if tool.input.len() > FIELDS_MAX {
        return fault(at("input"), format!("has {} fields; the limit is {FIELDS_MAX}", tool.input.len()));
    }
    for (name, kind) in &tool.input {
        if !is_field_name(name) {
            return fault(at(&format!("input.{name}")), "must match [A-Za-z_][A-Za-z0-9_.-]{0,63}");
        }
        if !is_field_type(kind) {
            let what = format!("{kind:?} is no type; it is one of {TYPES}, then [] for a list, then ? for optional");
            return fault(at(&format!("input.{name}")), what);
        }
    }
    check_texts(&at("permissions"), &tool.permissions, PERMISSIONS_MAX)?;
    check_texts(&at("routing.keywords"), &tool.routing.keywords, KEYWORDS_MAX)?;
    check_texts(&at("routing.patterns"), &tool.routing.patterns, PATTERNS_MAX)?;
    check_seconds(at("queue_deadline_seconds"), tool.queue_deadline_seconds, QUEUE_DEADLINE_SECONDS_MAX)?;
    check_seconds(at("execution_deadline_seconds"), tool.execution_deadline_seconds, EXECUTION_DEADLINE_SECONDS_MAX)
}

pub(crate) fn check_context(context: &ContextDefinition, tools: &[ToolDefinition]) -> Result<(), ConfigurationFault> {
    let at = |member: &str| format!("context {}: {member}", context.context_type);
    if !shape(&context.context_type, 32, is_lower, |byte| is_word(byte) || byte == b'-') {
        return fault(at("context_type"), "must match [a-z][a-z0-9_-]{0,31}");
    }
    let own = |name: &str| tools.iter().find(|tool| tool.name == name);
    if let Some(name) = context.pinned_tools.iter().find(|name| own(name).is_none()) {
        return fault(at("pinned_tools"), format!("{name} is no tool of this endpoint"));
    }
    if let Some(name) = &context.prefetch_tool {
        let Some(tool) = own(name) else {
            return fault(at("prefetch_tool"), format!("{name} is no tool of this endpoint"));
        };
        if tool.side_effect.is_write() {
            return fault(at("prefetch_tool"), format!("{name} writes; a prefetch runs unasked and must be read_only"));
        }
        if let Some(field) = context.prefetch_args.keys().find(|field| !tool.input.contains_key(*field)) {
            return fault(at(&format!("prefetch_args.{field}")), format!("{name} has no such field"));
        }
    }
    if context.scope == ContextScope::Screen && context.prefetch_args.values().any(|value| value == "$context_id") {
        return fault(at("prefetch_args"), "a screen has no id, so $context_id cannot be used");
    }
    for (index, field) in context.digest_fields.iter().enumerate() {
        if field.path.is_empty() {
            return fault(at(&format!("digest_fields[{index}].path")), "is empty");
        }
        check_text(at(&format!("digest_fields[{index}].label")), &field.label, WORD_CHARS_MAX)?;
    }
    Ok(())
}

fn check_texts(at: &str, texts: &[String], most: usize) -> Result<(), ConfigurationFault> {
    if texts.len() > most {
        return fault(at, format!("has {} entries; the limit is {most}", texts.len()));
    }
    texts.iter().enumerate().try_for_each(|(index, text)| check_text(format!("{at}[{index}]"), text, WORD_CHARS_MAX))
}

fn check_text(at: String, text: &str, most: usize) -> Result<(), ConfigurationFault> {
    match text.chars().count() {
        count if count == 0 || count > most => fault(at, format!("has {count} characters; it needs 1 to {most}")),
        _ => Ok(()),
    }
}

fn check_seconds(at: String, seconds: Option<u64>, most: u64) -> Result<(), ConfigurationFault> {
    match seconds {
        Some(seconds) if seconds == 0 || seconds > most => {
            fault(at, format!("is {seconds}; it needs 1 to {most} seconds"))
        }
        _ => Ok(()),
    }
}

fn is_tool_name(text: &str) -> bool {
    shape(text, 48, is_lower, is_word) && !text.starts_with("toolgate_")
}

fn is_field_name(text: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    shape(text, 64, first, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

fn is_field_type(text: &str) -> bool {
    let text = text.strip_suffix('?').unwrap_or(text);
    let text = text.strip_suffix("[]").unwrap_or(text);
    TYPES.split(", ").any(|known| known == text)
}

fn shape(text: &str, longest: usize, first: impl Fn(u8) -> bool, rest: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    text.len() <= longest && bytes.next().is_some_and(first) && bytes.all(rest)
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn is_word(byte: u8) -> bool {
    is_lower(byte) || byte.is_ascii_digit() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn tool(member: &str, value: Value) -> ToolDefinition {
        let mut tool =
            json!({"name":"get_order","description":"d","side_effect":"read_only","input":{"order_id":"integer"}});
        tool[member] = value;
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn tools_are_judged_as_the_gateway_judges_them() {
        let (long, longer) = ("x".repeat(2_000), "x".repeat(2_001));
        let fields = |count: usize| -> Value { (0..count).map(|n| (format!("f{n}"), json!("json"))).collect() };
        let input = |name: &str, kind: &str| json!({ name: kind });
        let mut cases = vec![
            ("description", json!("")),
            ("description", json!(long)),
            ("description", json!(longer)),
            ("input", fields(64)),
            ("input", fields(65)),
            ("permissions", json!(vec!["p"; 64])),
            ("permissions", json!(vec!["p"; 65])),
            ("permissions", json!([""])),
            ("permissions", json!(["x".repeat(201)])),
            ("routing", json!({ "keywords": vec!["k"; 33] })),
            ("routing", json!({ "patterns": vec!["k"; 9] })),
            ("queue_deadline_seconds", json!(0)),
            ("queue_deadline_seconds", json!(3600)),
            ("queue_deadline_seconds", json!(3601)),
            ("execution_deadline_seconds", json!(900)),
            ("execution_deadline_seconds", json!(901)),
        ];
        for kind in TYPES.split(", ").chain(["", "?", "[]", "int", "String", "object", "string??", "string?[]", "any"])
        {
            cases.extend(["", "?", "[]", "[]?", "[][]"].map(|end| ("input", input("f", &format!("{kind}{end}")))));
        }
        for name in ["a", "_a", "A.b-c", "1", "", "a b", "é", &"a".repeat(64), &"a".repeat(65)] {
            cases.push(("input", input(name, "json")));
        }
        for name in
            ["a", "get_order", "getOrder", "get-order", "toolgate_x", "1a", "", &"a".repeat(48), &"a".repeat(49)]
        {
            cases.push(("name", json!(name)));
        }
        let mut verdicts = [0, 0];
        for (member, value) in cases {
            let tool = tool(member, value);
            let (ours, theirs) = (check_tool(&tool), toolgate_core::contract::check_tool(&tool));
            assert_eq!(ours.is_ok(), theirs.is_ok(), "{tool:?}\n{ours:?}\n{theirs:?}");
            verdicts[usize::from(ours.is_ok())] += 1;
        }
        assert!(verdicts[0] > 20 && verdicts[1] > 20, "{verdicts:?}");
    }

    #[test]
    fn contexts_are_judged() {
        let mut note = tool("name", json!("add_note"));
        note.side_effect = toolgate_protocol::definitions::SideEffect::ReversibleWrite;
        let tools = [tool("name", json!("get_order")), note];
        let context = |member: &str, value: Value| -> ContextDefinition {
            let mut context = json!({"context_type":"order","scope":"entity","pinned_tools":["add_note"],
                "prefetch_tool":"get_order","prefetch_args":{"order_id":"$context_id"},"digest_fields":[{"path":"a","label":"A"}]});
            context[member] = value;
            serde_json::from_value(context).unwrap()
        };
        assert_eq!(check_context(&context("context_type", json!("order_detail-2")), &tools), Ok(()));
        for (member, value, at) in [
            ("context_type", json!("Order"), "context Order: context_type"),
            ("pinned_tools", json!(["nothing"]), "context order: pinned_tools"),
            ("prefetch_tool", json!("nothing"), "context order: prefetch_tool"),
            ("prefetch_tool", json!("add_note"), "context order: prefetch_tool"),
            ("prefetch_args", json!({"id": 1}), "context order: prefetch_args.id"),
            ("scope", json!("screen"), "context order: prefetch_args"),
            ("digest_fields", json!([{"path":"","label":"A"}]), "context order: digest_fields[0].path"),
            ("digest_fields", json!([{"path":"a","label":""}]), "context order: digest_fields[0].label"),
        ] {
            assert_eq!(check_context(&context(member, value), &tools).unwrap_err().at, at);
        }
    }
}

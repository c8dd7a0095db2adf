//! A definition in the form that a provider reads (docs/schemas.md has the table and the reasons).
//!
//! Promises: the same definition gives the same bytes, members in a fixed order, fields by name; whatever the contract
//! lets register, the provider takes, because one tool that it refuses costs the whole request. Leaves to others: what
//! is offered. A schema only advises a model, [`check_arguments`](super::check_arguments) judges what it writes.

mod fields;
mod tokens;

pub use fields::{advertised_fields, original_field, restore_fields};
pub use tokens::tokens;

use std::collections::BTreeMap;

use toolgate_protocol::definitions::{Profile, SideEffect, ToolDefinition};

use super::{BaseType, FieldType};
use crate::json::Json;

/// The last line of the description of every consequential tool: a model that knows does not repeat the call, and
/// does not tell its user that it is done. Other classes have no such line, they run at once.
pub const WAITS_FOR_A_PERSON: &str = "Each call waits for a person's decision before it runs.";

/// The advertised definition: JSON text without blanks.
///
/// - `openai`: `{"type":"function","function":{"name","description","parameters"}}`. There is no `strict`: strict mode
///   has no optional field but one that may be null, which the contract refuses, and other servers refuse the member.
/// - `anthropic`: `{"name","description","input_schema"}`
/// - `gemini`: `{"name","description","parameters"?}`, names of fields as in [`advertised_fields`]
/// - `mcp`: `{"name","description","inputSchema","annotations"}`
pub fn compile(tool: &ToolDefinition, profile: Profile) -> String {
    compile_mirrored(tool, profile, &BTreeMap::new())
}

/// The same, with the header of each field that an MCP client mirrors into one, by the field's own name.
pub fn compile_mirrored(tool: &ToolDefinition, profile: Profile, headers: &BTreeMap<&str, &str>) -> String {
    let name = ("name", text(&tool.name));
    let description = ("description", text(&description(tool)));
    let fields = fields(tool, profile);
    let nothing = fields.is_empty();
    let input = input(fields, profile, headers);
    match profile {
        Profile::Openai => {
            object([("type", text("function")), ("function", object([name, description, ("parameters", input)]))])
        }
        Profile::Anthropic => object([name, description, ("input_schema", input)]),
        // The reference of FunctionDeclaration leaves it unset then; an object without properties was refused for long.
        Profile::Gemini if nothing => object([name, description]),
        Profile::Gemini => object([name, description, ("parameters", input)]),
        Profile::Mcp => {
            object([name, description, ("inputSchema", input), ("annotations", annotations(tool.side_effect))])
        }
    }
}

fn description(tool: &ToolDefinition) -> String {
    if tool.side_effect == SideEffect::Consequential {
        format!("{}\n{WAITS_FOR_A_PERSON}", tool.description.trim_end())
    } else {
        tool.description.clone()
    }
}

/// Advertised names and types. A type that this gateway does not know fits no value, so there is nothing to advertise.
fn fields(tool: &ToolDefinition, profile: Profile) -> Vec<(String, FieldType)> {
    advertised_fields(&tool.input, profile)
        .into_iter()
        .filter_map(|(advertised, original)| Some((advertised, FieldType::parse(tool.input.get(original)?)?)))
        .collect()
}

fn input(fields: Vec<(String, FieldType)>, profile: Profile, headers: &BTreeMap<&str, &str>) -> String {
    let required: Vec<String> = fields.iter().filter(|(_, kind)| !kind.optional).map(|(name, _)| text(name)).collect();
    let property = |name: &str, kind: FieldType| property(kind, profile, headers.get(name).copied());
    let properties = object(fields.iter().map(|(name, kind)| (name.as_str(), property(name, *kind))));
    let mut members = vec![("type", text("object")), ("properties", properties)];
    // Draft 4 wants at least one name in it, and some servers still check by that.
    if !required.is_empty() {
        members.push(("required", list(required)));
    }
    if own_keywords(profile) {
        members.push(("additionalProperties", "false".to_owned()));
    }
    object(members)
}

/// Gemini's OpenAPI subset refuses what it does not know. What an MCP client reads goes to a model of its choice, often
/// unchanged: the same subset, so that it works with all of them.
fn own_keywords(profile: Profile) -> bool {
    matches!(profile, Profile::Openai | Profile::Anthropic)
}

fn property(kind: FieldType, profile: Profile, header: Option<&str>) -> String {
    let value = value(kind.base, profile, header);
    if kind.list { object([("type", text("array")), ("items", value)]) } else { value }
}

fn value(base: BaseType, profile: Profile, header: Option<&str>) -> String {
    let (kind, format, meaning) = match base {
        // Without bounds: 18446744073709551615 in a schema is another number to whoever reads it as a double.
        BaseType::Integer => ("integer", None, None),
        BaseType::Number => ("number", None, None),
        BaseType::Boolean => ("boolean", None, None),
        BaseType::String => ("string", None, None),
        BaseType::Date => ("string", Some("date"), Some("YYYY-MM-DD")),
        BaseType::Datetime => {
            ("string", Some("date-time"), Some("RFC 3339 with an offset, such as 2026-01-31T09:30:00Z"))
        }
        BaseType::Uuid => ("string", Some("uuid"), Some("UUID")),
        BaseType::Email => ("string", Some("email"), Some("E-mail address")),
        BaseType::Url => ("string", Some("uri"), Some("Absolute http or https URL")),
        BaseType::Json => return anything(profile),
    };
    let mut members = vec![("type", text(kind))];
    if let Some(format) = format.filter(|format| takes_format(profile, format)) {
        members.push(("format", text(format)));
    }
    // Some providers show the model a digest of the schema in which a format is lost, so it is said in words too.
    if let Some(meaning) = meaning {
        members.push(("description", text(meaning)));
    }
    if let Some(header) = header {
        members.push(("x-mcp-header", text(header)));
    }
    object(members)
}

/// OpenAI's strict mode, which a caller may switch on, has no `uri`; Gemini takes `date-time` and `enum` alone.
fn takes_format(profile: Profile, format: &str) -> bool {
    match profile {
        Profile::Anthropic => true,
        Profile::Openai => format != "uri",
        Profile::Gemini | Profile::Mcp => format == "date-time",
    }
}

/// Any JSON value. Gemini wants a type or `anyOf` for everything, with nothing beside an `anyOf`; so lists end at their
/// second level there, and null cannot be said. Some MCP clients skip a tool that has a property without a type.
fn anything(profile: Profile) -> String {
    if own_keywords(profile) {
        return object([("description", text("Any JSON value"))]);
    }
    let plain = || ["string", "number", "boolean", "object"].map(|kind| object([("type", text(kind))]));
    let items = object([("anyOf", list(plain()))]);
    let array = object([("type", text("array")), ("items", items)]);
    object([("anyOf", list(plain().into_iter().chain([array])))])
}

/// The hints of MCP, section "ToolAnnotations" of its schema. Whether a tool reaches beyond the customer's own systems is
/// not in the contract: open, as the protocol assumes where nothing is said. A write may be repeated only under its
/// idempotency key, which an MCP client has none of.
fn annotations(side_effect: SideEffect) -> String {
    let reads = side_effect == SideEffect::ReadOnly;
    object([
        ("readOnlyHint", reads.to_string()),
        ("destructiveHint", (side_effect == SideEffect::Consequential).to_string()),
        ("idempotentHint", reads.to_string()),
        ("openWorldHint", "true".to_owned()),
    ])
}

fn text(text: &str) -> String {
    Json::Text(text.as_bytes().to_vec()).canonical()
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// Members in the order given; the values are JSON already.
fn object<'a>(members: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> = members.into_iter().map(|(key, value)| format!("{}:{value}", text(key))).collect();
    format!("{{{}}}", members.join(","))
}

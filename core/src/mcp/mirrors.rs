//! Arguments that clients mirror into headers, for who routes or watches requests without reading bodies: an agent's admin
//! says which (specification of 2026-07-28, "Custom Headers from Tool Parameters"). The body alone is acted upon; a header
//! that says something else is refused.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use toolgate_protocol::control::AgentMcp;
use toolgate_protocol::definitions::ToolDefinition;
use toolgate_protocol::limits::{MCP_RULES_SECONDS, SNAPSHOT_SECONDS};

use super::Fault;
use crate::contract::{BaseType, FieldType};
use crate::json::Json;
use crate::time::UnixMillis;

/// Beyond it a double is not one integer any more.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// What an agent's admin says of its tools at this door.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Tool to field to header name.
    pub mirrors: BTreeMap<String, BTreeMap<String, String>>,
    /// Tools for clients alone that follow tasks.
    pub tasks_required: BTreeSet<String>,
}

/// What rules that were asked for a while ago are still good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// Nobody is asked again.
    Fresh,
    /// They serve where the registry does not answer.
    Old,
    /// They serve nobody: like the policy of a pool, they are five minutes old at most.
    Over,
}

/// The age of rules.
pub fn age(asked: UnixMillis, now: UnixMillis) -> Age {
    match now.0.checked_sub(asked.0) {
        Some(_) if now < asked.plus_seconds(MCP_RULES_SECONDS) => Age::Fresh,
        Some(_) if now < asked.plus_seconds(SNAPSHOT_SECONDS) => Age::Old,
        // Also where the clock was set back: how old they are is not known then.
        _ => Age::Over,
    }
}

/// Field to header name, of the fields of a tool that an agent's clients mirror. A field that is not of a kind for it any
/// more is left out.
pub fn mirrors<'a>(agent: Option<&'a AgentMcp>, tool: &ToolDefinition) -> BTreeMap<&'a str, &'a str> {
    let named = agent.and_then(|mcp| mcp.headers.get(&tool.name));
    let named = named.into_iter().flatten().map(|(field, header)| (field.as_str(), header.as_str()));
    named.filter(|(field, _)| tool.input.get(*field).is_some_and(|kind| may_mirror(kind))).collect()
}

/// May a field of this type be mirrored? One value, and none that can be written in several ways.
pub fn may_mirror(kind: &str) -> bool {
    FieldType::parse(kind).is_some_and(|kind| !kind.list && !matches!(kind.base, BaseType::Number | BaseType::Json))
}

/// Can this follow `Mcp-Param-` (RFC 9110, section 5.6.2: `token`)?
pub fn is_header_name(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(token)
}

/// The headers of a call against its arguments.
///
/// # Errors
/// -32020 for a header that is missing, says something else, or cannot be read.
pub fn check_mirrors(
    mirrors: &BTreeMap<String, String>,
    arguments: &Json,
    headers: &BTreeMap<String, String>,
) -> Result<(), Fault> {
    for (field, name) in mirrors {
        let told = headers.get(&name.to_ascii_lowercase()).map(|value| header_text(value));
        let same = match (arguments.get(field), &told) {
            (None | Some(Json::Null), None) => true,
            (Some(Json::Bool(value)), Some(Some(told))) => *told == value.to_string(),
            (Some(Json::Number(value)), Some(Some(told))) => same_number(value, told),
            (Some(value @ Json::Text(_)), Some(Some(told))) => value.as_str() == Some(told),
            // Of another kind than the contract has: what the call is refused for, whatever the header says.
            (Some(Json::List(_) | Json::Map(_)), _) => true,
            _ => false,
        };
        if !same {
            let why = match told {
                None => "is missing, and the argument is there",
                Some(None) => "is neither plain text nor Base64 in =?base64?…?=",
                Some(Some(_)) => "says something else",
            };
            return Err(Fault::header_mismatch(&format!("Mcp-Param-{name} mirrors the argument {field:?} and {why}")));
        }
    }
    Ok(())
}

/// `42.0` is 42; an integer that a double does not hold is compared digit by digit.
fn same_number(body: &str, header: &str) -> bool {
    let whole = |text: &str| text.parse::<f64>().ok().filter(|number| number.abs() <= SAFE_INTEGER);
    body == header || whole(body).is_some_and(|number| Some(number) == whole(header))
}

/// What a header says; nothing for one that is no plain text. Text that a header cannot hold is written `=?base64?…?=`.
pub(super) fn header_text(value: &str) -> Option<String> {
    let value = value.trim_matches([' ', '\t']);
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)).then(|| value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::parse;

    fn checked(arguments: &str, header: Option<&str>) -> Result<(), i32> {
        let headers = header.map(|value| ("region".to_owned(), value.to_owned())).into_iter().collect();
        let mirrors = BTreeMap::from([("where".to_owned(), "Region".to_owned())]);
        check_mirrors(&mirrors, &parse(arguments).unwrap(), &headers).map_err(|fault| fault.code)
    }

    #[test]
    fn a_header_says_what_the_argument_says() {
        for (arguments, header) in [
            (r#"{"where":"eu"}"#, Some("eu")),
            (r#"{"where":"eu"}"#, Some(" eu\t")),
            (r#"{"where":"Hello"}"#, Some("=?base64?SGVsbG8=?=")),
            (r#"{"where":"=?base64?SGVsbG8="}"#, Some("=?base64?SGVsbG8=")),
            (r#"{"where":"SGVsbG8="}"#, Some("SGVsbG8=")),
            (r#"{"where":"w\u00fcrz"}"#, Some("=?base64?d8O8cno=?=")),
            (r#"{"where":""}"#, Some("")),
            (r#"{"where":true}"#, Some("true")),
            (r#"{"where":-7}"#, Some("-7")),
            (r#"{"where":42}"#, Some("42.0")),
            (r#"{"where":18446744073709551615}"#, Some("18446744073709551615")),
            (r#"{"where":null}"#, None),
            ("{}", None),
        ] {
            assert_eq!(checked(arguments, header), Ok(()), "{arguments} {header:?}");
        }
        for (arguments, header) in [
            (r#"{"where":"eu"}"#, Some("us")),
            (r#"{"where":"eu"}"#, Some("EU")),
            (r#"{"where":"eu"}"#, None),
            (r#"{"where":""}"#, Some("=?base64?!?=")),
            (r#"{"where":"Hello"}"#, Some("=?base64?SGVsbG8?=")),
            (r#"{"where":"Hello"}"#, Some("=?base64?SGVs!!!bG8=?=")),
            (r#"{"where":"w\u00fcrz"}"#, Some("w\u{fc}rz")),
            (r#"{"where":true}"#, Some("True")),
            (r#"{"where":18446744073709551615}"#, Some("18446744073709551614")),
            (r#"{"where":null}"#, Some("null")),
            ("{}", Some("eu")),
        ] {
            assert_eq!(checked(arguments, header), Err(-32_020), "{arguments} {header:?}");
        }
    }

    #[test]
    fn rules_grow_old() {
        let asked = UnixMillis(1_000_000);
        for (seconds, is) in [(0, Age::Fresh), (29, Age::Fresh), (30, Age::Old), (299, Age::Old), (300, Age::Over)] {
            assert_eq!(age(asked, asked.plus_seconds(seconds)), is, "{seconds}");
        }
        assert_eq!(age(asked, asked.minus_seconds(1)), Age::Over);
    }

    #[test]
    fn only_what_is_one_value_is_mirrored() {
        let tool = json!({ "name": "t", "description": "", "side_effect": "read_only", "input": { "a": "string?", "b": "number", "c": "string[]" } });
        let tool: ToolDefinition = serde_json::from_value(tool).unwrap();
        let agent = json!({ "headers": { "t": { "a": "A", "b": "B", "c": "C", "gone": "D" } } });
        let agent: AgentMcp = serde_json::from_value(agent).unwrap();
        assert_eq!(mirrors(Some(&agent), &tool), BTreeMap::from([("a", "A")]));
        assert_eq!(mirrors(None, &tool), BTreeMap::new());
        for (name, good) in [("Region", true), ("", false), ("a b", false), ("a:b", false), ("ü", false), ("x-1", true)]
        {
            assert_eq!(is_header_name(name), good, "{name}");
        }
    }
}

//! Arguments against a field map: every fault at once, in words that a model can act on.

use std::collections::BTreeMap;

use toolgate_protocol::limits::ARGUMENTS_BYTES_MAX;
use toolgate_protocol::problems;

use super::FieldType;
use crate::json::{self, Json};
use crate::problem::Problem;

/// Faults that are told; a model needs no more to try again.
const FAULTS_MAX: usize = 32;
/// Characters of an unknown field's name that are repeated.
const FIELD_SHOWN_CHARS: usize = 64;

/// Reads arguments as submitted: an object, null, absent, or a string that holds JSON text (blank means `{}`).
pub fn read_arguments(raw: Option<&str>) -> Result<Json, Problem> {
    let raw = raw.unwrap_or("null");
    if raw.len() > ARGUMENTS_BYTES_MAX {
        return Err(Problem::too_large("arguments", raw.len(), ARGUMENTS_BYTES_MAX));
    }
    match parse(raw)? {
        Json::Null => Ok(Json::Map(Vec::new())),
        Json::Text(inner) => {
            let inner = String::from_utf8(inner).map_err(|_| fault("the text holds a lone surrogate"))?;
            if inner.trim().is_empty() { Ok(Json::Map(Vec::new())) } else { object(parse(&inner)?) }
        }
        other => object(other),
    }
}

/// Checks arguments against the input; the canonical text, or all faults (`invalid_arguments`).
pub fn check_arguments(raw: Option<&str>, input: &BTreeMap<String, String>) -> Result<String, Problem> {
    let arguments = read_arguments(raw)?;
    let faults = faults(&arguments, input);
    if faults.is_empty() {
        return Ok(arguments.canonical());
    }
    let more = faults.len() > FAULTS_MAX;
    let mut words: Vec<String> =
        faults.iter().take(FAULTS_MAX).map(|(field, what)| format!("{field}: {what}.")).collect();
    if more {
        words.push(format!("More than {FAULTS_MAX} faults; these come first."));
    }
    let list: Vec<serde_json::Value> = faults
        .into_iter()
        .take(FAULTS_MAX)
        .map(|(field, what)| serde_json::json!({ "field": field, "message": what }))
        .collect();
    Err(Problem::new(problems::INVALID_ARGUMENTS, words.join(" ")).with("faults", list))
}

fn parse(text: &str) -> Result<Json, Problem> {
    json::parse(text).map_err(|found| fault(&format!("not JSON: {} at byte {}", found.what, found.at)))
}

fn object(json: Json) -> Result<Json, Problem> {
    if matches!(json, Json::Map(_)) { Ok(json) } else { Err(fault(&format!("must be an object, not {}", json.kind()))) }
}

fn fault(what: &str) -> Problem {
    Problem::new(problems::INVALID_ARGUMENTS, format!("arguments: {what}."))
}

/// Faults up to one more than are told: hostile arguments can have a hundred thousand.
fn faults(arguments: &Json, input: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    if let Json::Map(members) = arguments {
        let unknown =
            members.iter().map(|(name, _)| String::from_utf8_lossy(name)).filter(|name| !input.contains_key(&**name));
        let known = input.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        for name in unknown.take(FAULTS_MAX.saturating_add(1)) {
            let what = if faults.is_empty() {
                format!("is no field of this tool; its fields are: {known}")
            } else {
                "is no field of this tool".into()
            };
            faults.push((name.chars().take(FIELD_SHOWN_CHARS).collect(), what));
        }
    }
    for (name, text) in input {
        // A type that does not parse was refused at registration; should one be stored, nothing fits it.
        let Some(kind) = FieldType::parse(text) else {
            faults.push((name.clone(), "has a type that this gateway does not know".into()));
            continue;
        };
        match arguments.get(name) {
            None if kind.optional => {}
            None => faults.push((name.clone(), format!("is missing; it must be {text}"))),
            Some(value) => field_faults(name, kind, value, &mut faults),
        }
    }
    faults
}

fn field_faults(name: &str, kind: FieldType, value: &Json, faults: &mut Vec<(String, String)>) {
    // Models write null for "not given"; on an optional field of any type but json it would change the bytes that
    // the approver sees, so it is refused in words that say what to do.
    let absent = if kind.optional { "; leave the field out instead of null" } else { "" };
    let hint = |value: &Json| if matches!(value, Json::Null) { absent } else { "" };
    match (kind.list, value) {
        (true, Json::List(items)) => {
            for (index, item) in items.iter().enumerate() {
                if faults.len() > FAULTS_MAX {
                    break;
                }
                if let Some(expected) = kind.base.fault(item) {
                    faults.push((format!("{name}[{index}]"), format!("must be {expected}, not {}", item.kind())));
                }
            }
        }
        (true, other) => faults.push((name.to_owned(), format!("must be a list, not {}{}", other.kind(), hint(other)))),
        (false, other) => {
            if let Some(expected) = kind.base.fault(other) {
                faults.push((name.to_owned(), format!("must be {expected}, not {}{}", other.kind(), hint(other))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> BTreeMap<String, String> {
        [("order_id", "integer"), ("note", "string?"), ("tags", "string[]?")]
            .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
            .into()
    }

    #[test]
    fn good_arguments_become_canonical_text() {
        for (raw, canonical) in [
            (r#"{ "order_id" : 7 }"#, r#"{"order_id":7}"#),
            (r#"{"order_id":9007199254740993,"note":"a&b"}"#, r#"{"note":"a&b","order_id":9007199254740993}"#),
            (r#""{\"order_id\":1}""#, r#"{"order_id":1}"#),
            (r#"{"order_id":1,"tags":[]}"#, r#"{"order_id":1,"tags":[]}"#),
        ] {
            assert_eq!(check_arguments(Some(raw), &input()).as_deref(), Ok(canonical), "{raw}");
        }
        for raw in [None, Some("null"), Some("{}"), Some("\"\""), Some("\"  \"")] {
            assert_eq!(check_arguments(raw, &BTreeMap::new()).as_deref(), Ok("{}"), "{raw:?}");
        }
    }

    #[test]
    fn every_fault_is_named() {
        let problem =
            check_arguments(Some(r#"{"order_id":"7","tags":["a",1],"extra":1,"note":null}"#), &input()).unwrap_err();
        assert_eq!(problem.kind.code, "invalid_arguments");
        for part in [
            "order_id: must be an integer",
            "tags[1]: must be a string",
            "extra: is no field",
            "note: must be a string, not null; leave",
        ] {
            assert!(problem.detail.contains(part), "{part} in {}", problem.detail);
        }
        assert_eq!(problem.members["faults"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn a_hundred_thousand_faults_are_a_short_answer() {
        let tags = format!(r#"{{"order_id":1,"tags":[{}1]}}"#, "1,".repeat(100_000));
        let names: Vec<String> = (0..20_000).map(|n| format!(r#""x{n}":1"#)).collect();
        for raw in [tags, format!("{{{}}}", names.join(","))] {
            let problem = check_arguments(Some(&raw), &input()).unwrap_err();
            assert_eq!(problem.members["faults"].as_array().unwrap().len(), FAULTS_MAX);
            assert!(problem.body().to_string().len() < 16_000);
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for raw in [
            "[]",
            "7",
            "\"[]\"",
            "\"{\"",
            r#""{\"order_id\":1} x""#,
            r#"{"order_id":1,"order_id":2}"#,
            "{\"order_id\":1",
        ] {
            assert_eq!(check_arguments(Some(raw), &input()).unwrap_err().kind.code, "invalid_arguments", "{raw}");
        }
        let long = format!(r#"{{"order_id":1,"note":"{}"}}"#, "x".repeat(ARGUMENTS_BYTES_MAX));
        assert_eq!(check_arguments(Some(&long), &input()).unwrap_err().kind.code, "payload_too_large");
    }
}

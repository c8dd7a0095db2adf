//! Arguments that an approver edited: what differs from what was asked for.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use toolgate_protocol::approvals::ArgumentChange;

use crate::json::{self, Json};

/// The members that differ, by name, each with both values. Both texts are canonical objects.
pub fn changes(asked: &str, edited: &str) -> Vec<ArgumentChange> {
    let (Ok(asked), Ok(edited)) = (json::parse(asked), json::parse(edited)) else { return Vec::new() };
    let (asked, edited) = (members(&asked), members(&edited));
    // By bytes: a name may hold a lone surrogate, which no text of Rust's does.
    let names: BTreeSet<&[u8]> = asked.iter().chain(edited).map(|(name, _)| name.as_slice()).collect();
    let change = |name: &[u8]| {
        let (from, to) = (text(asked, name), text(edited, name));
        let field = String::from_utf8_lossy(name).into_owned();
        (from != to).then(|| ArgumentChange { field, from: raw(from), to: raw(to) })
    };
    names.into_iter().filter_map(change).collect()
}

fn members(json: &Json) -> &[(Vec<u8>, Json)] {
    if let Json::Map(members) = json { members } else { &[] }
}

fn text(members: &[(Vec<u8>, Json)], name: &[u8]) -> Option<String> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value.canonical())
}

fn raw(text: Option<String>) -> Option<Box<RawValue>> {
    text.and_then(|text| RawValue::from_string(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_digit_by_digit() {
        for (asked, edited, wanted) in [
            (r#"{"a":1}"#, r#"{"a":1}"#, "[]"),
            (r#"{"a":1,"b":"x"}"#, r#"{"a":2,"b":"x"}"#, r#"[{"field":"a","from":1,"to":2}]"#),
            (
                r#"{"a":9007199254740993}"#,
                r#"{"a":9007199254740992}"#,
                r#"[{"field":"a","from":9007199254740993,"to":9007199254740992}]"#,
            ),
            (r#"{"a":1}"#, r#"{"b":null}"#, r#"[{"field":"a","from":1},{"field":"b","to":null}]"#),
            (r#"{"a":[1,{"z":1}]}"#, r#"{"a":[1,{"z":2}]}"#, r#"[{"field":"a","from":[1,{"z":1}],"to":[1,{"z":2}]}]"#),
        ] {
            assert_eq!(serde_json::to_string(&changes(asked, edited)).unwrap(), wanted);
        }
    }
}

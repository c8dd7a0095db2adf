//! Names of fields, there and back.
//!
//! OpenAI and MCP have no rule for them and Anthropic's is wider than ours (`^[a-zA-Z0-9_.-]{1,64}$`). Gemini's reference
//! of `FunctionDeclaration.parameters` has letters, digits and underscores only. So for Gemini a dot or a dash becomes
//! an underscore; where that name would mean two fields, the ones that changed carry a hash of their own name. Adding a
//! field with a dot or dash never gives an advertised name to another field.

use std::collections::BTreeMap;

use toolgate_protocol::definitions::Profile;

use crate::hash::sha256_hex;
use crate::json::Json;

/// Gemini's limit, and the contract's.
const NAME_CHARS_MAX: usize = 64;
/// Of a hash: enough to tell 64 fields apart; a repetition is looked for anyway.
const HASH_CHARS: usize = 8;

/// Each field's advertised name and its own, by own name. Advertised names are distinct.
pub fn advertised_fields(input: &BTreeMap<String, String>, profile: Profile) -> Vec<(String, &str)> {
    if profile != Profile::Gemini {
        return input.keys().map(|name| (name.clone(), name.as_str())).collect();
    }
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for name in input.keys() {
        let count = wanted.entry(plain(name)).or_default();
        *count = count.saturating_add(1);
    }
    let mut taken = wanted.clone();
    let mut named = Vec::with_capacity(input.len());
    for name in input.keys() {
        let plain = plain(name);
        let alone = wanted.get(&plain).is_none_or(|count| *count == 1);
        let advertised = if alone || plain == *name { plain } else { hashed(name, &plain, &taken) };
        taken.insert(advertised.clone(), 1);
        named.push((advertised, name.as_str()));
    }
    named
}

/// The field that an advertised name means.
pub fn original_field<'a>(input: &'a BTreeMap<String, String>, profile: Profile, advertised: &str) -> Option<&'a str> {
    advertised_fields(input, profile).into_iter().find(|(name, _)| name == advertised).map(|(_, original)| original)
}

/// Arguments that a model wrote under advertised names, under the fields' own names. What is no advertised name stays,
/// also where the field is there under its own name already: the check of arguments tells of it.
pub fn restore_fields(arguments: Json, input: &BTreeMap<String, String>, profile: Profile) -> Json {
    let changed: BTreeMap<String, &str> =
        advertised_fields(input, profile).into_iter().filter(|(advertised, original)| advertised != original).collect();
    let Json::Map(members) = arguments else { return arguments };
    if changed.is_empty() {
        return Json::Map(members);
    }
    let given: Vec<Vec<u8>> = members.iter().map(|(name, _)| name.clone()).collect();
    let mut restored: Vec<(Vec<u8>, Json)> = members
        .into_iter()
        .map(|(name, value)| {
            let original = std::str::from_utf8(&name).ok().and_then(|name| changed.get(name));
            match original.map(|original| original.as_bytes().to_vec()) {
                Some(original) if !given.contains(&original) => (original, value),
                _ => (name, value),
            }
        })
        .collect();
    restored.sort_by(|left, right| left.0.cmp(&right.0));
    Json::Map(restored)
}

fn plain(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

fn hashed(name: &str, plain: &str, taken: &BTreeMap<String, usize>) -> String {
    let stem: String = plain.chars().take(NAME_CHARS_MAX.saturating_sub(HASH_CHARS).saturating_sub(1)).collect();
    let candidate = |attempt: u32| {
        let hash = sha256_hex(format!("{name} {attempt}").as_bytes());
        format!("{stem}_{}", hash.chars().take(HASH_CHARS).collect::<String>())
    };
    (0..u32::MAX).map(candidate).find(|name| !taken.contains_key(name)).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::check_arguments;
    use crate::json::parse;
    use crate::names;

    fn input(names: &[&str]) -> BTreeMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), "string?".to_owned())).collect()
    }

    fn gemini(names: &[&str]) -> Vec<String> {
        advertised_fields(&input(names), Profile::Gemini).into_iter().map(|(advertised, _)| advertised).collect()
    }

    #[test]
    fn a_name_changes_for_gemini_alone_and_only_where_it_must() {
        for profile in [Profile::Openai, Profile::Anthropic, Profile::Mcp] {
            assert_eq!(original_field(&input(&["a.b", "c"]), profile, "a.b"), Some("a.b"));
            assert_eq!(original_field(&input(&["a.b", "c"]), profile, "a_b"), None);
        }
        assert_eq!(gemini(&["c", "user.first-name", "_x9"]), ["_x9", "c", "user_first_name"]);
        assert_eq!(original_field(&input(&["a.b"]), Profile::Gemini, "a_b"), Some("a.b"));
        assert_eq!(original_field(&input(&["a.b"]), Profile::Gemini, "a.b"), None);
    }

    #[test]
    fn names_that_meet_are_told_apart_and_stay_who_they_are() {
        assert_eq!(gemini(&["a-b", "a.b", "a_b"]), ["a_b_fc5a4030", "a_b_eb178c74", "a_b"]);
        // Another field does not get the name that one had: it means nobody then.
        assert_eq!(original_field(&input(&["a-b"]), Profile::Gemini, "a_b"), Some("a-b"));
        assert_eq!(original_field(&input(&["a-b", "a.b"]), Profile::Gemini, "a_b"), None);
    }

    #[test]
    fn whatever_may_be_a_field_gets_a_distinct_name_that_gemini_takes() {
        let long = "a".repeat(62);
        let mut fields: Vec<String> = ["..", ".-", "-.", "--", "__", "_.", "._", "_-", "-_"]
            .iter()
            .flat_map(|end| [format!("{long}{end}"), format!("a{end}"), format!("_{end}x")])
            .collect();
        // Somebody registers what a hash would give.
        let hashes: Vec<String> = gemini(&fields.iter().map(String::as_str).collect::<Vec<_>>());
        fields.extend(hashes.into_iter().filter(|name| name.len() < 24));
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        assert!(fields.iter().all(|name| names::is_field(name)));
        let input = input(&fields);
        let advertised = advertised_fields(&input, Profile::Gemini);
        let distinct: std::collections::BTreeSet<&String> = advertised.iter().map(|(name, _)| name).collect();
        assert_eq!(distinct.len(), input.len());
        for (name, original) in &advertised {
            assert!(names::is_field(name) && !name.contains(['.', '-']), "{name}");
            assert_eq!(original_field(&input, Profile::Gemini, name), Some(*original));
            assert!(!input.contains_key(name) || name == original, "{name} is another field's own name");
        }
    }

    #[test]
    fn arguments_come_back_under_their_own_names_in_canonical_order() {
        let input = input(&["a-b", "b.c", "z"]);
        for (written, meant) in [
            (r#"{"a_b":"1","b_c":"2","z":"3"}"#, r#"{"a-b":"1","b.c":"2","z":"3"}"#),
            (r#"{"z":"3","b.c":"2"}"#, r#"{"b.c":"2","z":"3"}"#),
            (r#"{"a-b":"1","a_b":"2"}"#, r#"{"a-b":"1","a_b":"2"}"#),
            ("7", "7"),
        ] {
            let restored = restore_fields(parse(written).unwrap(), &input, Profile::Gemini);
            assert_eq!(restored.canonical(), meant);
        }
        let twice = restore_fields(parse(r#"{"a-b":"1","a_b":"2"}"#).unwrap(), &input, Profile::Gemini);
        assert!(check_arguments(Some(&twice.canonical()), &input).unwrap_err().detail.contains("a_b: is no field"));
    }
}

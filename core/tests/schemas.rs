//! The golden files of the schema compiler, and what holds for every definition in them. `TOOLGATE_BLESS=1 cargo test -p
//! toolgate-core --test schemas` writes the files anew; the change is then read like any other.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};
use toolgate_core::contract::schema::{WAITS_FOR_A_PERSON, advertised_fields, compile, tokens};
use toolgate_core::contract::{check_arguments, check_tool};
use toolgate_protocol::definitions::{Profile, SideEffect, ToolDefinition};

const BASES: [&str; 10] =
    ["string", "integer", "number", "boolean", "date", "datetime", "uuid", "email", "url", "json"];

/// Names of functions, as the providers document them: longest, and what else than letters, digits and underscores.
/// OpenAI's and Anthropic's references of `name`; Gemini's of `FunctionDeclaration.name`, which must also begin with a
/// letter or an underscore; MCP 2026-07-28, section "Tool Names".
const TOOL_NAMES: [(Profile, usize, &str); 4] = [
    (Profile::Openai, 64, "-"),
    (Profile::Anthropic, 64, "-"),
    (Profile::Gemini, 64, ".:-"),
    (Profile::Mcp, 128, ".-"),
];

/// Names of properties: Anthropic's error message gives its rule, Gemini's reference of `FunctionDeclaration.parameters`
/// the other one. OpenAI and MCP have none.
const FIELD_NAMES: [(Profile, &str); 4] =
    [(Profile::Openai, ".-"), (Profile::Anthropic, ".-"), (Profile::Gemini, ""), (Profile::Mcp, ".-")];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/schemas").join(name)
}

fn tool(name: &str, description: &str, side_effect: &str, input: Value) -> ToolDefinition {
    let tool = json!({"name":name,"description":description,"side_effect":side_effect,"input":input});
    let tool: ToolDefinition = serde_json::from_value(tool).expect("a definition");
    assert_eq!(check_tool(&tool), Ok(()), "{name}");
    tool
}

/// Every type, alone in a tool.
fn field_tools() -> Vec<ToolDefinition> {
    let marks = ["", "?", "[]", "[]?"];
    let types = BASES.iter().flat_map(|base| marks.map(|mark| format!("{base}{mark}")));
    types.map(|kind| tool("set_value", "Sets a value.", "reversible_write", json!({ "value": kind }))).collect()
}

fn whole_tools() -> Vec<ToolDefinition> {
    let many: BTreeMap<String, String> =
        (0..64).map(|n| (format!("field_{n:02}"), format!("{}{}", BASES[n % 10], ["", "?", "[]"][n % 3]))).collect();
    vec![
        tool("ping", "Says whether the shop is there.", "read_only", json!({})),
        tool("close_till", "Closes the till.", "consequential", json!({})),
        tool(
            "refund_order",
            "Gives a customer the money back.  \n",
            "consequential",
            json!({"order_id":"integer","amount":"number?","reason":"string","notify":"email[]?"}),
        ),
        tool("note_order", "Adds a note.", "reversible_write", json!({"order_id":"integer","note":"string"})),
        tool(
            "suche_aufträge".replace('ä', "ae").as_str(),
            "Sucht Aufträge – „offen“ oder <b>nicht</b>.\n日本語 ✅ \"quoted\" \\ \u{1} \u{2028}",
            "read_only",
            json!({"seit":"date?","kunde":"uuid"}),
        ),
        tool(&format!("a{}xy", "b_9".repeat(15)), "The longest name.", "read_only", json!({"x":"json"})),
        tool(
            "dotted",
            "Has names that one provider refuses.",
            "read_only",
            json!({"a-b":"string","a.b":"string?","a_b":"integer","user.first-name":"string","_":"url"}),
        ),
        tool("many", "Has as many fields as may be.", "read_only", json!(many)),
        tool("long", &"é".repeat(2_000), "consequential", json!({"x":"string"})),
    ]
}

/// One definition a line, so that a change shows which.
fn rendered(tools: &[ToolDefinition]) -> String {
    let cases: Vec<String> = tools
        .iter()
        .map(|tool| {
            let forms: Vec<String> = Profile::ALL
                .iter()
                .map(|profile| format!(" {}: {}", json!(profile), compile(tool, *profile)))
                .collect();
            format!("{{\"tool\": {},\n{}}}", json!(tool), forms.join(",\n"))
        })
        .collect();
    format!("[\n{}\n]\n", cases.join(",\n"))
}

fn golden(name: &str, text: &str) {
    if std::env::var_os("TOOLGATE_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path("")).expect("the folder can be made");
        std::fs::write(path(name), text).expect("the file can be written");
    }
    let stored = std::fs::read_to_string(path(name)).unwrap_or_default();
    let differs = stored.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(stored == text, "tests/vectors/schemas/{name} is stale: {differs:?}\nTOOLGATE_BLESS=1 writes it anew");
}

#[test]
fn the_golden_files_are_what_the_compiler_writes() {
    golden("fields.json", &rendered(&field_tools()));
    golden("tools.json", &rendered(&whole_tools()));
}

fn every() -> impl Iterator<Item = (ToolDefinition, Profile, Value)> {
    field_tools().into_iter().chain(whole_tools()).flat_map(|tool| {
        Profile::ALL.map(|profile| {
            let text = compile(&tool, profile);
            (tool.clone(), profile, serde_json::from_str(&text).expect("JSON"))
        })
    })
}

/// Name, description and schema of a definition; null where there is no schema.
fn parts(profile: Profile, definition: &Value) -> (&str, &str, &Value) {
    let (at, schema) = match profile {
        Profile::Openai => (&definition["function"], "parameters"),
        Profile::Anthropic => (definition, "input_schema"),
        Profile::Gemini => (definition, "parameters"),
        Profile::Mcp => (definition, "inputSchema"),
    };
    (at["name"].as_str().unwrap_or(""), at["description"].as_str().unwrap_or(""), &at[schema])
}

fn fits(name: &str, longest: usize, more: &str) -> bool {
    name.len() <= longest
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_' || more.contains(next))
}

#[test]
fn every_name_is_taken_by_its_provider_and_no_tool_is_renamed() {
    for (tool, profile, definition) in every() {
        let (name, _, schema) = parts(profile, &definition);
        let (_, longest, more) = TOOL_NAMES[Profile::ALL.iter().position(|known| *known == profile).expect("known")];
        // Clients put `mcp__server__` and the like before it: 16 characters are left for that.
        assert!(name == tool.name && name.len() + 16 <= longest && fits(name, longest, more), "{name}");
        let more = FIELD_NAMES.iter().find(|(known, _)| *known == profile).map(|(_, more)| *more).expect("known");
        let names: BTreeSet<&String> =
            schema["properties"].as_object().into_iter().flat_map(|map| map.keys()).collect();
        assert_eq!(names.len(), tool.input.len());
        assert!(names.iter().all(|name| fits(name, 64, more)), "{profile:?} {names:?}");
        let advertised = advertised_fields(&tool.input, profile);
        assert!(advertised.iter().all(|(name, _)| names.contains(name)));
    }
    // Two tools whose names differ at one end only stay two.
    let long = "x".repeat(47);
    for (left, right) in [(format!("a{long}"), format!("b{long}")), (format!("{long}a"), format!("{long}b"))] {
        let compiled = |name: &str| compile(&tool(name, "d", "read_only", json!({})), Profile::Openai);
        assert!(compiled(&left).contains(&left) && compiled(&right).contains(&right));
    }
}

#[test]
fn what_is_required_is_there_and_optional_fields_are_not_required() {
    for (tool, profile, definition) in every() {
        let (_, _, schema) = parts(profile, &definition);
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let wanted: Vec<String> = advertised_fields(&tool.input, profile)
            .into_iter()
            .filter(|(_, original)| !tool.input[*original].ends_with('?'))
            .map(|(advertised, _)| advertised)
            .collect();
        assert_eq!(required, wanted);
        assert!(schema.get("required").is_none() || !required.is_empty(), "an empty list is refused by some");
        assert_eq!(schema.is_null(), profile == Profile::Gemini && tool.input.is_empty());
    }
}

#[test]
fn only_a_consequential_tool_says_that_a_person_decides() {
    for (tool, profile, definition) in every() {
        let (_, description, _) = parts(profile, &definition);
        if tool.side_effect == SideEffect::Consequential {
            let last = format!("{}\n{WAITS_FOR_A_PERSON}", tool.description.trim_end());
            assert_eq!(description, last);
        } else {
            assert_eq!(description, tool.description);
        }
        let hints = definition.get("annotations").map(|hints| {
            ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map(|hint| hints[hint].as_bool())
        });
        let (reads, destroys) =
            (tool.side_effect == SideEffect::ReadOnly, tool.side_effect == SideEffect::Consequential);
        let wanted = [reads, destroys, reads, true].map(Some);
        assert_eq!(hints, (profile == Profile::Mcp).then_some(wanted));
    }
}

/// Gemini's `Schema` as its reference lists it, as far as we use it; anything else fails the whole request.
fn gemini_faults(schema: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(members) = schema.as_object() else { return faults.push(format!("{at} is no schema")) };
    let kind = schema["type"].as_str();
    for (key, value) in members {
        let fine = match key.as_str() {
            "type" => {
                kind.is_some_and(|kind| ["string", "integer", "number", "boolean", "array", "object"].contains(&kind))
            }
            "description" => value.is_string(),
            "format" => kind == Some("string") && value == "date-time",
            "items" => kind == Some("array"),
            "properties" => kind == Some("object") && value.as_object().is_some_and(|map| !map.is_empty()),
            "required" => value.as_array().is_some_and(|names| {
                names.iter().all(|name| name.as_str().is_some_and(|name| schema["properties"].get(name).is_some()))
            }),
            // Vertex AI refuses anything beside it.
            "anyOf" => members.len() == 1 && value.as_array().is_some_and(|options| !options.is_empty()),
            _ => false,
        };
        if !fine {
            faults.push(format!("{at}: {key}"));
        }
    }
    if kind.is_none() && !members.contains_key("anyOf") {
        faults.push(format!("{at}: neither type nor anyOf"));
    }
    if kind == Some("array") {
        gemini_faults(&schema["items"], &format!("{at}[]"), faults);
    }
    for option in schema["anyOf"].as_array().into_iter().flatten() {
        gemini_faults(option, &format!("{at}|"), faults);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        gemini_faults(property, &format!("{at}.{name}"), faults);
    }
}

#[test]
fn gemini_and_whatever_an_mcp_client_talks_to_know_every_keyword() {
    for (tool, profile, definition) in every() {
        let (_, _, schema) = parts(profile, &definition);
        let mut faults = Vec::new();
        if profile == Profile::Gemini && !schema.is_null() || profile == Profile::Mcp && !tool.input.is_empty() {
            gemini_faults(schema, "", &mut faults);
        }
        assert_eq!(faults, Vec::<String>::new(), "{}", tool.name);
    }
    for bad in [
        json!({"type":["string","null"]}),
        json!({"type":"integer","enum":[1]}),
        json!({"type":"integer","exclusiveMinimum":0}),
        json!({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}),
        json!({"$schema":"x","type":"object","properties":{"a":{"type":"string"}}}),
        json!({"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}),
        json!({"type":"object","properties":{}}),
        json!({"type":"string","format":"uuid"}),
        json!({"type":"array"}),
        json!({"description":"any"}),
        json!({"anyOf":[{"type":"string"}],"description":"any"}),
    ] {
        let mut faults = Vec::new();
        gemini_faults(&bad, "", &mut faults);
        assert!(!faults.is_empty(), "the checker lets {bad} pass");
    }
}

#[test]
fn the_same_definition_gives_the_same_bytes_however_it_was_written() {
    let texts = [
        r#"{"name":"t","description":"d","side_effect":"read_only","input":{"b":"string","a":"integer?"}}"#,
        r#"{"input":{"a":"integer?","b":"string"},"side_effect":"read_only","description":"d","name":"t"}"#,
    ];
    let tools = texts.map(|text| serde_json::from_str::<ToolDefinition>(text).expect("a definition"));
    for profile in Profile::ALL {
        assert_eq!(compile(&tools[0], profile), compile(&tools[1], profile));
        assert!(tokens(&compile(&tools[0], profile)) > 20);
    }
}

/// `arguments.json`: values and what the contract says of them; tests/schemas compares with the compiled schemas.
#[test]
fn the_table_of_arguments_says_what_the_contract_says() {
    let text = std::fs::read_to_string(path("arguments.json")).expect("the table is there");
    let table: Vec<BTreeMap<String, Box<serde_json::value::RawValue>>> = serde_json::from_str(&text).expect("a table");
    let mut seen = BTreeSet::new();
    for case in &table {
        let kind: String = serde_json::from_str(case["type"].get()).expect("a type");
        let input = BTreeMap::from([("value".to_owned(), kind.clone())]);
        let taken = check_arguments(Some(case["arguments"].get()), &input).is_ok();
        assert_eq!(taken, case["accepted"].get() == "true", "{kind} {}", case["arguments"]);
        seen.insert((kind.trim_end_matches(['[', ']', '?']).to_owned(), taken));
    }
    let both = BASES.iter().flat_map(|base| [((*base).to_owned(), true), ((*base).to_owned(), false)]);
    assert_eq!(seen, both.collect(), "each type has values that fit and values that do not");
}

//! The committed document is the one that the types make, and has every path. `TOOLGATE_BLESS=1 cargo test -p
//! toolgate-openapi` writes it anew; the change is then read like any other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use toolgate_core::route::{paths, route};
use toolgate_openapi::{document, operations, write};
use toolgate_protocol::{OPENAPI, problems};

/// It is a part of the module.
const BYTES_MAX: usize = 192 * 1024;

#[test]
fn the_committed_document_is_current() {
    let text = write::text(&document());
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../protocol/openapi.json");
    if std::env::var_os("TOOLGATE_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    let first = text.lines().zip(committed.lines()).find(|(made, kept)| made != kept);
    assert!(
        committed == text,
        "protocol/openapi.json is not current; TOOLGATE_BLESS=1 writes it. First line: {first:#?}"
    );
    assert!(text.len() <= BYTES_MAX, "{} bytes", text.len());
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document(), "the text is the document");
}

#[test]
fn every_path_is_described_and_nothing_else() {
    let described: Vec<(&str, &str)> = operations::all().iter().map(|each| (each.method, each.path)).collect();
    let once: BTreeSet<(&str, &str)> = described.iter().copied().collect();
    assert_eq!(once.len(), described.len(), "an operation is described twice");
    assert_eq!(once, paths().collect());
    for (method, path) in once {
        assert!(route(method, path).is_ok(), "{method} {path}");
        assert!(!path.starts_with("/internal"), "{path}");
    }
}

/// All objects in it.
fn walk<'a>(value: &'a Value, found: &mut Vec<&'a serde_json::Map<String, Value>>) {
    match value {
        Value::Object(members) => {
            found.push(members);
            members.values().for_each(|member| walk(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
        _ => {}
    }
}

#[test]
fn references_lead_somewhere_and_every_schema_is_used() {
    let document = document();
    let mut objects = Vec::new();
    walk(&document, &mut objects);
    let references: BTreeSet<&str> = objects.iter().filter_map(|each| each.get("$ref")?.as_str()).collect();
    for reference in &references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for kind in ["schemas", "parameters", "responses"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            assert!(references.contains(format!("#/components/{kind}/{name}").as_str()), "{name} is not used");
        }
    }
}

#[test]
fn bodies_are_closed_as_serde_reads_them() {
    let document = document();
    let mut objects = Vec::new();
    for path in document["paths"].as_object().unwrap().values() {
        for operation in path.as_object().unwrap().values() {
            walk(&operation["requestBody"], &mut objects);
        }
    }
    let bodies: BTreeSet<&str> = objects.iter().filter_map(|each| each.get("$ref")?.as_str()).collect();
    assert!(bodies.len() > 15, "{bodies:?}");
    for reference in bodies {
        let schema = document.pointer(&reference[1..]).unwrap();
        assert_eq!(schema["additionalProperties"], false, "{reference} takes members that nobody reads");
    }
}

#[test]
fn every_code_that_has_a_page_is_some_operations() {
    let document = document();
    let mut objects = Vec::new();
    walk(&document["paths"], &mut objects);
    walk(&document["components"]["responses"], &mut objects);
    let named: BTreeSet<&str> = objects
        .iter()
        .filter_map(|each| each.get("code")?.get("enum")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let known: BTreeSet<&str> = problems::ALL.iter().map(|kind| kind.code).collect();
    // Of a path as a whole, which no operation answers.
    let elsewhere = BTreeSet::from([problems::METHOD_NOT_ALLOWED.code]);
    assert_eq!(&named | &elsewhere, known);
    assert!(named.is_disjoint(&elsewhere));
}

#[test]
fn the_module_serves_the_committed_document() {
    let served: Value = serde_json::from_str(OPENAPI).unwrap();
    assert_eq!(served["openapi"], "3.1.1");
    assert_eq!(served["info"]["version"], toolgate_protocol::VERSION);
}

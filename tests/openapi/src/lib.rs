//! The OpenAPI 3.1 document of the HTTP API, made from the types that the gateway reads and writes.
//!
//! `operations` says which types stand at which path, and which refusals; the JSON Schemas come from the types
//! themselves (`schemas`). That every path is here, and that the committed document is this one, is what `tests` check.
#![allow(clippy::indexing_slicing, reason = "runs in tests alone: a member that is not there fails them")]

pub mod operation;
pub mod operations;
pub mod schemas;
pub mod write;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolgate_protocol::{VERSION, problems};

use schemas::Schemas;

const DESCRIPTION: &str = "A gate between AI agents and the code they may run. Unknown members of a request are refused \
(422), those of an answer are to be ignored. Times are RFC 3339 in UTC. Ids are opaque: `[A-Za-z0-9_-]`, at most 100 \
characters. Numbers in arguments, results and principals are carried as they were written, at any size.";

/// The document.
pub fn document() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = json!({});
    for operation in operations::all() {
        paths[operation.path][operation.method.to_lowercase()] = operation.value(&mut schemas);
    }
    let (responses, mut components) = schemas.into_components(&mut paths);
    let codes: BTreeSet<&str> = problems::ALL.iter().map(|kind| kind.code).collect();
    components["ProblemBody"]["properties"]["code"]["enum"] = json!(codes);
    json!({
        "openapi": "3.1.1",
        "info": { "title": "Toolgate", "version": VERSION, "description": DESCRIPTION },
        "servers": [{ "url": "/" }],
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "parameters": operation::parameters(),
            "responses": responses,
            "schemas": components,
            "securitySchemes": { "key": {
                "type": "http", "scheme": "bearer",
                "description": "A key `tg_…` of the role that the operation names; for orgs the operator's root token.",
            }},
        },
    })
}

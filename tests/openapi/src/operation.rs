//! One operation: who may, what it takes, what it answers, how it refuses.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Value, json};
use toolgate_protocol::limits::{LIST_MAX, WAIT_SECONDS_MAX};
use toolgate_protocol::lists::{Lagging, ProblemBody};
use toolgate_protocol::problems::{self as p, ProblemKind};

use crate::schemas::Schemas;

/// Who may.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anybody, without a key.
    Anybody,
    /// The operator, with the root token.
    Root,
    /// A key of these roles; for `agent` a run token too.
    Roles(&'static [&'static str]),
}

type Make = fn(&mut Schemas) -> Value;

/// What an answer holds.
#[derive(Clone, Copy)]
enum Body {
    None,
    Json(Make),
    Stream(Make),
}

/// One operation.
pub struct Operation {
    /// In capitals.
    pub method: &'static str,
    /// With parameters as `{name}`.
    pub path: &'static str,
    id: &'static str,
    summary: &'static str,
    who: Who,
    parameters: Vec<Value>,
    request: Option<(Make, bool)>,
    answers: Vec<(u16, &'static str, Body)>,
    problems: Vec<&'static ProblemKind>,
}

/// An operation that answers nothing yet.
pub fn operation(
    method: &'static str,
    path: &'static str,
    id: &'static str,
    who: Who,
    summary: &'static str,
) -> Operation {
    let mut parameters = Vec::new();
    let mut problems = vec![p::INTERNAL, p::LOOP_DETECTED];
    if let Some((_, rest)) = path.split_once('{') {
        let name = rest.split_once('}').map_or(rest, |(name, _)| name);
        parameters.push(
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } }),
        );
    }
    match who {
        Who::Anybody => {}
        Who::Root => problems.push(p::INVALID_KEY),
        Who::Roles(roles) => {
            problems.extend([p::INVALID_KEY, p::ROLE_NOT_ALLOWED, p::ORIGIN_NOT_ALLOWED]);
            if roles.contains(&"agent") {
                problems.push(p::DOOR_NOT_ALLOWED);
            }
        }
    }
    if who != Who::Anybody {
        problems.extend([p::BUSY, p::OBJECT_UNAVAILABLE, p::STORAGE_UNAVAILABLE]);
    }
    Operation { method, path, id, summary, who, parameters, request: None, answers: Vec::new(), problems }
}

impl Operation {
    /// Takes this body.
    pub fn takes<T: JsonSchema>(self) -> Operation {
        self.takes_as(|schemas| schemas.taken::<T>(), true)
    }

    /// Takes this body, or none.
    pub fn may_take<T: JsonSchema>(self) -> Operation {
        self.takes_as(|schemas| schemas.taken::<T>(), false)
    }

    /// Takes a body of this schema.
    pub fn takes_as(mut self, make: Make, required: bool) -> Operation {
        self.request = Some((make, required));
        self.refuses(&[p::INVALID_JSON, p::PAYLOAD_TOO_LARGE, p::UNSUPPORTED_MEDIA_TYPE, p::INVALID_REQUEST])
    }

    /// Answers this.
    pub fn gives<T: JsonSchema>(self, status: u16, description: &'static str) -> Operation {
        self.gives_as(status, description, |schemas| schemas.given::<T>())
    }

    /// Answers with this schema.
    pub fn gives_as(mut self, status: u16, description: &'static str, make: Make) -> Operation {
        self.answers.push((status, description, Body::Json(make)));
        self
    }

    /// Answers without a body.
    pub fn gives_nothing(mut self, status: u16, description: &'static str) -> Operation {
        self.answers.push((status, description, Body::None));
        self
    }

    /// Answers 200 with a stream of such events; the description is that of the answer before it where it is empty.
    pub fn streams(mut self, description: &'static str, make: Make) -> Operation {
        self.answers.push((200, description, Body::Stream(make)));
        self
    }

    /// Changes what pools go by: 202 with the same answer when one of them has not confirmed it in time.
    pub fn lags<T: JsonSchema>(self) -> Operation {
        self.gives_as(
            202,
            "Done, and the pools in `lagging` do not know yet; they are told until they do.",
            |schemas| json!({ "allOf": [schemas.given::<T>(), schemas.given::<Lagging>()] }),
        )
    }

    /// Refuses with these too.
    pub fn refuses(mut self, problems: &[&'static ProblemKind]) -> Operation {
        for kind in problems {
            if !self.problems.contains(kind) {
                self.problems.push(kind);
            }
        }
        self
    }

    /// Is asked of a pool: its policy may be out of reach, and the key may be unknown to it.
    pub fn of_pool(self) -> Operation {
        self.refuses(&[p::REGISTRY_UNAVAILABLE, p::NOT_FOUND])
    }

    /// Has pages.
    pub fn pages(mut self) -> Operation {
        self.parameters.extend([reference("limit"), reference("cursor")]);
        self.refuses(&[p::INVALID_REQUEST])
    }

    /// Waits as long as `Prefer` says.
    pub fn waits(mut self) -> Operation {
        self.parameters.push(reference("prefer"));
        self
    }

    /// Takes an idempotency key.
    pub fn repeats(mut self) -> Operation {
        self.parameters.push(reference("idempotencyKey"));
        self
    }

    /// Takes this parameter of the query.
    pub fn query(mut self, name: &'static str, required: bool, description: &'static str, schema: Value) -> Operation {
        self.parameters.push(json!({
            "name": name, "in": "query", "required": required, "description": description, "schema": schema,
        }));
        self
    }

    /// As it stands in the document.
    pub fn value(&self, schemas: &mut Schemas) -> Value {
        let who = match self.who {
            Who::Anybody => "Needs no key.".to_owned(),
            Who::Root => "Needs the operator's root token.".to_owned(),
            Who::Roles(roles) => format!("Needs a key with one of the roles: {}.", roles.join(", ")),
        };
        let mut value = json!({
            "operationId": self.id, "summary": self.summary, "description": who, "responses": self.responses(schemas),
        });
        match self.who {
            Who::Anybody => value["security"] = json!([]),
            Who::Root => value["x-roles"] = json!(["root"]),
            Who::Roles(roles) => value["x-roles"] = json!(roles),
        }
        if !self.parameters.is_empty() {
            value["parameters"] = self.parameters.clone().into();
        }
        if let Some((make, required)) = self.request {
            value["requestBody"] =
                json!({ "required": required, "content": { "application/json": { "schema": make(schemas) } } });
        }
        value
    }

    fn responses(&self, schemas: &mut Schemas) -> Value {
        let mut responses = json!({});
        for (status, description, body) in &self.answers {
            let response = &mut responses[status.to_string()];
            if !description.is_empty() {
                response["description"] = (*description).into();
            }
            match body {
                Body::None => {}
                Body::Json(make) => response["content"]["application/json"]["schema"] = make(schemas),
                // OpenAPI 3.1 has no words for an event of a stream: this is `itemSchema` of 3.2, in the name of an extension.
                Body::Stream(make) => response["content"]["text/event-stream"]["x-itemSchema"] = make(schemas),
            }
        }
        let mut by_status: BTreeMap<u16, Vec<&ProblemKind>> = BTreeMap::new();
        for kind in &self.problems {
            by_status.entry(kind.status).or_default().push(kind);
        }
        for (status, mut kinds) in by_status {
            kinds.sort_by_key(|kind| kind.code);
            let codes: Vec<&str> = kinds.iter().map(|kind| kind.code).collect();
            let words: Vec<String> = kinds.iter().map(|kind| format!("`{}`: {}.", kind.code, kind.title)).collect();
            let code = json!({ "properties": { "code": { "enum": codes }, "status": { "const": status } } });
            let schema = json!({ "allOf": [schemas.given::<ProblemBody>(), code] });
            let content = json!({ "application/problem+json": { "schema": schema } });
            match responses.get_mut(status.to_string()) {
                // The path's own protocol has this status too.
                Some(response) => {
                    response["description"] = words.join(" ").into();
                    response["content"]["application/problem+json"] = content["application/problem+json"].clone();
                }
                None => {
                    let response = json!({ "description": words.join(" "), "content": content });
                    responses[status.to_string()] = schemas.response(&codes.join("."), response);
                }
            }
        }
        responses
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

/// The parameters that several operations share.
pub fn parameters() -> Value {
    json!({
        "limit": {
            "name": "limit", "in": "query", "description": "The most entries of the page.",
            "schema": { "type": "integer", "minimum": 1, "maximum": LIST_MAX, "default": LIST_MAX },
        },
        "cursor": {
            "name": "cursor", "in": "query", "description": "`next_cursor` of the page before.", "schema": { "type": "string" },
        },
        "prefer": {
            "name": "Prefer", "in": "header",
            "description": format!("`wait=N` (RFC 7240): hold the answer for N seconds, at most {WAIT_SECONDS_MAX}, or until the call has ended."),
            "schema": { "type": "string" },
        },
        "idempotencyKey": {
            "name": "Idempotency-Key", "in": "header",
            "description": "The same key again is the same call. Every write needs one.",
            "schema": { "type": "string", "minLength": 1, "maxLength": toolgate_protocol::limits::IDEMPOTENCY_KEY_CHARS_MAX },
        },
    })
}

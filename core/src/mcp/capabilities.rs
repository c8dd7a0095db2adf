//! What a client can be asked for, as it declares it and as a request needs it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// What a client can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// A form for its user.
    Form,
    /// A page that its user opens.
    Url,
    /// A text of its model.
    Sampling,
    /// The same, with tools.
    SamplingTools,
    /// Its folders.
    Roots,
}

impl Capability {
    /// Every one.
    pub(super) const ALL: [Capability; 5] =
        [Capability::Form, Capability::Url, Capability::Sampling, Capability::SamplingTools, Capability::Roots];

    /// Its place in a client's capabilities.
    fn path(self) -> (&'static str, Option<&'static str>) {
        match self {
            Capability::Form => ("elicitation", Some("form")),
            Capability::Url => ("elicitation", Some("url")),
            Capability::Sampling => ("sampling", None),
            Capability::SamplingTools => ("sampling", Some("tools")),
            Capability::Roots => ("roots", None),
        }
    }

    /// Its sign in the id of a session.
    pub(super) fn letter(self) -> char {
        match self {
            Capability::Form => 'f',
            Capability::Url => 'u',
            Capability::Sampling => 's',
            Capability::SamplingTools => 't',
            Capability::Roots => 'r',
        }
    }

    /// Those that a client declares.
    pub(super) fn all_in(capabilities: &Value) -> Vec<Capability> {
        Capability::ALL.into_iter().filter(|capability| capability.is_in(capabilities)).collect()
    }

    /// Does a client declare it?
    fn is_in(self, capabilities: &Value) -> bool {
        let (group, part) = self.path();
        let Some(declared) = capabilities.get(group).and_then(Value::as_object) else { return false };
        // An empty elicitation is one by forms.
        part.is_none_or(|part| declared.contains_key(part)) || (self == Capability::Form && declared.is_empty())
    }

    /// What a request needs; nothing for one that the protocol does not have.
    pub(super) fn of(request: &RawValue) -> Option<Capability> {
        #[derive(Deserialize)]
        struct Request {
            method: String,
            #[serde(default)]
            params: BTreeMap<String, Box<RawValue>>,
        }
        let Request { method, params } = serde_json::from_str(request.get()).ok()?;
        match (method.as_str(), params.get("mode").map_or("\"form\"", |mode| mode.get())) {
            ("elicitation/create", "\"form\"") => Some(Capability::Form),
            ("elicitation/create", "\"url\"") => Some(Capability::Url),
            ("sampling/createMessage", _) if params.contains_key("tools") => Some(Capability::SamplingTools),
            ("sampling/createMessage", _) => Some(Capability::Sampling),
            ("roots/list", _) => Some(Capability::Roots),
            _ => None,
        }
    }
}

/// Capabilities as a client declares them.
pub(super) fn declared(all: &BTreeSet<Capability>) -> Value {
    let mut declared = Map::new();
    for (group, part) in all.iter().map(|capability| capability.path()) {
        let entry = declared.entry(group).or_insert_with(|| json!({}));
        if let (Some(part), Some(members)) = (part, entry.as_object_mut()) {
            members.insert(part.to_owned(), json!({}));
        }
    }
    Value::Object(declared)
}

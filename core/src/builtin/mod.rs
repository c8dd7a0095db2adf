//! The tools that ship with the gateway: what they are, what they take, and what they answer.
//!
//! All of them only read. Charts and maps are checked here and drawn by the page; what the database tools read is fetched
//! by the edge, from an object or from a database of the customer's, under the guard of [`sql`].

pub mod chart;
pub mod data;
mod definitions;
pub mod map;
pub mod sql;

use serde_json::value::RawValue;
use toolgate_protocol::calls::Activity;
use toolgate_protocol::webhooks::CallReply;
use toolgate_protocol::workers::HandlerError;

use crate::json::{Json, parse};

pub use definitions::{definitions, definitions_hash};

/// The content type of a chart.
pub const ECHART: &str = "application/json+echart";
/// The content type of a map.
pub const LEAFLET: &str = "application/json+leaflet";
/// What keeps the data could not be asked: the call is tried again.
pub const DATA_UNREACHABLE: &str = "data_unreachable";

/// There is no such data set, or it is not the org's.
pub fn no_dataset(name: &str) -> Fault {
    let shipped: Vec<&str> = data::SHIPPED.iter().map(|shipped| shipped.name).collect();
    let detail =
        format!("There is no data set {name:?}; {} ship, others are bound by the operator.", shipped.join(" and "));
    Fault::new("no_dataset", detail)
}

/// A call of a shipped tool, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `get_database_schema`
    Schema,
    /// `execute_query`
    Query(String),
    /// `create_chart`
    Chart(Json),
    /// `create_map`
    Map(Json),
}

/// Why a tool gives no result: the model reads it, and may do better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A stable code.
    pub code: &'static str,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Fault {
    /// A fault of what was asked.
    pub fn new(code: &'static str, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into() }
    }
}

/// What was asked; the queue has checked the arguments by the tool's definition.
///
/// # Errors
/// For a tool that this version of the gateway does not ship.
pub fn read(tool: &str, arguments: &str) -> Result<Call, Fault> {
    let member = |name: &str| parse(arguments).ok().and_then(|json| json.get(name).cloned()).unwrap_or(Json::Null);
    match tool {
        "get_database_schema" => Ok(Call::Schema),
        "execute_query" => Ok(Call::Query(member("query").as_str().unwrap_or_default().to_owned())),
        "create_chart" => Ok(Call::Chart(member("config"))),
        "create_map" => Ok(Call::Map(member("data"))),
        _ => Err(Fault::new("unknown_tool", format!("This version of the gateway ships no tool {tool:?}."))),
    }
}

/// Something for the screen: a checked text of JSON, and what the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// JSON text.
    pub content: String,
    /// A sentence.
    pub says: String,
}

/// The reply of a tool that draws.
pub fn drawn(kind: &str, drawing: Result<Drawing, Fault>) -> CallReply {
    match drawing {
        Ok(Drawing { content, says }) => match (raw(&json_text(&says)), RawValue::from_string(content).ok()) {
            (Some(result), Some(content)) => {
                let activity = Some(Activity { kind: kind.to_owned(), content });
                CallReply { result: Some(result), activity, ..CallReply::default() }
            }
            _ => failed(Fault::new("internal", "What was drawn cannot be written.")),
        },
        Err(fault) => failed(fault),
    }
}

/// The reply that gives this JSON text.
pub fn answered(text: String) -> CallReply {
    match RawValue::from_string(text) {
        Ok(result) => CallReply { result: Some(result), ..CallReply::default() },
        Err(_) => failed(Fault::new("internal", "The result cannot be written.")),
    }
}

/// The reply that says why there is none.
pub fn failed(fault: Fault) -> CallReply {
    let error = HandlerError { message: fault.message, code: Some(fault.code.to_owned()) };
    CallReply { error: Some(error), ..CallReply::default() }
}

/// A text as JSON.
pub fn json_text(text: &str) -> String {
    Json::Text(text.as_bytes().to_vec()).canonical()
}

fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

/// A value that may have come as JSON text inside a string, as models write it.
fn unwrapped(value: Json) -> Json {
    match value.as_str().and_then(|text| parse(text).ok()) {
        Some(inner @ (Json::Map(_) | Json::List(_))) => inner,
        _ => value,
    }
}

/// Does this text hold a tag? Line breaks are no reason to refuse: see [`without_breaks`].
fn has_markup(text: &str) -> bool {
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let tag = |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        if character == '<' && rest.peek().is_some_and(tag) {
            return true;
        }
    }
    false
}

/// The text with its `<br>` as line ends.
fn without_breaks(text: &str) -> String {
    let mut out = text.to_owned();
    for tag in ["<br/>", "<br />", "<br>", "<BR/>", "<BR />", "<BR>"] {
        out = out.replace(tag, "\n");
    }
    out
}

/// The number that a text of JSON means, when a double can hold it.
fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

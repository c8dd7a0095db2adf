//! Answers: JSON-RPC around a result, and the results that say what this server is and has.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolgate_protocol::VERSION;
use toolgate_protocol::limits::{MCP_DISCOVER_TTL_MILLIS, MCP_LIST_TTL_MILLIS, MCP_PAGE_TOOLS};

use super::{Era, Fault, LEGACY, MODERN, TASKS};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
const INSTRUCTIONS: &str = "These tools are functions of a company's own systems. A tool that says it waits for a person's decision does not run when it is called: its answer is pending. Say so and go on; ask toolgate_approval_status later, not in a loop.";

/// An HTTP answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// JSON; none for a notification.
    pub body: Option<String>,
    /// The id of the session that begins with it.
    pub session: Option<String>,
}

/// A result under its request's id.
pub fn answer<T: Serialize>(id: &str, result: &T) -> Answer {
    #[derive(Serialize)]
    struct Response<'a, T> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: &'a T,
    }
    let id: Result<&RawValue, _> = serde_json::from_str(id);
    let body = id.and_then(|id| serde_json::to_string(&Response { jsonrpc: "2.0", id, result }));
    Answer { status: 200, body: body.ok(), session: None }
}

/// A refusal.
pub fn failure(fault: &Fault) -> Answer {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let (Some(data), Some(members)) = (&fault.data, error.as_object_mut()) {
        members.insert("data".into(), data.clone());
    }
    // Without an id where none could be read: newer clients refuse null, and older ones take both.
    let id = fault.id.as_ref().map(|id| format!("\"id\":{id},")).unwrap_or_default();
    let body = Some(format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{error}}}"));
    Answer { status: fault.status, body, session: None }
}

/// A notification was taken, or an answer to a request of ours.
pub fn taken() -> Answer {
    Answer { status: 202, body: None, session: None }
}

/// `_meta` of every modern result.
pub(super) fn meta() -> Value {
    json!({ SERVER_INFO: server_info() })
}

fn server_info() -> Value {
    json!({ "name": "toolgate", "title": "Toolgate", "version": VERSION })
}

/// `server/discover`
pub fn discover() -> Value {
    let versions: Vec<&str> = std::iter::once(MODERN).chain(LEGACY).collect();
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": { "tools": { "listChanged": true }, "logging": {}, "extensions": { TASKS: {} } },
        "instructions": INSTRUCTIONS,
        "ttlMs": MCP_DISCOVER_TTL_MILLIS,
        "cacheScope": "public",
        "_meta": meta(),
    })
}

/// `initialize`: the revision asked for where it is spoken, else the newest of its era. Only with a session does a level
/// of log messages have somebody whose it is.
pub fn initialized(asked: &str, session: bool) -> Value {
    let version = LEGACY.iter().find(|known| **known == asked).copied().unwrap_or(LEGACY[0]);
    let capabilities = if session { json!({ "tools": {}, "logging": {} }) } else { json!({ "tools": {} }) };
    json!({ "protocolVersion": version, "capabilities": capabilities, "serverInfo": server_info(), "instructions": INSTRUCTIONS })
}

/// A result without anything in it.
pub fn empty(era: Era) -> Value {
    match era {
        Era::Modern => json!({ "resultType": "complete", "_meta": meta() }),
        Era::Legacy => json!({}),
    }
}

/// A page of a list in a fixed order: what follows the cursor, and the cursor of the next page.
///
/// # Errors
/// -32602 for a cursor that names nothing in the list.
pub fn page<'a>(names: &'a [String], cursor: Option<&str>) -> Result<(&'a [String], Option<&'a String>), Fault> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = names.iter().position(|name| name == cursor);
            last.ok_or_else(|| Fault::params("The cursor is none of this list; begin anew."))?.saturating_add(1)
        }
    };
    let rest = names.get(start..).unwrap_or_default();
    let shown = rest.get(..MCP_PAGE_TOOLS.min(rest.len())).unwrap_or_default();
    Ok((shown, shown.last().filter(|_| shown.len() < rest.len())))
}

/// `tools/list`
pub fn tool_list(era: Era, tools: Vec<Box<RawValue>>, next: Option<&String>) -> impl Serialize + use<> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct List {
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<&'static str>,
        tools: Vec<Box<RawValue>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_scope: Option<&'static str>,
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Value>,
    }
    let modern = era == Era::Modern;
    List {
        result_type: modern.then_some("complete"),
        tools,
        next_cursor: next.cloned(),
        ttl_ms: modern.then_some(MCP_LIST_TTL_MILLIS),
        // What an agent is granted is its own.
        cache_scope: modern.then_some("private"),
        meta: modern.then(meta),
    }
}

/// The first message of a subscription.
pub fn acknowledged(id: &str, tools: bool) -> String {
    let agreed = if tools { r#"{"toolsListChanged":true}"# } else { "{}" };
    notification("notifications/subscriptions/acknowledged", id, &format!(",\"notifications\":{agreed}"))
}

/// The list of tools is another one.
pub fn list_changed(id: &str) -> String {
    notification("notifications/tools/list_changed", id, "")
}

/// The end of a subscription.
pub fn listened(id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",\"_meta\":{{\"{SUBSCRIPTION_ID}\":{id}}}}}}}"
    )
}

fn notification(method: &str, id: &str, more: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{\"_meta\":{{\"{SUBSCRIPTION_ID}\":{id}}}{more}}}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_as_they_were() {
        for id in ["7", "\"a\\u00e9\"", "9007199254740993"] {
            let body = answer(id, &empty(Era::Legacy)).body.unwrap();
            assert_eq!(body, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"));
        }
        let mut fault = Fault::params("no");
        assert_eq!(failure(&fault).body.unwrap(), r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"no"}}"#);
        fault.id = Some("\"x\"".into());
        assert!(failure(&fault).body.unwrap().contains(r#""id":"x""#));
        for text in [acknowledged("1", true), list_changed("\"s\""), listened("2")] {
            let message: Value = serde_json::from_str(&text).unwrap();
            let tagged = message.pointer("/params/_meta").or_else(|| message.pointer("/result/_meta")).unwrap();
            assert!(tagged.get(SUBSCRIPTION_ID).is_some(), "{text}");
        }
    }

    #[test]
    fn pages_leave_nothing_out() {
        let names: Vec<String> = (0..MCP_PAGE_TOOLS * 2 + 3).map(|n| format!("t{n:04}")).collect();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let (shown, next) = page(&names, cursor).unwrap();
            assert!(!shown.is_empty() && shown.len() <= MCP_PAGE_TOOLS);
            seen.extend(shown.to_vec());
            match next {
                Some(next) => cursor = Some(next.as_str()),
                None => break,
            }
        }
        assert_eq!(seen, names);
        assert_eq!(page(&names, Some("gone")).unwrap_err().code, -32_602);
        assert_eq!(page(&[], None).unwrap(), (&[][..], None));
    }

    #[test]
    fn initialize_answers_with_a_revision_that_is_spoken() {
        for (asked, answered) in [
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2024-11-05", "2025-11-25"),
            ("x", "2025-11-25"),
        ] {
            assert_eq!(initialized(asked, false)["protocolVersion"], answered);
        }
        let logs = |session| initialized("2025-11-25", session)["capabilities"]["logging"].is_object();
        assert_eq!((logs(true), logs(false)), (true, false));
    }
}

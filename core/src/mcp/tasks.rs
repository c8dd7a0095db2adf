//! The Tasks extension: a call that waits, as a task. Its id is the call's, so a task is durable because the call is.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_protocol::calls::{CallState, CallView};
use toolgate_protocol::limits::{MCP_TASK_DECISION_POLL_MILLIS, MCP_TASK_POLL_MILLIS};

use super::Era;
use super::answers::meta;
use super::results::{Waits, call_result};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Task<'a> {
    result_type: &'static str,
    task_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<String>,
    created_at: &'a str,
    last_updated_at: &'a str,
    /// `null`: kept for days.
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    poll_interval_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(rename = "_meta")]
    meta: Value,
}

/// A call as a task: the answer of `tools/call` (`created`), or of `tasks/get`.
pub fn task(view: &CallView, created: bool) -> impl Serialize + use<'_> {
    let waits = Waits::of(view);
    let status_message = match waits {
        Some(Waits::Decision) => Some("It waits for a person to approve.".to_owned()),
        Some(Waits::Code) => None,
        None => view.tool_result.clone(),
    };
    let status = match (waits, view.state) {
        (Some(_), _) => "working",
        (None, CallState::Cancelled) => "cancelled",
        // Also a call that was rejected, or failed: its result says so. `failed` is for errors of the protocol.
        (None, _) => "completed",
    };
    Task {
        result_type: if created { "task" } else { "complete" },
        task_id: &view.call,
        status,
        status_message,
        created_at: &view.created_at,
        last_updated_at: view.ended_at.as_deref().unwrap_or(&view.created_at),
        ttl_ms: None,
        poll_interval_ms: waits.map(|waits| match waits {
            Waits::Decision => MCP_TASK_DECISION_POLL_MILLIS,
            Waits::Code => MCP_TASK_POLL_MILLIS,
        }),
        result: (status == "completed").then(|| call_result(view, Era::Modern)).flatten(),
        meta: meta(),
    }
}

//! What a call looks like as a tool's result, in each of its states.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use toolgate_protocol::calls::{Activity, CallState, CallView};

use super::answers::meta;
use super::input::is_question;
use super::{Era, STATUS_TOOL};
use crate::problem::Problem;

/// Content blocks as the protocol defines them, for a tool that answers with more than JSON: the type of the activity
/// beside its result.
const CONTENT_TYPE: &str = "application/vnd.modelcontextprotocol.content+json";

/// What the status tool says of a call whose tool asked something after the call's answer had been given.
const ASKED_TOO_LATE: &str = "The tool asked its client for input when nobody was there to be asked any more, and did nothing else. Call it again; a client that follows tasks is asked however long that takes.";

/// A call that has no result yet, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// For a person.
    Decision,
    /// For the code.
    Code,
}

impl Waits {
    /// What a call waits for; nothing when it has ended.
    pub fn of(view: &CallView) -> Option<Waits> {
        match view.state {
            CallState::WaitingApproval => Some(Waits::Decision),
            CallState::Queued | CallState::Running => Some(Waits::Code),
            _ => None,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    content: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<RawValue>>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Box<RawValue>>,
}

/// A call as the result of `tools/call`. One that waits is an error to a model, so that nobody narrates it as done.
pub fn call_result(view: &CallView, era: Era) -> Option<Box<RawValue>> {
    match view.state {
        CallState::Succeeded => succeeded(view, view.returned(), era),
        _ => told(view, era),
    }
}

fn succeeded(view: &CallView, result: &RawValue, era: Era) -> Option<Box<RawValue>> {
    let activity = view.activity.as_deref().and_then(|raw| serde_json::from_str::<Activity>(raw.get()).ok());
    let (content, rest) = match activity {
        Some(activity) if activity.kind == CONTENT_TYPE => (Some(activity.content), None),
        other => (None, other),
    };
    // Before 2026-07-28 only objects may be structured.
    let structured = era == Era::Modern || result.get().starts_with('{');
    let shown = ToolResult {
        result_type: complete(era),
        content: content.or_else(|| text(&as_text(result)))?,
        structured_content: structured.then(|| result.to_owned()),
        is_error: false,
        meta: marks(view, era, rest),
    };
    to_raw_value(&shown).ok()
}

/// A call without a result: the gateway's own sentence, and the facts for programs.
fn told(view: &CallView, era: Era) -> Option<Box<RawValue>> {
    let sentence = view.tool_result.clone().unwrap_or_default();
    let (structured, sentence) = match (Waits::of(view), &view.approval) {
        (Some(Waits::Decision), approval) => {
            let approval = approval.as_ref();
            let facts = json!({
                "status": "pending_approval", "executed": false, "call": view.call,
                "approval_id": approval.map(|link| &link.id), "approval_url": approval.map(|link| &link.url), "expires_at": approval.map(|link| &link.expires_at),
                "next": format!("Stop here and tell the user. After the decision ask {STATUS_TOOL}, or call the same tool again with the same arguments: it does not run twice. Do not ask in a loop."),
            });
            (facts, format!("{sentence} Approval: {}.", approval.map_or("?", |link| link.id.as_str())))
        }
        (Some(Waits::Code), _) => {
            let next = format!("Ask {STATUS_TOOL} later; do not call the tool again.");
            (json!({ "status": view.state, "call": view.call, "next": next }), sentence)
        }
        (None, _) => (json!({ "status": view.state, "call": view.call, "error": view.error }), sentence),
    };
    facts_result(view, era, &sentence, &structured)
}

/// A sentence for a model and facts for programs, where there is no result of the tool.
pub(super) fn facts_result(view: &CallView, era: Era, sentence: &str, facts: &Value) -> Option<Box<RawValue>> {
    let shown = ToolResult {
        result_type: complete(era),
        content: text(sentence)?,
        structured_content: to_raw_value(facts).ok(),
        is_error: true,
        meta: marks(view, era, None),
    };
    to_raw_value(&shown).ok()
}

/// A refusal that a model can act on, as a result.
pub fn refused_result(problem: &Problem, era: Era) -> Option<Box<RawValue>> {
    let shown = ToolResult {
        result_type: complete(era),
        content: text(&format!("The call was refused: {}", problem.detail))?,
        structured_content: to_raw_value(
            &json!({ "status": "refused", "executed": false, "code": problem.kind.code, "detail": problem.detail }),
        )
        .ok(),
        is_error: true,
        meta: (era == Era::Modern).then(meta).and_then(|meta| to_raw_value(&meta).ok()),
    };
    to_raw_value(&shown).ok()
}

/// How a call stands, as the result of the status tool: a report, so no error in itself.
pub fn approval_status(view: &CallView, era: Era) -> Option<Box<RawValue>> {
    let facts = json!({
        "status": view.state, "call": view.call, "tool": view.tool, "executed": executed(view),
        "expires_at": view.approval.as_ref().map(|link| &link.expires_at), "error": view.error,
    });
    let succeeded = view.state == CallState::Succeeded;
    let sentence = view
        .tool_result
        .clone()
        .unwrap_or_else(|| if is_question(view) { ASKED_TOO_LATE.to_owned() } else { as_text(view.returned()) });
    let shown = ToolResult {
        result_type: complete(era),
        content: text(&sentence)?,
        structured_content: with_result(&facts, succeeded.then(|| view.returned())),
        is_error: false,
        meta: marks(view, era, None),
    };
    to_raw_value(&shown).ok()
}

/// Codes of calls that failed before they reached the customer's code.
const UNSENT: [&str; 2] = ["endpoint_suspended", "not_sent"];

/// Whether the code ran: nobody knows of an unknown outcome.
fn executed(view: &CallView) -> Option<bool> {
    match view.state {
        // It failed because it was certainly not sent.
        CallState::Failed if view.error.as_ref().is_some_and(|error| UNSENT.contains(&error.code.as_str())) => {
            Some(false)
        }
        CallState::Succeeded | CallState::Failed => Some(true),
        CallState::Unknown | CallState::Running => None,
        _ => Some(false),
    }
}

/// The result goes in as the text that it is: no number in it is read.
fn with_result(facts: &Value, result: Option<&RawValue>) -> Option<Box<RawValue>> {
    let facts = facts.to_string();
    let text = match (result, facts.strip_suffix('}')) {
        (Some(result), Some(open)) => format!("{open},\"result\":{}}}", result.get()),
        _ => facts,
    };
    RawValue::from_string(text).ok()
}

/// `input_required`: a page for the user, and what the repeat of the call must bring.
pub fn waits_for_input(view: &CallView, state: &str) -> Option<Box<RawValue>> {
    let link = view.approval.as_ref()?;
    let message = format!("{} waits for a person's decision.", view.tool);
    to_raw_value(&json!({
        "resultType": "input_required",
        "inputRequests": { "approval": { "method": "elicitation/create", "params": { "mode": "url", "message": message, "url": link.url } } },
        "requestState": state,
        "_meta": meta(),
    }))
    .ok()
}

fn complete(era: Era) -> Option<&'static str> {
    (era == Era::Modern).then_some("complete")
}

fn text(text: &str) -> Option<Box<RawValue>> {
    to_raw_value(&json!([{ "type": "text", "text": text }])).ok()
}

/// A string as its own text, anything else as JSON.
fn as_text(result: &RawValue) -> String {
    serde_json::from_str::<String>(result.get()).unwrap_or_else(|_| result.get().to_owned())
}

/// Which call this was, whether it is the outcome of an earlier one, and what it has for a screen.
pub(super) fn marks(view: &CallView, era: Era, activity: Option<Activity>) -> Option<Box<RawValue>> {
    let mut marks = if era == Era::Modern { meta() } else { json!({}) };
    if let Some(members) = marks.as_object_mut() {
        members.insert("toolgate/call".into(), view.call.clone().into());
        if view.replayed {
            members.insert("toolgate/replayed".into(), true.into());
        }
    }
    let marks = marks.to_string();
    let activity = activity.and_then(|activity| serde_json::to_string(&activity).ok());
    let text = match (activity, marks.strip_suffix('}')) {
        (Some(activity), Some(open)) => format!("{open},\"toolgate/activity\":{activity}}}"),
        _ => marks,
    };
    RawValue::from_string(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_sent_has_not_run() {
        for (state, error, ran) in [
            ("succeeded", None, Some(true)),
            ("failed", Some("tool_error"), Some(true)),
            ("failed", Some("not_sent"), Some(false)),
            ("failed", Some("endpoint_suspended"), Some(false)),
            ("unknown", None, None),
            ("running", None, None),
            ("queued", None, Some(false)),
            ("rejected", Some("rejected"), Some(false)),
        ] {
            let error = error.map(|code| json!({ "code": code, "message": "m" }));
            let view =
                json!({ "call": "c", "state": state, "tool": "t", "agent": "a", "created_at": "", "error": error });
            assert_eq!(executed(&serde_json::from_value(view).unwrap()), ran, "{state}");
        }
    }
}

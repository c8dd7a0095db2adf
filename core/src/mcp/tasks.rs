//! The Tasks extension: a call that waits, as a task. Its id is the call's, so a task is durable because the call is. When
//! the tool of a read asks its client, the task waits for that; the answers make another call, and the task goes on as it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolgate_protocol::calls::{CallState, CallView};
use toolgate_protocol::limits::{MCP_TASK_DECISION_POLL_MILLIS, MCP_TASK_POLL_MILLIS};

use super::answers::meta;
use super::input::{ONLY_READS, cannot_ask, is_question, question, responses};
use super::results::{Waits, call_result};
use super::{Client, Era, Fault, TASKS};
use crate::ids::LocalId;
use crate::queue::messages::{AnswerTask, TaskView};

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
    input_requests: Option<BTreeMap<String, Box<RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    #[serde(rename = "_meta")]
    meta: Value,
}

/// Where a task stands.
enum Status {
    Working(Waits),
    InputRequired(BTreeMap<String, Box<RawValue>>),
    Completed(Option<Box<RawValue>>),
    /// With the error that the call itself would have been answered with.
    Failed(Fault),
    Cancelled,
}

/// A call that waits, as the answer of `tools/call`.
pub fn created_task(view: &CallView, waits: Waits) -> impl Serialize + use<'_> {
    shown("task", &view.call, view, &view.created_at, &view.created_at, Status::Working(waits))
}

/// A task, as the answer of `tasks/get`. What a tool asks is put to the client as far as this request says that it can
/// be asked for it.
pub fn task<'a>(task: &'a TaskView, client: &Client) -> impl Serialize + use<'a> {
    shown("complete", &task.task, &task.view, &task.created_at, &task.changed_at, status(task, client))
}

fn status(task: &TaskView, client: &Client) -> Status {
    let view = &task.view;
    if let Some(waits) = Waits::of(view) {
        return Status::Working(waits);
    }
    if task.cancelled || view.state == CallState::Cancelled {
        return Status::Cancelled;
    }
    if !is_question(view) {
        // Also a call that was rejected, or failed: its result says so. `failed` is for errors of the protocol.
        return Status::Completed(call_result(view, Era::Modern));
    }
    if !task.asks {
        return Status::Completed(cannot_ask(view, Era::Modern, ONLY_READS));
    }
    let question = match question(view, client) {
        Ok(question) => question,
        Err(why) => return Status::Completed(cannot_ask(view, Era::Modern, &why)),
    };
    if let Some(fault) = question.unanswerable() {
        return Status::Failed(fault);
    }
    let open = question.answerable.into_iter().filter(|(key, _)| !task.has.contains(key));
    Status::InputRequired(open.map(|(key, request)| (key_in_task(task.answered, &key), request)).collect())
}

/// A key may not come twice in a task's life, and a tool asks again under its own: so they are numbered by question.
fn key_in_task(question: u32, key: &str) -> String {
    format!("{question}.{key}")
}

fn shown<'a>(
    result_type: &'static str,
    task_id: &'a str,
    view: &CallView,
    created_at: &'a str,
    last_updated_at: &'a str,
    status: Status,
) -> Task<'a> {
    let mut task = Task {
        result_type,
        task_id,
        status: "cancelled",
        status_message: view.tool_result.clone(),
        created_at,
        last_updated_at,
        ttl_ms: None,
        poll_interval_ms: None,
        input_requests: None,
        result: None,
        error: None,
        meta: meta(),
    };
    match status {
        Status::Working(Waits::Decision) => {
            let message = Some("It waits for a person to approve.".to_owned());
            (task.status, task.status_message) = ("working", message);
            task.poll_interval_ms = Some(MCP_TASK_DECISION_POLL_MILLIS);
        }
        Status::Working(Waits::Code) => {
            (task.status, task.status_message) = ("working", None);
            task.poll_interval_ms = Some(MCP_TASK_POLL_MILLIS);
        }
        Status::InputRequired(requests) => {
            let message = Some("It waits for what the tool asks its client for.".to_owned());
            (task.status, task.status_message, task.input_requests) = ("input_required", message, Some(requests));
            task.poll_interval_ms = Some(MCP_TASK_POLL_MILLIS);
        }
        Status::Completed(result) => (task.status, task.result) = ("completed", result),
        Status::Failed(fault) => {
            let error = json!({ "code": fault.code, "message": fault.message, "data": fault.data });
            (task.status, task.status_message, task.error) = ("failed", Some(fault.message), Some(error));
        }
        Status::Cancelled => {}
    }
    task
}

/// The answers of `tasks/update` to what the task asks; nothing where it asks nothing. Others are left out: to other
/// questions, to none, to requests that this client cannot be asked.
///
/// # Errors
/// -32602 for answers that are none.
pub fn answers(call: LocalId, task: &TaskView, client: &Client, given: &RawValue) -> Result<Option<AnswerTask>, Fault> {
    let given = responses(given)?;
    let given: BTreeMap<String, Box<RawValue>> = serde_json::from_str(given.get())
        .map_err(|error| Fault::params(format!("inputResponses cannot be read: {error}.")))?;
    let asked = task.asks.then(|| question(&task.view, client).ok()).flatten();
    let Some(question) = asked.filter(|question| !question.answerable.is_empty()) else { return Ok(None) };
    let wanted: Vec<String> = question.answerable.into_keys().collect();
    let answer = |key: &String| Some((key.clone(), given.get(&key_in_task(task.answered, key))?.clone()));
    let answers: BTreeMap<_, _> = wanted.iter().filter_map(answer).collect();
    let (answered, state) = (task.answered, question.state);
    Ok(Some(AnswerTask { call, answered, answers, wanted, state, gives_up: false, once: false }))
}

/// A tool that an agent's admin keeps for clients that follow tasks, asked for by another.
pub fn needs_tasks() -> Fault {
    let needs = json!({ "extensions": { TASKS: {} } });
    Fault::missing_capability("The tool may be called by clients that follow tasks alone.", needs)
}

#[cfg(test)]
mod tests {
    use toolgate_protocol::calls::INPUT_REQUIRED;

    use super::*;
    use crate::mcp::Capability;
    use crate::time::UnixMillis;

    const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"?","max":1e400}}"#;

    fn view(state: &str, activity: &str) -> CallView {
        let text = format!(
            r#"{{"call":"call_2","state":"{state}","tool":"t","agent":"a","created_at":"","result":7,"tool_result":null{activity}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn asking(requests: &str) -> TaskView {
        let activity = format!(
            r#","activity":{{"type":"{INPUT_REQUIRED}","content":{{"inputRequests":{requests},"requestState":1e400}}}}"#
        );
        let (task, created_at, changed_at) = ("call_1".to_owned(), "1".to_owned(), "2".to_owned());
        let view = view("succeeded", &activity);
        TaskView { task, created_at, changed_at, view, asks: true, answered: 3, has: vec![], cancelled: false }
    }

    fn shown(task: &TaskView, answers: &[Capability]) -> (String, Value) {
        let client = Client { tasks: true, answers: answers.to_vec() };
        let text = serde_json::to_string(&super::task(task, &client)).unwrap();
        let value = serde_json::from_str(&text.replace("1e400", "1")).unwrap();
        (text, value)
    }

    #[test]
    fn a_task_says_what_its_tool_asks() {
        let sample = r#"{"method":"sampling/createMessage","params":{}}"#;
        let mut task = asking(&format!(r#"{{"a":{FORM},"b":{FORM},"c":{sample}}}"#));
        task.has = vec!["b".to_owned()];
        let (text, value) = shown(&task, &[Capability::Form]);
        assert!(text.contains(&format!(r#""inputRequests":{{"3.a":{FORM}}}"#)), "{text}");
        assert_eq!((&value["taskId"], &value["status"]), (&json!("call_1"), &json!("input_required")));
        assert_eq!((&value["createdAt"], &value["lastUpdatedAt"]), (&json!("1"), &json!("2")));
        let failed = shown(&task, &[Capability::Roots]).1;
        assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!(-32_021)));
        assert!(failed.get("result").is_none() && failed["error"]["data"]["requiredCapabilities"].is_object());
        task.cancelled = true;
        assert_eq!(shown(&task, &[Capability::Form]).1["status"], "cancelled");
    }

    #[test]
    fn what_is_no_question_ends_the_task_with_a_result() {
        let write = TaskView { asks: false, ..asking(&format!(r#"{{"a":{FORM}}}"#)) };
        for (task, why) in
            [(&write, "only a read_only tool"), (&asking("{}"), "names nothing"), (&asking("7"), "cannot be read")]
        {
            let (text, value) = shown(task, &[Capability::Form]);
            assert_eq!((&value["status"], &value["result"]["isError"]), (&json!("completed"), &json!(true)));
            assert!(text.contains(why), "{text}");
        }
        let plain = |state: &str| TaskView { view: view(state, ""), asks: false, ..asking("{}") };
        for (state, status) in [
            ("queued", "working"),
            ("running", "working"),
            ("waiting_approval", "working"),
            ("succeeded", "completed"),
            ("failed", "completed"),
            ("rejected", "completed"),
            ("expired", "completed"),
            ("invalidated", "completed"),
            ("unknown", "completed"),
            ("cancelled", "cancelled"),
        ] {
            let value = shown(&plain(state), &[]).1;
            assert_eq!(
                (&value["status"], value.get("result").is_some()),
                (&json!(status), status == "completed"),
                "{state}"
            );
        }
    }

    #[test]
    fn answers_are_those_to_this_question() {
        let task = asking(&format!(r#"{{"a":{FORM},"b.c":{FORM}}}"#));
        let client = Client { tasks: true, answers: vec![Capability::Form] };
        let given = |client: &Client, text: &str| {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            answers(LocalId::new(UnixMillis(1), &[0; 16]), &task, client, &raw)
        };
        let taken = given(&client, r#"{"3.b.c":{"x":1e400},"2.a":{},"a":{},"3.z":{}}"#).unwrap().unwrap();
        let read: Vec<_> = taken.answers.iter().map(|(key, answer)| (key.as_str(), answer.get())).collect();
        assert_eq!((read, taken.answered), (vec![("b.c", r#"{"x":1e400}"#)], 3));
        assert_eq!(
            (taken.wanted.join(","), taken.state.unwrap().get().to_owned()),
            ("a,b.c".to_owned(), "1e400".to_owned())
        );
        assert!(given(&Client { tasks: true, answers: vec![] }, r#"{"3.a":{}}"#).unwrap().is_none());
        for wrong in ["7", "[]", r#"{"3.a":1}"#, r#"{"3.a":{},"3.a":{}}"#] {
            assert_eq!(given(&client, wrong).unwrap_err().code, -32_602, "{wrong}");
        }
    }
}

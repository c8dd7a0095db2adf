//! A tool that asks its client, before 2026-07-28: each thing it asks for is a request of ours on the stream of its call,
//! and the client's answer a message of its own. What the answer makes is what it makes of a task: the next call.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_protocol::limits::MCP_INPUT_BYTES_MAX;

use super::input::question;
use super::session::Asked;
use super::{Client, Fault, Response};
use crate::ids::LocalId;
use crate::json::{Json, parse};
use crate::queue::messages::{AnswerTask, TaskView};

#[derive(Deserialize)]
struct Wanted {
    method: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
}

/// What the tool asks this client for, in the order of its keys, and the tool's state; nothing where the client cannot be
/// asked.
fn wanted(task: &TaskView, client: &Client) -> (BTreeMap<String, Wanted>, Option<Box<RawValue>>) {
    let Some(question) = task.asks.then(|| question(&task.view, client).ok()).flatten() else {
        return (BTreeMap::new(), None);
    };
    let read = |(key, raw): (String, Box<RawValue>)| Some((key, serde_json::from_str(raw.get()).ok()?));
    (question.answerable.into_iter().filter_map(read).collect(), question.state)
}

/// The requests to the client; none where it cannot be asked. `id`: of the request at this place.
pub fn requests(task: &TaskView, client: &Client, id: impl Fn(usize) -> String) -> Vec<String> {
    let (wanted, _) = wanted(task, client);
    let request = |(at, Wanted { method, params }): (usize, &Wanted)| {
        let id = id(at);
        let params = params.as_deref().map_or_else(|| "{}".to_owned(), |params| with_elicitation_id(params.get(), &id));
        format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"{method}\",\"params\":{params}}}")
    };
    wanted.values().enumerate().map(request).collect()
}

/// A page for the user has an id of its own in revision 2025-11-25; where the tool gave it none, it has that of the request.
fn with_elicitation_id(params: &str, id: &str) -> String {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(params).unwrap_or_default();
    let is_page = members.get("mode").is_some_and(|mode| mode.get() == "\"url\"");
    match params.strip_prefix('{').filter(|_| is_page && !members.contains_key("elicitationId")) {
        Some(rest) => format!("{{\"elicitationId\":\"{id}\",{rest}"),
        None => params.to_owned(),
    }
}

/// What a client's message answers; nothing where that is not asked any more. One that says that it cannot answer ends the
/// question, and so does one that is no answer to it: the client sends no other, and its call is not to wait for one.
pub fn answer_to(
    call: LocalId,
    task: &TaskView,
    client: &Client,
    asked: &Asked,
    response: &Response,
) -> Option<AnswerTask> {
    let (wanted, state) = wanted(task, client);
    let found = wanted.iter().nth(asked.at).filter(|(key, _)| !task.has.contains(key));
    let (key, request) = found.filter(|_| task.answered == asked.question)?;
    let Some(answer) = response.result.as_deref().and_then(|result| read_result(&request.method, result)) else {
        return Some(withdrawn(call, asked.question));
    };
    let (answers, wanted) = (BTreeMap::from([(key.clone(), answer)]), wanted.into_keys().collect());
    Some(AnswerTask { call, answered: asked.question, answers, wanted, state, gives_up: false, once: true })
}

/// The end of a question that nobody waits for any more.
pub fn withdrawn(call: LocalId, answered: u32) -> AnswerTask {
    AnswerTask { call, answered, answers: BTreeMap::new(), wanted: Vec::new(), state: None, gives_up: true, once: true }
}

/// A message that answers nothing which this session was asked.
pub fn not_asked() -> Fault {
    Fault::params("This answers nothing that was asked in this session.")
}

/// A result in canonical text; nothing where it is none of this method, or too large.
fn read_result(method: &str, result: &RawValue) -> Option<Box<RawValue>> {
    let text = Some(result.get()).filter(|text| text.len() <= MCP_INPUT_BYTES_MAX)?;
    let parsed = parse(text).ok().filter(|parsed| is_result_of(method, parsed))?;
    RawValue::from_string(parsed.canonical()).ok()
}

/// Has it the members that a result of this method must have (schema of 2025-11-25)?
fn is_result_of(method: &str, result: &Json) -> bool {
    let text = |name: &str| result.get(name).and_then(Json::as_str);
    match method {
        "elicitation/create" => matches!(text("action"), Some("accept" | "decline" | "cancel")),
        "sampling/createMessage" => {
            let content = matches!(result.get("content"), Some(Json::Map(_) | Json::List(_)));
            content && text("role").is_some() && text("model").is_some()
        }
        _ => matches!(result.get("roots"), Some(Json::List(_))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use toolgate_protocol::calls::INPUT_REQUIRED;

    use super::*;
    use crate::mcp::Capability;
    use crate::time::UnixMillis;

    const FORM: &str = r#"{"method":"elicitation/create","id":9,"params":{"message":"?","max":1e400}}"#;
    const ROOTS: &str = r#"{"method":"roots/list"}"#;
    const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;

    fn task() -> TaskView {
        let text = format!(
            r#"{{"call":"call_2","state":"succeeded","tool":"t","agent":"a","created_at":"","result":null,
                "activity":{{"type":"{INPUT_REQUIRED}","content":{{"inputRequests":{{"c":{SAMPLE},"a":{ROOTS},"b":{FORM}}},"requestState":1e400}}}}}}"#
        );
        let view = serde_json::from_str(&text).unwrap();
        let (task, created_at, changed_at) = ("call_1".to_owned(), String::new(), String::new());
        TaskView { task, created_at, changed_at, view, asks: true, answered: 3, has: vec![], cancelled: false }
    }

    fn client(answers: &[Capability]) -> Client {
        Client { tasks: false, answers: answers.to_vec() }
    }

    fn asked(at: usize, question: u32) -> Asked {
        Asked { call: "call_1".into(), question, at }
    }

    fn answered(task: &TaskView, answers: &[Capability], asked: &Asked, result: Option<&str>) -> Option<AnswerTask> {
        let result = result.map(|text| RawValue::from_string(text.to_owned()).unwrap());
        let local = LocalId::new(UnixMillis(1), &[0; 16]);
        answer_to(local, task, &client(answers), asked, &Response { id: "x".into(), result })
    }

    #[test]
    fn a_client_is_sent_what_it_declares_and_nothing_beside_it() {
        let sent = |answers: &[Capability]| requests(&task(), &client(answers), |at| format!("id{at}"));
        let both = sent(&[Capability::Form, Capability::Roots]);
        assert_eq!(
            both,
            [
                r#"{"jsonrpc":"2.0","id":"id0","method":"roots/list","params":{}}"#,
                r#"{"jsonrpc":"2.0","id":"id1","method":"elicitation/create","params":{"message":"?","max":1e400}}"#
            ]
        );
        assert_eq!((sent(&[]).len(), sent(&Capability::ALL).len()), (0, 3));
        let write = TaskView { asks: false, ..task() };
        assert!(requests(&write, &client(&Capability::ALL), |_| String::new()).is_empty());
        let told: Value = serde_json::from_str(&both[0]).unwrap();
        assert_eq!(told["id"], "id0");
    }

    #[test]
    fn a_page_has_an_id() {
        for (params, sent) in [
            (r#"{"mode":"url","url":"u","n":1e400}"#, r#"{"elicitationId":"i","mode":"url","url":"u","n":1e400}"#),
            (r#"{"mode":"url","elicitationId":"mine"}"#, r#"{"mode":"url","elicitationId":"mine"}"#),
            (r#"{"mode":"form"}"#, r#"{"mode":"form"}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(with_elicitation_id(params, "i"), sent);
        }
    }

    #[test]
    fn an_answer_counts_for_what_is_asked_now() {
        let both = [Capability::Form, Capability::Roots];
        let taken =
            answered(&task(), &both, &asked(1, 3), Some(r#"{"content":{"id":9007199254740993},"action":"accept"}"#));
        let AnswerTask { answers, wanted, state, gives_up, once, answered: question, .. } = taken.unwrap();
        let read: Vec<_> = answers.iter().map(|(key, answer)| (key.as_str(), answer.get())).collect();
        assert_eq!(read, [("b", r#"{"action":"accept","content":{"id":9007199254740993}}"#)]);
        assert_eq!((wanted.join(","), question, gives_up, once), ("a,b".to_owned(), 3, false, true));
        assert_eq!(state.unwrap().get(), "1e400");
        assert!(answered(&task(), &both, &asked(0, 3), None).unwrap().gives_up, "an error is no answer");
        let has = TaskView { has: vec!["b".into()], ..task() };
        let cancelled = TaskView { asks: false, ..task() };
        let good = Some(r#"{"action":"decline"}"#);
        for (task, asked) in
            [(&task(), asked(1, 2)), (&task(), asked(2, 3)), (&has, asked(1, 3)), (&cancelled, asked(1, 3))]
        {
            assert!(answered(task, &both, &asked, good).is_none(), "{asked:?}");
        }
    }

    #[test]
    fn a_result_that_has_not_the_shape_of_its_method_ends_the_question() {
        let large = format!(r#"{{"action":"accept","x":"{}"}}"#, "x".repeat(MCP_INPUT_BYTES_MAX));
        for (at, result, good) in [
            (0, r#"{"roots":[]}"#, true),
            (0, r#"{"roots":{}}"#, false),
            (1, r#"{"action":"cancel"}"#, true),
            (1, r#"{"action":"maybe"}"#, false),
            (1, r#"{"action":"accept","action":"accept"}"#, false),
            (1, &large, false),
            (1, "[]", false),
            (1, "7", false),
            (1, "{}", false),
            (2, r#"{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}"#, true),
            (2, r#"{"role":"assistant","model":"m"}"#, false),
            (2, r#"{"content":[]}"#, false),
        ] {
            let read = answered(&task(), &Capability::ALL, &asked(at, 3), Some(result)).unwrap();
            let shown = result.chars().take(60).collect::<String>();
            assert_eq!((read.gives_up, read.answers.len()), (!good, usize::from(good)), "{shown}");
        }
    }
}

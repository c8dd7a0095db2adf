//! A tool that asks its client for something: what it asks, as far as this client can answer, and the answer on its way
//! back to the tool. Nothing of it is remembered here: the tool's own state travels through the client, under our MAC.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_protocol::calls::{Activity, CallInput, CallState, CallView, INPUT_REQUIRED};
use toolgate_protocol::limits::{MCP_INPUT_BYTES_MAX, MCP_INPUT_STATE_BYTES_MAX};

use super::capabilities::{Capability, declared};
use super::results::{facts_result, marks};
use super::state::Carried;
use super::{CallTool, Client, Era, Fault};
use crate::json::{Json, parse};

/// The result. What a tool asks is text that nothing here reads as numbers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InputRequired {
    result_type: &'static str,
    input_requests: BTreeMap<String, Box<RawValue>>,
    request_state: String,
    #[serde(rename = "_meta")]
    meta: Option<Box<RawValue>>,
}

/// What a tool asks for, sorted by what the client can answer.
pub(super) struct Question {
    /// What the client can be asked.
    pub answerable: BTreeMap<String, Box<RawValue>>,
    /// What it would need for the rest.
    lacking: BTreeSet<Capability>,
    /// The tool's own, for the repeat.
    pub state: Option<Box<RawValue>>,
}

impl Question {
    /// Why there is nothing to ask this client, where that is so.
    pub fn unanswerable(&self) -> Option<Fault> {
        let needs = || declared(&self.lacking);
        let why = "The tool asks its client for something that it does not declare.";
        self.answerable.is_empty().then(|| Fault::missing_capability(why, needs()))
    }
}

/// The content of a call's outcome, if that is a question.
fn content(view: &CallView) -> Option<Box<RawValue>> {
    let activity = view.activity.as_deref().filter(|_| view.state == CallState::Succeeded)?;
    let activity: Activity = serde_json::from_str(activity.get()).ok()?;
    (activity.kind == INPUT_REQUIRED).then_some(activity.content)
}

/// What a call asks that ended with a question; or why that is none.
pub(super) fn question(view: &CallView, client: &Client) -> Result<Question, String> {
    let content = content(view).ok_or_else(|| "its question is gone".to_owned())?;
    read_question(&content, client)
}

fn read_question(content: &RawValue, client: &Client) -> Result<Question, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Content {
        input_requests: BTreeMap<String, Box<RawValue>>,
        #[serde(default)]
        request_state: Option<Box<RawValue>>,
    }
    let Content { input_requests, request_state } =
        serde_json::from_str(content.get()).map_err(|error| format!("its question cannot be read ({error})"))?;
    let bytes = request_state.as_ref().map_or(0, |state| state.get().len());
    if bytes > MCP_INPUT_STATE_BYTES_MAX {
        return Err(format!("its state has {bytes} bytes; the limit is {MCP_INPUT_STATE_BYTES_MAX}"));
    }
    if input_requests.is_empty() {
        return Err("its question names nothing".to_owned());
    }
    let (mut answerable, mut lacking) = (BTreeMap::new(), BTreeSet::new());
    for (key, request) in input_requests {
        let needs = Capability::of(&request).ok_or_else(|| {
            format!("the protocol has no such request as {:?}", key.chars().take(64).collect::<String>())
        })?;
        if client.can(needs) {
            answerable.insert(key, request);
        } else {
            lacking.insert(needs);
        }
    }
    Ok(Question { answerable, lacking, state: request_state })
}

/// Did the call end with a question of its tool?
pub fn is_question(view: &CallView) -> bool {
    content(view).is_some()
}

/// The answer to a call that ended with a question. `reads`: its class is `read_only`. Any other must not ask: what was
/// approved or accepted has to be all that its code is given.
///
/// # Errors
/// -32021 where the client declares nothing of what it is asked for.
pub fn question_result(
    view: &CallView,
    era: Era,
    client: &Client,
    reads: bool,
    seal: impl FnOnce(&Carried) -> String,
) -> Result<Option<Box<RawValue>>, Fault> {
    if !reads {
        return Ok(cannot_ask(view, era, ONLY_READS));
    }
    let question = match question(view, client) {
        Ok(question) => question,
        Err(why) => return Ok(cannot_ask(view, era, &why)),
    };
    if let Some(fault) = question.unanswerable() {
        if era == Era::Modern {
            return Err(fault);
        }
        let needs = declared(&question.lacking);
        let why = format!("that needs these capabilities of the client, declared when it begins a session: {needs}");
        return Ok(cannot_ask(view, era, &why));
    }
    if era == Era::Legacy {
        return Ok(cannot_ask(view, era, NOT_ON_A_STREAM));
    }
    let shown = InputRequired {
        result_type: "input_required",
        input_requests: question.answerable,
        request_state: seal(&Carried::Input(question.state)),
        meta: marks(view, era, None),
    };
    Ok(to_raw_value(&shown).ok())
}

/// Why a client that could be asked was not.
const NOT_ON_A_STREAM: &str =
    "a client before 2026-07-28 is asked on the event stream of its call, and this call has none or is no longer open";

/// Why a write that asks is answered like one that failed.
pub(super) const ONLY_READS: &str = "only a read_only tool may ask, and this one ran";

/// The result of a call whose question is put to nobody.
pub(super) fn cannot_ask(view: &CallView, era: Era, why: &str) -> Option<Box<RawValue>> {
    let detail = format!("The tool asked its client for input, which is not possible here: {why}.");
    facts_result(
        view,
        era,
        &detail,
        &json!({ "status": "input_required", "executed": true, "call": view.call, "detail": detail }),
    )
}

/// The result of a call whose client was asked, and has not answered.
pub fn no_answer(view: &CallView, in_time: bool) -> Option<Box<RawValue>> {
    let why = if in_time { "the client gave no answer that counts" } else { "nobody answered in time" };
    cannot_ask(view, Era::Legacy, why)
}

/// What a repeat brings to the tool: the client's responses, and the tool's own state.
///
/// # Errors
/// -32602 for responses that are none.
pub fn input_of(call: &CallTool, carried: Option<Carried>) -> Result<Option<CallInput>, Fault> {
    let responses = call.input_responses.as_deref().map(responses).transpose()?;
    Ok(match (carried, responses) {
        // The page of a parked call was opened, or not: its decision is what counts.
        (Some(Carried::Call(_)), _) | (None, None) => None,
        (Some(Carried::Input(state)), responses) => {
            Some(CallInput { responses: responses.unwrap_or_else(none), state })
        }
        // The tool had no state, or the client did not keep ours: the tool knows what it asks for, and asks again.
        (None, Some(responses)) => Some(CallInput { responses, state: None }),
    })
}

fn none() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

/// An object of objects, as canonical text.
pub(super) fn responses(raw: &RawValue) -> Result<Box<RawValue>, Fault> {
    let bytes = raw.get().len();
    if bytes > MCP_INPUT_BYTES_MAX {
        return Err(Fault::params(format!("inputResponses has {bytes} bytes; the limit is {MCP_INPUT_BYTES_MAX}.")));
    }
    let parsed = parse(raw.get())
        .map_err(|fault| Fault::params(format!("inputResponses: {} at byte {}.", fault.what, fault.at)))?;
    match &parsed {
        Json::Map(members) if members.iter().all(|(_, value)| matches!(value, Json::Map(_))) => {
            RawValue::from_string(parsed.canonical())
                .map_err(|error| Fault::params(format!("inputResponses: {error}.")))
        }
        _ => Err(Fault::params("inputResponses must be an object of objects.")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"?","max":1e400}}"#;
    const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"maxTokens":9007199254740993}}"#;

    fn asks(content: &str) -> CallView {
        let text = format!(
            r#"{{"call":"call_1","state":"succeeded","tool":"t","agent":"a","created_at":"","result":null,
                "activity":{{"type":"{INPUT_REQUIRED}","content":{content}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn result(view: &CallView, era: Era, answers: &[Capability], reads: bool) -> Result<String, Fault> {
        let client = Client { tasks: false, answers: answers.to_vec() };
        let sealed = |carried: &Carried| format!("{carried:?}").chars().filter(char::is_ascii_alphanumeric).collect();
        question_result(view, era, &client, reads, sealed).map(|result| result.unwrap().get().to_owned())
    }

    #[test]
    fn a_client_is_asked_for_what_it_declares() {
        let both = asks(&format!(r#"{{"inputRequests":{{"b":{SAMPLE},"a":{FORM}}},"requestState":{{"n":1e400}}}}"#));
        assert!(is_question(&both));
        let form = result(&both, Era::Modern, &[Capability::Form], true).unwrap();
        assert!(
            form.starts_with(&format!(
                r#"{{"resultType":"input_required","inputRequests":{{"a":{FORM}}},"requestState":"Input"#
            )),
            "{form}"
        );
        assert!(result(&both, Era::Modern, &[Capability::Form, Capability::Sampling], true).unwrap().contains(SAMPLE));
        let lacking = result(&both, Era::Modern, &[Capability::Roots], true).unwrap_err();
        assert_eq!((lacking.status, lacking.code), (400, -32_021));
        let required = json!({ "requiredCapabilities": { "elicitation": { "form": {} }, "sampling": {} } });
        assert_eq!(lacking.data, Some(required));
    }

    #[test]
    fn where_nobody_can_be_asked_a_model_is_told_why() {
        let good = asks(&format!(r#"{{"inputRequests":{{"a":{FORM}}}}}"#));
        let huge =
            format!(r#"{{"inputRequests":{{"a":{FORM}}},"requestState":"{}"}}"#, "x".repeat(MCP_INPUT_STATE_BYTES_MAX));
        for (view, era, reads, why) in [
            (&good, Era::Modern, false, "only a read_only tool may ask"),
            (&good, Era::Legacy, true, r#"{"elicitation":{"form":{}}}"#),
            (&asks("{}"), Era::Modern, true, "cannot be read"),
            (&asks(r#"{"inputRequests":{},"requestState":1}"#), Era::Modern, true, "names nothing"),
            (
                &asks(r#"{"inputRequests":{"a":{"method":"tools/call"}}}"#),
                Era::Modern,
                true,
                r#"no such request as "a""#,
            ),
            (&asks(r#"{"inputRequests":{"a":7}}"#), Era::Modern, true, "no such request"),
            (&asks(&huge), Era::Modern, true, "the limit is 16384"),
        ] {
            let answers: &[Capability] = if era == Era::Modern { &[Capability::Form] } else { &[] };
            let told: Value = serde_json::from_str(&result(view, era, answers, reads).unwrap()).unwrap();
            let text = told["content"][0]["text"].as_str().unwrap();
            assert!(told["isError"] == true && text.contains(why), "{why}: {text}");
        }
        let late = super::super::approval_status(&good, Era::Legacy).unwrap();
        let late: Value = serde_json::from_str(late.get()).unwrap();
        assert!(late["content"][0]["text"].as_str().unwrap().contains("asked its client for input"), "{late}");
        let other: CallView =
            serde_json::from_str(&serde_json::to_string(&good).unwrap().replace("input-required", "other")).unwrap();
        assert!(!is_question(&other));
    }

    #[test]
    fn what_a_repeat_brings() {
        let brought = |responses: Option<&str>, carried: Option<Carried>| {
            let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
            let call = CallTool {
                name: "t".into(),
                arguments: None,
                input_responses: responses.map(raw),
                request_state: None,
                progress_token: None,
                log_level: None,
                headers: BTreeMap::new(),
            };
            input_of(&call, carried).map(|input| input.map(|input| serde_json::to_string(&input).unwrap()))
        };
        let state = || Carried::Input(RawValue::from_string("1e400".into()).ok());
        let given = r#"{"a":{"action":"accept","content":{"id":9007199254740993}}}"#;
        assert_eq!(
            brought(Some(given), Some(state())).unwrap(),
            Some(format!(r#"{{"responses":{given},"state":1e400}}"#))
        );
        assert_eq!(brought(Some(given), None).unwrap(), Some(format!(r#"{{"responses":{given}}}"#)));
        assert_eq!(brought(None, Some(state())).unwrap().as_deref(), Some(r#"{"responses":{},"state":1e400}"#));
        assert_eq!(brought(None, None).unwrap(), None);
        assert_eq!(brought(Some(given), Some(Carried::Call("c".into()))).unwrap(), None);
        let deep = format!("{{\"a\":{{\"b\":{}{}}}}}", "[".repeat(70), "]".repeat(70));
        let large = format!(r#"{{"a":{{"b":"{}"}}}}"#, "x".repeat(MCP_INPUT_BYTES_MAX));
        for wrong in ["null", "[]", "7", r#"{"a":12345}"#, r#"{"a":{},"a":{}}"#, r#"{"a":null}"#, &deep, &large] {
            assert_eq!(
                brought(Some(wrong), Some(state())).unwrap_err().code,
                -32_602,
                "{}",
                wrong.chars().take(40).collect::<String>()
            );
        }
    }
}

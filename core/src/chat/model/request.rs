//! The request for one turn: the body of `POST …/chat/completions`, and the same for Workers AI.
//!
//! Valid for every provider, whatever the conversation went through: each call is followed directly by one result, no
//! content is null, speakers alternate where they can, arguments are an object, names are of the one alphabet that all
//! take. What is carried (definitions, arguments) is sent as it was written.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Called, Message, Prompt};
use crate::json::{Json, parse};

/// For a call that has no result: nobody should have asked for the next turn.
const NO_RESULT: &str = r#"{"error":"no result"}"#;
/// Some endpoints refuse an empty content.
const EMPTY_RESULT: &str = "(empty)";
/// Longest name of a tool that every provider takes.
const NAME_CHARS_MAX: usize = 64;

#[derive(Serialize)]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    messages: Vec<Sent<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<&'a RawValue>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Sent<'a> {
    System {
        content: &'a str,
    },
    User {
        content: String,
    },
    Assistant {
        content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<SentCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
struct SentCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: SentFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct SentFunction<'a> {
    name: String,
    arguments: &'a str,
}

/// The body for an endpoint.
pub fn completions_body(prompt: &Prompt, model: &str) -> String {
    body(prompt, Some(model), Some(StreamOptions { include_usage: true }))
}

/// The input for Workers AI: the model is named beside it, and it reports usage unasked.
pub fn workers_ai_input(prompt: &Prompt) -> String {
    body(prompt, None, None)
}

fn body(prompt: &Prompt, model: Option<&str>, stream_options: Option<StreamOptions>) -> String {
    let tools = prompt.tools.iter().map(|tool| &*tool.definition).collect();
    let body = Body { model, messages: messages(prompt), tools, stream: true, stream_options };
    // Strings and raw JSON: writing them cannot fail.
    serde_json::to_string(&body).unwrap_or_default()
}

fn messages(prompt: &Prompt) -> Vec<Sent<'_>> {
    let mut sent = Vec::new();
    if !prompt.system.trim().is_empty() {
        sent.push(Sent::System { content: &prompt.system });
    }
    let mut rest = prompt.messages.iter().collect::<VecDeque<_>>();
    while let Some(message) = rest.pop_front() {
        match message {
            Message::User { text } => say_user(&mut sent, text),
            Message::Assistant { text, reasoning, calls } => {
                say_assistant(&mut sent, text, reasoning.as_deref(), calls);
                let mut results = Vec::new();
                while let Some(Message::Tool { call, content, .. }) = rest.front() {
                    results.push((call, content));
                    rest.pop_front();
                }
                sent.extend(calls.iter().map(|call| {
                    let found = results.iter().find(|(id, _)| **id == call.id).map(|(_, content)| content.as_str());
                    let content =
                        found.map_or(NO_RESULT, |content| if content.is_empty() { EMPTY_RESULT } else { content });
                    Sent::Tool { tool_call_id: &call.id, content }
                }));
            }
            // The result of no call.
            Message::Tool { .. } => {}
        }
    }
    sent
}

fn say_user(sent: &mut Vec<Sent<'_>>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    match sent.last_mut() {
        Some(Sent::User { content }) => join(content, text),
        _ => sent.push(Sent::User { content: text.to_owned() }),
    }
}

fn say_assistant<'a>(sent: &mut Vec<Sent<'a>>, text: &str, reasoning: Option<&'a str>, calls: &'a [Called]) {
    let mut called: Vec<SentCall<'a>> = calls.iter().map(sent_call).collect();
    match sent.last_mut() {
        Some(Sent::Assistant { content, reasoning_content, tool_calls }) if tool_calls.is_empty() => {
            join(content, text);
            *reasoning_content = reasoning.or(*reasoning_content);
            tool_calls.append(&mut called);
        }
        _ if called.is_empty() && text.trim().is_empty() => {}
        _ => {
            let content = text.to_owned();
            sent.push(Sent::Assistant { content, reasoning_content: reasoning, tool_calls: called });
        }
    }
}

fn join(content: &mut String, text: &str) {
    if !text.trim().is_empty() {
        if !content.is_empty() {
            content.push_str("\n\n");
        }
        content.push_str(text);
    }
}

/// A call as the model made it, as far as it may be repeated: a name or arguments that no provider takes would make it
/// refuse every further turn of the conversation. The result that follows says what was wrong with them.
fn sent_call(call: &Called) -> SentCall<'_> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let letters = call.name.chars().take(NAME_CHARS_MAX);
    let mut name: String = letters.map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
        name.insert(0, '_');
        name.truncate(NAME_CHARS_MAX);
    }
    let arguments = if matches!(parse(&call.arguments), Ok(Json::Map(_))) { &call.arguments } else { "{}" };
    let extra_content = call.extra.clone().and_then(|extra| RawValue::from_string(extra).ok());
    SentCall { id: &call.id, kind: "function", function: SentFunction { name, arguments }, extra_content }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::chat::model::OfferedTool;

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn assistant(text: &str, calls: &[(&str, &str, &str)]) -> Message {
        let called = |(id, name, arguments): &(&str, &str, &str)| Called {
            id: (*id).into(),
            name: (*name).into(),
            arguments: (*arguments).into(),
            extra: None,
        };
        Message::Assistant { text: text.into(), reasoning: None, calls: calls.iter().map(called).collect() }
    }

    fn tool(call: &str, content: &str) -> Message {
        Message::Tool { call: call.into(), name: "f".into(), content: content.into() }
    }

    fn prompt(messages: Vec<Message>) -> Prompt {
        Prompt { system: String::new(), messages, tools: vec![] }
    }

    /// Each message as `role:content` or `role:content[id name(arguments) …]`.
    fn told(messages: Vec<Message>) -> Vec<String> {
        let body: Value = serde_json::from_str(&completions_body(&prompt(messages), "m")).unwrap();
        let text = |value: &Value| value.as_str().expect("never null, never absent").to_owned();
        let call = |call: &Value| {
            let function = &call["function"];
            assert_eq!(call["type"], json!("function"));
            format!("{} {}({})", text(&call["id"]), text(&function["name"]), text(&function["arguments"]))
        };
        let message = |message: &Value| {
            let calls: Option<Vec<String>> =
                message.get("tool_calls").map(|calls| calls.as_array().unwrap().iter().map(call).collect());
            let id = message.get("tool_call_id").map(|id| format!("={}", text(id))).unwrap_or_default();
            let calls = calls.map(|calls| format!("[{}]", calls.join(" "))).unwrap_or_default();
            format!("{}{id}:{}{calls}", text(&message["role"]), text(&message["content"]))
        };
        body["messages"].as_array().unwrap().iter().map(message).collect()
    }

    #[test]
    fn the_whole_body() {
        let definition =
            r#"{"type":"function","function":{"name":"refund","parameters":{"maximum":9007199254740993}}}"#;
        let offered = OfferedTool {
            name: "refund".into(),
            definition: RawValue::from_string(definition.into()).unwrap(),
            score: 1,
            client: false,
        };
        let asked = Prompt { system: "Be brief.".into(), messages: vec![user("Hi")], tools: vec![offered] };
        let messages = r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]"#;
        assert_eq!(
            completions_body(&asked, "gpt"),
            format!(
                r#"{{"model":"gpt","messages":{messages},"tools":[{definition}],"stream":true,"stream_options":{{"include_usage":true}}}}"#
            )
        );
        assert_eq!(
            workers_ai_input(&asked),
            format!(r#"{{"messages":{messages},"tools":[{definition}],"stream":true}}"#)
        );
        assert!(!completions_body(&prompt(vec![user("Hi")]), "gpt").contains("tools"));
    }

    #[test]
    fn what_an_endpoint_wants_back_is_sent_as_it_came() {
        let extra = r#"{"google":{"thought_signature":"Ab+/=","n":1.0}}"#;
        let call = |id: &str, extra: Option<&str>| Called {
            id: id.into(),
            name: "f".into(),
            arguments: "{}".into(),
            extra: extra.map(str::to_owned),
        };
        let message = |text: &str, reasoning: Option<&str>, calls: Vec<Called>| Message::Assistant {
            text: text.into(),
            reasoning: reasoning.map(str::to_owned),
            calls,
        };
        let sent = |messages: Vec<Message>| workers_ai_input(&prompt(messages));
        let both = sent(vec![message("", Some(""), vec![call("1", Some(extra)), call("2", None)])]);
        assert!(both.contains(&format!(r#""function":{{"name":"f","arguments":"{{}}"}},"extra_content":{extra}}}"#)));
        assert!(both.matches("extra_content").count() == 1 && both.contains(r#""content":"","reasoning_content":"""#));
        // Of two that become one message the later thoughts count, where there are any.
        for (first, second, expected) in [(Some("a"), Some("b"), "b"), (Some("a"), None, "a"), (None, Some("b"), "b")] {
            let one = sent(vec![message("x", first, vec![]), message("y", second, vec![call("1", None)])]);
            assert!(one.contains(&format!(r#""content":"x\n\ny","reasoning_content":"{expected}","#)), "{one}");
        }
        let neither = sent(vec![message("x", None, vec![call("1", None)])]);
        assert!(!neither.contains("reasoning_content") && !neither.contains("extra_content"));
    }

    #[test]
    fn conversations_are_valid_for_every_provider() {
        for (name, messages, expected) in [
            ("one question", vec![user("a")], vec!["user:a"]),
            ("nothing said", vec![user(" "), user("a"), assistant("", &[]), user("b")], vec!["user:a\n\nb"]),
            (
                "two assistants",
                vec![user("a"), assistant("b", &[]), assistant("c", &[])],
                vec!["user:a", "assistant:b\n\nc"],
            ),
            (
                "a call and its result",
                vec![
                    user("a"),
                    assistant("", &[("1", "f", "{\"n\":9007199254740993}")]),
                    tool("1", "r"),
                    assistant("b", &[]),
                ],
                vec!["user:a", "assistant:[1 f({\"n\":9007199254740993})]", "tool=1:r", "assistant:b"],
            ),
            (
                "text, then calls in the next message",
                vec![assistant("b", &[]), assistant("c", &[("1", "f", "{}")]), tool("1", "r")],
                vec!["assistant:b\n\nc[1 f({})]", "tool=1:r"],
            ),
            (
                "results in another order",
                vec![assistant("", &[("1", "f", "{}"), ("2", "g", "{}")]), tool("2", "two"), tool("1", "one")],
                vec!["assistant:[1 f({}) 2 g({})]", "tool=1:one", "tool=2:two"],
            ),
            (
                "a result too few, one twice, one of no call",
                vec![
                    assistant("", &[("1", "f", "{}"), ("2", "g", "{}")]),
                    tool("2", "a"),
                    tool("2", "b"),
                    tool("9", "c"),
                    user("x"),
                    tool("1", "late"),
                ],
                vec!["assistant:[1 f({}) 2 g({})]", "tool=1:{\"error\":\"no result\"}", "tool=2:a", "user:x"],
            ),
            (
                "an empty result",
                vec![assistant("", &[("1", "f", "{}")]), tool("1", "")],
                vec!["assistant:[1 f({})]", "tool=1:(empty)"],
            ),
            (
                "arguments that are no object",
                vec![
                    assistant("", &[("1", "f", "{\"a\""), ("2", "f", "null"), ("3", "f", "")]),
                    tool("1", "r"),
                    tool("2", "r"),
                    tool("3", "r"),
                ],
                vec!["assistant:[1 f({}) 2 f({}) 3 f({})]", "tool=1:r", "tool=2:r", "tool=3:r"],
            ),
            (
                "names that no provider takes",
                vec![assistant("", &[("1", "a b/é", "{}"), ("2", "", "{}"), ("3", "9x", "{}"), ("4", "mcp.x", "{}")])],
                vec![
                    "assistant:[1 a_b__({}) 2 _({}) 3 _9x({}) 4 mcp_x({})]",
                    "tool=1:{\"error\":\"no result\"}",
                    "tool=2:{\"error\":\"no result\"}",
                    "tool=3:{\"error\":\"no result\"}",
                    "tool=4:{\"error\":\"no result\"}",
                ],
            ),
            (
                "calls of two turns",
                vec![
                    user("a"),
                    assistant("", &[("1", "f", "{}")]),
                    tool("1", "r"),
                    assistant("", &[("2", "f", "{}")]),
                    tool("2", "s"),
                ],
                vec!["user:a", "assistant:[1 f({})]", "tool=1:r", "assistant:[2 f({})]", "tool=2:s"],
            ),
        ] {
            assert_eq!(told(messages), expected, "{name}");
        }
        let long =
            told(vec![assistant("", &[("1", &"x".repeat(200), "{}"), ("2", &format!("9{}", "x".repeat(200)), "{}")])]);
        assert!(
            long[0].contains(&format!(" {}(", "x".repeat(64))) && long[0].contains(&format!(" _9{}(", "x".repeat(62)))
        );
    }
}

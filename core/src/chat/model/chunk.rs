//! One chunk of a model's answer, in any of the forms that endpoints give it: OpenAI's chat completions, streamed
//! (`delta`) or whole (`message`), and the older one of Workers AI (`{"response":…}`).
//!
//! Lenient about what nobody needs, because endpoints add members of their own; what is needed and missing shows as a
//! turn that has no end.

use super::Usage;
use super::fault::words_of;
use crate::json::Json;

/// A piece of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallPiece {
    pub index: Option<u64>,
    /// The endpoint's own id; empty where there is none.
    pub id: String,
    pub name: String,
    pub arguments: String,
    /// `extra_content` as JSON, which the endpoint wants back with the call; empty where there is none.
    pub extra: String,
}

/// What a chunk says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chunk {
    pub reasoning: String,
    /// The reasoning has the name under which it is sent back, be it empty.
    pub is_returned: bool,
    pub text: String,
    pub calls: Vec<CallPiece>,
    /// It names a reason why the turn is over.
    pub is_finish: bool,
    /// That reason is a limit: what stands there may not be all.
    pub is_limited: bool,
    /// In the form that has no such reason.
    pub is_plain: bool,
    pub usage: Option<Usage>,
    /// It reports an error; its words, if there are any.
    pub error: Option<Option<String>>,
}

/// Reads a chunk. What is none of ours says nothing.
pub(super) fn read(json: &Json) -> Chunk {
    let mut chunk = Chunk { usage: json.get("usage").and_then(usage), ..Chunk::default() };
    let is_error = json.get("error").is_some_and(|error| *error != Json::Null)
        || json.get("object").and_then(Json::as_str) == Some("error");
    if is_error {
        chunk.error = Some(words_of(json));
    }
    if let Some(Json::List(choices)) = json.get("choices") {
        // One answer is asked for; of more, the first counts.
        let first = choices.iter().find(|choice| number(choice.get("index")).unwrap_or(0) == 0);
        if let Some(choice) = first {
            read_choice(choice, &mut chunk);
        }
    } else if json.get("response").is_some() || json.get("tool_calls").is_some() {
        chunk.is_plain = true;
        chunk.text = text(json.get("response"));
        read_calls(json.get("tool_calls"), &mut chunk);
    }
    chunk
}

fn read_choice(choice: &Json, chunk: &mut Chunk) {
    let reason = text(choice.get("finish_reason"));
    chunk.is_finish = !reason.is_empty();
    chunk.is_limited = matches!(reason.as_str(), "length" | "max_tokens" | "content_filter");
    if reason == "error" && chunk.error.is_none() {
        chunk.error = Some(None);
    }
    let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else { return };
    // Endpoints that give both give the same twice.
    chunk.reasoning = ["reasoning_content", "reasoning"]
        .into_iter()
        .map(|member| text(delta.get(member)))
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    chunk.is_returned = match delta.get("reasoning_content") {
        Some(given @ Json::Text(_)) => chunk.reasoning == text(Some(given)),
        _ => false,
    };
    chunk.text = text(delta.get("content"));
    chunk.text.push_str(&text(delta.get("refusal")));
    read_calls(delta.get("tool_calls"), chunk);
}

fn read_calls(calls: Option<&Json>, chunk: &mut Chunk) {
    let Some(Json::List(calls)) = calls else { return };
    chunk.calls.extend(calls.iter().map(|call| {
        let function = call.get("function").unwrap_or(call);
        let arguments = match function.get("arguments") {
            Some(object @ Json::Map(_)) => object.canonical(),
            other => text(other),
        };
        CallPiece {
            index: number(call.get("index")),
            id: text(call.get("id")),
            name: text(function.get("name")),
            arguments,
            extra: call
                .get("extra_content")
                .filter(|extra| **extra != Json::Null)
                .map_or_else(String::new, Json::canonical),
        }
    }));
}

/// A string; the text parts of a list of parts; a number, which Workers AI makes of a token of digits.
fn text(json: Option<&Json>) -> String {
    match json {
        Some(Json::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        Some(Json::Number(digits)) => digits.clone(),
        Some(Json::List(parts)) => parts.iter().map(|part| text(part.get("text"))).collect(),
        _ => String::new(),
    }
}

fn number(json: Option<&Json>) -> Option<u64> {
    if let Some(Json::Number(text)) = json { text.parse().ok() } else { None }
}

fn usage(json: &Json) -> Option<Usage> {
    let within = |group: &str, member: &str| number(json.get(group)?.get(member));
    let usage = Usage {
        input: number(json.get("prompt_tokens")),
        output: number(json.get("completion_tokens")),
        total: number(json.get("total_tokens")),
        reasoning: within("completion_tokens_details", "reasoning_tokens"),
        cached_input: within("prompt_tokens_details", "cached_tokens"),
    };
    (usage != Usage::default()).then_some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn check(text: &str, expected: Chunk) {
        assert_eq!(read(&parse(text).unwrap()), expected, "{text}");
    }

    fn piece(index: Option<u64>, id: &str, name: &str, arguments: &str) -> CallPiece {
        CallPiece { index, id: id.into(), name: name.into(), arguments: arguments.into(), extra: String::new() }
    }

    #[test]
    fn chunks() {
        let nothing = Chunk::default;
        check("{}", nothing());
        check("[]", nothing());
        check("7", nothing());
        check(r#"{"type":"ping"}"#, nothing());
        check(r#"{"choices":[]}"#, nothing());
        check(r#"{"choices":null}"#, nothing());
        check(r#"{"choices":[{}]}"#, nothing());
        check(r#"{"choices":[{"delta":null,"finish_reason":null}]}"#, nothing());
        check(r#"{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null}}]}"#, nothing());
        check(r#"{"choices":[{"delta":{"content":"a"}}]}"#, Chunk { text: "a".into(), ..nothing() });
        check(r#"{"choices":[{"message":{"content":"a"}}]}"#, Chunk { text: "a".into(), ..nothing() });
        check(
            r#"{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}"#,
            Chunk { text: "a".into(), ..nothing() },
        );
        check(r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#, nothing());
        check(
            r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}}]}"#,
            Chunk { text: "ab".into(), ..nothing() },
        );
        check(r#"{"choices":[{"delta":{"refusal":"no"}}]}"#, Chunk { text: "no".into(), ..nothing() });
        let returned = |reasoning: &str| Chunk { reasoning: reasoning.into(), is_returned: true, ..nothing() };
        check(r#"{"choices":[{"delta":{"reasoning_content":"r"}}]}"#, returned("r"));
        check(r#"{"choices":[{"delta":{"reasoning_content":""}}]}"#, returned(""));
        check(r#"{"choices":[{"delta":{"reasoning_content":null}}]}"#, nothing());
        check(r#"{"choices":[{"delta":{"reasoning":"r"}}]}"#, Chunk { reasoning: "r".into(), ..nothing() });
        check(r#"{"choices":[{"delta":{"reasoning":"r","reasoning_content":"r"}}]}"#, returned("r"));
        check(
            r#"{"choices":[{"delta":{"reasoning_content":"","reasoning":"r","content":"a"}}]}"#,
            Chunk { reasoning: "r".into(), text: "a".into(), ..nothing() },
        );
        for reason in ["stop", "tool_calls", "length", "content_filter", "function_call"] {
            let is_limited = matches!(reason, "length" | "content_filter");
            check(
                &format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#),
                Chunk { is_finish: true, is_limited, ..nothing() },
            );
        }
        check(r#"{"choices":[{"delta":{},"finish_reason":""}]}"#, nothing());
    }

    #[test]
    fn calls_in_chunks() {
        let calls = |calls: Vec<CallPiece>| Chunk { calls, ..Chunk::default() };
        for (entry, expected) in [
            (
                r#"{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}"#,
                piece(Some(0), "c1", "f", ""),
            ),
            (r#"{"index":0,"function":{"arguments":"{\"a\":1"}}"#, piece(Some(0), "", "", "{\"a\":1")),
            (r#"{"id":null,"function":{"name":null,"arguments":null}}"#, piece(None, "", "", "")),
            (
                r#"{"function":{"name":"f","arguments":{"n":9007199254740993}}}"#,
                piece(None, "", "f", r#"{"n":9007199254740993}"#),
            ),
            (r#"{"name":"f","arguments":{"a":1.0}}"#, piece(None, "", "f", r#"{"a":1.0}"#)),
            (r#"{"index":"0","id":7,"function":{"name":"f"}}"#, piece(None, "7", "f", "")),
            (r#"{"index":-1,"function":{}}"#, piece(None, "", "", "")),
            (
                r#"{"id":"c1","function":{"name":"f"},"extra_content":{"google":{"thought_signature":"Ab+/=","n":1.0}}}"#,
                CallPiece {
                    extra: r#"{"google":{"n":1.0,"thought_signature":"Ab+/="}}"#.into(),
                    ..piece(None, "c1", "f", "")
                },
            ),
            (r#"{"id":"c1","extra_content":null}"#, piece(None, "c1", "", "")),
            ("{}", piece(None, "", "", "")),
            ("null", piece(None, "", "", "")),
        ] {
            check(&format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{entry}]}}}}]}}"#), calls(vec![expected.clone()]));
            check(&format!(r#"{{"tool_calls":[{entry}]}}"#), Chunk { is_plain: true, ..calls(vec![expected]) });
        }
    }

    #[test]
    fn the_older_form_of_workers_ai() {
        let plain = |text: &str| Chunk { text: text.into(), is_plain: true, ..Chunk::default() };
        check(r#"{"response":"He","p":"abcd"}"#, plain("He"));
        check(r#"{"response":4}"#, plain("4"));
        check(
            r#"{"response":"","usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#,
            Chunk {
                usage: Some(Usage { input: Some(5), output: Some(2), total: Some(7), ..Usage::default() }),
                ..plain("")
            },
        );
        check(r#"{"response":null}"#, plain(""));
    }

    #[test]
    fn usage_and_errors() {
        check(
            r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":2}}}"#,
            Chunk {
                usage: Some(Usage {
                    input: Some(1),
                    output: Some(2),
                    total: Some(3),
                    reasoning: Some(2),
                    cached_input: Some(0),
                }),
                ..Chunk::default()
            },
        );
        for odd in
            ["null", "{}", "7", "[]", r#"{"prompt_tokens":-1}"#, r#"{"prompt_tokens":1.5}"#, r#"{"prompt_tokens":"1"}"#]
        {
            check(&format!(r#"{{"usage":{odd}}}"#), Chunk::default());
        }
        for (text, words) in [
            (r#"{"error":{"message":"m","code":500}}"#, Some("m")),
            (r#"{"error":"m"}"#, Some("m")),
            (r#"{"error":true}"#, None),
            (r#"{"error":{"code":1}}"#, None),
            (r#"{"object":"error","message":"m"}"#, Some("m")),
        ] {
            check(text, Chunk { error: Some(words.map(str::to_owned)), ..Chunk::default() });
        }
        check(r#"{"error":null}"#, Chunk::default());
        check(
            r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#,
            Chunk { is_finish: true, error: Some(None), ..Chunk::default() },
        );
    }
}

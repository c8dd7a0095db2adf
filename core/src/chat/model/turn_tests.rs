//! Streams as endpoints send them, and worse. Each case runs in several cuts and with each kind of line end.

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolgate_protocol::limits::{MODEL_CALLS_MAX, MODEL_EXTRA_BYTES_MAX, MODEL_TURN_BYTES_MAX};

    use crate::chat::model::{Delta, ModelError, TurnReader, Usage};

    const OFFERED: [&str; 6] = ["get", "get_weather", "get_time", "refund", "ping", "pingping"];

    fn reader(media_type: &str) -> TurnReader {
        TurnReader::new(media_type, OFFERED.map(str::to_owned).to_vec(), [7; 16]).unwrap()
    }

    /// Reads the pieces and checks what must hold of every answer.
    fn read(media_type: &str, pieces: &[&[u8]]) -> Result<Vec<Delta>, ModelError> {
        let (mut turn, mut deltas) = (reader(media_type), Vec::new());
        for piece in pieces {
            deltas.extend(turn.push(piece)?);
        }
        deltas.extend(turn.end()?);
        check_shape(&deltas);
        assert!(turn.is_finished());
        assert_eq!(turn.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n"), Ok(vec![]));
        Ok(deltas)
    }

    fn check_shape(deltas: &[Delta]) {
        let mut open: Vec<&str> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for (at, delta) in deltas.iter().enumerate() {
            match delta {
                Delta::CallStarted { id, name } => {
                    assert!(!seen.contains(&id.as_str()) && !name.is_empty());
                    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
                    seen.push(id);
                    open.push(id);
                }
                Delta::CallArguments { id, text } => assert!(open.contains(&id.as_str()) && !text.is_empty()),
                Delta::CallEnded { id } => {
                    assert!(open.contains(&id.as_str()));
                    open.retain(|other| other != id);
                }
                Delta::Finished => assert_eq!(at + 1, deltas.len()),
                Delta::Text(text) | Delta::Reasoning(text) => assert!(!text.is_empty()),
                Delta::CallExtra { id, .. } => assert!(open.contains(&id.as_str())),
                Delta::Usage(_) | Delta::ReasoningReturns => {}
            }
        }
        assert!(open.is_empty() && deltas.last() == Some(&Delta::Finished));
    }

    /// What an answer adds up to: `text`, `{reasoning}`, `name(arguments)`.
    fn told(deltas: &[Delta]) -> String {
        let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::<(String, String)>::new());
        for delta in deltas {
            match delta {
                Delta::Text(more) => text.push_str(more),
                Delta::Reasoning(more) => reasoning.push_str(more),
                Delta::CallStarted { id, name } => calls.push((id.clone(), format!("{name}("))),
                Delta::CallArguments { id, text } => {
                    calls.iter_mut().find(|(call, _)| call == id).unwrap().1.push_str(text)
                }
                Delta::CallEnded { id } => calls.iter_mut().find(|(call, _)| call == id).unwrap().1.push(')'),
                Delta::CallExtra { id, extra } => {
                    calls.iter_mut().find(|(call, _)| call == id).unwrap().1.push_str(&format!("<{extra}>"))
                }
                Delta::ReasoningReturns => reasoning.push('<'),
                Delta::Usage(_) | Delta::Finished => {}
            }
        }
        let reasoning = if reasoning.is_empty() { String::new() } else { format!("{{{reasoning}}}") };
        let calls: Vec<String> = calls.into_iter().map(|(_, call)| call).collect();
        [reasoning, text, calls.join(" ")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn stream(events: &[String], end: &str) -> String {
        events.iter().map(|event| format!("data: {event}{end}{end}")).collect()
    }

    /// Runs a stream in several cuts; all must add up to the same, or fail with the same code.
    fn check(name: &str, events: &[String], expected: Result<&str, &str>) {
        for end in ["\n", "\r\n", "\r"] {
            let text = stream(events, end);
            let bytes = text.as_bytes();
            let mut cuts: Vec<Vec<&[u8]>> = vec![vec![bytes], bytes.chunks(1).collect(), bytes.chunks(7).collect()];
            cuts.push(bytes.chunks(64).collect());
            for pieces in cuts {
                let found = read("text/event-stream", &pieces);
                let found = found.as_ref().map(|deltas| told(deltas)).map_err(|error| error.code);
                assert_eq!(found.as_deref(), expected.as_ref().map(|text| *text), "{name}, {end:?}");
            }
        }
    }

    fn delta(delta: Value) -> String {
        json!({ "id": "x", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }).to_string()
    }

    fn text(text: &str) -> String {
        delta(json!({ "content": text }))
    }

    /// A piece of a call: `index|id|name|arguments`; `-` where the member is left out.
    fn piece(spec: &str) -> Value {
        let [index, id, name, arguments] = spec.splitn(4, '|').collect::<Vec<_>>().try_into().unwrap();
        let mut call = json!({ "type": "function", "function": {} });
        if index != "-" {
            call["index"] = json!(index.parse::<u64>().unwrap());
        }
        if id != "-" {
            call["id"] = json!(id);
        }
        if name != "-" {
            call["function"]["name"] = json!(name);
        }
        if arguments != "-" {
            call["function"]["arguments"] = json!(arguments);
        }
        call
    }

    fn calls(specs: &str) -> String {
        delta(json!({ "tool_calls": specs.split(" & ").map(piece).collect::<Vec<_>>() }))
    }

    fn finish(reason: &str) -> String {
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }).to_string()
    }

    const DONE: &str = "[DONE]";

    fn with_end(mut events: Vec<String>, reason: &str) -> Vec<String> {
        events.push(finish(reason));
        events.push(DONE.to_owned());
        events
    }

    /// How the pieces of calls may come: one line an event, pieces of one event joined by ` & `.
    const CALLS: &[(&str, &[&str], &str)] = &[
        (
            "the documented form",
            &["0|c1|get_weather|", "0|-|-|{\"city\"", "0|-|-|:\"Rome\"}"],
            r#"get_weather({"city":"Rome"})"#,
        ),
        (
            "two calls, one after the other",
            &["0|c1|get_weather|{\"a\":1}", "1|c2|refund|", "1|-|-|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "two calls interleaved",
            &["0|c1|get_weather|", "1|c2|refund|", "0|-|-|{\"a\"", "1|-|-|{\"b\"", "0|-|-|:1}", "1|-|-|:2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "two calls interleaved by id",
            &["-|c1|get_weather|", "-|c2|refund|", "-|c1|-|{\"a\"", "-|c2|-|{\"b\"", "-|c1|-|:1}", "-|c2|-|:2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "two calls in one event",
            &["0|c1|get_weather|{\"a\":1} & 1|c2|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        ("no index", &["-|c1|get_weather|", "-|-|-|{\"a\"", "-|-|-|:1}"], r#"get_weather({"a":1})"#),
        (
            "no index, two calls",
            &["-|c1|get_weather|{\"a\":1}", "-|c2|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "no index and no id, whole calls",
            &["-|-|get_weather|{\"a\":1}", "-|-|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "no index and no id, one event",
            &["-|-|get_weather|{\"a\":1} & -|-|get_weather|{\"a\":2}"],
            r#"get_weather({"a":1}) get_weather({"a":2})"#,
        ),
        (
            "no index and an empty id",
            &["-||get_weather|{\"a\":1}", "-||get_time|{}"],
            r#"get_weather({"a":1}) get_time({})"#,
        ),
        ("no index and no id, without arguments", &["-|-|get_time|-", "-|-|refund|-"], "get_time({}) refund({})"),
        (
            "an index for two calls with ids",
            &["0|c1|get_weather|{\"a\":1}", "0|c2|refund|{\"b\"", "0|-|-|:2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "an index for two calls, ids repeated",
            &["0|c1|get_weather|{\"a\"", "0|c1|-|:1}", "0|c2|refund|{\"b\"", "0|c2|-|:2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "an index for two calls without ids",
            &["0|-|get_weather|{\"a\":1}", "0|-|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "an index for two calls of one tool without ids",
            &["0|-|get_weather|{\"a\":1}", "0|-|get_weather|{\"a\":2}"],
            r#"get_weather({"a":1}) get_weather({"a":2})"#,
        ),
        (
            "an index for three calls, back to the first",
            &["0|c1|get_weather|{\"a\"", "0|c2|refund|{\"b\":2}", "0|c1|-|:1}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        ("later index without id", &["0|c1|get_weather|", "1|-|-|{\"a\"", "2|-|-|:1}"], r#"get_weather({"a":1})"#),
        (
            "later index without id, twice the same",
            &["0|c1|get_weather|", "1|-|-|{\"a\"", "1|-|-|:1}"],
            r#"get_weather({"a":1})"#,
        ),
        (
            "later index without id, then another call",
            &["0|c1|get_weather|", "1|-|-|{\"a\":1}", "2|c2|refund|", "3|-|-|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        ("id on every piece", &["0|c1|get_weather|", "0|c1|-|{\"a\"", "0|c1|-|:1}"], r#"get_weather({"a":1})"#),
        (
            "id and name on every piece",
            &["0|c1|get_weather|", "0|c1|get_weather|{\"a\"", "0|c1|get_weather|:1}"],
            r#"get_weather({"a":1})"#,
        ),
        (
            "id, name and empty arguments again after the end",
            &["0|c1|get_weather|{\"a\":1}", "0|c1|get_weather|"],
            r#"get_weather({"a":1})"#,
        ),
        ("name on every piece, no id", &["0|-|get_weather|{\"a\"", "0|-|get_weather|:1}"], r#"get_weather({"a":1})"#),
        ("an empty id on later pieces", &["0|c1|get_weather|", "0||-|{\"a\"", "0|||:1}"], r#"get_weather({"a":1})"#),
        ("another id on every piece of one call", &["0|c1|-|", "0|-|get_weather|{\"a\":1}"], r#"get_weather({"a":1})"#),
        ("id after the name", &["0|-|get_weather|", "0|c1|-|{\"a\"", "0|c1|-|:1}"], r#"get_weather({"a":1})"#),
        ("id after the name, no index", &["-|-|get_weather|", "-|c1|-|{\"a\":1}"], r#"get_weather({"a":1})"#),
        (
            "one id for two calls",
            &["0|c|get_weather|{\"a\":1}", "1|c|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "one id for two calls of one tool",
            &["0|c|get_weather|{\"a\":1}", "1|c|get_weather|{\"a\":2}"],
            r#"get_weather({"a":1}) get_weather({"a":2})"#,
        ),
        ("name after arguments", &["0|c1|-|{\"a\":1}", "0|-|get_weather|-"], r#"get_weather({"a":1})"#),
        (
            "name in the middle of arguments",
            &["0|c1|-|{\"a\"", "0|-|get_weather|-", "0|-|-|:1}"],
            r#"get_weather({"a":1})"#,
        ),
        (
            "name after arguments, two calls",
            &["0|c1|-|{\"a\":1}", "1|c2|-|{\"b\":2}", "1|-|refund|-", "0|-|get_weather|-"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        ("a name in pieces", &["0|c1|get_|", "0|-|weather|", "0|-|-|{\"a\":1}"], r#"get_weather({"a":1})"#),
        (
            "a name in pieces, letter by letter",
            &["0|c1|g|", "0|-|e|", "0|-|t|", "0|-|_|", "0|-|t|", "0|-|i|", "0|-|m|", "0|-|e|", "0|-|-|{}"],
            "get_time({})",
        ),
        (
            "a name in pieces, each a name",
            &["0|c1|get|", "0|-|_weather|", "0|-|-|{\"a\":1}"],
            r#"get_weather({"a":1})"#,
        ),
        ("a name in two equal pieces", &["0|c1|ping|", "0|-|ping|", "0|-|-|{}"], "pingping({})"),
        (
            "a name in pieces, no index and no id",
            &["-|-|get_|", "-|-|weather|", "-|-|-|{\"a\":1}"],
            r#"get_weather({"a":1})"#,
        ),
        (
            "a name that grows",
            &["0|c1|get_|", "0|c1|get_weather|", "0|c1|get_weather|{\"a\":1}"],
            r#"get_weather({"a":1})"#,
        ),
        ("a name in pieces that nobody offered", &["0|c1|fly_|", "0|-|away|", "0|-|-|{}"], "fly_away({})"),
        ("a name that nobody offered", &["0|c1|fly|{\"a\"", "0|-|-|:1}"], r#"fly({"a":1})"#),
        ("a whole call in one piece", &["0|c1|get_weather|{\"a\":1}"], r#"get_weather({"a":1})"#),
        ("no arguments", &["0|c1|get_time|-"], "get_time({})"),
        ("empty arguments", &["0|c1|get_time|"], "get_time({})"),
        ("blank arguments", &["0|c1|get_time| \n"], "get_time({})"),
        ("null as arguments", &["0|c1|get_time|null"], "get_time(null)"),
        ("arguments that are no object", &["0|c1|refund|[1]"], "refund([1])"),
        ("arguments that are cut", &["0|c1|refund|{\"a\": \"b"], r#"refund({"a": "b)"#),
        ("arguments with text behind them", &["0|c1|refund|{} trailing"], "refund({} trailing)"),
        (
            "numbers as they were written",
            &["0|c1|refund|{\"a\":9007199254740993,\"b\":1.0,\"c\":1e400}"],
            r#"refund({"a":9007199254740993,"b":1.0,"c":1e400})"#,
        ),
        (
            "escapes as they were written",
            &["0|c1|refund|{\"a\":\"\\u00e9\\ud83d", "0|-|-|\\ude00\"}"],
            r#"refund({"a":"\u00e9\ud83d\ude00"})"#,
        ),
        ("an entry that says nothing at the end", &["0|c1|get_weather|{\"a\":1}", "1|||"], r#"get_weather({"a":1})"#),
        (
            "an entry that says nothing at the beginning",
            &["-|-|-|-", "0|c1|get_weather|{\"a\":1}"],
            r#"get_weather({"a":1})"#,
        ),
        (
            "indexes that begin at one",
            &["1|c1|get_weather|{\"a\":1}", "2|c2|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        (
            "indexes that go down",
            &["5|c1|get_weather|{\"a\":1}", "3|c2|refund|{\"b\":2}"],
            r#"get_weather({"a":1}) refund({"b":2})"#,
        ),
        ("a huge index", &["18446744073709551615|c1|get_time|{}"], "get_time({})"),
        ("the same call twice", &["0|c1|get_time|{}", "1|c2|get_time|{}"], "get_time({}) get_time({})"),
    ];

    #[test]
    fn calls_from_pieces() {
        for (name, events, expected) in CALLS {
            let events: Vec<String> = events.iter().map(|event| calls(event)).collect();
            for reason in ["tool_calls", "stop", "function_call"] {
                check(name, &with_end(events.clone(), reason), Ok(expected));
            }
            let mut with_text =
                vec![delta(json!({ "role": "assistant", "content": "" })), text("Let me"), text(" see.")];
            with_text.extend(events.clone());
            check(name, &with_end(with_text, "tool_calls"), Ok(&format!("Let me see. {expected}")));
            // The reason for the end in the last piece, and no [DONE].
            let mut last: Value = serde_json::from_str(events.last().unwrap()).unwrap();
            last["choices"][0]["finish_reason"] = json!("tool_calls");
            let mut short = events.clone();
            *short.last_mut().unwrap() = last.to_string();
            check(name, &short, Ok(expected));
            // And none: the answer was cut.
            check(name, &events, Err("model_stream_cut"));
        }
    }

    #[test]
    fn answers_without_calls() {
        let usage =
            json!({ "choices": [], "usage": { "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 } })
                .to_string();
        let reason = |member: &str, text: &str| delta(json!({ member: text }));
        for (name, events, expected) in [
            ("text", with_end(vec![text("Hel"), text("lo")], "stop"), "Hello"),
            ("no text", with_end(vec![], "stop"), ""),
            ("text to the limit", with_end(vec![text("Hel")], "length"), "Hel"),
            ("reasoning", with_end(vec![reason("reasoning_content", "hm"), text("Yes")], "stop"), "{<hm} Yes"),
            (
                "the other reasoning",
                with_end(vec![reason("reasoning", "h"), reason("reasoning", "m"), text("Yes")], "stop"),
                "{hm} Yes",
            ),
            (
                "usage behind",
                {
                    let mut all = with_end(vec![text("a")], "stop");
                    all.insert(2, usage.clone());
                    all
                },
                "a",
            ),
            ("usage in each", with_end(vec![usage.clone(), text("a"), usage.clone()], "stop"), "a"),
            ("pings", with_end(vec!["{\"type\":\"ping\"}".into(), text("a"), "{}".into()], "stop"), "a"),
            ("a null delta", with_end(vec!["{\"choices\":[{\"delta\":null}]}".into(), text("a")], "stop"), "a"),
            (
                "text in the last",
                vec!["{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}".into()],
                "a",
            ),
            (
                "after the end",
                {
                    let mut all = with_end(vec![text("a")], "stop");
                    all.push(text("b"));
                    all.push("no json".into());
                    all
                },
                "a",
            ),
            (
                "the end in every chunk",
                vec![
                    "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}".into(),
                    "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}".into(),
                    DONE.into(),
                ],
                "ab",
            ),
            (
                "plain",
                vec![
                    "{\"response\":\"a\"}".into(),
                    "{\"response\":4}".into(),
                    "{\"response\":\"\",\"usage\":{}}".into(),
                    DONE.into(),
                ],
                "a4",
            ),
            (
                "plain calls",
                vec![
                    "{\"response\":null,\"tool_calls\":[{\"name\":\"refund\",\"arguments\":{\"a\":1}}]}".into(),
                    DONE.into(),
                ],
                r#"refund({"a":1})"#,
            ),
            ("outside the basic plane", with_end(vec![text("😀é\u{2028}")], "stop"), "😀é\u{2028}"),
        ] {
            check(name, &events, Ok(expected));
        }
    }

    #[test]
    fn answers_that_fail() {
        for (name, events, code) in [
            ("nothing", vec![], "model_stream_cut"),
            ("only the end", vec![DONE.into()], "model_stream_cut"),
            ("text without an end", vec![text("a")], "model_stream_cut"),
            ("text and done, no reason", vec![text("a"), DONE.into()], "model_stream_cut"),
            ("plain without done", vec!["{\"response\":\"a\"}".into()], "model_stream_cut"),
            ("only usage", vec!["{\"usage\":{\"prompt_tokens\":1}}".into()], "model_stream_cut"),
            ("an error", vec!["{\"error\":{\"message\":\"overloaded\"}}".into()], "model_error"),
            (
                "an error in the middle",
                vec![text("a"), "{\"error\":{\"message\":\"overloaded\"}}".into(), finish("stop")],
                "model_error",
            ),
            ("an error in a call", vec![calls("0|c1|refund|{\"a\""), "{\"error\":\"x\"}".into()], "model_error"),
            (
                "an error beside choices",
                vec![
                "{\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}],\"error\":{\"code\":502}}"
                    .into(),
            ],
                "model_error",
            ),
            ("an error as a reason", vec![finish("error")], "model_error"),
            ("no JSON", vec!["nonsense".into()], "model_error"),
            ("half of JSON", vec!["{\"choices\":[".into()], "model_error"),
            ("HTML in an event", vec!["<html></html>".into()], "model_error"),
            ("a member twice", vec!["{\"choices\":[],\"choices\":[]}".into()], "model_error"),
            ("nested too deep", vec![format!("{}{}", "[".repeat(100), "]".repeat(100))], "model_error"),
            ("arguments without a name", with_end(vec![calls("0|c1|-|{\"a\":1}")], "tool_calls"), "model_error"),
            (
                "a name that changes",
                with_end(vec![calls("0|c1|refund|{\"a\""), calls("0|c1|get_time|:1}")], "tool_calls"),
                "model_error",
            ),
            (
                "too many calls",
                with_end((0..=MODEL_CALLS_MAX).map(|n| calls(&format!("{n}|c{n}|get_time|{{}}"))).collect(), "stop"),
                "model_error",
            ),
        ] {
            check(name, &events, Err(code));
        }
        let half = text(&"x".repeat(MODEL_TURN_BYTES_MAX / 2 + 1));
        let huge = stream(&with_end(vec![half.clone(), half], "stop"), "\n");
        assert_eq!(read("text/event-stream", &[huge.as_bytes()]).unwrap_err().code, "model_error");
        let most = with_end((0..MODEL_CALLS_MAX).map(|n| calls(&format!("{n}|c{n}|get_time|{{}}"))).collect(), "stop");
        assert_eq!(
            read("text/event-stream", &[stream(&most, "\n").as_bytes()]).unwrap().len(),
            MODEL_CALLS_MAX * 3 + 1
        );
    }

    #[test]
    fn an_error_event_is_an_error_by_its_name() {
        let bytes = b"event: error\ndata: {\"message\":\"boom\"}\n\n";
        let found = read("text/event-stream", &[bytes]).unwrap_err();
        assert_eq!((found.code, found.message.as_str()), ("model_error", "The model reports an error: boom"));
    }

    #[test]
    fn events_without_blank_lines_between_them() {
        let events = with_end(vec![text("a"), calls("0|c1|refund|{}")], "stop");
        let packed: String = events.iter().map(|event| format!("data: {event}\n")).collect();
        assert_eq!(told(&read("text/event-stream", &[packed.as_bytes()]).unwrap()), "a refund({})");
        // One event whose JSON goes over two lines is still one.
        let folded = "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
        assert_eq!(told(&read("text/event-stream", &[folded.as_bytes()]).unwrap()), "a");
    }

    #[test]
    fn an_answer_that_is_not_streamed() {
        let message = json!({ "role": "assistant", "content": "Yes.", "tool_calls": [piece("-|c1|refund|{\"a\":1}"), piece("-|c2|get_time|")] });
        let usage = json!({ "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 });
        let whole =
            json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }], "usage": usage })
                .to_string();
        for media_type in ["application/json", "Application/JSON; charset=utf-8"] {
            let (one, other) = whole.as_bytes().split_at(40);
            let deltas = read(media_type, &[one, other]).unwrap();
            assert_eq!(told(&deltas), r#"Yes. refund({"a":1}) get_time({})"#);
            let usage = Usage { input: Some(3), output: Some(2), total: Some(5), ..Usage::default() };
            assert!(deltas.contains(&Delta::Usage(usage)));
        }
        assert_eq!(told(&read("application/json", &[b"{\"response\":\"Hi\"}"]).unwrap()), "Hi");
        for (body, code) in [
            ("", "model_stream_cut"),
            ("{}", "model_stream_cut"),
            ("{\"choices\":[]}", "model_stream_cut"),
            ("{\"choices\":[{\"message\":{\"content\":\"a\"}}]}", "model_stream_cut"),
            ("{\"error\":{\"message\":\"m\"}}", "model_error"),
            ("<html>", "model_error"),
        ] {
            assert_eq!(read("application/json", &[body.as_bytes()]).unwrap_err().code, code, "{body}");
        }
        assert_eq!(TurnReader::new("text/html; charset=utf-8", vec![], [0; 16]).unwrap_err().code, "model_error");
    }

    #[test]
    fn calls_are_told_of_as_they_come() {
        let mut turn = reader("text/event-stream");
        let mut push = |event: String| turn.push(stream(&[event], "\n").as_bytes()).unwrap();
        assert_eq!(push(calls("0|c1|get_weather|")), []);
        let started = push(calls("0|-|-|{\"a\""));
        assert!(
            matches!(&started[..], [Delta::CallStarted { name, .. }, Delta::CallArguments { text, .. }] if name == "get_weather" && text == "{\"a\"")
        );
        // A name that was not offered may go on; a call behind it waits for it.
        assert_eq!(push(calls("1|c2|fly|{}")), []);
        assert_eq!(push(calls("2|c3|refund|{}")), []);
        assert!(matches!(&push(calls("0|-|-|:1}"))[..], [Delta::CallArguments { text, .. }] if text == ":1}"));
        assert_eq!(push(finish("stop")), []);
        assert_eq!(push(DONE.to_owned()).len(), 8);
    }

    #[test]
    fn what_an_endpoint_wants_back_is_told_of_once() {
        let call = |mut call: Value, extra: Value| {
            call["extra_content"] = extra;
            delta(json!({ "tool_calls": [call] }))
        };
        let signed = |with: &str| json!({ "google": { "thought_signature": with } });
        let events = vec![
            delta(json!({ "role": "assistant", "reasoning_content": "" })),
            delta(json!({ "reasoning_content": "hm" })),
            call(piece("0|c1|get_weather|{\"a\""), signed("Ab+/=")),
            calls("0|-|-|:1}"),
            call(piece("1|c2|refund|"), Value::Null),
            call(piece("1|-|-|{}"), signed("late")),
        ];
        let expected = r#"{<hm} get_weather(<{"google":{"thought_signature":"Ab+/="}}>{"a":1}) refund(<{"google":{"thought_signature":"late"}}>{})"#;
        check("signed", &with_end(events, "tool_calls"), Ok(expected));
        let long = |bytes: usize| with_end(vec![call(piece("0|c1|get_time|{}"), json!("x".repeat(bytes)))], "stop");
        let most = MODEL_EXTRA_BYTES_MAX - 2;
        assert!(read("text/event-stream", &[stream(&long(most), "\n").as_bytes()]).is_ok());
        check("too large", &long(most + 1), Err("model_error"));
    }

    #[test]
    fn ids_differ_from_turn_to_turn() {
        let id = |entropy: u8| {
            let mut turn = TurnReader::new("", vec![], [entropy; 16]).unwrap();
            let deltas = turn.push(stream(&with_end(vec![calls("0|c1|refund|{}")], "stop"), "\n").as_bytes()).unwrap();
            let Some(Delta::CallStarted { id, .. }) = deltas.first() else { panic!("{deltas:?}") };
            id.clone()
        };
        assert_eq!(id(1), id(1));
        assert_ne!(id(1), id(2));
    }
}

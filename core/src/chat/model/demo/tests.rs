//! The demo model, turn by turn.

#[cfg(test)]
pub mod cases {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;
    use toolgate_protocol::definitions::{Profile, Routing, SideEffect, ToolDefinition};

    use crate::chat::model::demo::*;
    use crate::contract::schema::compile;
    use crate::json::parse;

    /// A server tool as the offer has it: `name field:type …`.
    pub fn server(score: u32, spec: &str) -> OfferedTool {
        let mut words = spec.split(' ');
        let name = words.next().unwrap().to_owned();
        let input: BTreeMap<String, String> =
            words.map(|field| field.split_once(':').unwrap()).map(|(name, kind)| (name.into(), kind.into())).collect();
        let tool = ToolDefinition {
            name: name.clone(),
            description: "Does it.".into(),
            side_effect: SideEffect::ReadOnly,
            input,
            permissions: vec![],
            routing: Routing::default(),
            queue_deadline_seconds: None,
            execution_deadline_seconds: None,
        };
        let definition = RawValue::from_string(compile(&tool, Profile::Openai)).unwrap();
        OfferedTool { name, definition, score, client: false }
    }

    /// A tool of the browser, with texts as fields.
    pub fn browser(spec: &str) -> OfferedTool {
        OfferedTool { client: true, ..server(0, spec) }
    }

    pub fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    /// A call and its result.
    pub fn called(name: &str, result: &str) -> [Message; 2] {
        let id = format!("id_{name}");
        let call = Called { id: id.clone(), name: name.into(), arguments: "{}".into(), extra: None };
        [
            Message::Assistant { text: format!("{LABEL}: I call {name}."), reasoning: None, calls: vec![call] },
            Message::Tool { call: id, name: name.into(), content: result.into() },
        ]
    }

    pub fn said(text: &str) -> Message {
        Message::Assistant { text: format!("{LABEL}: {text}"), reasoning: None, calls: vec![] }
    }

    /// The turn, as a text or as `name(arguments)`, with what must hold of each.
    pub fn told(tools: &[OfferedTool], messages: Vec<Message>) -> String {
        let prompt = Prompt { system: "You are a test.".into(), messages, tools: tools.to_vec() };
        let deltas = turn(&prompt, [3; 16]);
        assert_eq!(deltas, turn(&prompt, [3; 16]), "the same conversation, the same turn");
        assert_eq!(deltas.last(), Some(&Delta::Finished));
        let (mut text, mut call) = (String::new(), String::new());
        for delta in &deltas {
            match delta {
                Delta::Text(more) => text.push_str(more),
                Delta::CallStarted { name, id } => {
                    assert_eq!(id.len(), 9);
                    call = format!("{name}(");
                }
                Delta::CallArguments { text, .. } => call.push_str(text),
                Delta::CallEnded { .. } => {
                    assert!(matches!(parse(call.split_once('(').unwrap().1), Ok(Json::Map(_))), "{call}");
                    call.push(')');
                }
                Delta::Reasoning(_) | Delta::ReasoningReturns | Delta::CallExtra { .. } | Delta::Usage(_) => {
                    panic!("{delta:?}")
                }
                Delta::Finished => {}
            }
        }
        let text = text.strip_prefix("Demo model: ").expect("labelled").to_owned();
        if call.is_empty() { text } else { call }
    }

    fn shop() -> Vec<OfferedTool> {
        vec![
            server(9_000, "refund_order order_id:integer amount:number? reason:string notify:email[]?"),
            server(2_000, "get_order order_id:integer"),
            server(0, "list_products category:string? in_stock:boolean?"),
        ]
    }

    #[test]
    fn what_fits_best_is_picked_wherever_the_offer_has_it() {
        let tools = [server(127, "get_order order_id:integer"), server(696, "refund_order order_id:integer")];
        assert_eq!(told(&tools, vec![user("refund order 7")]), r#"refund_order({"order_id":7})"#);
        let equal = [server(5, "get_order order_id:integer"), server(5, "refund_order order_id:integer")];
        assert_eq!(told(&equal, vec![user("refund order 7")]), r#"get_order({"order_id":7})"#);
    }

    #[test]
    fn fields_are_filled_from_a_text() {
        for (tool, text, expected) in [
            (
                "refund_order order_id:integer amount:number? reason:string",
                "refund order 4711 12.50 because damaged",
                r#"{"amount":12.50,"order_id":4711,"reason":"damaged"}"#,
            ),
            (
                "refund_order order_id:integer amount:number? reason:string",
                "Refund order #4711 due to a broken lid.",
                r#"{"order_id":4711,"reason":"a broken lid"}"#,
            ),
            (
                "refund_order order_id:integer amount:number reason:string",
                "refund 12.50 for order 4711, reason: it was late",
                r#"{"amount":12.50,"order_id":4711,"reason":"it was late"}"#,
            ),
            (
                "refund_order order_id:integer amount:number reason:string",
                "refund 12 of order 4711 since \"too small\"",
                r#"{"amount":12,"order_id":4711,"reason":"too small"}"#,
            ),
            ("get_order order_id:integer", "where is order 9007199254740993?", r#"{"order_id":9007199254740993}"#),
            ("get_order order_id:integer", "order id: 7", r#"{"order_id":7}"#),
            ("get_order order_id:integer", "4711", r#"{"order_id":4711}"#),
            ("get_order order_id:string", "get order A-17", r#"{"order_id":"A-17"}"#),
            ("get_order order_id:string", "show me A-17 please", r#"{"order_id":"A-17"}"#),
            ("get_weather city:string", "weather in Rome", r#"{"city":"Rome"}"#),
            ("get_weather city:string", "What is the weather in New York today?", r#"{"city":"New York"}"#),
            ("get_weather city:string", "weather in rome", r#"{"city":"rome"}"#),
            ("get_weather city:string", "weather for the city \"San José\"", r#"{"city":"San José"}"#),
            ("get_weather city:string", "weather, city: Oslo", r#"{"city":"Oslo"}"#),
            ("find_customer email:email", "find bob@example.com.", r#"{"email":"bob@example.com"}"#),
            (
                "find_customer customer_name:string",
                "find the customer named Bob Stone",
                r#"{"customer_name":"Bob Stone"}"#,
            ),
            (
                "add_note order_id:integer note:string",
                "add a note to order 12: \"call back\"",
                r#"{"note":"call back","order_id":12}"#,
            ),
            (
                "book nights:integer from:date guests:integer",
                "book 3 nights from 2026-02-01 for 2 guests",
                r#"{"from":"2026-02-01","guests":2,"nights":3}"#,
            ),
            ("plan start:datetime", "plan at 2026-01-31T09:30:00Z", r#"{"start":"2026-01-31T09:30:00Z"}"#),
            (
                "open id:uuid",
                "open 123e4567-e89b-12d3-a456-426614174000",
                r#"{"id":"123e4567-e89b-12d3-a456-426614174000"}"#,
            ),
            ("fetch page:url", "fetch https://example.com/a", r#"{"page":"https://example.com/a"}"#),
            ("switch light:boolean", "switch the light on", r#"{"light":true}"#),
            ("switch light:boolean", "no light please", r#"{"light":false}"#),
            ("total numbers:number[]", "total of 1, 2.5 and 3", r#"{"numbers":[1,2.5,3]}"#),
            ("mail to:email[]", "mail a@example.com and b@example.com", r#"{"to":["a@example.com","b@example.com"]}"#),
            ("search_docs query:string", "find the page on leases", r#"{"query":"find the page on leases"}"#),
            ("store data:json", "store {\"a\":[1,2]} now", r#"{"data":{"a":[1,2]}}"#),
            ("ping", "ping", "{}"),
            ("many a:string? b:integer? c:boolean?", "do it", "{}"),
        ] {
            let tools = [server(5, tool)];
            let name = tools[0].name.clone();
            assert_eq!(told(&tools, vec![user(text)]), format!("{name}({expected})"), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_found_is_asked_for() {
        for (tool, text, expected) in [
            (
                "get_order order_id:integer",
                "show the order",
                "To call get_order I still need order_id (a whole number).",
            ),
            (
                "refund_order order_id:integer amount:number reason:string",
                "refund order 4711",
                "To call refund_order I still need amount (a number); reason (a text).",
            ),
            (
                "plan start:datetime end:date",
                "plan something",
                "To call plan I still need end (a date, YYYY-MM-DD); start (a date and time, RFC 3339).",
            ),
            (
                "send to:email page:url id:uuid",
                "send it",
                "To call send I still need id (a UUID); page (a URL); to (an e-mail address).",
            ),
            ("switch on:boolean data:json", "do", "To call switch I still need data (a JSON value); on (yes or no)."),
            ("get_order order_id:integer", "order 12.50", "To call get_order I still need order_id (a whole number)."),
        ] {
            assert_eq!(told(&[server(5, tool)], vec![user(text)]), expected, "{text}");
        }
    }

    #[test]
    fn an_answer_to_such_a_question_goes_on() {
        let ask = "To call refund_order I still need reason (a text).";
        let before = || vec![user("refund order 4711 12.50"), said(ask)];
        let with = |text: &str| {
            let mut all = before();
            all.push(user(text));
            all
        };
        assert_eq!(told(&shop(), before().into_iter().take(1).collect()), ask);
        assert_eq!(
            told(&[server(0, "refund_order order_id:integer amount:number? reason:string")], with("because damaged")),
            r#"refund_order({"amount":12.50,"order_id":4711,"reason":"damaged"})"#
        );
        // Another wish is another wish.
        let tools = [server(7, "get_order order_id:integer"), server(0, "refund_order order_id:integer reason:string")];
        assert_eq!(told(&tools, with("get order 5")), r#"get_order({"order_id":5})"#);
        // It goes on until all is there.
        let mut still = vec![
            user("refund order"),
            said("To call refund_order I still need order_id (a whole number); reason (a text)."),
        ];
        still.push(user("4711"));
        assert_eq!(
            told(&[server(0, "refund_order order_id:integer reason:string")], still),
            "To call refund_order I still need reason (a text)."
        );
        // A tool that is not offered any more.
        assert!(told(&[], with("because damaged")).starts_with("I am no real model"));
    }

    #[test]
    fn the_tool_that_fits_best() {
        let location = || browser("get_current_location");
        let approval = || browser("request_user_approval action:string details:string?");
        let clipboard = || browser("copy_to_clipboard text:string");
        let all = || {
            let mut all = shop();
            all.extend([location(), approval(), clipboard()]);
            all
        };
        for (tools, text, expected) in [
            (shop(), "refund order 4711 because late", r#"refund_order({"order_id":4711,"reason":"late"})"#),
            (shop()[1..].to_vec(), "order 4711", r#"get_order({"order_id":4711})"#),
            (shop()[2..].to_vec(), "which products are there", "list_products({})"),
            (
                shop()[2..].to_vec(),
                "hello",
                "I am no real model: I pick a tool by the words of a text, and none fits this one. There are list_products.",
            ),
            (vec![], "hello", "I am no real model, and no tools are offered here, so there is nothing that I can do."),
            (all(), "Where am I?", "get_current_location({})"),
            (all(), "what is my current location", "get_current_location({})"),
            (
                shop()[2..].to_vec(),
                "where am I?",
                "I am no real model: I pick a tool by the words of a text, and none fits this one. There are list_products.",
            ),
            (all(), "copy \"abc\" to the clipboard", r#"copy_to_clipboard({"text":"abc"})"#),
            (
                all(),
                "ask me before you refund order 4711",
                r#"request_user_approval({"action":"ask me before you refund order 4711"})"#,
            ),
            (
                all(),
                "I want my approval for that",
                r#"request_user_approval({"action":"I want my approval for that"})"#,
            ),
            (
                vec![approval()],
                "hello",
                "I am no real model: I pick a tool by the words of a text, and none fits this one. There are request_user_approval.",
            ),
        ] {
            assert_eq!(told(&tools, vec![user(text)]), expected, "{text}");
        }
        assert_eq!(told(&shop(), vec![]), "Ask me something.");
    }

    #[test]
    fn results_are_told() {
        for (result, expected) in [
            (r#"{"status":"shipped","order_id":4711}"#, "get_order answered: order id 4711, status shipped."),
            (r#"{"items":[1,2]}"#, r#"get_order answered: {"items":[1,2]}"#),
            ("[]", "get_order answered: []"),
            ("{}", "get_order answered: {}"),
            ("9007199254740993", "get_order answered: 9007199254740993"),
            (r#""all well""#, "get_order answered: all well"),
            (r#"{"note":null,"ok":true}"#, "get_order answered: note –, ok true."),
            (
                r#"{"error":{"code":"not_granted","message":"The agent may not."}}"#,
                "get_order failed: The agent may not.",
            ),
            (r#"{"error":"user denied"}"#, "get_order failed: user denied"),
            (r#"{"error":{"code":7}}"#, r#"get_order failed: {"error":{"code":7}}"#),
            (r#"{"error":null,"ok":true}"#, "get_order answered: error –, ok true."),
            (r#"{"decision":"rejected"}"#, "You rejected it, so nothing was done."),
            (r#"{"latitude":52.5,"longitude":13.4,"accuracy":20}"#, "You are at latitude 52.5, longitude 13.4."),
            ("The call waits for a person to approve it.", "get_order: The call waits for a person to approve it."),
            ("", "get_order: "),
        ] {
            let mut messages = vec![user("get order 4711")];
            messages.extend(called("get_order", result));
            assert_eq!(told(&shop(), messages), expected, "{result}");
        }
        let long = format!("\"{}\"", "é".repeat(1_000));
        let mut messages = vec![user("get order 4711")];
        messages.extend(called("get_order", &long));
        assert_eq!(told(&shop(), messages).chars().count(), 300 + "get_order answered: …".chars().count());
    }

    #[test]
    fn after_a_yes_the_thing_itself_follows_once() {
        let mut tools = shop();
        tools.push(browser("request_user_approval action:string"));
        let mut messages = vec![user("ask me, then refund order 4711 because late")];
        messages.extend(called("request_user_approval", r#"{"decision":"approved"}"#));
        assert_eq!(told(&tools, messages.clone()), r#"refund_order({"order_id":4711,"reason":"late"})"#);
        messages.extend(called("refund_order", r#"{"refunded":true}"#));
        assert_eq!(told(&tools, messages), "You approved it.\n\nrefund_order answered: refunded true.");
        let mut rejected = vec![user("ask me, then refund order 4711 because late")];
        rejected.extend(called("request_user_approval", r#"{"decision":"rejected"}"#));
        assert_eq!(told(&tools, rejected), "You rejected it, so nothing was done.");
    }

    #[test]
    fn it_never_goes_round() {
        let mut tools = shop();
        tools.extend([
            server(9, "get_database_schema"),
            server(9, "execute_query query:string"),
            server(9, "create_chart config:json"),
        ]);
        tools.extend([browser("get_current_location"), browser("request_user_approval action:string")]);
        for text in ["refund order 1 because x", "Where am I", "ask me", "how many rows by kind, as a chart", "hello"] {
            for result in [
                r#"{"ok":1}"#,
                r#"{"error":"x"}"#,
                r#"{"decision":"approved"}"#,
                "waits",
                r#"{"tables":[]}"#,
                r#"{"columns":[],"rows":[]}"#,
            ] {
                let mut messages = vec![user(text)];
                let mut steps = 0;
                loop {
                    let next = told(&tools, messages.clone());
                    let Some((name, _)) = next.split_once("({").or(next.split_once("({})")) else { break };
                    if !tools.iter().any(|tool| tool.name == name) {
                        break;
                    }
                    messages.extend(called(name, result));
                    steps += 1;
                    assert!(steps <= STEPS_MAX, "{text} {result}");
                }
            }
        }
    }

    #[test]
    fn long_and_odd_texts_take_no_time() {
        let tools = [
            server(5, "do data:json numbers:number[]? name:string? order_id:integer?"),
            server(4, "execute_query query:string"),
        ];
        for piece in ["[\"", "{", "1 ", "\"", "a=", "Xx ", "]", "because ", "\u{130} because "] {
            assert!(!told(&tools, vec![user(&piece.repeat(16_000))]).is_empty(), "{piece}");
            assert!(
                !told(&tools, vec![user(&format!("{}{}", piece.repeat(8_000), "]".repeat(8_000)))]).is_empty(),
                "{piece}"
            );
        }
    }

    #[test]
    fn text_and_arguments_come_in_pieces() {
        let prompt = Prompt {
            system: String::new(),
            messages: vec![user("refund order 4711 12.50 because it was damaged")],
            tools: shop(),
        };
        let deltas = turn(&prompt, [0; 16]);
        let count = |of: fn(&Delta) -> bool| deltas.iter().filter(|delta| of(delta)).count();
        assert!(count(|delta| matches!(delta, Delta::Text(_))) >= 2);
        assert!(count(|delta| matches!(delta, Delta::CallArguments { .. })) >= 2);
        assert_ne!(turn(&prompt, [1; 16]), deltas, "ids are of the turn");
    }
}

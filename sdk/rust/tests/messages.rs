//! The three messages and what is answered to each.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failed test panics")]
#![allow(clippy::arithmetic_side_effects, reason = "a failed test panics")]

mod support;

use serde_json::{Value, json};
use support::{NOW, PRINCIPAL, Request, block_on, call, call_request, secret, shop, signed_reply, signed_text};
use toolgate_sdk::signing::{Refused, verify};
use toolgate_sdk::{
    Activity, CallContext, Endpoint, HandlerError, Message, Receiver, Secret, SideEffect, Tool, ask_client,
};

#[test]
fn a_challenge_gets_its_nonce_back() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let body = r#"{"type":"endpoint.challenge","reply_id":"re_1","nonce":"é\"n"}"#;
    let answer = Request::signed(&[secret(1)], "msg_1", NOW, body).sent_to(&endpoint, NOW);
    assert_eq!(signed_text(&answer, &secret(1), "re_1", NOW), r#"{"nonce":"é\"n"}"#);
    assert_eq!(answer.log, None);
}

#[test]
fn the_manifest_is_named_by_its_hash_and_so_are_replies() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let body = r#"{"type":"tools.manifest","reply_id":"re_1"}"#;
    let answer = Request::signed(&[secret(1)], "msg_1", NOW, body).sent_to(&endpoint, NOW);
    let text = signed_text(&answer, &secret(1), "re_1", NOW);
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(reply.as_object().unwrap().keys().collect::<Vec<_>>(), ["contexts", "hash", "tools"]);
    let hash = reply["hash"].as_str().unwrap();
    let manifest = text.replace(&format!(r#","hash":"{hash}""#), "");
    assert_eq!(hash, toolgate_core::hash::sha256_hex(manifest.as_bytes()));
    assert_eq!(hash, endpoint.manifest_hash());
    let refund = json!({"name":"refund_order","description":"Refund an order.","side_effect":"consequential",
        "input":{"order_id":"integer"},"permissions":["refunds:write"],"routing":{"keywords":["money back"]}});
    assert_eq!(reply["tools"][2], refund);
    let read = toolgate_core::registration::read_manifest(&manifest);
    assert!(read.tools.len() == 4 && read.tools.iter().all(|(_, tool)| tool.is_ok()));
    let answer = call_request("get_order", "call_1", "re_2", r#"{"order_id":7}"#, "read_only").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&answer, "re_2"), json!({"result":7,"manifest":hash}));
}

#[test]
fn a_call_is_run_with_all_that_came_with_it() {
    let tool = Tool::new("whoami", SideEffect::ReadOnly).description("d").handler(
        async |arguments: Value, context: CallContext| {
            assert_eq!(arguments, json!({}));
            assert_eq!(context.principal.raw.get(), PRINCIPAL);
            assert_eq!(context.principal.read::<Value>().unwrap()["account"], 9_007_199_254_740_993_u64);
            let principal = context.principal;
            Ok::<_, HandlerError>(json!([
                context.call_id,
                context.tool,
                context.run,
                context.attempt,
                context.side_effect,
                context.deadline_seconds,
                principal.id,
                principal.tenant_id,
                principal.permissions
            ]))
        },
    );
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    let answer = call_request("whoami", "call_1", "re_1", "{}", "read_only").sent_to(&endpoint, NOW);
    let wanted = json!(["call_1", "whoami", "run_1", 1, "read_only", 15, "u1", "t1", ["refunds:write"]]);
    assert_eq!(signed_reply(&answer, "re_1")["result"], wanted);
}

#[test]
fn numbers_and_texts_arrive_as_they_were_sent() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    for digits in ["9007199254740993", "2512292042121000001", "18446744073709551615"] {
        let request = call_request("get_order", "call_1", "re_1", &format!(r#"{{"order_id":{digits}}}"#), "read_only");
        let text =
            signed_text(&request.sent_to(&shop(vec![secret(1)]).0.build().unwrap(), NOW), &secret(1), "re_1", NOW);
        assert!(text.starts_with(&format!(r#"{{"result":{digits},"#)), "{text}");
    }
    let escaped = r#"{"value":[1e400,1.0,-0,-9223372036854775808,"\ud800","\u2028","é😀","</script>&"]}"#;
    let literal = "{\"value\":\"\u{2028}\u{2029}\u{feff}👩\u{200d}🔧\u{7f}\u{80}\"}";
    for (id, raw) in [("call_2", escaped), ("call_4", literal)] {
        let answer = call_request("echo", id, "re_2", raw, "read_only").sent_to(&endpoint, NOW);
        let text = signed_text(&answer, &secret(1), "re_2", NOW);
        assert!(text.starts_with(&format!(r#"{{"result":{raw},"manifest":""#)), "{text}");
    }
    let large = format!(r#"{{"value":"{}"}}"#, "x".repeat(256 * 1024 - 12));
    let answer = call_request("echo", "call_3", "re_3", &large, "read_only").sent_to(&endpoint, NOW);
    assert!(signed_text(&answer, &secret(1), "re_3", NOW).contains(&large));
}

#[test]
fn a_byte_order_mark_is_signed_and_is_no_part_of_the_message() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    for (body, wanted) in [
        (r#"{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}"#.to_owned(), r#"{"nonce":"n"}"#),
        (call("echo", "call_1", "re_1", r#"{"value":1}"#, "read_only"), r#"{"result":{"value":1},"manifest":"#),
    ] {
        let answer = Request::signed(&[secret(1)], "call_1", NOW, format!("\u{feff}{body}")).sent_to(&endpoint, NOW);
        let text = signed_text(&answer, &secret(1), "re_1", NOW);
        assert!(text.starts_with(wanted), "{text}");
    }
}

#[test]
fn members_of_a_later_gateway_are_ignored() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let body = call("get_order", "call_1", "re_1", r#"{"order_id":7}"#, "read_only");
    let body = body.replace(r#""attempt":1"#, r#""attempt":1,"trace":{"id":1e400}"#);
    let answer = Request::signed(&[secret(1)], "call_1", NOW, body).sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&answer, "re_1")["result"], 7);
}

#[test]
fn a_read_asks_its_client_and_is_given_the_answer_with_its_own_state() {
    let tool = Tool::new("greet", SideEffect::ReadOnly).description("d").handler_with_activity(
        async |_: Value, context: CallContext| match context.input {
            None => {
                let form = json!({ "name": { "method": "elicitation/create", "params": { "message": "Your name?" } } });
                Ok((Value::Null, Some(ask_client(&form, Some(&9_007_199_254_740_993_u64))?)))
            }
            Some(input) => {
                let state = input.state.map(|state| state.get().to_owned());
                Ok::<_, HandlerError>((json!([input.responses.get(), state]), None))
            }
        },
    );
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    let answer = call_request("greet", "call_1", "re_1", "{}", "read_only").sent_to(&endpoint, NOW);
    let text = signed_text(&answer, &secret(1), "re_1", NOW);
    let asked = r#"{"type":"application/vnd.modelcontextprotocol.input-required+json","content":{"inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Your name?"}}},"requestState":9007199254740993}}"#;
    assert!(text.starts_with(&format!(r#"{{"result":null,"activity":{asked}"#)), "{text}");
    let responses = r#"{"name":{"action":"accept","content":{"n":1e400}}}"#;
    let body = call("greet", "call_2", "re_2", "{}", "read_only")
        .replace(r#""attempt":1"#, &format!(r#""input":{{"responses":{responses},"state":1e400}},"attempt":1"#));
    let answer = Request::signed(&[secret(1)], "call_2", NOW, body).sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&answer, "re_2")["result"], json!([responses, "1e400"]));
}

#[test]
fn what_cannot_be_run_is_told_to_a_signed_caller() {
    let (builder, ran) = shop(vec![secret(1)]);
    let endpoint = builder.build().unwrap();
    let hash = endpoint.manifest_hash().to_owned();
    let good = r#"{"order_id":7}"#;
    for (body, code) in [
        (call("nothing", "call_1", "re_1", good, "read_only"), "unknown_tool"),
        (call("get_order", "call_1", "re_1", r#"{"order_id":"7"}"#, "read_only"), "invalid_arguments"),
        (call("get_order", "call_1", "re_1", r#"{"order_id":1.0}"#, "read_only"), "invalid_arguments"),
        (call("get_order", "call_1", "re_1", "{}", "read_only"), "invalid_arguments"),
        (call("get_order", "call_1", "re_1", good, "read_only").replace(r#""id":"u1","#, ""), "malformed_message"),
    ] {
        let reply = signed_reply(&Request::signed(&[secret(1)], "call_1", NOW, body).sent_to(&endpoint, NOW), "re_1");
        assert_eq!((&reply["error"]["code"], &reply["manifest"]), (&json!(code), &json!(hash)), "{reply}");
        assert_eq!(reply.as_object().unwrap().len(), 2);
    }
    for (body, code) in [
        (call("get_order", "call_1", "re_1", good, "sideways"), "malformed_message"),
        (r#"{"type":"tool.call","reply_id":"re_1"}"#.to_owned(), "malformed_message"),
        (r#"{"type":"endpoint.challenge","reply_id":"re_1"}"#.to_owned(), "malformed_message"),
        (r#"{"type":"tool.cancel","reply_id":"re_1"}"#.to_owned(), "unknown_message"),
    ] {
        let answer = Request::signed(&[secret(1)], "call_1", NOW, body).sent_to(&endpoint, NOW);
        assert_eq!(signed_reply(&answer, "re_1")["error"]["code"], code);
        assert!(answer.log.is_some());
    }
    assert!(ran.borrow().is_empty());
}

#[test]
fn a_write_that_the_gateway_takes_for_less_is_not_run() {
    let (builder, ran) = shop(vec![secret(1)]);
    let endpoint = builder.build().unwrap();
    for (tool, class) in
        [("refund_order", "reversible_write"), ("refund_order", "read_only"), ("add_note", "read_only")]
    {
        let answer = call_request(tool, "call_1", "re_1", r#"{"order_id":7}"#, class).sent_to(&endpoint, NOW);
        assert_eq!(signed_reply(&answer, "re_1")["error"]["code"], "side_effect_changed");
    }
    assert!(ran.borrow().is_empty());
    let answer =
        call_request("get_order", "call_1", "re_1", r#"{"order_id":7}"#, "consequential").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&answer, "re_1")["result"], 7);
}

#[test]
fn a_handlers_no_is_its_word() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let answer = call_request("get_order", "call_1", "re_1", r#"{"order_id":0}"#, "read_only").sent_to(&endpoint, NOW);
    let error = json!({"message":"There is no order 0.","code":"unknown_order"});
    assert_eq!(signed_reply(&answer, "re_1"), json!({"error":error,"manifest":endpoint.manifest_hash()}));
}

#[test]
fn something_for_the_screen_goes_beside_the_result() {
    let tool = Tool::new("chart", SideEffect::ReadOnly).description("d").handler_with_activity(
        async |_: Value, _: CallContext| {
            let content = serde_json::value::to_raw_value(&json!({"series":[1]})).map_err(|_| "no chart")?;
            Ok((7, Some(Activity { kind: "application/json+echart".into(), content })))
        },
    );
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    let answer = call_request("chart", "call_1", "re_1", "{}", "read_only").sent_to(&endpoint, NOW);
    let reply = signed_reply(&answer, "re_1");
    assert_eq!(reply["activity"], json!({"type":"application/json+echart","content":{"series":[1]}}));
    assert_eq!(reply["result"], 7);
}

#[test]
fn the_reply_is_as_fresh_as_the_end_of_the_handler() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let request = call_request("get_order", "call_1", "re_1", r#"{"order_id":7}"#, "read_only");
    let clock = std::cell::Cell::new(NOW);
    let answer = block_on(endpoint.handle_with_clock(request.headers, &request.body, || clock.replace(NOW + 20)));
    assert_eq!(answer.header("webhook-timestamp"), Some((NOW + 20).to_string().as_str()));
    assert_eq!(signed_reply(&answer, "re_1")["result"], 7);
}

#[test]
fn while_a_secret_is_rotated_either_side_may_be_ahead() {
    let (old, new) = (secret(1), secret(2));
    let body = call("get_order", "call_1", "re_1", r#"{"order_id":7}"#, "read_only");
    let (only_old, only_new) = (std::slice::from_ref(&old), std::slice::from_ref(&new));
    let (both, both_new_first) = ([old.clone(), new.clone()], [new.clone(), old.clone()]);
    let cases: [(&[Secret], &[Secret], &Secret); 5] = [
        (&both, only_old, &old),
        (&both, only_new, &new),
        (only_new, &both_new_first, &new),
        (only_old, &both_new_first, &old),
        (&both, &both_new_first, &new),
    ];
    for (signs, holds, replies) in cases {
        let endpoint = shop(holds.to_vec()).0.build().unwrap();
        let answer = Request::signed(signs, "call_1", NOW, body.clone()).sent_to(&endpoint, NOW);
        signed_text(&answer, replies, "re_1", NOW);
        let other = if std::ptr::eq(replies, &raw const old) { &new } else { &old };
        let judged = verify(std::slice::from_ref(other), answer.headers, answer.body.as_bytes(), NOW, 300);
        assert_eq!(judged.unwrap_err(), Refused::WrongSignature);
    }
}

#[test]
fn a_faulty_endpoint_is_not_built() {
    let tool = |name: &str| {
        Tool::new(name, SideEffect::ReadOnly).description("d").handler(async |_: Value, _| Ok::<_, HandlerError>(()))
    };
    let built =
        |tools: Vec<Tool>| Endpoint::builder(vec![secret(1)]).tools(tools).build().err().map(|fault| fault.to_string());
    assert_eq!(built(vec![tool("a"), tool("b")]), None);
    for (tools, at) in [
        (vec![], "endpoint: "),
        (vec![tool("A")], "tool A: name: "),
        (vec![tool("a").description("")], "tool a: description: "),
        (vec![tool("a").input("x", "int")], "tool a: input.x: "),
        (vec![tool("a").input("x", "json").input("x", "json")], "tool a: input.x: is defined twice"),
        (vec![tool("a"), tool("a")], "tool a: is defined twice"),
        (vec![Tool::new("a", SideEffect::ReadOnly).description("d")], "tool a: has no handler"),
        (vec![tool("a").queue_deadline_seconds(0)], "tool a: queue_deadline_seconds: "),
        (vec![tool("a").execution_deadline_seconds(901)], "tool a: execution_deadline_seconds: "),
        ((0..257).map(|n| tool(&format!("t{n}"))).collect(), "manifest: has 257 tools"),
        (
            (0..256)
                .map(|n| tool(&format!("t{n}")).permission("é".repeat(200)).description("é".repeat(2_000)))
                .collect(),
            "manifest: has ",
        ),
    ] {
        let fault = built(tools).unwrap();
        assert!(fault.starts_with(at), "{fault}");
    }
    assert_eq!(Endpoint::builder(vec![]).tool(tool("a")).build().err().unwrap().at, "secrets");
    assert_eq!(Endpoint::builder(vec![secret(1)]).tool(tool("a")).path("x").build().err().unwrap().at, "path");
    for seconds in [0, 3_601] {
        let fault = Endpoint::builder(vec![secret(1)]).tool(tool("a")).tolerance_seconds(seconds).build().err();
        assert_eq!(fault.unwrap().at, "tolerance_seconds");
    }
}

#[test]
fn a_path_is_the_only_one() {
    let endpoint = shop(vec![secret(1)]).0.path("/toolgate").build().unwrap();
    assert!(endpoint.is_at("/toolgate") && !endpoint.is_at("/toolgate/") && !endpoint.is_at("/"));
    assert!(shop(vec![secret(1)]).0.build().unwrap().is_at("/anywhere"));
}

#[test]
fn the_receiver_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>(value: T) -> T {
        value
    }
    let receiver = shared(Receiver::new(vec![secret(1)], 300).unwrap());
    let request = call_request("anything", "call_1", "re_1", "{}", "read_only");
    let received = shared(receiver.receive(request.headers, &request.body, NOW).unwrap());
    assert_eq!((received.id.as_str(), received.timestamp_seconds), ("call_1", NOW));
    assert!(matches!(&received.message, Message::Call(call) if call.tool == "anything"));
    let answer = receiver.reply(&received, r#"{"result":1}"#.to_owned(), NOW);
    assert_eq!(signed_text(&answer, &secret(1), "re_1", NOW), r#"{"result":1}"#);
}

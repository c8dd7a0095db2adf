//! What is refused: without a word to a stranger, with the cause in the endpoint's own log.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failed test panics")]
#![allow(clippy::arithmetic_side_effects, reason = "a failed test panics")]

mod support;

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use support::{NOW, Request, block_on, call_request, secret, shop, signed_reply, signed_text};
use toolgate_sdk::signing::content_digest;
use toolgate_sdk::{Answer, Secret};

const ORDER: &str = r#"{"order_id":7}"#;

fn note() -> Request {
    call_request("add_note", "call_1", "re_1", ORDER, "reversible_write")
}

/// Nothing that was refused ran, and strangers see one answer whatever was wrong.
fn refused(request: &Request, log: &str) -> Answer {
    let (builder, ran) = shop(vec![secret(1)]);
    let answer = request.sent_to(&builder.build().unwrap(), NOW);
    let said = answer.log.clone().unwrap_or_default();
    assert!(said.contains(log), "{said:?} does not say {log:?}");
    assert!(ran.borrow().is_empty());
    assert_eq!((answer.status, answer.body.as_str()), (401, "unauthorized\n"), "{answer:?}");
    assert_eq!(answer.headers, [("content-type", "text/plain; charset=utf-8".to_owned())]);
    answer
}

#[test]
fn a_wrong_key_and_an_altered_body_are_told_apart_in_the_log_only() {
    let wrong = Request::signed(&[secret(9)], "call_1", NOW, note().body);
    let mut altered = note();
    altered.body.push(b'\n');
    let one = refused(&wrong, "the key is wrong: the body is as it was sent");
    let two = refused(&altered, "the body was altered");
    let three = refused(&wrong.without("content-digest"), "the key is wrong or the body was altered");
    assert_eq!((&one.body, &one.headers), (&two.body, &two.headers));
    assert_eq!((&one.body, &one.headers), (&three.body, &three.headers));
    // Whoever alters the body may alter the digest too: it decides nothing.
    let digest = content_digest(&altered.body);
    refused(&altered.without("content-digest").with("content-digest", &digest), "the key is wrong");
}

#[test]
fn a_parsed_and_rewritten_body_is_altered() {
    let mut request = call_request("echo", "call_1", "re_1", r#"{"value":1.0}"#, "read_only");
    let value: Value = serde_json::from_slice(&request.body).unwrap();
    request.body = serde_json::to_vec(&value).unwrap();
    refused(&request, "hand over the raw bytes");
}

#[test]
fn a_header_that_is_missing_or_repeated_is_named() {
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        refused(&note().without(name), &format!("the header {name} is missing"));
        let value = note().headers.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).unwrap().1;
        refused(&note().with(name, &value), &format!("the header {name} is there more than once"));
        let joined = note().without(name).with(name, &format!("{value}, {value}"));
        refused(&joined, &format!("the header {name} is malformed"));
    }
    refused(&Request { headers: vec![], body: vec![] }, "the header webhook-id is missing");
}

#[test]
fn our_own_reply_sent_back_is_no_request() {
    let (builder, ran) = shop(vec![secret(1)]);
    let endpoint = builder.build().unwrap();
    let challenge = r#"{"type":"endpoint.challenge","reply_id":"re_2","nonce":"n"}"#;
    for request in [note(), Request::signed(&[secret(1)], "msg_1", NOW, challenge)] {
        let reply = request.sent_to(&endpoint, NOW);
        let headers = reply.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let ran_before = ran.borrow().len();
        let answer = Request { headers, body: reply.body.into_bytes() }.sent_to(&endpoint, NOW);
        assert_eq!((answer.status, answer.body.as_str()), (400, "bad request\n"));
        assert_eq!(answer.header("webhook-signature"), None);
        assert_eq!(ran.borrow().len(), ran_before);
    }
}

#[test]
fn an_old_request_is_told_so_when_it_is_signed_and_only_then() {
    for (sent, way) in [(NOW - 301, "301 s behind"), (NOW + 301, "301 s ahead of"), (NOW - 360, "360 s behind")] {
        let (builder, ran) = shop(vec![secret(1)]);
        let endpoint = builder.build().unwrap();
        let body = note().body;
        let answer = Request::signed(&[secret(1)], "call_1", sent, body.clone()).sent_to(&endpoint, NOW);
        // Dated as the request: the clock of who sent it must be able to take it.
        assert_eq!(answer.header("webhook-timestamp"), Some(sent.to_string().as_str()));
        let reply: Value = serde_json::from_str(&signed_text(&answer, &secret(1), "re_1", sent)).unwrap();
        assert_eq!(reply["error"]["code"], "stale_timestamp");
        assert!(reply["error"]["message"].as_str().unwrap().contains(way), "{reply}");
        assert_eq!(reply.as_object().unwrap().len(), 1);
        assert!(answer.log.unwrap().contains(way));
        assert!(ran.borrow().is_empty());
        refused(&Request::signed(&[secret(9)], "call_1", sent, body), "the key is wrong");
    }
    for sent in [NOW - 300, NOW + 300] {
        let endpoint = shop(vec![secret(1)]).0.build().unwrap();
        let answer = Request::signed(&[secret(1)], "call_1", sent, note().body).sent_to(&endpoint, NOW);
        assert_eq!(signed_reply(&answer, "re_1")["result"]["order_id"], 7);
    }
    let endpoint = shop(vec![secret(1)]).0.tolerance_seconds(10).build().unwrap();
    let answer = Request::signed(&[secret(1)], "call_1", NOW - 11, note().body).sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&answer, "re_1")["error"]["code"], "stale_timestamp");
}

#[test]
fn a_signed_ping_without_a_body_asks_for_nothing() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let nothing = Answer { status: 204, headers: vec![], body: String::new(), log: None };
    assert_eq!(Request::signed(&[secret(1)], "msg_1", NOW, "").sent_to(&endpoint, NOW), nothing);
    refused(&Request::signed(&[secret(9)], "msg_1", NOW, ""), "the key is wrong");
    refused(&Request::signed(&[secret(1)], "msg_1", NOW - 301, ""), "301 s behind");
}

#[test]
fn what_is_signed_and_no_message_is_not_answered() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    for body in [
        "{}",
        "null",
        "[]",
        "\u{feff}",
        "\u{feff}\u{feff}{\"type\":\"tools.manifest\",\"reply_id\":\"re_1\"}",
        r#"{"type":"tools.manifest"}"#,
        r#"{"type":"tools.manifest","reply_id":"a.b"}"#,
    ] {
        let answer = Request::signed(&[secret(1)], "msg_1", NOW, body).sent_to(&endpoint, NOW);
        assert_eq!((answer.status, answer.header("webhook-signature")), (400, None), "{body}");
    }
    let answer = Request::signed(&[secret(1)], "msg_1", NOW, [0xff, 0xfe]).sent_to(&endpoint, NOW);
    assert_eq!(answer.status, 400);
}

#[derive(Deserialize)]
struct Case {
    name: String,
    secret: Value,
    body_base64: String,
    headers: Vec<(String, String)>,
    now: u64,
    tolerance: u64,
    verdict: String,
}

impl Case {
    /// An endpoint whose secret cannot be read is not built: it refuses everything.
    fn is_accepted(&self) -> bool {
        let texts: Vec<&str> = match &self.secret {
            Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
            text => text.as_str().into_iter().collect(),
        };
        let Ok(secrets) = texts.into_iter().map(Secret::parse).collect::<Result<Vec<_>, _>>() else { return false };
        let Ok(endpoint) = shop(secrets).0.tolerance_seconds(self.tolerance).build() else { return false };
        let body = STANDARD.decode(&self.body_base64).unwrap();
        let answer = block_on(endpoint.handle(self.headers.clone(), &body, self.now));
        assert!(matches!(answer.status, 204 | 400 | 401), "{}: {answer:?}", self.name);
        answer.status != 401
    }
}

#[test]
fn the_vectors_verdict_by_verdict() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/signature-cases.json");
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for verdict in ["accept", "reject"] {
        assert!(cases.iter().any(|case| case.verdict == verdict));
    }
    let wrong: Vec<&str> = cases
        .iter()
        .filter(|case| case.is_accepted() != (case.verdict == "accept"))
        .map(|case| case.name.as_str())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn header_names_come_in_any_case() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    for change in [str::to_lowercase, str::to_uppercase] {
        let mut request = note();
        for (name, _) in &mut request.headers {
            *name = change(name);
        }
        signed_text(&request.sent_to(&endpoint, NOW), &secret(1), "re_1", NOW);
    }
}

//! The official library of Standard Webhooks on the other side of the wire, both ways.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failed test panics")]
#![allow(clippy::arithmetic_side_effects, reason = "a failed test panics")]

mod support;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use standardwebhooks::Webhook;
use support::{Headers, Request, block_on, call, secret, shop};
use toolgate_sdk::Answer;

#[expect(clippy::disallowed_methods, reason = "the library reads the clock itself")]
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

fn library() -> Webhook {
    Webhook::new(&secret(1).to_text()).unwrap()
}

/// A request signed by the library alone.
fn signed_by_the_library(id: &str, now: u64, body: &str) -> Request {
    let signature = library().sign(id, i64::try_from(now).unwrap(), body.as_bytes()).unwrap();
    let headers: Headers = vec![
        ("webhook-id".into(), id.into()),
        ("webhook-timestamp".into(), now.to_string()),
        ("webhook-signature".into(), signature),
    ];
    Request { headers, body: body.into() }
}

fn is_taken_by_the_library(answer: &Answer) -> bool {
    let headers: HeaderMap = answer
        .headers
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
        .collect();
    library().verify(answer.body.as_bytes(), &headers).is_ok()
}

#[test]
fn it_signs_what_we_take_and_takes_what_we_sign() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let now = now();
    for (id, body, member) in [
        ("msg_1", r#"{"type":"endpoint.challenge","reply_id":"re_1","nonce":"é😀"}"#.to_owned(), "nonce"),
        ("msg_2", r#"{"type":"tools.manifest","reply_id":"re_2"}"#.to_owned(), "tools"),
        ("call_1", call("get_order", "call_1", "re_3", r#"{"order_id":9007199254740993}"#, "read_only"), "result"),
        ("call_2", call("nothing", "call_2", "re_4", "{}", "read_only"), "error"),
    ] {
        let answer = signed_by_the_library(id, now, &body).sent_to(&endpoint, now);
        assert!(is_taken_by_the_library(&answer), "{answer:?}");
        let reply: Value = serde_json::from_str(&answer.body).unwrap();
        assert!(reply.get(member).is_some(), "{reply}");
        let mut altered = answer;
        altered.body.push(' ');
        assert!(!is_taken_by_the_library(&altered));
    }
}

#[test]
fn its_header_map_can_be_handed_over_as_it_is() {
    let endpoint = shop(vec![secret(1)]).0.build().unwrap();
    let now = now();
    let request = signed_by_the_library("msg_1", now, r#"{"type":"tools.manifest","reply_id":"re_1"}"#);
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    assert!(is_taken_by_the_library(&block_on(endpoint.handle(&headers, &request.body, now))));
    headers.append("webhook-id", HeaderValue::from_static("msg_1"));
    assert_eq!(block_on(endpoint.handle(&headers, &request.body, now)).status, 401);
}

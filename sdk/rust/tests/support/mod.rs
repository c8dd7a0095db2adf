//! The gateway's side of the wire, and a small shop behind an endpoint.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "each test file uses a part of it; a test may fail")]

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_sdk::signing::{content_digest, sign, verify};
use toolgate_sdk::{Answer, CallContext, Endpoint, EndpointBuilder, HandlerError, Memory, Secret, SideEffect, Tool};

pub const NOW: u64 = 1_700_000_000;
pub const PRINCIPAL: &str =
    r#"{"id":"u1","tenant_id":"t1","permissions":["refunds:write"],"account":9007199254740993}"#;

pub type Headers = Vec<(String, String)>;
/// What the handlers were given: tool, call id, attempt.
pub type Ran = Rc<RefCell<Vec<(String, String, u32)>>>;

/// Polls a future that never waits for anything outside.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    match poll_once(&mut pin!(future)) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits for something that never comes"),
    }
}

pub fn poll_once<F: Future>(future: &mut std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

pub fn secret(byte: u8) -> Secret {
    Secret::from_bytes(&[byte; 32]).unwrap()
}

/// A request as the gateway sends it.
#[derive(Clone)]
pub struct Request {
    pub headers: Headers,
    pub body: Vec<u8>,
}

impl Request {
    pub fn signed(secrets: &[Secret], id: &str, timestamp: u64, body: impl Into<Vec<u8>>) -> Request {
        let body = body.into();
        let headers = [
            ("Content-Type", "application/json".to_owned()),
            ("Content-Digest", content_digest(&body)),
            ("Webhook-Id", id.to_owned()),
            ("Webhook-Timestamp", timestamp.to_string()),
            ("Webhook-Signature", sign(secrets, id, timestamp, &body).unwrap()),
        ];
        Request { headers: headers.map(|(name, value)| (name.to_owned(), value)).to_vec(), body }
    }

    pub fn without(mut self, name: &str) -> Request {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    pub fn with(mut self, name: &str, value: &str) -> Request {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn sent_to<M: Memory>(&self, endpoint: &Endpoint<M>, now: u64) -> Answer {
        block_on(endpoint.handle(self.headers.clone(), &self.body, now))
    }
}

/// The body of a `tool.call`.
pub fn call(tool: &str, call: &str, reply_id: &str, arguments: &str, side_effect: &str) -> String {
    format!(
        r#"{{"type":"tool.call","reply_id":"{reply_id}","call":"{call}","tool":"{tool}","arguments":{arguments},"principal":{PRINCIPAL},"run":"run_1","attempt":1,"side_effect":"{side_effect}","deadline_seconds":15}}"#
    )
}

/// A call at NOW, signed with secret 1.
pub fn call_request(tool: &str, id: &str, reply_id: &str, arguments: &str, side_effect: &str) -> Request {
    Request::signed(&[secret(1)], id, NOW, call(tool, id, reply_id, arguments, side_effect))
}

/// The body of a reply as the gateway takes it: signed with this secret for this `reply_id`.
pub fn signed_text(answer: &Answer, by: &Secret, reply_id: &str, now: u64) -> String {
    let verified = verify(std::slice::from_ref(by), answer.headers.clone(), answer.body.as_bytes(), now, 300);
    let verified = verified.unwrap_or_else(|refused| panic!("{refused}: {answer:?}"));
    assert_eq!((verified.id.as_str(), answer.status), (reply_id, 200), "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    answer.body.clone()
}

/// The same, read.
pub fn signed_reply(answer: &Answer, reply_id: &str) -> Value {
    serde_json::from_str(&signed_text(answer, &secret(1), reply_id, NOW)).unwrap()
}

#[derive(Deserialize)]
pub struct OrderId {
    order_id: u64,
}

#[derive(Deserialize)]
struct Note {
    order_id: u64,
    note: Option<String>,
}

#[derive(Serialize)]
struct Noted {
    order_id: u64,
    note: Option<String>,
    tenant: String,
}

/// An endpoint with a read, a write, a consequential write and an echo of whatever came.
pub fn shop(secrets: Vec<Secret>) -> (EndpointBuilder, Ran) {
    let ran = Ran::default();
    let builder = Endpoint::builder(secrets)
        .tool(get_order(note_in(&ran)))
        .tool(add_note(note_in(&ran)))
        .tool(refund(note_in(&ran)))
        .tool(echo());
    (builder, ran)
}

fn note_in(ran: &Ran) -> impl Fn(&CallContext) + 'static {
    let ran = Rc::clone(ran);
    move |context| ran.borrow_mut().push((context.tool.clone(), context.call_id.clone(), context.attempt))
}

fn get_order(note: impl Fn(&CallContext) + 'static) -> Tool {
    Tool::new("get_order", SideEffect::ReadOnly).description("Look up an order.").input("order_id", "integer").handler(
        async move |OrderId { order_id }: OrderId, context: CallContext| {
            note(&context);
            if order_id == 0 { Err(HandlerError::coded("unknown_order", "There is no order 0.")) } else { Ok(order_id) }
        },
    )
}

fn add_note(note: impl Fn(&CallContext) + 'static) -> Tool {
    Tool::new("add_note", SideEffect::ReversibleWrite)
        .description("Add a note to an order.")
        .input("order_id", "integer")
        .input("note", "string?")
        .handler(async move |arguments: Note, context: CallContext| {
            note(&context);
            Ok(Noted { order_id: arguments.order_id, note: arguments.note, tenant: context.principal.tenant_id })
        })
}

fn refund(note: impl Fn(&CallContext) + 'static) -> Tool {
    Tool::new("refund_order", SideEffect::Consequential)
        .description("Refund an order.")
        .input("order_id", "integer")
        .permission("refunds:write")
        .keyword("money back")
        .handler(async move |OrderId { order_id }: OrderId, context: CallContext| {
            note(&context);
            Ok::<_, HandlerError>(order_id)
        })
}

fn echo() -> Tool {
    Tool::new("echo", SideEffect::ReadOnly)
        .description("Give back what came.")
        .input("value", "json")
        .handler(async |arguments: Box<RawValue>, _: CallContext| Ok::<_, HandlerError>(arguments))
}

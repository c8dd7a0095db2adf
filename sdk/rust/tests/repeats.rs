//! What is asked again: writes run once, reads once per timestamp.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failed test panics")]
#![allow(clippy::arithmetic_side_effects, reason = "a failed test panics")]

mod support;

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use futures_channel::oneshot;
use serde_json::{Value, json};
use support::{NOW, Request, call, call_request, poll_once, secret, shop, signed_reply, signed_text};
use toolgate_sdk::{CallContext, Endpoint, Entry, HandlerError, InMemory, Memory, MemoryFault, Seen, SideEffect, Tool};

const ORDER: &str = r#"{"order_id":7}"#;

fn at(timestamp: u64, tool: &str, reply_id: &str, class: &str) -> Request {
    Request::signed(&[secret(1)], "call_1", timestamp, call(tool, "call_1", reply_id, ORDER, class))
}

#[test]
fn a_write_runs_once_and_each_repeat_gets_a_reply_of_its_own() {
    for (tool, class) in [("add_note", "reversible_write"), ("refund_order", "consequential")] {
        let (builder, ran) = shop(vec![secret(1)]);
        let endpoint = builder.build().unwrap();
        let first = at(NOW, tool, "re_1", class).sent_to(&endpoint, NOW);
        let text = signed_text(&first, &secret(1), "re_1", NOW);
        for (reply_id, now) in [("re_2", NOW), ("re_3", NOW + 5), ("re_4", NOW + 600)] {
            let again = at(now, tool, reply_id, class).sent_to(&endpoint, now);
            assert_eq!(signed_text(&again, &secret(1), reply_id, now), text);
        }
        assert_eq!(*ran.borrow(), [(tool.to_owned(), "call_1".to_owned(), 1)]);
    }
}

#[test]
fn a_captured_write_does_not_run_again_at_any_time() {
    // The same bytes, from the first second in which their timestamp is taken until long after the last.
    let (builder, ran) = shop(vec![secret(1)]);
    let endpoint = builder.build().unwrap();
    let captured = at(NOW + 300, "add_note", "re_1", "reversible_write");
    for now in NOW..NOW + 1_000 {
        let answer = captured.sent_to(&endpoint, now);
        // What is told of a stale one is dated as it.
        let dated = if now > NOW + 600 { NOW + 300 } else { now };
        let reply: Value = serde_json::from_str(&signed_text(&answer, &secret(1), "re_1", dated)).unwrap();
        assert_eq!(reply["error"]["code"] == "stale_timestamp", now > NOW + 600, "{now}");
    }
    assert_eq!(ran.borrow().len(), 1);
}

#[test]
fn a_failed_write_is_remembered_too() {
    let count = Rc::new(Cell::new(0));
    let tool = Tool::new("fail", SideEffect::ReversibleWrite).description("d").handler({
        let count = Rc::clone(&count);
        async move |_: Value, _: CallContext| {
            count.set(count.get() + 1);
            Err::<(), _>(HandlerError::new(format!("no {}", count.get())))
        }
    });
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    for reply_id in ["re_1", "re_2"] {
        let answer = at(NOW, "fail", reply_id, "reversible_write").sent_to(&endpoint, NOW);
        assert_eq!(signed_reply(&answer, reply_id)["error"], json!({"message":"no 1"}));
    }
}

#[test]
fn a_read_runs_once_per_timestamp() {
    let (builder, ran) = shop(vec![secret(1)]);
    let endpoint = builder.build().unwrap();
    for (timestamp, reply_id, runs) in [(NOW, "re_1", 1), (NOW, "re_2", 1), (NOW + 1, "re_3", 2), (NOW + 1, "re_4", 2)]
    {
        let answer = at(timestamp, "get_order", reply_id, "read_only").sent_to(&endpoint, NOW + 1);
        assert_eq!(signed_reply(&answer, reply_id)["result"], 7);
        assert_eq!(ran.borrow().len(), runs, "{reply_id}");
    }
    let other = call_request("get_order", "call_2", "re_5", ORDER, "read_only").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&other, "re_5")["result"], 7);
    assert_eq!(ran.borrow().len(), 3);
}

#[test]
fn what_never_ran_is_not_remembered() {
    let (builder, _) = shop(vec![secret(1)]);
    let endpoint = builder.build().unwrap();
    let weaker = at(NOW, "add_note", "re_1", "read_only").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&weaker, "re_1")["error"]["code"], "side_effect_changed");
    let known = at(NOW, "add_note", "re_2", "reversible_write").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&known, "re_2")["result"]["order_id"], 7);
}

/// A tool whose handler ends when it is told to.
fn slow(class: SideEffect) -> (Tool, Rc<RefCell<Vec<oneshot::Sender<u32>>>>) {
    let started = Rc::new(RefCell::new(Vec::new()));
    let tool = Tool::new("slow", class).description("d").handler({
        let started = Rc::clone(&started);
        async move |_: Value, _: CallContext| {
            let (end, ended) = oneshot::channel();
            started.borrow_mut().push(end);
            ended.await.map_err(|_| HandlerError::new("dropped"))
        }
    });
    (tool, started)
}

#[test]
fn a_write_that_runs_is_neither_run_again_nor_given_an_outcome() {
    let (tool, started) = slow(SideEffect::ReversibleWrite);
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    let request = at(NOW, "slow", "re_1", "reversible_write");
    let mut first = pin!(endpoint.handle(request.headers.clone(), &request.body, NOW));
    assert!(poll_once(&mut first).is_pending());
    let again = at(NOW + 1, "slow", "re_2", "reversible_write").sent_to(&endpoint, NOW + 1);
    assert_eq!((again.status, again.header("webhook-signature")), (503, None));
    assert_eq!((again.body.as_str(), again.header("retry-after")), ("unavailable\n", Some("1")));
    assert!(again.log.unwrap().contains("not run again"));
    assert_eq!(started.borrow().len(), 1);
    started.borrow_mut().remove(0).send(8).unwrap();
    let Poll::Ready(answer) = poll_once(&mut first) else { panic!("the handler has ended") };
    assert_eq!(signed_reply(&answer, "re_1")["result"], 8);
    let later = at(NOW + 2, "slow", "re_3", "reversible_write").sent_to(&endpoint, NOW + 2);
    assert_eq!(signed_reply(&later, "re_3")["result"], 8);
}

#[test]
fn a_write_whose_caller_left_is_not_run_again() {
    let (tool, started) = slow(SideEffect::Consequential);
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    let request = at(NOW, "slow", "re_1", "consequential");
    {
        let mut first = pin!(endpoint.handle(request.headers.clone(), &request.body, NOW));
        assert!(poll_once(&mut first).is_pending());
    }
    assert_eq!(request.sent_to(&endpoint, NOW).status, 503);
    assert_eq!(started.borrow().len(), 1);
}

#[test]
fn a_read_that_runs_may_run_again() {
    let (tool, started) = slow(SideEffect::ReadOnly);
    let endpoint = Endpoint::builder(vec![secret(1)]).tool(tool).build().unwrap();
    let request = at(NOW, "slow", "re_1", "read_only");
    let mut first = pin!(endpoint.handle(request.headers.clone(), &request.body, NOW));
    let mut second = pin!(endpoint.handle(request.headers.clone(), &request.body, NOW));
    assert!(poll_once(&mut first).is_pending() && poll_once(&mut second).is_pending());
    for end in started.borrow_mut().drain(..) {
        end.send(8).unwrap();
    }
    for future in [&mut first, &mut second] {
        let Poll::Ready(answer) = poll_once(future) else { panic!("the handler has ended") };
        assert_eq!(signed_reply(&answer, "re_1")["result"], 8);
    }
}

/// A memory that fails when it is asked, or when it is told.
struct Failing {
    at_begin: bool,
}

impl Memory for Failing {
    async fn begin(&self, _: Entry<'_>) -> Result<Seen, MemoryFault> {
        if self.at_begin { Err(MemoryFault("disk on fire".into())) } else { Ok(Seen::New) }
    }

    async fn finish(&self, _: Entry<'_>, _: &str) -> Result<(), MemoryFault> {
        Err(MemoryFault("disk on fire".into()))
    }
}

#[test]
fn without_its_memory_no_write_begins_and_none_loses_its_reply() {
    for (at_begin, tool, class, runs) in [
        (true, "add_note", "reversible_write", 0),
        (false, "add_note", "reversible_write", 1),
        (true, "get_order", "read_only", 1),
        (false, "get_order", "read_only", 1),
    ] {
        let (builder, ran) = shop(vec![secret(1)]);
        let endpoint = builder.memory(Failing { at_begin }).build().unwrap();
        let answer = at(NOW, tool, "re_1", class).sent_to(&endpoint, NOW);
        assert!(answer.log.as_ref().unwrap().contains("disk on fire"));
        assert_eq!(ran.borrow().len(), runs);
        if runs == 0 {
            assert_eq!((answer.status, answer.header("webhook-signature")), (503, None));
        } else {
            assert!(signed_reply(&answer, "re_1").get("result").is_some());
        }
    }
}

#[test]
fn a_write_that_finds_no_room_did_not_run_and_says_so() {
    let (builder, ran) = shop(vec![secret(1)]);
    let endpoint = builder.memory(InMemory::with_limits(2, 1_000)).build().unwrap();
    for call in ["call_1", "call_2"] {
        let answer = call_request("add_note", call, "re_1", ORDER, "reversible_write").sent_to(&endpoint, NOW);
        assert!(signed_reply(&answer, "re_1").get("result").is_some());
    }
    let answer = call_request("add_note", "call_3", "re_3", ORDER, "reversible_write").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&answer, "re_3")["error"]["code"], "memory_unavailable");
    assert!(answer.log.unwrap().contains("takes no more"));
    // A read needs no room, and what was started is still known.
    let read = call_request("get_order", "call_4", "re_4", ORDER, "read_only").sent_to(&endpoint, NOW);
    assert_eq!(signed_reply(&read, "re_4")["result"], 7);
    let again = call_request("add_note", "call_1", "re_5", ORDER, "reversible_write").sent_to(&endpoint, NOW);
    assert!(signed_reply(&again, "re_5").get("result").is_some());
    assert_eq!(ran.borrow().len(), 3);
    // When their time is over, there is room again.
    let later = at(NOW + 601, "add_note", "re_6", "reversible_write").sent_to(&endpoint, NOW + 601);
    signed_text(&later, &secret(1), "re_6", NOW + 601);
    assert_eq!(ran.borrow().len(), 4);
}

#[test]
fn one_memory_serves_two_endpoints() {
    let memory = Rc::new(InMemory::default());
    let (one, ran_in_one) = shop(vec![secret(1)]);
    let (two, ran_in_two) = shop(vec![secret(1)]);
    let (one, two) = (one.memory(Rc::clone(&memory)).build().unwrap(), two.memory(memory).build().unwrap());
    let first = at(NOW, "add_note", "re_1", "reversible_write").sent_to(&one, NOW);
    let again = at(NOW, "add_note", "re_2", "reversible_write").sent_to(&two, NOW);
    assert_eq!(first.body, again.body);
    assert_eq!((ran_in_one.borrow().len(), ran_in_two.borrow().len()), (1, 0));
}

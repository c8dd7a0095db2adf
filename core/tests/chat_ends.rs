//! How a call of a thread ended is kept beside what the model is shown of it; a row from before that still reads.
#![allow(clippy::unwrap_used, reason = "faults end it")]

use toolgate_core::chat::transcript::{CallItem, Item, Side, Transcript};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::chat::CallEnd;

fn call(id: &str, side: Side) -> CallItem {
    CallItem::new(id.into(), "look".into(), "{}".into(), side, "key".into(), UnixMillis(7))
}

#[test]
fn a_call_keeps_how_it_ended_and_a_row_of_older_days_has_no_end() {
    let old = r#"{"Call":{"id":"a","name":"look","arguments":"{}","side":"Server","key":"key","at":7,"standing":{"Answered":{"message":"m","content":"seen"}},"call":"call_1"}}"#;
    let Item::Call(read) = serde_json::from_str::<Item>(old).unwrap() else { panic!("it is a call") };
    assert_eq!((read.end, read.at_gateway()), (None, Some("call_1")));
    assert_eq!(serde_json::to_string(&Item::Call(read)).unwrap(), old);

    let items = vec![Item::Call(call("s", Side::Server)), Item::Call(call("c", Side::Client))];
    let mut transcript = Transcript::new(items);
    transcript.ended("s", "no such order");
    transcript.take_changed();
    for id in ["s", "c", "nobody"] {
        transcript.ended_as(id, CallEnd::Failed);
    }
    // It is to be written, once; a call of the browser has no end behind the gate.
    let changed = transcript.take_changed();
    assert_eq!(changed.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0]);
    let written = serde_json::to_string(&changed.first().unwrap().1).unwrap();
    let Item::Call(read) = serde_json::from_str::<Item>(&written).unwrap() else { panic!("it is a call") };
    assert_eq!(read.end, Some(CallEnd::Failed));
    transcript.ended_as("s", CallEnd::Failed);
    assert!(transcript.take_changed().is_empty());

    // What the gateway never took was refused; the browser's own is none of its.
    assert_eq!(call("s", Side::Server).refused("no").end, Some(CallEnd::Refused));
    assert_eq!(call("c", Side::Client).refused("no").end, None);
}

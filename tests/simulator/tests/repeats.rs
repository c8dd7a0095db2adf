//! A submission under a key that was used: the call is first what it has become, however much else is due.

use toolgate_core::queue::messages::{Answer, Ask, Submit};
use toolgate_protocol::calls::{CallState, CallView};
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::{DUE_BATCH, QUEUE_DEADLINE_SECONDS};
use toolgate_simulator::pool::{Pool, raw};
use toolgate_simulator::truth::identity;

fn submit(pool: &mut Pool, key: &str) -> CallView {
    let submit = Submit {
        run: None,
        tool: "mark".into(),
        agent: "alice".into(),
        principal: raw(r#"{"id":"u","tenant_id":"t","permissions":["use"]}"#),
        arguments: Some(raw(r#"{"n":1}"#)),
        input: None,
        idempotency_key: Some(key.into()),
        purpose: None,
        profile: None,
        alike: false,
        moves: None,
        wait_seconds: 0,
    };
    match pool.ask(identity(Role::Caller, "caller"), Ask::Submit(submit)) {
        Ok(Answer::Call { view, .. }) => *view,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_that_is_due_has_ended_for_its_repeat_also_when_more_is_due_than_a_step_does() {
    let mut pool = Pool::new();
    // A repeat is two steps at most, with the policy that is fetched for it.
    let calls: Vec<CallView> = (0..DUE_BATCH * 3).map(|n| submit(&mut pool, &format!("k{n}"))).collect();
    let last = calls.last().expect("a call");
    pool.now = pool.now.plus_seconds(QUEUE_DEADLINE_SECONDS);
    let again = submit(&mut pool, &format!("k{}", calls.len() - 1));
    assert_eq!((&again.call, again.state), (&last.call, CallState::Expired));
}

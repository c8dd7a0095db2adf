//! What a client answers to a tool's question: kept with the call, handed out with it, and never part of a write.

use toolgate_core::queue::messages::{Answer, Ask, Submit};
use toolgate_protocol::calls::{CallInput, CallView};
use toolgate_protocol::control::Role;
use toolgate_protocol::workers::{Job, PollRequest};
use toolgate_simulator::pool::{Pool, raw};
use toolgate_simulator::truth::identity;

fn submit(pool: &mut Pool, tool: &str, key: &str, input: Option<(&str, &str)>) -> Result<CallView, &'static str> {
    let submit = Submit {
        run: None,
        tool: tool.into(),
        agent: "alice".into(),
        principal: raw(r#"{"id":"u","tenant_id":"t","permissions":["use"]}"#),
        arguments: Some(raw(r#"{"n":1}"#)),
        input: input.map(|(responses, state)| CallInput { responses: raw(responses), state: Some(raw(state)) }),
        idempotency_key: Some(key.into()),
        purpose: None,
        profile: None,
        alike: false,
        moves: None,
        wait_seconds: 0,
    };
    match pool.ask(identity(Role::Caller, "caller"), Ask::Submit(submit)) {
        Ok(Answer::Call { view, .. }) => Ok(*view),
        Err(problem) => Err(problem.kind.code),
        other => panic!("{other:?}"),
    }
}

fn jobs(pool: &mut Pool) -> Vec<Job> {
    let session = pool.session();
    let poll = PollRequest { session, max: 64, wait_seconds: Some(0), accepts: vec![], results: vec![] };
    match pool.ask(identity(Role::Worker, "worker"), Ask::Poll(poll)) {
        Ok(Answer::Poll(answer)) => answer.jobs,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_is_handed_out_as_it_came_also_by_an_object_built_anew() {
    let mut pool = Pool::new();
    let answer = (r#"{"a":{"id":9007199254740993}}"#, r#"{"e":1e400}"#);
    submit(&mut pool, "look", "k", Some(answer)).expect("a call");
    pool.rebuild();
    let [job] = <[Job; 1]>::try_from(jobs(&mut pool)).expect("one job");
    let input = job.input.expect("its input");
    assert_eq!((input.responses.get(), input.state.expect("its state").get()), answer);
    assert_eq!(job.arguments.get(), r#"{"n":1}"#);
}

#[test]
fn another_answer_is_another_call() {
    let mut pool = Pool::new();
    let first = submit(&mut pool, "look", "k", Some((r#"{"a":{}}"#, "1"))).expect("a call");
    let again = submit(&mut pool, "look", "k", Some((r#"{"a":{}}"#, "1"))).expect("the same");
    assert_eq!(first.call, again.call);
    for other in [Some((r#"{"a":{}}"#, "2")), Some((r#"{"a":{"x":1}}"#, "1")), None] {
        assert_eq!(submit(&mut pool, "look", "k", other).map(|view| view.call), Err("idempotency_conflict"));
    }
}

#[test]
fn a_write_has_none() {
    let mut pool = Pool::new();
    let first = submit(&mut pool, "mark", "k", Some((r#"{"a":{}}"#, "1"))).expect("a call");
    assert_eq!(submit(&mut pool, "mark", "k", None).expect("the same").call, first.call);
    let jobs = jobs(&mut pool);
    assert!(jobs.len() == 1 && jobs.iter().all(|job| job.input.is_none()));
}

//! A read whose tool asks its client, followed as a task; and calls that are watched.

use std::collections::BTreeMap;

use toolgate_core::ids::Place;
use toolgate_core::queue::messages::{Answer, AnswerTask, Ask, Envelope, Submit, TaskView, VERSION, Watched};
use toolgate_core::queue::{Effects, Event, Outcome};
use toolgate_protocol::calls::{Activity, CallState, CallView, INPUT_REQUIRED};
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::{MCP_INPUT_BYTES_MAX, TIMELINE_ENTRIES_MAX};
use toolgate_protocol::workers::{ClaimsRequest, Job, PollRequest, ResultEntry, ResultsRequest};
use toolgate_simulator::pool::{Pool, raw};
use toolgate_simulator::truth::identity;

fn submit(pool: &mut Pool) -> CallView {
    let submit = Submit {
        run: Some("run_a".into()),
        tool: "look".into(),
        agent: "alice".into(),
        principal: raw(r#"{"id":"u","tenant_id":"t","permissions":["use"]}"#),
        arguments: Some(raw(r#"{"n":1}"#)),
        input: None,
        idempotency_key: None,
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

fn jobs(pool: &mut Pool, session: &str) -> Vec<Job> {
    let poll =
        PollRequest { session: session.into(), max: 64, wait_seconds: Some(0), accepts: vec![], results: vec![] };
    match pool.ask(identity(Role::Worker, "worker"), Ask::Poll(poll)) {
        Ok(Answer::Poll(answer)) => answer.jobs,
        Ok(Answer::Idle) => Vec::new(),
        other => panic!("{other:?}"),
    }
}

/// A worker takes the one job there is and ends it: with a question, or with a result.
fn work(pool: &mut Pool, asks: bool) -> Job {
    let session = pool.session();
    let [job] = <[Job; 1]>::try_from(jobs(pool, &session)).expect("one job");
    let entry = ResultEntry {
        claim: job.claim.clone(),
        result: Some(raw("1")),
        error: None,
        activity: asks.then(|| Activity { kind: INPUT_REQUIRED.into(), content: raw("{}") }),
    };
    let results = ResultsRequest { session, results: vec![entry] };
    assert!(pool.ask(identity(Role::Worker, "worker"), Ask::Results(results)).is_ok());
    job
}

fn told(pool: &mut Pool, ask: Ask) -> Result<TaskView, &'static str> {
    match pool.ask(identity(Role::Caller, "caller"), ask) {
        Ok(Answer::Task(task)) => Ok(*task),
        Err(problem) => Err(problem.kind.code),
        other => panic!("{other:?}"),
    }
}

fn answer(pool: &mut Pool, call: &CallView, answered: u32, answers: &[(&str, &str)]) -> Result<TaskView, &'static str> {
    let answers: BTreeMap<_, _> = answers.iter().map(|(key, text)| ((*key).to_owned(), raw(text))).collect();
    let (call, wanted) = (pool.local(call), vec!["a".to_owned(), "b".to_owned()]);
    let (state, gives_up, once) = (Some(raw("1e400")), false, false);
    told(pool, Ask::AnswerTask(AnswerTask { call, answered, answers, wanted, state, gives_up, once }))
}

#[test]
fn answers_are_kept_until_there_are_all_and_then_make_one_call() {
    let mut pool = Pool::new();
    let call = submit(&mut pool);
    let local = pool.local(&call);
    let task = told(&mut pool, Ask::Task(local.clone())).expect("a task");
    assert_eq!((task.asks, task.view.state, task.answered), (false, CallState::Queued, 0));
    assert_eq!(
        answer(&mut pool, &call, 0, &[("a", "{}"), ("b", "{}")]).expect("a task").answered,
        0,
        "nothing is asked"
    );
    work(&mut pool, true);
    let some = answer(&mut pool, &call, 0, &[("a", r#"{"id":9007199254740993}"#), ("c", "{}")]).expect("a task");
    assert_eq!((some.asks, some.has, some.answered), (true, vec!["a".to_owned()], 0));
    pool.rebuild();
    assert_eq!(answer(&mut pool, &call, 1, &[("b", "{}")]).expect("a task").has, ["a"], "another question");
    let all = answer(&mut pool, &call, 0, &[("a", r#"{"id":2}"#), ("b", "{}")]).expect("a task");
    assert_eq!((all.task.as_str(), all.asks, all.view.state, all.answered), (&*call.call, false, CallState::Queued, 1));
    assert_ne!(all.view.call, call.call);
    assert_eq!(answer(&mut pool, &call, 0, &[("b", "{}")]).expect("a task").view.call, all.view.call, "told again");
    pool.rebuild();
    let job = work(&mut pool, true);
    let input = job.input.expect("the answers");
    assert_eq!(
        (job.call.as_str(), job.run.as_deref(), input.responses.get(), input.state.as_deref().map(|state| state.get())),
        (&*all.view.call, Some("run_a"), r#"{"a":{"id":9007199254740993},"b":{}}"#, Some("1e400"))
    );
    assert!(told(&mut pool, Ask::Task(local.clone())).expect("a task").asks, "it asks once more");
    answer(&mut pool, &call, 1, &[("a", "{}"), ("b", "{}")]).expect("a task");
    work(&mut pool, false);
    let ended = told(&mut pool, Ask::Task(local)).expect("a task");
    assert_eq!((ended.asks, ended.view.state, ended.answered), (false, CallState::Succeeded, 2));
}

#[test]
fn a_question_may_be_given_up_and_answers_have_a_size() {
    let mut pool = Pool::new();
    let call = submit(&mut pool);
    work(&mut pool, true);
    let large = format!(r#"{{"x":"{}"}}"#, "x".repeat(MCP_INPUT_BYTES_MAX / 2));
    assert_eq!(answer(&mut pool, &call, 0, &[("a", &large)]).expect("a task").has, ["a"]);
    assert_eq!(answer(&mut pool, &call, 0, &[("b", &large)]).err(), Some("payload_too_large"));
    let local = pool.local(&call);
    assert!(told(&mut pool, Ask::CancelTask(local)).expect("a task").cancelled);
    assert_eq!(answer(&mut pool, &call, 0, &[("a", "{}"), ("b", "{}")]).expect("a task").answered, 0);
    let session = pool.session();
    assert!(jobs(&mut pool, &session).is_empty());
}

#[test]
fn an_answer_that_must_count_is_refused_where_it_changes_nothing() {
    let mut pool = Pool::new();
    let call = submit(&mut pool);
    let local = pool.local(&call);
    let given = |pool: &mut Pool, answered: u32, answers: &[(&str, &str)], gives_up: bool| {
        let answers = answers.iter().map(|(key, text)| ((*key).to_owned(), raw(text))).collect();
        let (call, wanted, state, once) = (local.clone(), vec!["a".to_owned(), "b".to_owned()], None, true);
        told(pool, Ask::AnswerTask(AnswerTask { call, answered, answers, wanted, state, gives_up, once }))
    };
    assert_eq!(given(&mut pool, 0, &[("a", "{}")], false).err(), Some("not_found"), "nothing is asked");
    assert_eq!(given(&mut pool, 0, &[], true).err(), Some("not_found"));
    work(&mut pool, true);
    assert_eq!(given(&mut pool, 0, &[("a", "{}")], false).expect("a task").has, ["a"]);
    pool.rebuild();
    for (answered, answers) in [(0, &[("a", "{}")]), (0, &[("c", "{}")]), (1, &[("b", "{}")])] {
        assert_eq!(given(&mut pool, answered, answers, false).err(), Some("not_found"), "{answers:?}");
    }
    assert_eq!(given(&mut pool, 1, &[], true).err(), Some("not_found"), "another question");
    let next = given(&mut pool, 0, &[("b", "{}")], false).expect("a task");
    assert_eq!((next.answered, next.asks), (1, false));
    assert_eq!(given(&mut pool, 0, &[("b", "{}")], false).err(), Some("not_found"));
    assert_eq!(given(&mut pool, 0, &[], true).err(), Some("not_found"), "the answer was faster");
    work(&mut pool, true);
    let withdrawn = given(&mut pool, 1, &[], true).expect("a task");
    assert!(withdrawn.cancelled && !withdrawn.asks);
    pool.rebuild();
    assert_eq!(given(&mut pool, 1, &[("a", "{}"), ("b", "{}")], false).err(), Some("not_found"), "too late");
    let session = pool.session();
    assert!(jobs(&mut pool, &session).is_empty());
}

fn watch(pool: &mut Pool, call: &CallView, known: usize) -> Effects {
    let (place, who, base_url) = (Place::of("acme", "shop"), identity(Role::Caller, "caller"), String::new());
    let ask = Ask::Watch { call: pool.local(call), known, wait_seconds: 20 };
    pool.step(Event::Ask(Box::new(Envelope { v: VERSION, place, who, base_url, ask })))
}

fn watched(answer: &Answer) -> (CallState, Vec<&str>) {
    let Answer::Watched(watched) = answer else { panic!("{answer:?}") };
    let Watched { view, events, .. } = &**watched;
    (view.state, events.iter().map(String::as_str).collect())
}

#[test]
fn who_watches_is_told_of_each_step() {
    let mut pool = Pool::new();
    let call = submit(&mut pool);
    let Outcome::Reply(Ok(now)) = watch(&mut pool, &call, 0).outcome else { panic!("nothing was known") };
    assert_eq!(watched(&now), (CallState::Queued, vec!["queued"]));
    let Outcome::Hold(name, _) = watch(&mut pool, &call, 1).outcome else { panic!("nothing has happened") };
    let session = pool.session();
    let (place, who, base_url) = (Place::of("acme", "shop"), identity(Role::Worker, "worker"), String::new());
    let poll = PollRequest { session, max: 1, wait_seconds: Some(0), accepts: vec![], results: vec![] };
    let taken =
        pool.step(Event::Ask(Box::new(Envelope { v: VERSION, place, who, base_url, ask: Ask::Poll(poll) }))).answers;
    let [(answered, Ok(told))] = &taken[..] else { panic!("{taken:?}") };
    assert_eq!((*answered, watched(told)), (name, (CallState::Running, vec!["queued", "hand_out"])));
    let Outcome::Hold(name, until) = watch(&mut pool, &call, 2).outcome else { panic!("nothing has happened") };
    pool.now = until;
    let Outcome::Reply(Ok(same)) = pool.step(Event::WaiterDue(name)).outcome else { panic!("it was held") };
    assert_eq!(watched(&same).1.len(), 3, "the lease of 10 s was over by then");
}

#[test]
fn who_watches_is_told_of_what_a_long_timeline_leaves_out() {
    let mut pool = Pool::new();
    let call = submit(&mut pool);
    let session = pool.session();
    let mut known = 0;
    for round in 1..=2 * TIMELINE_ENTRIES_MAX {
        let [job] = <[Job; 1]>::try_from(jobs(&mut pool, &session)).expect("one job");
        let claims = ClaimsRequest { session: session.clone(), claims: vec![job.claim] };
        assert!(pool.ask(identity(Role::Worker, "worker"), Ask::Return(claims)).is_ok());
        let Outcome::Reply(Ok(Answer::Watched(watched))) = watch(&mut pool, &call, known).outcome else {
            panic!("something has happened")
        };
        let news: Vec<_> = watched.since(known).collect();
        let last = [(2 * round, "hand_out"), (2 * round + 1, "return")];
        assert_eq!(news[news.len() - 2..], last, "and nothing is told twice");
        assert_eq!((news.len(), watched.happened), (watched.happened - known, 2 * round + 1));
        known = watched.happened;
        let Outcome::Hold(..) = watch(&mut pool, &call, known).outcome else { panic!("nothing has happened") };
        pool.rebuild();
        pool.ask(identity(Role::Caller, "caller"), Ask::Task(pool.local(&call))).expect("a task");
    }
    let Outcome::Reply(Ok(Answer::Watched(all))) = watch(&mut pool, &call, 0).outcome else { panic!("much happened") };
    assert_eq!((all.events.len(), all.since(0).count()), (TIMELINE_ENTRIES_MAX, TIMELINE_ENTRIES_MAX));
}

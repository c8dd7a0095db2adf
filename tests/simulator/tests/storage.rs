//! What the queue does with storage that holds what cannot be read, or more than one step should take: the pool's time
//! must not stop.

use serde_json::value::RawValue;
use toolgate_core::ids::Place;
use toolgate_core::keys::Identity;
use toolgate_core::queue::messages::{Answer, Ask, Envelope, PoolMessage, Submit, VERSION};
use toolgate_core::queue::sql::SqlStore;
use toolgate_core::queue::store::Store as _;
use toolgate_core::queue::{Effects, Event, Outcome, Queue};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::{DecisionKind, DecisionRequest};
use toolgate_protocol::calls::CallState;
use toolgate_protocol::control::Role;
use toolgate_simulator::port::Sqlite;
use toolgate_simulator::truth::{Policy, identity};
use toolgate_simulator::world::ids;

const START: UnixMillis = UnixMillis(1_764_500_000_000);

fn step(sqlite: &Sqlite, queue: &mut Queue, event: Event, now: UnixMillis, entropy: u8) -> Effects {
    queue.step(&mut SqlStore::new(sqlite, now), event, now, [entropy; 16]).expect("storage")
}

fn ask(who: Identity, ask: Ask) -> Event {
    let place = Place::of("acme", "shop");
    Event::Ask(Box::new(Envelope { v: VERSION, place, who, base_url: "http://gate".into(), ask }))
}

fn submit(n: u32) -> Ask {
    let raw = |text: String| RawValue::from_string(text).expect("json");
    Ask::Submit(Submit {
        run: None,
        tool: "look".into(),
        agent: "alice".into(),
        principal: raw(r#"{"id":"u","tenant_id":"t","permissions":["use"]}"#.into()),
        arguments: Some(raw(format!(r#"{{"n":{n}}}"#))),
        idempotency_key: None,
        purpose: None,
        input: None,
        profile: None,
        alike: false,
        moves: None,
        wait_seconds: 0,
    })
}

#[test]
fn a_record_that_cannot_be_read_is_set_aside_and_the_others_end_in_time() {
    let sqlite = Sqlite::queue();
    let mut queue = Queue::new(ids());
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(Policy::first().snapshot())), START, 1);
    let mut calls = Vec::new();
    for n in 0..3_u8 {
        let effects = step(&sqlite, &mut queue, ask(identity(Role::Caller, "caller"), submit(n.into())), START, 10 + n);
        let Outcome::Reply(Ok(Answer::Call { view, .. })) = effects.outcome else { panic!("{:?}", effects.outcome) };
        calls.push(view.call);
    }
    sqlite
        .0
        .execute_batch("UPDATE calls SET record = 'rubbish' WHERE id = (SELECT min(id) FROM calls)")
        .expect("spoilt");
    let later = START.plus_seconds(61);
    let effects = step(&sqlite, &mut queue, Event::Tick, later, 20);
    assert!(effects.outbox, "somebody is told");
    let told = SqlStore::new(&sqlite, later).outbox(10).expect("outbox");
    assert!(
        told.iter()
            .any(|(_, message)| matches!(message, PoolMessage::Audit(entry) if entry.event == "record.set_aside"))
    );
    for call in &calls[1..] {
        let (_, id) = queue.ids.read(toolgate_core::ids::IdKind::Call, "acme", call).expect("an id");
        let call = SqlStore::new(&sqlite, later).call(&id).expect("readable").expect("there");
        assert_eq!((call.state, call.ended_at), (CallState::Expired, Some(later)));
    }
}

#[test]
fn a_decision_at_expiry_is_too_late_also_when_more_is_due_than_one_step_does() {
    let sqlite = Sqlite::queue();
    let mut queue = Queue::new(ids());
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(Policy::first().snapshot())), START, 1);
    let mut parked = Vec::new();
    for n in 0..500_u32 {
        let Ask::Submit(submit) = submit(n) else { unreachable!() };
        // Of ten principals: each may have so many open.
        let principal = format!(r#"{{"id":"u{}","tenant_id":"t","permissions":["use"]}}"#, n % 10);
        let principal = RawValue::from_string(principal).expect("json");
        let submit = Submit { tool: "refund".into(), idempotency_key: Some(format!("k{n}")), principal, ..submit };
        let mut entropy = [0; 16];
        entropy[..4].copy_from_slice(&n.to_be_bytes());
        let event = ask(identity(Role::Caller, "caller"), Ask::Submit(submit));
        let effects = queue.step(&mut SqlStore::new(&sqlite, START), event, START, entropy).expect("storage");
        let Outcome::Reply(Ok(Answer::Call { view, .. })) = effects.outcome else { panic!("{:?}", effects.outcome) };
        parked.push((view.call, view.approval.expect("parked").digest));
    }
    let expiry = START.plus_seconds(24 * 3_600);
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(Policy::first().snapshot())), expiry, 2);
    // Whatever batch the step takes, the one that is decided is due before it is decided.
    for (call, digest) in parked.iter().rev() {
        let (_, id) = queue.ids.read(toolgate_core::ids::IdKind::Call, "acme", call).expect("an id");
        let request = DecisionRequest {
            decision: DecisionKind::Approve,
            digest: Some(digest.clone()),
            reason: None,
            arguments: None,
        };
        let event = ask(identity(Role::Approver, "ann"), Ask::Decide(id, request));
        match step(&sqlite, &mut queue, event, expiry, 3).outcome {
            Outcome::Reply(Err(problem)) => assert_eq!(problem.kind.code, "approval_expired"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn of_two_policies_with_one_version_the_later_word_counts() {
    let sqlite = Sqlite::queue();
    let mut queue = Queue::new(ids());
    let mut policy = Policy::first();
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(policy.snapshot())), START, 1);
    policy.live_keys.insert("caller".into(), false);
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(policy.snapshot())), START, 2);
    match step(&sqlite, &mut queue, ask(identity(Role::Caller, "caller"), submit(1)), START, 3).outcome {
        Outcome::Reply(Err(problem)) => assert_eq!(problem.kind.code, "invalid_key"),
        other => panic!("the revoked key was served: {other:?}"),
    }
}

#[test]
fn old_records_go_with_their_idempotency_keys() {
    let sqlite = Sqlite::queue();
    let mut queue = Queue::new(ids());
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(Policy::first().snapshot())), START, 1);
    let Ask::Submit(keyed) = submit(1) else { unreachable!() };
    let keyed = Submit { idempotency_key: Some("k".into()), ..keyed };
    step(&sqlite, &mut queue, ask(identity(Role::Caller, "caller"), Ask::Submit(keyed)), START, 2);
    let count = |table: &str| -> i64 {
        sqlite.0.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).expect("a count")
    };
    let mut now = START;
    for _ in 0..20 {
        let Some(at) = queue.memory.alarm else { break };
        now = at;
        step(&sqlite, &mut queue, Event::Tick, now, 3);
    }
    assert_eq!((count("calls"), count("idempotency")), (0, 0));
    let kept = now.0 - START.0;
    assert!((7 * 86_400_000..8 * 86_400_000).contains(&kept), "kept for {kept} ms");
}

#[test]
fn what_waits_for_an_endpoint_is_handed_over_in_steps_that_memory_can_hold() {
    let sqlite = Sqlite::queue();
    let mut queue = Queue::new(ids());
    step(&sqlite, &mut queue, Event::Snapshot(Box::new(Policy::first().snapshot())), START, 1);
    let large = format!(r#"{{"n":1,"note":"{}"}}"#, "x".repeat(200_000));
    for n in 0..60_u8 {
        let Ask::Submit(submit) = submit(1) else { unreachable!() };
        let submit = Submit { arguments: RawValue::from_string(large.clone()).ok(), ..submit };
        let event = ask(identity(Role::Caller, "caller"), Ask::Submit(submit));
        assert!(matches!(
            step(&sqlite, &mut queue, event, START, 10 + n).outcome,
            Outcome::Reply(Ok(Answer::Call { .. }))
        ));
    }
    let webhook = Policy { version: 2, ..Policy::first_webhook() };
    let mut effects = step(&sqlite, &mut queue, Event::Snapshot(Box::new(webhook.snapshot())), START, 2);
    let mut delivered = std::collections::BTreeSet::new();
    for tick in 3..20 {
        let bytes: usize = effects.deliveries.iter().map(|delivery| delivery.arguments.get().len()).sum();
        assert!(bytes < 5 * 1024 * 1024, "one step hands over {bytes} bytes");
        delivered.extend(effects.deliveries.into_iter().map(|delivery| delivery.call));
        if effects.alarm != Some(START) {
            break;
        }
        effects = step(&sqlite, &mut queue, Event::Tick, START, tick);
    }
    assert_eq!(delivered.len(), 60);
}

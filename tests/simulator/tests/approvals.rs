//! Approvals over hours and days and by the thousand, over a real SQLite, with a clock that the test moves.

use toolgate_core::queue::Event;
use toolgate_protocol::approvals::DecisionKind::{Approve, Reject};
use toolgate_protocol::limits::{
    APPROVAL_SECONDS, APPROVAL_SECONDS_MAX, APPROVAL_SECONDS_MIN, DUE_BATCH, NOTICE_GATHER_SECONDS_MAX,
    NOTICE_QUIET_SECONDS, OPEN_APPROVALS_MAX, RECENTLY_REJECTED_SECONDS, RECORD_SECONDS,
};
use toolgate_simulator::office::Office;
use toolgate_simulator::pool::Pool;

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// Tells the registry all there is to tell.
fn tell(pool: &mut Pool, office: &mut Office) {
    while let Some((messages, told)) = pool.outbox() {
        assert_eq!(office.hear(messages, pool.now), Ok(true));
        pool.step(told);
    }
}

fn fate(office: &Office, name: &str) -> u64 {
    office.books.fates.get(name).copied().unwrap_or(0)
}

#[test]
fn decisions_that_come_hours_apart_and_out_of_order_reach_their_own_calls_and_run_nothing_twice() {
    let mut pool = Pool::new();
    let start = pool.now;
    let at = |pool: &mut Pool, hours: u64| {
        // Whoever waited is gone, and so is the object.
        pool.now = start.plus_seconds(hours * HOUR);
        pool.rebuild();
    };
    let mut calls = Vec::new();
    for (n, hours) in [0, 6, 12, 20].into_iter().enumerate() {
        at(&mut pool, hours);
        calls.push(pool.park("alice", "u", n).expect("parked"));
    }
    at(&mut pool, 21);
    assert_eq!(
        (pool.decide(&calls[2], Approve).as_deref(), pool.work()),
        (Ok("approved"), vec![calls[2].call.clone()])
    );
    at(&mut pool, 23);
    assert_eq!((pool.decide(&calls[0], Reject).as_deref(), pool.work()), (Ok("rejected"), vec![]));
    at(&mut pool, 30);
    assert_eq!((pool.decide(&calls[1], Approve), pool.work()), (Err("approval_expired"), vec![]));
    at(&mut pool, 43);
    assert_eq!(
        (pool.decide(&calls[3], Approve).as_deref(), pool.work()),
        (Ok("approved"), vec![calls[3].call.clone()])
    );
    // A day later nothing is decided anew, and nothing has run again.
    at(&mut pool, 70);
    for (call, code) in calls.iter().zip(["already_decided", "approval_expired", "already_decided", "already_decided"])
    {
        assert_eq!(pool.decide(call, Approve), Err(code));
    }
    let all: Vec<_> = calls.iter().collect();
    assert_eq!(
        (pool.states(&all), pool.work()),
        (["Rejected", "Expired", "Succeeded", "Succeeded"].map(String::from).to_vec(), vec![])
    );
}

#[test]
fn two_people_decide_days_apart_and_nothing_runs_before_the_second_or_twice() {
    let mut pool = Pool::new();
    pool.change(|policy| (policy.quorum, policy.approval_seconds) = (2, Some(APPROVAL_SECONDS_MAX)));
    let start = pool.now;
    // Each time the object is built anew, its alarm rings, and old records are swept.
    let at = |pool: &mut Pool, seconds: u64| {
        pool.now = start.plus_seconds(seconds);
        pool.rebuild();
        pool.step(Event::Tick);
    };
    let calls: Vec<_> = (0..4).map(|n| pool.park("alice", "u", n).expect("parked")).collect();
    let names = |states: [&str; 4]| states.map(String::from).to_vec();
    let all: Vec<_> = calls.iter().collect();

    at(&mut pool, 2 * DAY);
    assert_eq!(pool.decide_as("ann", &calls[0], Approve).as_deref(), Ok("pending"));
    assert_eq!(pool.decide_as("ann", &calls[1], Approve).as_deref(), Ok("pending"));
    // Longer than what has ended is kept.
    at(&mut pool, RECORD_SECONDS + DAY);
    assert_eq!(pool.decide_as("ann", &calls[0], Approve), Err("already_decided"), "one person is one voice, a week on");
    assert_eq!((pool.states(&all), pool.work()), (names(["WaitingApproval"; 4]), vec![]));
    assert_eq!(pool.decide_as("ben", &calls[0], Approve).as_deref(), Ok("approved"));
    assert_eq!(pool.work(), vec![calls[0].call.clone()]);
    at(&mut pool, 24 * DAY);
    assert_eq!(
        pool.decide_as("ben", &calls[1], Reject).as_deref(),
        Ok("rejected"),
        "22 days after the first one said yes"
    );
    at(&mut pool, APPROVAL_SECONDS_MAX - 1);
    assert_eq!(pool.decide_as("ann", &calls[2], Approve).as_deref(), Ok("pending"));
    assert_eq!(pool.decide_as("ben", &calls[2], Approve).as_deref(), Ok("approved"), "in the last second");
    assert_eq!(pool.work(), vec![calls[2].call.clone()]);
    at(&mut pool, APPROVAL_SECONDS_MAX);
    assert_eq!(pool.decide_as("ann", &calls[3], Approve), Err("approval_expired"));
    // What ended over a week ago is gone; what ended of late is there, and nothing runs again.
    let codes = ["not_found", "already_decided", "already_decided", "approval_expired"];
    assert_eq!(calls.iter().map(|call| pool.decide_as("ben", call, Approve)).collect::<Vec<_>>(), codes.map(Err));
    assert_eq!(
        (pool.states(&all[1..]), pool.work()),
        (names(["", "Rejected", "Succeeded", "Expired"])[1..].to_vec(), vec![])
    );
}

#[test]
fn the_time_to_decide_is_the_one_of_the_moment_when_the_call_was_parked() {
    let mut pool = Pool::new();
    let start = pool.now;
    let by_default = pool.park("alice", "u", 0).expect("parked");
    pool.change(|policy| policy.approval_seconds = Some(APPROVAL_SECONDS_MIN));
    let short = pool.park("alice", "u", 1).expect("parked");
    pool.change(|policy| policy.approval_seconds = Some(APPROVAL_SECONDS_MAX));
    let states = |pool: &mut Pool, seconds: u64| {
        pool.now = start.plus_seconds(seconds);
        pool.rebuild();
        pool.step(Event::Tick);
        pool.states(&[&by_default, &short])
    };
    assert_eq!(states(&mut pool, APPROVAL_SECONDS_MIN - 1), ["WaitingApproval", "WaitingApproval"]);
    assert_eq!(states(&mut pool, APPROVAL_SECONDS_MIN), ["WaitingApproval", "Expired"]);
    assert_eq!(states(&mut pool, APPROVAL_SECONDS - 1), ["WaitingApproval", "Expired"]);
    assert_eq!(states(&mut pool, APPROVAL_SECONDS), ["Expired", "Expired"]);
}

#[test]
fn a_rejected_call_may_be_asked_for_again_when_the_hour_is_over() {
    let mut pool = Pool::new();
    let call = pool.park("alice", "u", 7).expect("parked");
    assert_eq!(pool.decide(&call, Reject).as_deref(), Ok("rejected"));
    let rejected = pool.now;
    pool.now = rejected.plus_seconds(RECENTLY_REJECTED_SECONDS - 1);
    pool.rebuild();
    assert_eq!(pool.park("alice", "u", 7).err(), Some("recently_rejected"));
    assert!(pool.park("alice", "u", 8).is_ok(), "other arguments");
    pool.now = rejected.plus_seconds(RECENTLY_REJECTED_SECONDS);
    assert!(pool.park("alice", "u", 7).is_ok());
}

#[test]
fn five_thousand_run_out_of_time_in_bounded_steps_and_the_registry_knows_them_all() {
    const OPEN: usize = 5_000;
    let mut pool = Pool::new();
    let mut office = Office::calm(pool.now);
    for n in 0..OPEN {
        let agent = if n % 2 == 0 { "alice" } else { "bob" };
        pool.park(agent, &format!("u{}", n / (2 * OPEN_APPROVALS_MAX)), n).expect("parked");
    }
    tell(&mut pool, &mut office);
    pool.now = pool.now.plus_seconds(NOTICE_QUIET_SECONDS);
    office.go_on(pool.now).expect("no violation");
    assert_eq!((fate(&office, "told"), fate(&office, "messages")), (OPEN as u64, 1));

    // Their time is over, in an object that knows nothing of them, and nobody touches the pool: its alarm does it.
    pool.now = pool.now.plus_seconds(APPROVAL_SECONDS);
    pool.rebuild();
    let (mut steps, mut ended) = (0, 0);
    while ended < OPEN {
        let effects = pool.step(Event::Tick);
        let batch = effects.transitions.len();
        assert!((1..=DUE_BATCH).contains(&batch), "one step ends {batch}");
        (steps, ended) = (steps + 1, ended + batch);
        assert!(ended == OPEN || effects.alarm == Some(pool.now), "the next step follows at once");
    }
    assert_eq!((steps, ended), (OPEN / DUE_BATCH, OPEN));
    tell(&mut pool, &mut office);
    office.wind_down().expect("no violation");
    let index = office.index().expect("an index");
    assert_eq!((index.len(), index.iter().filter(|view| view.state == "expired").count()), (OPEN, OPEN));
    assert!(index.is_sorted_by(|one, other| one.id < other.id), "no page repeats or misplaces one");
    assert_eq!((fate(&office, "told"), fate(&office, "messages")), (2 * OPEN as u64, 2));
}

#[test]
fn two_hundred_calls_that_park_over_a_minute_are_one_digest() {
    let mut pool = Pool::new();
    let mut office = Office::calm(pool.now);
    let start = pool.now;
    for n in 0..200 {
        pool.now = start.plus_seconds(n as u64 * NOTICE_GATHER_SECONDS_MAX / 200);
        pool.park("alice", &format!("u{}", n / OPEN_APPROVALS_MAX), n).expect("parked");
        tell(&mut pool, &mut office);
        office.go_on(pool.now).expect("no violation");
    }
    assert_eq!(fate(&office, "messages"), 0);
    pool.now = start.plus_seconds(NOTICE_GATHER_SECONDS_MAX);
    office.go_on(pool.now).expect("no violation");
    assert_eq!((fate(&office, "messages"), fate(&office, "told")), (1, 200));
    office.wind_down().expect("no violation");
    assert_eq!(fate(&office, "messages"), 1);
}

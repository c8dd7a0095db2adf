//! What becomes of a message of a notification, with a clock that the test moves: pauses, leases, an end, and what is
//! done meanwhile. Every answer is searched for secrets.

mod watch;

use std::collections::BTreeSet;

use serde_json::json;
use toolgate_core::registry::{Answer, Command, NoticeOutcome, Page};
use toolgate_protocol::limits::{
    NOTICE_LEASE_SECONDS, NOTICE_QUIET_SECONDS, NOTICE_SECONDS_MAX, NOTICES_STEP_MAX, NOTIFICATIONS_MAX, PUSH_SECONDS,
};
use toolgate_protocol::notifications::NotificationEvent;

use NotificationEvent::{Decided, Requested};
use watch::{ALL, Watch, approval, body, ids, seconds};

#[test]
fn a_message_that_is_not_taken_is_sent_again_with_growing_pauses_and_then_given_up() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell("one", "pending");
    let first = watch.next_notice();
    let made = watch.now();
    let (mut notice, mut at, mut pauses) = (first.clone(), made, Vec::new());
    for _ in 0..20 {
        watch.fails(&notice);
        let failed = watch.now();
        let Some(next) = watch.next_notices().pop() else { break };
        assert_eq!((&next.id, &next.body), (&first.id, &first.body));
        assert_eq!(next.attempt, notice.attempt + 1);
        pauses.push(seconds(failed, watch.now()));
        (notice, at) = (next, watch.now());
    }
    let hours = 6 * 3_600;
    let all = [10, 60, 300, 1_800, 7_200, hours, hours, hours];
    assert_eq!(pauses[..all.len()], all);
    assert_eq!((pauses.len(), seconds(made, at)), (all.len() + 1, NOTICE_SECONDS_MAX), "the last one ends the day");
    assert!(watch.is_idle());
    let given_up = &watch.audit()[0];
    assert_eq!((&given_up["event"], &given_up["subject"]), (&json!("notification.failed"), &json!("ops")));
    let detail = json!({
        "message": first.id, "event": "approval.requested", "count": 1, "attempts": 10, "made_at": made.rfc3339(),
        "reason": "It is down.",
    });
    assert_eq!(given_up["detail"], detail);
    // The notification goes on.
    watch.tell("two", "pending");
    assert_eq!(ids(&watch.next_notice()), ["two"]);
}

#[test]
fn what_happens_while_a_message_is_under_way_waits_for_the_next_one() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell("one", "pending");
    let first = watch.next_notice();
    assert_eq!(watch.waiting("ops"), [json!({"event": "approval.requested", "count": 1, "attempts": 1})]);
    for n in 0..30 {
        watch.tell(&format!("more{n}"), "pending");
    }
    watch.tell("one", "approved");
    watch.fails(&first);
    let next = watch.now().plus_seconds(10).rfc3339();
    let shown = json!({
        "event": "approval.requested", "count": 31, "attempts": 1, "next_attempt_at": next, "reason": "It is down.",
    });
    assert!(watch.waiting("ops").contains(&shown), "{:?}", watch.waiting("ops"));
    // Another event is not held up by it.
    assert!(watch.alarm.is_some_and(|at| at <= watch.now().plus_seconds(NOTICE_QUIET_SECONDS)));
    let decided = watch.next_notice();
    assert_eq!((decided.event, ids(&decided)), (Decided, vec!["one".to_owned()]));
    watch.taken(&decided);
    let again = watch.next_notice();
    assert_eq!((&again.id, again.attempt), (&first.id, 2));
    watch.taken(&again);
    let taken = watch.now();
    let second = watch.next_notice();
    assert_eq!(watch.now(), taken, "it has been due for long");
    assert_eq!((body(&second)["data"]["count"].as_u64(), second.attempt), (Some(30), 1));
    assert_ne!(second.id, first.id);
}

#[test]
fn an_attempt_that_is_never_reported_is_made_again_after_its_lease() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell("one", "pending");
    let first = watch.next_notice();
    let sent = watch.now();
    let second = watch.next_notice();
    assert_eq!(seconds(sent, watch.now()), NOTICE_LEASE_SECONDS);
    assert_eq!((&second.id, &second.body, second.attempt), (&first.id, &first.body, 2));
    // A late failure says nothing of the attempt that is under way.
    let before = watch.waiting("ops");
    watch.fails(&first);
    assert_eq!(watch.waiting("ops"), before);
    assert_eq!(before[0]["reason"], "No report came of the attempt before.");
    // That it was taken counts whenever it is said, once.
    watch.taken(&first);
    assert!(watch.is_idle());
    watch.fails(&second);
    watch.taken(&second);
    assert!(watch.is_idle());
    // Nobody reports for a day: it is given up all the same.
    watch.tell("two", "pending");
    let (mut attempts, told) = (0, watch.now());
    for _ in 0..NOTICE_SECONDS_MAX {
        let Some(notice) = watch.next_notices().pop() else { break };
        attempts = notice.attempt;
    }
    assert_eq!(u64::from(attempts), NOTICE_SECONDS_MAX / NOTICE_LEASE_SECONDS + 1);
    assert_eq!(seconds(told, watch.now()), NOTICE_QUIET_SECONDS + NOTICE_SECONDS_MAX + NOTICE_LEASE_SECONDS);
    assert!(watch.is_idle());
    assert_eq!(watch.audit()[0]["detail"]["reason"], "No report came of the attempt before.");
}

#[test]
fn a_receiver_that_is_gone_is_told_no_more_until_the_next_write() {
    let mut watch = Watch::of("ops", ALL);
    watch.put("mail", &[Requested]);
    watch.tell_all(vec![approval("one", "pending", json!([])), approval("old", "expired", json!([]))]);
    let notices = watch.next_notices();
    assert_eq!(notices.len(), 3);
    let gone = notices.iter().find(|notice| notice.notification == "ops").unwrap();
    watch.tell("two", "pending");
    watch.report(gone, NoticeOutcome::Gone);
    let shown = watch.shown("ops");
    assert_eq!((&shown["state"], &shown["waiting"]), (&json!("disabled"), &json!([])));
    let entry = &watch.audit()[0];
    assert_eq!((&entry["event"], &entry["subject"]), (&json!("notification.disabled"), &json!("ops")));
    assert_eq!((&entry["detail"]["answered"], &entry["detail"]["dropped"]), (&json!(410), &json!(3)));
    watch.tell("three", "pending");
    assert_eq!(watch.waiting("ops"), [] as [serde_json::Value; 0], "nothing is gathered for who wants no more");
    for notice in notices.iter().filter(|notice| notice.notification == "mail") {
        watch.taken(notice);
    }
    let next = watch.next_notice();
    assert_eq!((next.notification.as_str(), ids(&next)), ("mail", vec!["two".to_owned(), "three".to_owned()]));
    watch.taken(&next);
    watch.put("ops", ALL);
    watch.tell("three", "approved");
    assert_eq!(ids(&watch.next_notice()), ["three"]);
}

#[test]
fn a_gone_that_was_said_by_an_earlier_receiver_disables_nothing() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell("one", "pending");
    let first = watch.next_notice();
    assert!(watch.put_to("ops", "https://new.example.com/", ALL, None).is_ok());
    watch.report(&first, NoticeOutcome::Gone);
    assert_eq!(watch.shown("ops")["state"], "active");
    let second = watch.next_notice();
    assert_eq!((second.url.as_str(), second.id == first.id), ("https://new.example.com/", true));
    watch.report(&second, NoticeOutcome::Gone);
    assert_eq!(watch.shown("ops")["state"], "disabled");
}

#[test]
fn a_write_tries_at_once_what_failed_and_forgets_what_is_not_wanted_any_more() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell_all(vec![approval("one", "pending", json!([])), approval("two", "approved", json!([]))]);
    for _ in 0..4 {
        for notice in watch.next_notices() {
            watch.fails(&notice);
        }
    }
    watch.tell("late", "expired");
    watch.put("ops", &[Requested]);
    let written = watch.now();
    assert_eq!(watch.alarm, Some(written));
    let notice = watch.next_notice();
    assert_eq!((notice.event, ids(&notice)), (Requested, vec!["one".to_owned()]));
    // One that is under way is left alone: its receiver may be taking it.
    watch.put("ops", &[Requested]);
    let (written, lease) = (watch.now(), watch.alarm.unwrap());
    assert!(seconds(written, lease) > NOTICE_LEASE_SECONDS / 2);
    watch.taken(&notice);
    assert!(watch.is_idle());
}

#[test]
fn what_is_deleted_is_told_nothing_more() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell_all(vec![approval("one", "pending", json!([])), approval("two", "approved", json!([]))]);
    let notices = watch.next_notices();
    watch.fails(&notices[0]);
    watch.tell("three", "expired");
    watch.body(Command::DeleteNotification("ops".into()));
    assert_eq!(watch.audit()[0]["detail"]["dropped"], 3);
    assert!(watch.is_idle());
    for outcome in [NoticeOutcome::Gone, NoticeOutcome::NotTaken("x".into()), NoticeOutcome::Taken] {
        watch.report(&notices[1], outcome);
    }
    assert!(watch.is_idle());
    // One of the same name begins with nothing, and is not mistaken for the one before.
    watch.put("ops", ALL);
    watch.report(&notices[1], NoticeOutcome::Gone);
    assert_eq!(watch.shown("ops")["state"], "active");
    assert!(watch.is_idle());
}

#[test]
fn the_alarm_of_a_notice_is_kept_by_every_other_change() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell("one", "pending");
    let due = watch.alarm.unwrap();
    let steps = [
        Command::PutPool("more".into(), serde_json::from_value(json!({"transport": "worker"})).unwrap()),
        Command::PutCapability("c".into(), serde_json::from_value(json!({"tools": []})).unwrap()),
        Command::Tick,
    ];
    for command in steps {
        let what = format!("{command:?}");
        assert_eq!(watch.step(command).alarm, Some(due), "{what}");
    }
    // And the other way round: a pool that lags is pushed to before the message is sent again.
    let notice = watch.next_notice();
    watch.org.policy("shop");
    let key = serde_json::from_value(json!({"role": "caller", "name": "c"})).unwrap();
    assert_eq!(watch.step(Command::CreateKey(key)).alarm, Some(watch.now().plus_seconds(PUSH_SECONDS)));
    watch.fails(&notice);
    assert_eq!(watch.alarm, Some(watch.now().plus_seconds(PUSH_SECONDS)));
    let version = watch.org.policy("shop").version;
    watch.ask(Command::Stored { pool: "shop".into(), version }).unwrap();
    assert_eq!(watch.step(Command::Tick).alarm.map(|at| at > watch.now().plus_seconds(PUSH_SECONDS)), Some(true));
}

#[test]
fn one_alarm_hands_over_so_many_and_the_rest_follows_at_once() {
    let mut watch = Watch::new();
    for n in 0..NOTIFICATIONS_MAX {
        watch.put(&format!("n{n}"), &[Requested]);
    }
    watch.tell("one", "pending");
    let due = watch.now().plus_seconds(NOTICE_QUIET_SECONDS);
    let mut told = BTreeSet::new();
    for left in [12, 4, 0] {
        let notices = watch.ring().unwrap();
        assert!(notices.len() <= NOTICES_STEP_MAX);
        told.extend(notices.into_iter().map(|notice| (notice.notification, notice.id)));
        assert_eq!((NOTIFICATIONS_MAX - told.len(), watch.now()), (left, due));
    }
    let ids: BTreeSet<&String> = told.iter().map(|(_, id)| id).collect();
    assert_eq!(ids.len(), NOTIFICATIONS_MAX, "each message has an id of its own");
}

#[test]
fn what_has_waited_longest_goes_first_when_an_alarm_is_late() {
    let mut watch = Watch::new();
    for n in 1..NOTIFICATIONS_MAX {
        watch.put(&format!("n{n}"), &[Decided]);
    }
    watch.put("z", &[Requested]);
    watch.tell("one", "pending");
    watch.tell("one", "approved");
    watch.org.now = watch.now().plus_seconds(NOTICE_QUIET_SECONDS);
    assert_eq!(watch.ring().unwrap()[0].notification, "z");
}

#[test]
fn rows_that_cannot_be_read_hold_up_nothing_else() {
    for kind in ["notification", "notice", "notice_batch", "notice_message"] {
        let mut watch = Watch::of("ops", ALL);
        watch.put("mail", &[Decided]);
        watch.tell("one", "pending");
        watch.next_notice();
        watch.tell("two", "pending");
        let spoil = "UPDATE documents SET value = '{' WHERE kind = ?1 AND name LIKE 'ops%'";
        assert_eq!(watch.org.sql.0.execute(spoil, [kind]).unwrap(), 1, "{kind}");
        watch.tell_all(vec![approval("one", "approved", json!([])), approval("three", "pending", json!([]))]);
        let listed = watch.ask(Command::ListApprovals(None, Page { limit: 100, cursor: None }));
        let Ok(Answer::Text(200, listed)) = listed else { panic!("{kind}: {listed:?}") };
        assert!(listed.contains("\"id\":\"three\"") && listed.contains("\"approved\""), "{kind}: {listed}");
        let told = std::iter::from_fn(|| Some(watch.next_notices()).filter(|told| !told.is_empty()));
        let mail = told.take(4).flatten().find(|notice| notice.notification == "mail");
        assert_eq!(mail.map(|notice| ids(&notice)), Some(vec!["one".to_owned()]), "{kind}");
        // A write mends it.
        watch.put("ops", ALL);
        watch.tell("four", "expired");
        let told = std::iter::from_fn(|| Some(watch.next_notices()).filter(|told| !told.is_empty()));
        let mended = told.take(4).flatten().find(|notice| notice.event == NotificationEvent::Expired);
        assert_eq!(mended.map(|notice| ids(&notice)), Some(vec!["four".to_owned()]), "{kind}");
    }
}

//! Notifications over a real SQLite: who may be told, with which secret, of what, and what becomes one message. What
//! becomes of a message is in `notices.rs`. Every answer is searched for secrets.

mod watch;

use serde_json::{Value, json};
use toolgate_core::registry::{Answer, Challenged, Command, EndpointSpec, Page, Reply, notification_place};
use toolgate_core::seal::Seal;
use toolgate_protocol::limits::{
    NOTICE_APPROVALS_MAX, NOTICE_BYTES_MAX, NOTICE_GATHER_SECONDS_MAX, NOTICE_QUIET_SECONDS, NOTICE_REASON_CHARS_MAX,
    NOTIFICATIONS_MAX, ROTATION_SECONDS,
};
use toolgate_protocol::notifications::NotificationEvent;

use NotificationEvent::{Decided, Expired, Requested};
use watch::{ALL, URL, Watch, approval, body, ids, seconds};

fn code(reply: &Reply) -> &'static str {
    reply.as_ref().map_or_else(|problem| problem.kind.code, |_| "ok")
}

/// Makes a webhook pool sign with this secret.
fn pool(watch: &mut Watch, pool: &str, name: &str) -> &'static str {
    let secret = Some(watch.secret(name));
    let (url, challenged) = ("https://a.example.com".into(), Challenged::Passed);
    let spec = EndpointSpec { url, timeout_seconds: None, secret, kept: None, challenged };
    watch.code(Command::PutEndpoint(pool.into(), Box::new(spec)))
}

/// Whether this secret may sign a challenge of the pool `hook`.
fn may_sign(watch: &mut Watch, name: &str) -> &'static str {
    let fingerprint = Some(watch.secret(name).fingerprint);
    watch.code(Command::EndpointFor { pool: "hook".into(), fingerprint })
}

/// Makes the notification `ops` sign with this secret.
fn ops(watch: &mut Watch, name: &str) -> &'static str {
    code(&watch.put_to("ops", URL, ALL, Some(name)))
}

#[test]
fn a_notification_is_written_read_listed_and_deleted() {
    let mut watch = Watch::new();
    let made = watch.put_to("ops", URL, ALL, None);
    let Ok(Answer::Body(201, shown)) = made else { panic!("{made:?}") };
    let events = json!(["approval.requested", "approval.decided", "approval.expired"]);
    assert_eq!(shown, json!({"name": "ops", "url": URL, "events": events, "state": "active"}));
    assert!(matches!(watch.put_to("ops", URL, &[Decided], None), Ok(Answer::Body(200, _))));
    watch.put("mail", &[Requested]);
    let read = watch.body(Command::GetNotification("ops".into()));
    let wanted = json!({"name": "ops", "url": URL, "events": ["approval.decided"], "state": "active", "waiting": []});
    assert_eq!(read, wanted);
    let listed = watch.body(Command::ListNotifications(Page { limit: 1, cursor: None }));
    assert_eq!((&listed["notifications"][0]["name"], &listed["next_cursor"]), (&json!("mail"), &json!("mail")));
    let rest = watch.body(Command::ListNotifications(Page { limit: 9, cursor: Some("mail".into()) }));
    assert_eq!((&rest["notifications"][0]["name"], rest.get("next_cursor")), (&json!("ops"), None));
    watch.body(Command::DeleteNotification("ops".into()));
    for command in [Command::GetNotification("ops".into()), Command::DeleteNotification("ops".into())] {
        assert_eq!(watch.code(command), "not_found");
    }
    let said: Vec<Value> = watch.audit().iter().map(|entry| json!([entry["event"], entry["subject"]])).collect();
    let written = |name: &str| json!(["notification.written", name]);
    assert_eq!(said, [json!(["notification.deleted", "ops"]), written("mail"), written("ops"), written("ops")]);
    assert!(!json!(watch.audit()).to_string().contains("token"), "a URL may itself be a secret");
}

#[test]
fn what_may_not_be_written_is_not() {
    let mut watch = Watch::new();
    for (name, events) in [("Ops", ALL), ("", ALL), ("a b", ALL), ("ops", &[]), ("ops", &[Decided, Decided])] {
        assert_eq!(code(&watch.put_to(name, URL, events, None)), "invalid_request", "{name:?} {events:?}");
    }
    for n in 0..NOTIFICATIONS_MAX {
        watch.put(&format!("n{n}"), ALL);
    }
    assert_eq!(code(&watch.put_to("more", URL, ALL, None)), "invalid_request");
    watch.put("n3", &[Expired]);
    watch.body(Command::DeleteNotification("n3".into()));
    watch.put("more", ALL);
}

#[test]
fn a_secret_serves_one_pool_or_notification_and_is_kept_until_another_is_sent() {
    let mut watch = Watch::new();
    assert_eq!((pool(&mut watch, "hook", "a"), ops(&mut watch, "a")), ("ok", "secret_in_use"));
    assert_eq!(watch.code(Command::GetNotification("ops".into())), "not_found");
    assert_eq!((ops(&mut watch, "b"), ops(&mut watch, "b")), ("ok", "ok"), "its own may come again");
    assert_eq!(code(&watch.put_to("mail", URL, ALL, Some("b"))), "secret_in_use");
    assert_eq!((may_sign(&mut watch, "b"), pool(&mut watch, "hook", "b")), ("secret_in_use", "secret_in_use"));
    // A write without a secret keeps the one that is there.
    watch.put("ops", ALL);
    assert_eq!(may_sign(&mut watch, "b"), "secret_in_use");
    watch.tell("one", "pending");
    assert_eq!(watch.next_notice().sealed, "sealed-b");
    // Another one takes its place at once, and the old one is free.
    assert_eq!((ops(&mut watch, "c"), pool(&mut watch, "hook", "b")), ("ok", "ok"));
    let rotated = watch.secret("d");
    assert!(watch.ask(Command::RotateSecret("hook".into(), rotated)).is_ok());
    assert_eq!(ops(&mut watch, "b"), "secret_in_use", "it signs for the pool until the rotation is over");
    watch.org.now = watch.now().plus_seconds(ROTATION_SECONDS);
    assert_eq!((ops(&mut watch, "b"), ops(&mut watch, "d")), ("ok", "secret_in_use"));
    watch.body(Command::DeleteNotification("ops".into()));
    assert_eq!(pool(&mut watch, "other", "b"), "ok");
}

#[test]
fn a_sealed_secret_of_a_pool_is_none_of_a_notification() {
    let seal = Seal::new(b"0123456789abcdef0123456789abcdef");
    let (pool, notification) = (["acme", "ops"], notification_place("acme", "ops"));
    let sealed = [seal.seal(&pool, b"p", &[1; 16]).unwrap(), seal.seal(&notification, b"n", &[2; 16]).unwrap()];
    assert_eq!((seal.open(&pool, &sealed[0]), seal.open(&pool, &sealed[1])), (Some(b"p".to_vec()), None));
    assert_eq!((seal.open(&notification, &sealed[0]), seal.open(&notification, &sealed[1])), (None, Some(b"n".into())));
}

#[test]
fn a_single_event_is_told_after_a_short_quiet_to_who_wants_to_hear_of_it() {
    for (state, event) in [
        ("pending", Requested),
        ("approved", Decided),
        ("rejected", Decided),
        ("cancelled", Decided),
        ("invalidated", Decided),
        ("expired", Expired),
    ] {
        let mut watch = Watch::of("ops", ALL);
        let others: Vec<NotificationEvent> = ALL.iter().copied().filter(|other| *other != event).collect();
        watch.put("deaf", &others);
        watch.tell("one", state);
        let told = watch.now();
        assert_eq!(watch.alarm, Some(told.plus_seconds(NOTICE_QUIET_SECONDS)), "{state}");
        let notice = watch.next_notice();
        assert_eq!(seconds(told, watch.now()), NOTICE_QUIET_SECONDS, "{state}");
        assert_eq!((notice.notification.as_str(), notice.event, notice.url.as_str()), ("ops", event, URL), "{state}");
        let body = body(&notice);
        assert_eq!((&body["type"], &body["data"]["count"]), (&json!(event.name()), &json!(1)), "{state}");
        assert_eq!(body["timestamp"], watch.now().rfc3339());
        assert_eq!(body["data"]["approvals"][0]["state"], state);
        watch.taken(&notice);
        assert!(watch.is_idle(), "{state}");
    }
}

#[test]
fn a_message_says_who_asks_for_what_and_never_with_which_arguments() {
    let mut watch = Watch::of("ops", ALL);
    let words = "no ".repeat(NOTICE_REASON_CHARS_MAX) + "\u{202e}end";
    let decision = json!([
        {"decision": "approve", "by": "Ann", "key": "k1", "at": "2025-11-30T10:01:00.000Z", "digest": "d"},
        {"decision": "reject", "by": "Bob", "key": "k2", "at": "2025-11-30T10:02:00.000Z", "reason": words},
    ]);
    watch.tell_all(vec![approval("one", "rejected", decision)]);
    let notice = watch.next_notice();
    let told = body(&notice)["data"]["approvals"][0].clone();
    let reason = told["reason"].as_str().unwrap();
    assert_eq!(reason.chars().count(), NOTICE_REASON_CHARS_MAX + 1);
    assert!(reason.starts_with("no no ") && reason.ends_with('…'));
    let wanted = json!({
        "id": "one", "call": "call_of_one", "agent": "bot", "tool": "pay", "principal": {"id": "u1", "tenant_id": "t1"},
        "state": "rejected", "digest": "digest-of-one", "created_at": "2025-11-30T10:00:00.000Z",
        "expires_at": "2025-12-01T10:00:00.000Z", "url": "https://gate.example.com/v1/approvals/one",
        "decided_by": "Bob", "reason": reason,
    });
    assert_eq!(told, wanted);
    assert!(!notice.body.contains("iban") && !notice.body.contains("permission"));
    assert!(notice.id.strip_prefix("msg_").is_some_and(|id| id.len() == 32));
    // Who approved first is not who ended it: one that lost its ground was decided by nobody.
    let one = json!([{"decision": "approve", "by": "Ann", "key": "k1", "at": "2025-11-30T10:01:00.000Z"}]);
    watch.tell_all(vec![approval("two", "invalidated", one)]);
    watch.taken(&notice);
    let body = body(&watch.next_notice());
    assert_eq!(body["data"]["approvals"][0].get("decided_by"), None);
}

#[test]
fn what_is_told_twice_is_one_event() {
    let mut watch = Watch::of("ops", ALL);
    let vote = json!([{"decision": "approve", "by": "Ann", "key": "k1", "at": "2025-11-30T10:01:00.000Z"}]);
    watch.tell("one", "pending");
    watch.tell("one", "pending");
    watch.tell_all(vec![approval("one", "pending", vote), approval("two", "pending", json!([]))]);
    watch.tell_all(vec![approval("one", "approved", json!([])), approval("one", "approved", json!([]))]);
    watch.tell("one", "approved");
    // An old message that comes once more, after the end.
    watch.tell("one", "pending");
    let mut told = Vec::new();
    for notice in [watch.next_notice(), watch.next_notice()] {
        watch.taken(&notice);
        told.push((notice.event, ids(&notice)));
    }
    assert!(watch.is_idle());
    assert_eq!(told, [(Requested, vec!["one".into(), "two".into()]), (Decided, vec!["one".to_owned()])]);
}

#[test]
fn a_burst_is_one_message_that_counts_all_and_names_the_first() {
    let mut watch = Watch::of("ops", ALL);
    let id = |n: usize| format!("a{n:03}");
    for part in 0..10 {
        watch.tell_all((0..20).map(|n| approval(&id(part * 20 + n), "pending", json!([]))).collect());
    }
    let told = watch.now();
    let notice = watch.next_notice();
    assert_eq!(seconds(told, watch.now()), NOTICE_QUIET_SECONDS);
    assert_eq!(body(&notice)["data"]["count"], 200);
    assert_eq!(ids(&notice), (0..NOTICE_APPROVALS_MAX).map(id).collect::<Vec<_>>());
    watch.taken(&notice);
    assert!(watch.is_idle());
}

#[test]
fn long_words_make_a_message_name_fewer_and_count_all_the_same() {
    let mut watch = Watch::of("ops", ALL);
    let words = "\u{1}".repeat(NOTICE_REASON_CHARS_MAX);
    let by = "é".repeat(128);
    let no = json!([{"decision": "reject", "by": by, "key": "k", "at": "2025-11-30T10:02:00.000Z", "reason": words}]);
    for n in 0..NOTICE_APPROVALS_MAX + 20 {
        watch.tell_all(vec![approval(&format!("a{n}"), "rejected", no.clone())]);
    }
    // Each is some 4 kB: fewer than a hundred fit.
    let notice = watch.next_notice();
    let named = ids(&notice).len();
    assert!(named < NOTICE_APPROVALS_MAX && notice.body.len() < NOTICE_BYTES_MAX + 8_192, "{named}");
    assert_eq!(body(&notice)["data"]["count"], NOTICE_APPROVALS_MAX + 20);
}

#[test]
fn events_that_never_pause_are_told_a_minute_after_the_first() {
    let mut watch = Watch::of("ops", ALL);
    watch.tell("a0", "pending");
    let first = watch.now();
    let (mut notices, mut told) = (Vec::new(), 1);
    // Every four seconds one more; the alarms ring when they are due.
    for n in 1..=NOTICE_GATHER_SECONDS_MAX {
        let next = first.plus_seconds(4 * n);
        while notices.is_empty() && watch.alarm.is_some_and(|at| at <= next) {
            notices = watch.ring().unwrap();
        }
        if !notices.is_empty() {
            break;
        }
        watch.org.now = next.minus_seconds(1);
        let before = watch.alarm;
        watch.tell(&format!("a{n}"), "pending");
        assert_eq!(watch.alarm, before, "an alarm that is set is left alone: each is billed");
        told += 1;
    }
    assert_eq!(seconds(first, watch.now()), NOTICE_GATHER_SECONDS_MAX);
    assert_eq!(body(&notices[0])["data"]["count"], told);
}

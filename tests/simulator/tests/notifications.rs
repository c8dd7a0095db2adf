//! Notifications over a real SQLite, with a clock that the test moves: who hears of what, what is gathered into one
//! message, and what becomes of a message that nobody takes. Every answer is searched for secrets ([`Org::step`]).

use serde_json::{Value, json};
use toolgate_core::ids::Place;
use toolgate_core::queue::messages::{PoolBatch, PoolMessage, VERSION};
use toolgate_core::registry::{
    Answer, Challenged, Command, EndpointSpec, NewSecret, Notice, NoticeOutcome, NoticeReport, NotificationSpec, Page,
    Reply, notification_place,
};
use toolgate_core::seal::Seal;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::ApprovalView;
use toolgate_protocol::limits::{
    NOTICE_APPROVALS_MAX, NOTICE_BYTES_MAX, NOTICE_GATHER_SECONDS_MAX, NOTICE_LEASE_SECONDS, NOTICE_QUIET_SECONDS,
    NOTICE_REASON_CHARS_MAX, NOTICE_SECONDS_MAX, NOTICES_STEP_MAX, NOTIFICATIONS_MAX, PUSH_SECONDS, ROTATION_SECONDS,
};
use toolgate_protocol::notifications::NotificationEvent;
use toolgate_simulator::org::Org;

use NotificationEvent::{Decided, Expired, Requested};

const ALL: &[NotificationEvent] = &[Requested, Decided, Expired];
const URL: &str = "https://hooks.example.com/in?token=of-the-receiver";

fn secret(org: &mut Org, name: &str) -> NewSecret {
    let secret = NewSecret { sealed: format!("sealed-{name}"), fingerprint: format!("fingerprint-{name}") };
    org.hidden.extend([secret.sealed.clone(), secret.fingerprint.clone()]);
    secret
}

/// A write; without `own` the edge made a secret in case one is needed.
fn put_to(org: &mut Org, name: &str, url: &str, events: &[NotificationEvent], own: Option<&str>) -> Reply {
    let steps = org.now.0.to_string();
    let secret = secret(org, own.unwrap_or(&steps));
    let base_url = "https://gate.example.com".to_owned();
    let spec = NotificationSpec { url: url.into(), base_url, events: events.to_vec(), secret, is_given: own.is_some() };
    org.ask(Command::PutNotification(name.into(), Box::new(spec)))
}

fn put(org: &mut Org, name: &str, events: &[NotificationEvent]) {
    let reply = put_to(org, name, URL, events, None);
    assert!(matches!(reply, Ok(Answer::Body(200 | 201, _))), "{reply:?}");
}

fn with(name: &str, events: &[NotificationEvent]) -> Org {
    let mut org = Org::new();
    put(&mut org, name, events);
    org
}

fn code(reply: &Reply) -> &'static str {
    match reply {
        Err(problem) => problem.kind.code,
        Ok(_) => "ok",
    }
}

fn approval(id: &str, state: &str, decisions: Value) -> ApprovalView {
    let text = json!({
        "id": id, "call": format!("call_of_{id}"), "agent": "bot", "tool": "pay", "version": "v", "digest": format!("digest-of-{id}"),
        "principal": {"id": "u1", "tenant_id": "t1", "permissions": ["secret:permission"]},
        "arguments": {"iban": "an argument that nobody reads in a mail"},
        "created_at": "2025-11-30T10:00:00.000Z", "expires_at": "2025-12-01T10:00:00.000Z", "required": 2,
        "decisions": decisions, "earlier": [], "state": state,
    });
    serde_json::from_str(&text.to_string()).unwrap()
}

/// What a pool tells in one batch; the numbers rise.
fn tell_all(org: &mut Org, views: Vec<ApprovalView>) -> Option<UnixMillis> {
    let first = org.now.0;
    let number = |(at, view)| (first + at as u64, PoolMessage::Approval(Box::new(view)));
    let messages = views.into_iter().enumerate().map(number).collect();
    let effects = org.step(Command::Batch(PoolBatch { v: VERSION, place: Place::of("acme", "shop"), messages }));
    assert!(effects.reply.is_ok() && effects.notices.is_empty());
    effects.alarm
}

fn tell(org: &mut Org, id: &str, state: &str) -> Option<UnixMillis> {
    tell_all(org, vec![approval(id, state, json!([]))])
}

/// The alarm at this time; what the edge is handed, and the next alarm.
fn alarm_at(org: &mut Org, at: UnixMillis) -> (Vec<Notice>, Option<UnixMillis>) {
    org.now = UnixMillis(at.0 - 1_000);
    let effects = org.step(Command::Tick);
    assert!(effects.reply.is_ok());
    (effects.notices, effects.alarm)
}

/// The alarms from now on, each at its time, until the edge is handed something or none is set.
fn next_notices(org: &mut Org) -> Vec<Notice> {
    let mut at = org.now.plus_seconds(1);
    loop {
        match alarm_at(org, at) {
            (notices, _) if !notices.is_empty() => return notices,
            (_, Some(next)) => at = next.max(org.now.plus_seconds(1)),
            (_, None) => return Vec::new(),
        }
    }
}

fn next_notice(org: &mut Org) -> Notice {
    let notices = next_notices(org);
    assert_eq!(notices.len(), 1, "{notices:?}");
    notices.into_iter().next().unwrap()
}

fn report(org: &mut Org, notice: &Notice, outcome: NoticeOutcome) -> Option<UnixMillis> {
    let Notice { notification, event, revision, id, attempt, .. } = notice.clone();
    let report = NoticeReport { notification, event, revision, id, attempt, outcome };
    let effects = org.step(Command::NoticeReport(Box::new(report)));
    assert!(effects.reply.is_ok() && effects.notices.is_empty());
    effects.alarm
}

fn fails(org: &mut Org, notice: &Notice) -> Option<UnixMillis> {
    report(org, notice, NoticeOutcome::NotTaken("It is down.".into()))
}

fn body(notice: &Notice) -> Value {
    serde_json::from_str(&notice.body).unwrap()
}

fn ids(notice: &Notice) -> Vec<String> {
    let body = body(notice);
    body["data"]["approvals"].as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap().to_owned()).collect()
}

fn waiting(org: &mut Org, name: &str) -> Vec<Value> {
    org.body("notification", Command::GetNotification(name.into()))["waiting"].as_array().unwrap().clone()
}

/// Audit entries of notifications, newest first.
fn audit(org: &mut Org) -> Vec<Value> {
    let page = Page { limit: 100, cursor: None };
    let listed = org.body("audit", Command::ListAudit(page));
    let ours = |entry: &&Value| entry["event"].as_str().unwrap().starts_with("notification.");
    listed["audit"].as_array().unwrap().iter().filter(ours).cloned().collect()
}

/// Rows that notifications leave behind, beside the notification itself.
fn rows(org: &Org) -> i64 {
    let count = "SELECT count(*) FROM documents WHERE kind IN ('notice', 'notice_batch', 'notice_message')";
    org.sql.0.query_row(count, [], |row| row.get(0)).unwrap()
}

fn seconds(from: UnixMillis, to: UnixMillis) -> u64 {
    (to.0 - from.0) / 1_000
}

#[test]
fn a_notification_is_written_read_listed_and_deleted() {
    let mut org = Org::new();
    let made = put_to(&mut org, "ops", URL, ALL, None);
    let Ok(Answer::Body(201, shown)) = made else { panic!("{made:?}") };
    let events = json!(["approval.requested", "approval.decided", "approval.expired"]);
    assert_eq!(shown, json!({"name": "ops", "url": URL, "events": events, "state": "active"}));
    assert!(matches!(put_to(&mut org, "ops", URL, &[Decided], None), Ok(Answer::Body(200, _))));
    put(&mut org, "mail", &[Requested]);
    let read = org.body("read", Command::GetNotification("ops".into()));
    let wanted = json!({"name": "ops", "url": URL, "events": ["approval.decided"], "state": "active", "waiting": []});
    assert_eq!(read, wanted);
    let listed = org.body("list", Command::ListNotifications(Page { limit: 1, cursor: None }));
    assert_eq!((&listed["notifications"][0]["name"], &listed["next_cursor"]), (&json!("mail"), &json!("mail")));
    let rest = org.body("list", Command::ListNotifications(Page { limit: 9, cursor: Some("mail".into()) }));
    assert_eq!((&rest["notifications"][0]["name"], rest.get("next_cursor")), (&json!("ops"), None));
    org.body("delete", Command::DeleteNotification("ops".into()));
    for command in [Command::GetNotification("ops".into()), Command::DeleteNotification("ops".into())] {
        assert_eq!(org.refused(command), "not_found");
    }
    let said: Vec<Value> = audit(&mut org).iter().map(|entry| json!([entry["event"], entry["subject"]])).collect();
    let written = |name: &str| json!(["notification.written", name]);
    assert_eq!(said, [json!(["notification.deleted", "ops"]), written("mail"), written("ops"), written("ops")]);
    assert!(!json!(audit(&mut org)).to_string().contains("token"), "a URL may itself be a secret");
}

#[test]
fn what_may_not_be_written_is_not() {
    let mut org = Org::new();
    for (name, events) in [("Ops", ALL), ("", ALL), ("a b", ALL), ("ops", &[]), ("ops", &[Decided, Decided])] {
        assert_eq!(code(&put_to(&mut org, name, URL, events, None)), "invalid_request", "{name:?} {events:?}");
    }
    for n in 0..NOTIFICATIONS_MAX {
        put(&mut org, &format!("n{n}"), ALL);
    }
    assert_eq!(code(&put_to(&mut org, "more", URL, ALL, None)), "invalid_request");
    put(&mut org, "n3", &[Expired]);
    org.body("delete", Command::DeleteNotification("n3".into()));
    put(&mut org, "more", ALL);
}

#[test]
fn a_secret_serves_one_pool_or_notification_and_is_kept_until_another_is_sent() {
    let mut org = Org::new();
    let pool = |org: &mut Org, pool: &str, name: &str| {
        let secret = Some(secret(org, name));
        let challenged = Challenged::Passed;
        let spec =
            EndpointSpec { url: "https://a.example.com".into(), timeout_seconds: None, secret, kept: None, challenged };
        code(&org.ask(Command::PutEndpoint(pool.into(), Box::new(spec))))
    };
    let may_sign = |org: &mut Org, name: &str| {
        let fingerprint = Some(secret(org, name).fingerprint);
        code(&org.ask(Command::EndpointFor { pool: "hook".into(), fingerprint }))
    };
    let ops = |org: &mut Org, name: &str| code(&put_to(org, "ops", URL, ALL, Some(name)));
    assert_eq!((pool(&mut org, "hook", "a"), ops(&mut org, "a")), ("ok", "secret_in_use"));
    assert_eq!(org.refused(Command::GetNotification("ops".into())), "not_found");
    assert_eq!((ops(&mut org, "b"), ops(&mut org, "b")), ("ok", "ok"), "its own may come again");
    assert_eq!(code(&put_to(&mut org, "mail", URL, ALL, Some("b"))), "secret_in_use");
    assert_eq!((may_sign(&mut org, "b"), pool(&mut org, "hook", "b")), ("secret_in_use", "secret_in_use"));
    // A write without a secret keeps the one that is there.
    put(&mut org, "ops", ALL);
    assert_eq!(may_sign(&mut org, "b"), "secret_in_use");
    tell(&mut org, "one", "pending");
    assert_eq!(next_notice(&mut org).sealed, "sealed-b");
    // Another one takes its place at once, and the old one is free.
    assert_eq!((ops(&mut org, "c"), pool(&mut org, "hook", "b")), ("ok", "ok"));
    let rotated = secret(&mut org, "d");
    assert!(org.ask(Command::RotateSecret("hook".into(), rotated)).is_ok());
    assert_eq!(ops(&mut org, "b"), "secret_in_use", "it signs for the pool until the rotation is over");
    org.now = org.now.plus_seconds(ROTATION_SECONDS);
    assert_eq!((ops(&mut org, "b"), ops(&mut org, "d")), ("ok", "secret_in_use"));
    org.body("delete", Command::DeleteNotification("ops".into()));
    assert_eq!(pool(&mut org, "other", "b"), "ok");
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
        let mut org = with("ops", ALL);
        let others: Vec<NotificationEvent> = ALL.iter().copied().filter(|other| *other != event).collect();
        put(&mut org, "deaf", &others);
        let alarm = tell(&mut org, "one", state);
        let told = org.now;
        assert_eq!(alarm, Some(told.plus_seconds(NOTICE_QUIET_SECONDS)), "{state}");
        let notice = next_notice(&mut org);
        assert_eq!(seconds(told, org.now), NOTICE_QUIET_SECONDS, "{state}");
        assert_eq!((notice.notification.as_str(), notice.event, notice.url.as_str()), ("ops", event, URL), "{state}");
        let body = body(&notice);
        assert_eq!((&body["type"], &body["data"]["count"]), (&json!(event.name()), &json!(1)), "{state}");
        assert_eq!(body["timestamp"], org.now.rfc3339());
        assert_eq!(body["data"]["approvals"][0]["state"], state);
        assert_eq!(report(&mut org, &notice, NoticeOutcome::Taken), None, "nothing is left to be due");
        assert_eq!((rows(&org), next_notices(&mut org)), (0, vec![]));
    }
}

#[test]
fn a_message_says_who_asks_for_what_and_never_with_which_arguments() {
    let mut org = with("ops", ALL);
    let words = "no ".repeat(NOTICE_REASON_CHARS_MAX) + "\u{202e}end";
    let decision = json!([
        {"decision": "approve", "by": "Ann", "key": "k1", "at": "2025-11-30T10:01:00.000Z", "digest": "d"},
        {"decision": "reject", "by": "Bob", "key": "k2", "at": "2025-11-30T10:02:00.000Z", "reason": words},
    ]);
    tell_all(&mut org, vec![approval("one", "rejected", decision)]);
    let notice = next_notice(&mut org);
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
    tell_all(&mut org, vec![approval("two", "invalidated", one)]);
    report(&mut org, &notice, NoticeOutcome::Taken);
    let body = body(&next_notice(&mut org));
    assert_eq!(body["data"]["approvals"][0].get("decided_by"), None);
}

#[test]
fn what_is_told_twice_is_one_event() {
    let mut org = with("ops", ALL);
    let vote = json!([{"decision": "approve", "by": "Ann", "key": "k1", "at": "2025-11-30T10:01:00.000Z"}]);
    tell(&mut org, "one", "pending");
    tell(&mut org, "one", "pending");
    tell_all(&mut org, vec![approval("one", "pending", vote), approval("two", "pending", json!([]))]);
    tell_all(&mut org, vec![approval("one", "approved", json!([])), approval("one", "approved", json!([]))]);
    tell(&mut org, "one", "approved");
    // An old message that comes once more, after the end.
    tell(&mut org, "one", "pending");
    org.now = org.now.plus_seconds(NOTICE_QUIET_SECONDS);
    let mut told: Vec<(NotificationEvent, Vec<String>)> =
        next_notices(&mut org).iter().map(|notice| (notice.event, ids(notice))).collect();
    told.sort();
    assert_eq!(told, [(Requested, vec!["one".into(), "two".into()]), (Decided, vec!["one".to_owned()])]);
}

#[test]
fn a_burst_is_one_message_that_counts_all_and_names_the_first() {
    let mut org = with("ops", ALL);
    let id = |n: usize| format!("a{n:03}");
    for part in 0..10 {
        tell_all(&mut org, (0..20).map(|n| approval(&id(part * 20 + n), "pending", json!([]))).collect());
    }
    let told = org.now;
    let notice = next_notice(&mut org);
    assert_eq!(seconds(told, org.now), NOTICE_QUIET_SECONDS);
    assert_eq!(body(&notice)["data"]["count"], 200);
    assert_eq!(ids(&notice), (0..NOTICE_APPROVALS_MAX).map(id).collect::<Vec<_>>());
    report(&mut org, &notice, NoticeOutcome::Taken);
    assert_eq!(rows(&org), 0);
}

#[test]
fn long_words_make_a_message_name_fewer_and_count_all_the_same() {
    let mut org = with("ops", ALL);
    let words = "\u{1}".repeat(NOTICE_REASON_CHARS_MAX);
    let by = "é".repeat(128);
    let no = json!([{"decision": "reject", "by": by, "key": "k", "at": "2025-11-30T10:02:00.000Z", "reason": words}]);
    for n in 0..NOTICE_APPROVALS_MAX + 20 {
        tell_all(&mut org, vec![approval(&format!("a{n}"), "rejected", no.clone())]);
    }
    // Each is some 4 kB: fewer than a hundred fit.
    let notice = next_notice(&mut org);
    let named = ids(&notice).len();
    assert!(named < NOTICE_APPROVALS_MAX && notice.body.len() < NOTICE_BYTES_MAX + 8_192, "{named}");
    assert_eq!(body(&notice)["data"]["count"], NOTICE_APPROVALS_MAX + 20);
}

#[test]
fn events_that_never_pause_are_told_a_minute_after_the_first() {
    let mut org = with("ops", ALL);
    let mut alarm = tell(&mut org, "a0", "pending");
    let first = org.now;
    let (mut notices, mut told) = (Vec::new(), 1);
    while notices.is_empty() {
        // Every four seconds one more; the alarms come when they are due.
        let next = org.now.plus_seconds(4);
        while notices.is_empty() && alarm.is_some_and(|at| at <= next) {
            (notices, alarm) = alarm_at(&mut org, alarm.unwrap());
        }
        if notices.is_empty() {
            org.now = UnixMillis(next.0 - 1_000);
            assert_eq!(tell(&mut org, &format!("a{told}"), "pending"), None, "the alarm is set");
            told += 1;
        }
    }
    assert_eq!(seconds(first, org.now), NOTICE_GATHER_SECONDS_MAX);
    assert_eq!(body(&notices[0])["data"]["count"], told);
}

#[test]
fn a_message_that_is_not_taken_is_sent_again_with_growing_pauses_and_then_given_up() {
    let mut org = with("ops", ALL);
    tell(&mut org, "one", "pending");
    let first = next_notice(&mut org);
    let made = org.now;
    let (mut notice, mut at, mut pauses) = (first.clone(), made, Vec::new());
    loop {
        fails(&mut org, &notice);
        let failed = org.now;
        let Some(next) = next_notices(&mut org).pop() else { break };
        assert_eq!((&next.id, &next.body), (&first.id, &first.body));
        assert_eq!(next.attempt, notice.attempt + 1);
        pauses.push(seconds(failed, org.now));
        (notice, at) = (next, org.now);
    }
    let hours = 6 * 3_600;
    let all = [10, 60, 300, 1_800, 7_200, hours, hours, hours];
    assert_eq!(pauses[..all.len()], all);
    assert_eq!((pauses.len(), seconds(made, at)), (all.len() + 1, NOTICE_SECONDS_MAX), "the last one ends the day");
    assert_eq!(rows(&org), 0);
    let given_up = &audit(&mut org)[0];
    assert_eq!((&given_up["event"], &given_up["subject"]), (&json!("notification.failed"), &json!("ops")));
    let detail = json!({
        "message": first.id, "event": "approval.requested", "count": 1, "attempts": 10, "made_at": made.rfc3339(),
        "reason": "It is down.",
    });
    assert_eq!(given_up["detail"], detail);
    // The notification goes on.
    tell(&mut org, "two", "pending");
    assert_eq!(ids(&next_notice(&mut org)), ["two"]);
}

#[test]
fn what_happens_while_a_message_is_under_way_waits_for_the_next_one() {
    let mut org = with("ops", ALL);
    tell(&mut org, "one", "pending");
    let first = next_notice(&mut org);
    assert_eq!(waiting(&mut org, "ops"), [json!({"event": "approval.requested", "count": 1, "attempts": 1})]);
    for n in 0..30 {
        tell(&mut org, &format!("more{n}"), "pending");
    }
    tell(&mut org, "one", "approved");
    let alarm = fails(&mut org, &first);
    let next = org.now.plus_seconds(10).rfc3339();
    let shown = json!({
        "event": "approval.requested", "count": 31, "attempts": 1, "next_attempt_at": next, "reason": "It is down.",
    });
    assert!(waiting(&mut org, "ops").contains(&shown), "{:?}", waiting(&mut org, "ops"));
    // Another event is not held up by it.
    assert_eq!(alarm.map(|at| at <= org.now.plus_seconds(NOTICE_QUIET_SECONDS)), Some(true));
    let decided = next_notice(&mut org);
    assert_eq!((decided.event, ids(&decided)), (Decided, vec!["one".to_owned()]));
    assert!(report(&mut org, &decided, NoticeOutcome::Taken).is_some(), "the first is not forgotten");
    let again = next_notice(&mut org);
    assert_eq!((&again.id, again.attempt), (&first.id, 2));
    let alarm = report(&mut org, &again, NoticeOutcome::Taken);
    assert!(alarm.is_some_and(|at| at <= org.now), "the next has been due for long");
    let second = next_notice(&mut org);
    assert_eq!((body(&second)["data"]["count"].as_u64(), second.attempt), (Some(30), 1));
    assert_ne!(second.id, first.id);
}

#[test]
fn an_attempt_that_is_never_reported_is_made_again_after_its_lease() {
    let mut org = with("ops", ALL);
    tell(&mut org, "one", "pending");
    let first = next_notice(&mut org);
    let sent = org.now;
    let second = next_notice(&mut org);
    assert_eq!(seconds(sent, org.now), NOTICE_LEASE_SECONDS);
    assert_eq!((&second.id, &second.body, second.attempt), (&first.id, &first.body, 2));
    // A late failure says nothing of the attempt that is under way.
    let before = waiting(&mut org, "ops");
    fails(&mut org, &first);
    assert_eq!(waiting(&mut org, "ops"), before);
    assert_eq!(before[0]["reason"], "No report came of the attempt before.");
    // That it was taken counts whenever it is said, once.
    report(&mut org, &first, NoticeOutcome::Taken);
    assert_eq!((rows(&org), next_notices(&mut org)), (0, vec![]));
    fails(&mut org, &second);
    report(&mut org, &second, NoticeOutcome::Taken);
    assert_eq!((rows(&org), next_notices(&mut org)), (0, vec![]));
    // Nobody reports for a day: it is given up all the same.
    tell(&mut org, "two", "pending");
    let mut attempts = 0;
    while let Some(notice) = next_notices(&mut org).pop() {
        attempts = notice.attempt;
    }
    assert!(u64::from(attempts) >= NOTICE_SECONDS_MAX / (NOTICE_LEASE_SECONDS + 1), "{attempts}");
    assert_eq!(rows(&org), 0);
    assert_eq!(audit(&mut org)[0]["detail"]["reason"], "No report came of the attempt before.");
}

#[test]
fn a_receiver_that_is_gone_is_told_no_more_until_the_next_write() {
    let mut org = with("ops", ALL);
    put(&mut org, "mail", &[Requested]);
    tell_all(&mut org, vec![approval("one", "pending", json!([])), approval("old", "expired", json!([]))]);
    let notices = next_notices(&mut org);
    assert_eq!(notices.len(), 3);
    let gone = notices.iter().find(|notice| notice.notification == "ops").unwrap();
    tell(&mut org, "two", "pending");
    report(&mut org, gone, NoticeOutcome::Gone);
    let shown = org.body("read", Command::GetNotification("ops".into()));
    assert_eq!((&shown["state"], &shown["waiting"]), (&json!("disabled"), &json!([])));
    let entry = &audit(&mut org)[0];
    assert_eq!((&entry["event"], &entry["subject"]), (&json!("notification.disabled"), &json!("ops")));
    assert_eq!((&entry["detail"]["answered"], &entry["detail"]["dropped"]), (&json!(410), &json!(3)));
    tell(&mut org, "three", "pending");
    for notice in notices.iter().filter(|notice| notice.notification == "mail") {
        report(&mut org, notice, NoticeOutcome::Taken);
    }
    let next = next_notice(&mut org);
    assert_eq!((next.notification.as_str(), ids(&next)), ("mail", vec!["two".to_owned(), "three".to_owned()]));
    report(&mut org, &next, NoticeOutcome::Taken);
    put(&mut org, "ops", ALL);
    tell(&mut org, "three", "approved");
    assert_eq!(ids(&next_notice(&mut org)), ["three"]);
}

#[test]
fn a_gone_that_was_said_by_an_earlier_receiver_disables_nothing() {
    let mut org = with("ops", ALL);
    tell(&mut org, "one", "pending");
    let first = next_notice(&mut org);
    assert!(put_to(&mut org, "ops", "https://new.example.com/", ALL, None).is_ok());
    report(&mut org, &first, NoticeOutcome::Gone);
    assert_eq!(org.body("read", Command::GetNotification("ops".into()))["state"], "active");
    let second = next_notice(&mut org);
    assert_eq!((second.url.as_str(), second.id == first.id), ("https://new.example.com/", true));
    report(&mut org, &second, NoticeOutcome::Gone);
    assert_eq!(org.body("read", Command::GetNotification("ops".into()))["state"], "disabled");
}

#[test]
fn a_write_tries_at_once_what_failed_and_forgets_what_is_not_wanted_any_more() {
    let mut org = with("ops", ALL);
    tell_all(&mut org, vec![approval("one", "pending", json!([])), approval("two", "approved", json!([]))]);
    for _ in 0..4 {
        for notice in next_notices(&mut org) {
            fails(&mut org, &notice);
        }
    }
    tell(&mut org, "late", "expired");
    put(&mut org, "ops", &[Requested]);
    let written = org.now;
    let notice = next_notice(&mut org);
    assert!(seconds(written, org.now) <= 1);
    assert_eq!((notice.event, ids(&notice)), (Requested, vec!["one".to_owned()]));
    // One that is under way is left alone: its receiver may be taking it.
    put(&mut org, "ops", &[Requested]);
    let at_once = org.now.plus_seconds(1);
    assert_eq!(alarm_at(&mut org, at_once).0, []);
    report(&mut org, &notice, NoticeOutcome::Taken);
    assert_eq!((rows(&org), next_notices(&mut org)), (0, vec![]));
}

#[test]
fn what_is_deleted_is_told_nothing_more() {
    let mut org = with("ops", ALL);
    tell_all(&mut org, vec![approval("one", "pending", json!([])), approval("two", "approved", json!([]))]);
    let notices = next_notices(&mut org);
    fails(&mut org, &notices[0]);
    tell(&mut org, "three", "expired");
    org.body("delete", Command::DeleteNotification("ops".into()));
    assert_eq!((rows(&org), &audit(&mut org)[0]["detail"]["dropped"]), (0, &json!(3)));
    assert_eq!(next_notices(&mut org), []);
    for outcome in [NoticeOutcome::Gone, NoticeOutcome::NotTaken("x".into()), NoticeOutcome::Taken] {
        report(&mut org, &notices[1], outcome);
    }
    assert_eq!((rows(&org), next_notices(&mut org)), (0, vec![]));
    // One of the same name begins with nothing, and is not mistaken for the one before.
    put(&mut org, "ops", ALL);
    report(&mut org, &notices[1], NoticeOutcome::Gone);
    assert_eq!(org.body("read", Command::GetNotification("ops".into()))["state"], "active");
    assert_eq!(next_notices(&mut org), []);
}

#[test]
fn the_alarm_of_a_notice_is_kept_by_every_other_change() {
    let mut org = with("ops", ALL);
    let due = tell(&mut org, "one", "pending").unwrap();
    let steps = [
        Command::PutPool("more".into(), serde_json::from_value(json!({"transport": "worker"})).unwrap()),
        Command::PutCapability("c".into(), serde_json::from_value(json!({"tools": []})).unwrap()),
        Command::Tick,
    ];
    for command in steps {
        let what = format!("{command:?}");
        assert_eq!(org.step(command).alarm, Some(due), "{what}");
    }
    // And the other way round: a pool that lags is pushed to before the message is sent again.
    let notice = next_notice(&mut org);
    org.policy("shop");
    let key = serde_json::from_value(json!({"role": "caller", "name": "c"})).unwrap();
    assert_eq!(org.step(Command::CreateKey(key)).alarm, Some(org.now.plus_seconds(PUSH_SECONDS)));
    assert_eq!(fails(&mut org, &notice), Some(org.now.plus_seconds(PUSH_SECONDS)));
    let version = org.policy("shop").version;
    org.ask(Command::Stored { pool: "shop".into(), version }).unwrap();
    assert_eq!(org.step(Command::Tick).alarm.map(|at| at > org.now.plus_seconds(PUSH_SECONDS)), Some(true));
}

#[test]
fn one_alarm_hands_over_so_many_and_the_rest_follows_at_once() {
    let mut org = Org::new();
    for n in 0..NOTIFICATIONS_MAX {
        put(&mut org, &format!("n{n}"), &[Requested]);
    }
    tell(&mut org, "one", "pending");
    let due = org.now.plus_seconds(NOTICE_QUIET_SECONDS);
    let mut told = std::collections::BTreeSet::new();
    for left in [12, 4, 0] {
        let (notices, next) = alarm_at(&mut org, due);
        assert!(notices.len() <= NOTICES_STEP_MAX);
        told.extend(notices.into_iter().map(|notice| (notice.notification, notice.id)));
        assert_eq!(NOTIFICATIONS_MAX - told.len(), left);
        assert_eq!(next.is_some_and(|at| at <= org.now), left > 0);
    }
    let ids: std::collections::BTreeSet<&String> = told.iter().map(|(_, id)| id).collect();
    assert_eq!(ids.len(), NOTIFICATIONS_MAX, "each message has an id of its own");
}

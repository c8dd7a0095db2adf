//! An org whose notifications are watched: its alarm rings when it was set for, and at no other time. What a step sets
//! takes the place of what was set before, as on the platform.
#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::{Value, json};
use toolgate_core::ids::Place;
use toolgate_core::queue::messages::{PoolBatch, PoolMessage, VERSION};
use toolgate_core::registry::{
    Answer, Command, Effects, NewSecret, Notice, NoticeOutcome, NoticeReport, NotificationSpec, Page, Reply,
};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::ApprovalView;
use toolgate_protocol::notifications::NotificationEvent;
use toolgate_simulator::org::Org;

use NotificationEvent::{Decided, Expired, Requested};

pub const ALL: &[NotificationEvent] = &[Requested, Decided, Expired];
pub const URL: &str = "https://hooks.example.com/in?token=of-the-receiver";
/// More alarms than any test needs.
const ALARMS_MAX: usize = 10_000;

pub struct Watch {
    pub org: Org,
    pub alarm: Option<UnixMillis>,
}

impl Watch {
    pub fn new() -> Watch {
        Watch { org: Org::new(), alarm: None }
    }

    /// With one notification.
    pub fn of(name: &str, events: &[NotificationEvent]) -> Watch {
        let mut watch = Watch::new();
        watch.put(name, events);
        watch
    }

    pub fn now(&self) -> UnixMillis {
        self.org.now
    }

    pub fn step(&mut self, command: Command) -> Effects {
        let effects = self.org.step(command);
        self.alarm = effects.alarm.or(self.alarm);
        effects
    }

    pub fn ask(&mut self, command: Command) -> Reply {
        self.step(command).reply
    }

    pub fn code(&mut self, command: Command) -> &'static str {
        self.ask(command).map_or_else(|problem| problem.kind.code, |_| "ok")
    }

    pub fn body(&mut self, command: Command) -> Value {
        match self.ask(command) {
            Ok(Answer::Body(_, body)) => body,
            other => panic!("{other:?}"),
        }
    }

    /// A secret as the edge hands it in; from then on nobody may be shown it.
    pub fn secret(&mut self, name: &str) -> NewSecret {
        let secret = NewSecret { sealed: format!("sealed-{name}"), fingerprint: format!("fingerprint-{name}") };
        self.org.hidden.extend([secret.sealed.clone(), secret.fingerprint.clone()]);
        secret
    }

    /// A write; without `own` the edge made a secret in case one is needed.
    pub fn put_to(&mut self, name: &str, url: &str, events: &[NotificationEvent], own: Option<&str>) -> Reply {
        let now = self.now().0.to_string();
        let secret = self.secret(own.unwrap_or(&now));
        let base_url = "https://gate.example.com".to_owned();
        let spec =
            NotificationSpec { url: url.into(), base_url, events: events.to_vec(), secret, is_given: own.is_some() };
        self.ask(Command::PutNotification(name.into(), Box::new(spec)))
    }

    pub fn put(&mut self, name: &str, events: &[NotificationEvent]) {
        let reply = self.put_to(name, URL, events, None);
        assert!(matches!(reply, Ok(Answer::Body(200 | 201, _))), "{reply:?}");
    }

    /// What a pool tells in one batch; the numbers rise.
    pub fn tell_all(&mut self, views: Vec<ApprovalView>) {
        let first = self.now().0;
        let number = |(at, view)| (first + at as u64, PoolMessage::Approval(Box::new(view)));
        let messages = views.into_iter().enumerate().map(number).collect();
        let effects = self.step(Command::Batch(PoolBatch { v: VERSION, place: Place::of("acme", "shop"), messages }));
        assert!(effects.reply.is_ok() && effects.notices.is_empty());
    }

    pub fn tell(&mut self, id: &str, state: &str) {
        self.tell_all(vec![approval(id, state, json!([]))]);
    }

    /// The alarm rings, if one is set; what the edge is handed.
    pub fn ring(&mut self) -> Option<Vec<Notice>> {
        let at = self.alarm.take()?;
        // Two alarms that follow at once come in one second.
        self.org.now = UnixMillis(at.max(self.now()).0 - 1_000);
        let effects = self.step(Command::Tick);
        assert!(effects.reply.is_ok());
        Some(effects.notices)
    }

    /// Alarms until the edge is handed something; nothing when none is set any more.
    pub fn next_notices(&mut self) -> Vec<Notice> {
        for _ in 0..ALARMS_MAX {
            match self.ring() {
                None => return Vec::new(),
                Some(notices) if !notices.is_empty() => return notices,
                Some(_) => {}
            }
        }
        panic!("alarms without end")
    }

    pub fn next_notice(&mut self) -> Notice {
        let notices = self.next_notices();
        assert_eq!(notices.len(), 1, "{notices:?}");
        notices.into_iter().next().unwrap()
    }

    pub fn report(&mut self, notice: &Notice, outcome: NoticeOutcome) {
        let Notice { notification, event, revision, id, attempt, .. } = notice.clone();
        let report = NoticeReport { notification, event, revision, id, attempt, outcome };
        let effects = self.step(Command::NoticeReport(Box::new(report)));
        assert!(effects.reply.is_ok() && effects.notices.is_empty());
    }

    pub fn taken(&mut self, notice: &Notice) {
        self.report(notice, NoticeOutcome::Taken);
    }

    pub fn fails(&mut self, notice: &Notice) {
        self.report(notice, NoticeOutcome::NotTaken("It is down.".into()));
    }

    pub fn shown(&mut self, name: &str) -> Value {
        self.body(Command::GetNotification(name.into()))
    }

    pub fn waiting(&mut self, name: &str) -> Vec<Value> {
        self.shown(name)["waiting"].as_array().unwrap().clone()
    }

    /// Audit entries of notifications, newest first.
    pub fn audit(&mut self) -> Vec<Value> {
        let listed = self.body(Command::ListAudit(Page { limit: 100, cursor: None }));
        let ours = |entry: &&Value| entry["event"].as_str().unwrap().starts_with("notification.");
        listed["audit"].as_array().unwrap().iter().filter(ours).cloned().collect()
    }

    /// Nothing is left behind, beside the notifications themselves: no row, no alarm that finds something to do.
    pub fn is_idle(&mut self) -> bool {
        let count = "SELECT count(*) FROM documents WHERE kind IN ('notice', 'notice_batch', 'notice_message')";
        let rows: i64 = self.org.sql.0.query_row(count, [], |row| row.get(0)).unwrap();
        rows == 0 && self.next_notices().is_empty()
    }
}

pub fn approval(id: &str, state: &str, decisions: Value) -> ApprovalView {
    let text = json!({
        "id": id, "call": format!("call_of_{id}"), "agent": "bot", "tool": "pay", "version": "v", "digest": format!("digest-of-{id}"),
        "principal": {"id": "u1", "tenant_id": "t1", "permissions": ["secret:permission"]},
        "arguments": {"iban": "an argument that nobody reads in a mail"}, "arguments_text": "{\"iban\":\"…\"}",
        "created_at": "2025-11-30T10:00:00.000Z", "expires_at": "2025-12-01T10:00:00.000Z", "required": 2,
        "decisions": decisions, "earlier": [], "state": state,
    });
    serde_json::from_str(&text.to_string()).unwrap()
}

pub fn body(notice: &Notice) -> Value {
    serde_json::from_str(&notice.body).unwrap()
}

pub fn ids(notice: &Notice) -> Vec<String> {
    let body = body(notice);
    body["data"]["approvals"].as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap().to_owned()).collect()
}

pub fn seconds(from: UnixMillis, to: UnixMillis) -> u64 {
    (to.0 - from.0) / 1_000
}

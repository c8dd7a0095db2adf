//! How an event that was owed ends: its receiver took the message that it is in, or a rule that is written down let it go.

use serde_json::Value;
use toolgate_core::registry::{NoticeOutcome, NoticeReport};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::limits::NOTICE_SECONDS_MAX;
use toolgate_protocol::notifications::NotificationEvent;

use super::books::{Books, Lane, Message, Wanted, no_secret};
use crate::checks::Checked;

impl Books {
    /// The registry was told what became of an attempt.
    pub fn reported(&mut self, report: &NoticeReport) -> Checked {
        let key = (report.notification.clone(), report.event);
        let current = |lane: &&mut Lane| lane.sending.as_ref().is_some_and(|message| message.id == report.id);
        let Some(lane) = self.lanes.get_mut(&key).filter(current) else { return Ok(()) };
        match report.outcome {
            NoticeOutcome::Taken => {
                let approvals = lane.sending.take().map_or(0, |message| message.approvals.len());
                if !self.read.contains(&report.id) {
                    return Err(format!("2: {} counts as taken, and no receiver has it", report.id));
                }
                self.end_message(&report.id, "told", approvals);
            }
            NoticeOutcome::Gone => {
                let wanted = self.notifications.get_mut(&report.notification);
                if let Some(wanted) = wanted.filter(|wanted| wanted.revision == report.revision) {
                    wanted.is_active = false;
                    return self.let_go("notification.disabled", &report.notification, "disabled");
                }
            }
            NoticeOutcome::NotTaken(_) => {}
        }
        Ok(())
    }

    /// No secret is in the audit record; what it says of notifications has its cause.
    pub fn audit(&mut self, entries: &[String], now: UnixMillis) -> Checked {
        for text in entries {
            no_secret("the audit record", text)?;
            if !text.contains("\"notification.") {
                continue;
            }
            let entry: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let (event, detail) = (entry["event"].as_str().unwrap_or_default(), &entry["detail"]);
            let subject = entry["subject"].as_str().unwrap_or_default();
            match event {
                "notification.failed" => self.given_up(subject, detail, now)?,
                "notification.disabled" | "notification.deleted" => {
                    let dropped = detail["dropped"].as_u64().unwrap_or(u64::MAX);
                    self.said = Some((event.to_owned(), subject.to_owned(), dropped));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// After a day of trying.
    fn given_up(&mut self, name: &str, detail: &Value, now: UnixMillis) -> Checked {
        let id = detail["message"].as_str().unwrap_or_default();
        let is_it =
            |message: &Message| message.id == id && Some(message.approvals.len() as u64) == detail["count"].as_u64();
        let lanes = self.lanes.iter_mut().filter(|((owner, _), _)| owner == name).map(|(_, lane)| lane);
        let lane = lanes.into_iter().find(|lane| lane.sending.as_ref().is_some_and(is_it));
        let Some(message) = lane.and_then(|lane| lane.sending.take()) else {
            return Err(format!("2: {id} of {name} was given up, and is not under way: {detail}"));
        };
        if now < message.made_at.plus_seconds(NOTICE_SECONDS_MAX) {
            return Err(format!("2: {id} was given up within a day, after {} attempts", message.attempt));
        }
        self.end_message(id, "given up", message.approvals.len());
        Ok(())
    }

    fn end_message(&mut self, id: &str, fate: &'static str, approvals: usize) {
        self.read.remove(id);
        self.over.insert(id.to_owned());
        self.count(fate, approvals);
    }

    /// A notification was written.
    pub fn written(&mut self, name: &str, events: &[NotificationEvent], url: &str) {
        let revision = self.notifications.get(name).map_or(1, |known| known.revision + 1);
        let wanted = Wanted { events: events.to_vec(), url: url.to_owned(), is_active: true, revision };
        self.notifications.insert(name.to_owned(), wanted);
        self.drop_lanes(name, "unwanted", |event| !events.contains(&event));
    }

    pub fn deleted(&mut self, name: &str) -> Checked {
        self.notifications.remove(name);
        self.let_go("notification.deleted", name, "deleted")
    }

    /// All that a notification is owed goes, and the audit record says so.
    fn let_go(&mut self, event: &str, name: &str, fate: &'static str) -> Checked {
        let dropped = self.drop_lanes(name, fate, |_| true);
        match self.said.take() {
            Some(said) if said == (event.to_owned(), name.to_owned(), dropped as u64) => Ok(()),
            other => Err(format!("2: of {event} {name} with {dropped} approvals the audit record says {other:?}")),
        }
    }

    fn drop_lanes(&mut self, name: &str, fate: &'static str, which: impl Fn(NotificationEvent) -> bool) -> usize {
        let mut dropped = 0;
        let mut over = Vec::new();
        self.lanes.retain(|(owner, event), lane| {
            let goes = owner == name && which(*event);
            if goes {
                dropped += lane.owed();
                over.extend(lane.sending.take().map(|message| message.id));
            }
            !goes
        });
        for id in over {
            self.end_message(&id, fate, 0);
        }
        self.count(fate, dropped);
        dropped
    }

    /// Everything has ended: nothing waits, no row is left, and every event that was owed has its fate.
    pub fn end(&self, rows: i64) -> Checked {
        let fate = |name: &str| self.fates.get(name).copied().unwrap_or(0);
        let ended: u64 = ["told", "given up", "unwanted", "disabled", "deleted"].into_iter().map(fate).sum();
        if self.lanes.values().any(|lane| lane.owed() > 0) || ended != fate("owed") {
            return Err(format!("2: no alarm is set, and of {} events {ended} have ended", fate("owed")));
        }
        if rows == 0 { Ok(()) } else { Err(format!("5: {rows} rows of notices are left for ever")) }
    }
}

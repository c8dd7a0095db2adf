//! What must become of each event of an approval, kept beside the registry and by other means: which notification is owed
//! it, and in which message it is. How it ends is in `ends.rs`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolgate_core::queue::messages::{PoolBatch, PoolMessage};
use toolgate_core::registry::Notice;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::limits::{
    NOTICE_APPROVALS_MAX, NOTICE_GATHER_SECONDS_MAX, NOTICE_PAUSE_SECONDS_MAX, NOTICE_QUIET_SECONDS, RECORD_SECONDS,
};
use toolgate_protocol::notifications::{NoticeMessage, NotificationEvent};

use super::receivers::TOKEN;
use crate::checks::Checked;

/// A notification as it was written last.
pub(super) struct Wanted {
    pub(super) events: Vec<NotificationEvent>,
    pub(super) url: String,
    pub(super) is_active: bool,
    pub(super) revision: u64,
}

/// What one notification is owed of one event.
#[derive(Default)]
pub(super) struct Lane {
    /// Approvals that no message has, in order, and when the first and the last of them came.
    pub(super) gathering: Vec<String>,
    pub(super) since: UnixMillis,
    pub(super) last_at: UnixMillis,
    pub(super) sending: Option<Message>,
    pub(super) made_at: Option<UnixMillis>,
}

pub(super) struct Message {
    pub(super) id: String,
    pub(super) body: String,
    pub(super) approvals: Vec<String>,
    pub(super) made_at: UnixMillis,
    pub(super) attempt: u32,
}

#[derive(Default)]
pub struct Books {
    pub(super) notifications: BTreeMap<String, Wanted>,
    pub(super) lanes: BTreeMap<(String, NotificationEvent), Lane>,
    /// Approvals by id: whether they have ended, and when that was told last.
    pub(super) index: BTreeMap<String, Option<UnixMillis>>,
    /// Messages that a receiver has.
    pub(super) read: BTreeSet<String>,
    /// Messages that are over; none of them may come again.
    pub(super) over: BTreeSet<String>,
    /// What the audit record says of a notification and what was dropped with it, until its cause is known.
    pub(super) said: Option<(String, String, u64)>,
    /// How many events were owed, and how they ended; how many messages there were, and how often one was repeated.
    pub fates: BTreeMap<&'static str, u64>,
    /// The last audit entry that was looked at.
    pub audited: i64,
}

/// What neither the audit record nor a message may hold.
pub(super) fn no_secret(what: &str, text: &str) -> Checked {
    match [TOKEN, "sealed-", "fingerprint-"].iter().find(|secret| text.contains(**secret)) {
        Some(secret) => Err(format!("6: {what} holds {secret}: {text}")),
        None => Ok(()),
    }
}

impl Lane {
    pub(super) fn owed(&self) -> usize {
        self.gathering.len() + self.sending.as_ref().map_or(0, |message| message.approvals.len())
    }
}

impl Books {
    pub(super) fn count(&mut self, fate: &'static str, many: usize) {
        *self.fates.entry(fate).or_default() += many as u64;
    }

    pub fn names(&self) -> Vec<String> {
        self.notifications.keys().cloned().collect()
    }

    /// How many approvals the index has: an end for so long, and what is open.
    pub fn kept(&self) -> usize {
        self.index.len()
    }

    pub fn keeps(&self, approval: &str) -> bool {
        self.index.contains_key(approval)
    }

    pub fn is_under_way(&self) -> bool {
        self.lanes.values().any(|lane| lane.sending.is_some())
    }

    /// A pool was told that its batch is taken, or it was taken and the pool does not know.
    pub fn heard(&mut self, batch: &PoolBatch, now: UnixMillis) {
        let mut has_ended = false;
        for (_, message) in &batch.messages {
            let PoolMessage::Approval(view) = message else { continue };
            let is_open = view.state == "pending";
            let known = self.index.get(&view.id).copied();
            let is_news = match known {
                None => true,
                Some(None) => !is_open,
                Some(Some(_)) => false,
            };
            if known.is_none() || !is_open {
                self.index.insert(view.id.clone(), (!is_open).then_some(now));
            }
            has_ended |= !is_open;
            if is_news {
                let event = match view.state.as_str() {
                    "pending" => NotificationEvent::Requested,
                    "expired" => NotificationEvent::Expired,
                    _ => NotificationEvent::Decided,
                };
                self.owe(event, &view.id, now);
            }
        }
        if has_ended {
            let old = now.minus_seconds(RECORD_SECONDS);
            self.index.retain(|_, ended| ended.is_none_or(|at| at > old));
        }
    }

    fn owe(&mut self, event: NotificationEvent, approval: &str, now: UnixMillis) {
        let wants = |wanted: &Wanted| wanted.is_active && wanted.events.contains(&event);
        let names: Vec<String> =
            self.notifications.iter().filter(|(_, wanted)| wants(wanted)).map(|(name, _)| name.clone()).collect();
        self.count("owed", names.len());
        for name in names {
            let lane = self.lanes.entry((name, event)).or_default();
            if lane.gathering.is_empty() {
                lane.since = now;
            }
            lane.last_at = now;
            lane.gathering.push(approval.to_owned());
        }
    }

    /// The edge was handed messages, or would have been, had the registry not been killed.
    pub fn handed_over(&mut self, notices: &[Notice], now: UnixMillis) -> Checked {
        notices.iter().try_for_each(|notice| self.handed_one(notice, now))
    }

    fn handed_one(&mut self, notice: &Notice, now: UnixMillis) -> Checked {
        let Notice { notification, event, id, body, .. } = notice;
        let wanted = self.notifications.get(notification).ok_or_else(|| format!("2: {id} is for nobody"))?;
        let is_now = (&notice.url, notice.revision) == (&wanted.url, wanted.revision);
        if !is_now || !wanted.is_active || !wanted.events.contains(event) {
            return Err(format!("2: {id} goes to {notification} as it is not any more"));
        }
        let lane = self.lanes.entry((notification.clone(), *event)).or_default();
        if let Some(message) = &mut lane.sending {
            if (&message.id, &message.body, message.attempt + 1) != (id, body, notice.attempt) {
                return Err(format!("4: {id} is repeated as another message, or out of turn ({})", notice.attempt));
            }
            message.attempt += 1;
            self.count("repeated", 1);
            return Ok(());
        }
        if self.over.contains(id) || notice.attempt != 1 {
            return Err(format!("4: {id} begins with attempt {} or was there before", notice.attempt));
        }
        let parsed: NoticeMessage = serde_json::from_str(body).map_err(|error| error.to_string())?;
        let named: Vec<&String> = parsed.data.approvals.iter().map(|summary| &summary.id).collect();
        let due: Vec<&String> = lane.gathering.iter().take(NOTICE_APPROVALS_MAX).collect();
        if parsed.kind != *event || parsed.data.count != lane.gathering.len() as u64 || named != due {
            return Err(format!("2: {id} tells of {} and not of {}", parsed.data.count, lane.gathering.len()));
        }
        let is_quiet = now >= lane.last_at.plus_seconds(NOTICE_QUIET_SECONDS);
        if !is_quiet && now < lane.since.plus_seconds(NOTICE_GATHER_SECONDS_MAX) {
            return Err(format!("3: {id} was made while more came"));
        }
        if lane.made_at.is_some_and(|at| now < at.plus_seconds(NOTICE_QUIET_SECONDS)) {
            return Err(format!("3: {id} follows the one before too soon"));
        }
        no_secret("a message", body)?;
        let (id, body, approvals) = (id.clone(), body.clone(), std::mem::take(&mut lane.gathering));
        lane.made_at = Some(now);
        lane.sending = Some(Message { id, body, approvals, made_at: now, attempt: 1 });
        self.count("messages", 1);
        Ok(())
    }

    /// A receiver has a message: the bytes that were handed over, if it is the one that is under way.
    pub fn read_by_receiver(&mut self, notice: &Notice) -> Checked {
        if self.over.contains(&notice.id) {
            return Ok(());
        }
        let lane = self.lanes.get(&(notice.notification.clone(), notice.event));
        match lane.and_then(|lane| lane.sending.as_ref()).filter(|message| message.id == notice.id) {
            Some(message) if message.body != notice.body => Err(format!("4: {} has two bodies", notice.id)),
            _ => {
                self.read.insert(notice.id.clone());
                Ok(())
            }
        }
    }

    /// There is a row for what waits, and none for what does not.
    pub fn rows(&self, rows: usize) -> Checked {
        if let Some(said) = &self.said {
            return Err(format!("2: the audit record says {said:?} without a cause"));
        }
        let waiting = self.lanes.values().filter(|lane| lane.owed() > 0).count();
        if waiting == rows { Ok(()) } else { Err(format!("2: {waiting} notices wait, and there are {rows} rows")) }
    }

    /// Where something waits, the registry wakes by itself, in time.
    pub fn alarm(&self, alarm: Option<UnixMillis>, now: UnixMillis) -> Checked {
        for ((name, event), lane) in self.lanes.iter().filter(|(_, lane)| lane.owed() > 0) {
            let at = alarm.ok_or_else(|| format!("5: {event:?} waits for {name}, and no alarm is set"))?;
            let gathered = lane.since.plus_seconds(NOTICE_GATHER_SECONDS_MAX).max(now.plus_seconds(5));
            let latest = if lane.sending.is_some() { now.plus_seconds(NOTICE_PAUSE_SECONDS_MAX) } else { gathered };
            if at > latest {
                return Err(format!("5: {event:?} waits for {name} longer than it should"));
            }
        }
        Ok(())
    }

    /// A notification as the admin sees it.
    pub fn shown(&self, name: &str, shown: &Value) -> Checked {
        let waiting = shown["waiting"].as_array().cloned().unwrap_or_default();
        for event in [NotificationEvent::Requested, NotificationEvent::Decided, NotificationEvent::Expired] {
            let entry = waiting.iter().find(|entry| entry["event"] == event.name());
            let count = entry.and_then(|entry| entry["count"].as_u64()).unwrap_or(0);
            let owed = self.lanes.get(&(name.to_owned(), event)).map_or(0, Lane::owed);
            if count != owed as u64 {
                return Err(format!("2: {name} is owed {owed} of {event:?}, and {count} wait"));
            }
        }
        let is_active = self.notifications.get(name).is_some_and(|wanted| wanted.is_active);
        let state = if is_active { "active" } else { "disabled" };
        if shown["state"] == state { Ok(()) } else { Err(format!("2: {name} is {state} and shown as {shown}")) }
    }
}

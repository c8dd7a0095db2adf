//! What notifications are told: events are gathered into batches, and each batch is sent until it was taken.
//!
//! Everything is a row before anything is sent, and a row goes when its message was taken, given up, or is wanted by
//! nobody any more. So a kill loses nothing and may send a message twice, under one id. For each notification and
//! event one batch is gathered and one message is under way: a receiver that is down meets one message, not a queue.
//! None of this is seen by the pools, and a row that cannot be read counts as none: an approval never waits for who
//! hears of it.
//!
//! Leaves to others: the address, the signature and the exchange (`src/notices.rs`), which work on a copy of the row.

mod gather;
mod send;

use serde::{Deserialize, Serialize};
use toolgate_protocol::answers::WaitingNotice;
use toolgate_protocol::limits::{
    NOTICE_GATHER_SECONDS_MAX, NOTICE_PAUSE_SECONDS_MAX, NOTICE_PAUSES_SECONDS, NOTICE_QUIET_SECONDS,
    NOTICE_SECONDS_MAX,
};
use toolgate_protocol::notifications::NotificationEvent;

use super::Step;
use super::notifications::NotificationRecord;
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

/// A message on its way to a receiver, for the edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// The org.
    pub org: String,
    /// The notification.
    pub notification: String,
    /// What it is about.
    pub event: NotificationEvent,
    /// Of the notification.
    pub revision: u64,
    /// Where to.
    pub url: String,
    /// The secret, bound to org and notification.
    pub sealed: String,
    /// `msg_…`, the same at every attempt.
    pub id: String,
    /// From 1.
    pub attempt: u32,
    /// The same at every attempt.
    pub body: String,
}

/// What became of an attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NoticeReport {
    /// The notification.
    pub notification: String,
    /// What the message is about.
    pub event: NotificationEvent,
    /// Of the notification that was told.
    pub revision: u64,
    /// The message.
    pub id: String,
    /// The attempt.
    pub attempt: u32,
    /// What became of it.
    pub outcome: NoticeOutcome,
}

/// What a receiver did with a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum NoticeOutcome {
    /// It answered 2xx.
    Taken,
    /// It answered 410: it wants no more.
    Gone,
    /// It did not take it, or nothing was sent; a sentence for the admin's view.
    NotTaken(String),
}

/// What waits for one notification and event. The texts are rows of their own, so that this one stays small.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Waiting {
    notification: String,
    event: NotificationEvent,
    gathering: Option<Gathering>,
    sending: Option<Sending>,
}

/// A batch that may still grow.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Gathering {
    first_at: UnixMillis,
    last_at: UnixMillis,
    count: u64,
    /// Of them, the ones that the message will name.
    named: usize,
    bytes: usize,
}

/// A message that was not taken yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sending {
    id: String,
    count: u64,
    made_at: UnixMillis,
    attempt: u32,
    sent_at: UnixMillis,
    /// The next attempt; while one is out, the end of its lease.
    next_at: UnixMillis,
    is_out: bool,
    reason: Option<String>,
}

impl Waiting {
    fn due(&self) -> Option<UnixMillis> {
        let gathered = |batch: &Gathering| {
            let at_last = batch.first_at.plus_seconds(NOTICE_GATHER_SECONDS_MAX);
            batch.last_at.plus_seconds(NOTICE_QUIET_SECONDS).min(at_last)
        };
        let sending = self.sending.as_ref().map(|sending| sending.next_at);
        sending.or_else(|| self.gathering.as_ref().map(gathered))
    }

    /// Approvals that nobody was told of.
    fn untold(&self) -> u64 {
        let gathered = self.gathering.as_ref().map_or(0, |batch| batch.count);
        gathered.saturating_add(self.sending.as_ref().map_or(0, |sending| sending.count))
    }

    fn view(&self) -> WaitingNotice {
        let sending = self.sending.as_ref();
        WaitingNotice {
            event: self.event,
            count: self.untold(),
            attempts: sending.map(|sending| sending.attempt),
            next_attempt_at: sending.filter(|each| !each.is_out).map(|each| each.next_at.rfc3339()),
            reason: sending.and_then(|sending| sending.reason.clone()),
        }
    }
}

impl Sending {
    fn last_at(&self) -> UnixMillis {
        self.made_at.plus_seconds(NOTICE_SECONDS_MAX)
    }

    /// The attempt that is over was the last one: it began when the time was up.
    fn was_last(&self) -> bool {
        self.sent_at >= self.last_at()
    }

    /// The pause after the attempt that is over; the last attempt is made when the time is up.
    fn pause(&mut self, now: UnixMillis) {
        let failures = usize::try_from(self.attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        let pause = NOTICE_PAUSES_SECONDS.get(failures).copied().unwrap_or(NOTICE_PAUSE_SECONDS_MAX);
        self.next_at = now.plus_seconds(pause).min(self.last_at().max(now));
        self.is_out = false;
    }
}

/// Of the rows of a notification and event: no name has a blank.
fn key(notification: &str, event: NotificationEvent) -> String {
    format!("{notification} {}", event.name())
}

impl Step<'_> {
    fn forget(&mut self, waiting: &Waiting) -> Result<(), StoreError> {
        let key = key(&waiting.notification, waiting.event);
        ["notice", "notice_batch", "notice_message"].iter().try_for_each(|kind| self.docs.delete(kind, &key))
    }

    /// Forgets what waits for a notification and these events; how many approvals nobody was told of.
    pub(in crate::registry) fn forget_notices(
        &mut self,
        notification: &str,
        events: impl Fn(NotificationEvent) -> bool,
    ) -> Result<u64, StoreError> {
        let mut untold = 0_u64;
        for waiting in self.waiting(notification)?.into_iter().filter(|waiting| events(waiting.event)) {
            untold = untold.saturating_add(waiting.untold());
            self.forget(&waiting)?;
        }
        Ok(untold)
    }

    /// After a write: what is not wanted any more is forgotten, what failed is tried at once.
    pub(in crate::registry) fn resume_notices(
        &mut self,
        notification: &str,
        record: &NotificationRecord,
    ) -> Result<(), StoreError> {
        self.forget_notices(notification, |event| !record.wants(event))?;
        for mut waiting in self.waiting(notification)? {
            if let Some(sending) = waiting.sending.as_mut().filter(|sending| !sending.is_out) {
                sending.next_at = self.now;
                self.wakes = true;
                self.docs.put("notice", &key(notification, waiting.event), &waiting)?;
            }
        }
        Ok(())
    }

    fn waiting(&self, notification: &str) -> Result<Vec<Waiting>, StoreError> {
        let all = self.docs.find_all::<Waiting>("notice")?.into_iter().map(|(_, waiting)| waiting);
        Ok(all.filter(|waiting| waiting.notification == notification).collect())
    }

    /// What waits for a notification, for the admin's view.
    pub(in crate::registry) fn waiting_notices(&self, notification: &str) -> Result<Vec<WaitingNotice>, StoreError> {
        Ok(self.waiting(notification)?.iter().map(Waiting::view).collect())
    }

    /// When the next notice is due.
    pub(in crate::registry) fn next_notice(&self) -> Result<Option<UnixMillis>, StoreError> {
        Ok(self.docs.find_all::<Waiting>("notice")?.iter().filter_map(|(_, waiting)| waiting.due()).min())
    }
}

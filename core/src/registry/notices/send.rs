//! Sending: a batch becomes a message, which the edge is handed until a receiver took it.

use serde_json::json;
use toolgate_protocol::limits::{NOTICE_LEASE_SECONDS, NOTICES_STEP_MAX};
use toolgate_protocol::notifications::{ApprovalSummary, NoticeData, NoticeMessage, NotificationState};

use super::{Notice, NoticeOutcome, NoticeReport, Sending, Waiting, key};
use crate::hash::sha256_hex;
use crate::registry::notifications::NotificationRecord;
use crate::registry::{Answer, Step, Stepped};
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

impl Step<'_> {
    /// Hands to the edge what is due, the longest due first.
    pub(in crate::registry) fn send_due_notices(&mut self) -> Result<(), StoreError> {
        let all = self.docs.find_all::<Waiting>("notice")?.into_iter();
        let mut due: Vec<(UnixMillis, Waiting)> =
            all.filter_map(|(_, each)| Some((each.due().filter(|at| *at <= self.now)?, each))).collect();
        due.sort_by_key(|(at, _)| *at);
        for (_, waiting) in due {
            if self.notices.len() >= NOTICES_STEP_MAX {
                break;
            }
            self.send_due_notice(waiting)?;
        }
        Ok(())
    }

    fn send_due_notice(&mut self, mut waiting: Waiting) -> Result<(), StoreError> {
        let known = self.docs.find::<NotificationRecord>("notification", &waiting.notification)?;
        let Some(notification) = known.filter(|known| known.wants(waiting.event)) else {
            return self.forget(&waiting);
        };
        let key = key(&waiting.notification, waiting.event);
        if let Some(sending) = waiting.sending.as_mut().filter(|sending| sending.is_out) {
            let reason = "No report came of the attempt before.".to_owned();
            if sending.was_last() {
                return self.give_up(waiting, reason);
            }
            sending.reason = Some(reason);
        }
        if waiting.sending.is_none() {
            self.close(&key, &mut waiting)?;
        }
        let body = self.docs.find::<String>("notice_message", &key)?;
        let (Some(sending), Some(body)) = (waiting.sending.as_mut(), body) else {
            return self.give_up(waiting, "It cannot be read any more.".to_owned());
        };
        sending.attempt = sending.attempt.saturating_add(1);
        (sending.sent_at, sending.is_out) = (self.now, true);
        sending.next_at = self.now.plus_seconds(NOTICE_LEASE_SECONDS);
        self.notices.push(Notice {
            org: self.org.clone(),
            notification: waiting.notification.clone(),
            event: waiting.event,
            revision: notification.revision,
            url: notification.url,
            sealed: notification.secret.secret.sealed,
            id: sending.id.clone(),
            attempt: sending.attempt,
            body,
        });
        self.docs.put("notice", &key, &waiting)
    }

    /// Makes the message of a batch; from here on it does not change.
    fn close(&mut self, key: &str, waiting: &mut Waiting) -> Result<(), StoreError> {
        let Some(batch) = waiting.gathering.take() else { return Ok(()) };
        let approvals: Vec<ApprovalSummary> = self.docs.find("notice_batch", key)?.unwrap_or_default();
        let data = NoticeData { count: batch.count, approvals };
        let message = NoticeMessage { kind: waiting.event, timestamp: self.now.rfc3339(), data };
        let body = serde_json::to_string(&message).map_err(|error| StoreError::Failed(error.to_string()))?;
        self.docs.put("notice_message", key, &body)?;
        self.docs.delete("notice_batch", key)?;
        // Several messages may be made in one step, which has one draw of chance.
        let chance = [&self.entropy[..], key.as_bytes()].concat();
        let id = sha256_hex(&chance).chars().take(32).collect::<String>();
        waiting.sending = Some(Sending {
            id: format!("msg_{id}"),
            count: batch.count,
            made_at: self.now,
            attempt: 0,
            sent_at: self.now,
            next_at: self.now,
            is_out: false,
            reason: None,
        });
        Ok(())
    }

    /// The edge says what became of an attempt. A word about another message than the one that is there is late, and
    /// so is a failure of an attempt that was given up; that it was taken counts whenever it comes.
    pub(in crate::registry) fn notice_report(&mut self, report: NoticeReport) -> Stepped {
        let key = key(&report.notification, report.event);
        let Some(mut waiting) = self.docs.find::<Waiting>("notice", &key)? else { return Ok(Ok(Answer::Done)) };
        let Some(sending) = waiting.sending.as_mut().filter(|sending| sending.id == report.id) else {
            return Ok(Ok(Answer::Done));
        };
        self.wakes = true;
        let is_present = sending.is_out && sending.attempt == report.attempt;
        let reason = match report.outcome {
            NoticeOutcome::Taken => {
                self.end_sending(waiting)?;
                return Ok(Ok(Answer::Done));
            }
            NoticeOutcome::Gone if self.disable(&report)? => return Ok(Ok(Answer::Done)),
            NoticeOutcome::Gone => "An earlier receiver answered 410.".to_owned(),
            NoticeOutcome::NotTaken(reason) => reason,
        };
        if is_present && sending.was_last() {
            self.give_up(waiting, reason)?;
        } else if is_present {
            sending.pause(self.now);
            sending.reason = Some(reason);
            self.docs.put("notice", &key, &waiting)?;
        }
        Ok(Ok(Answer::Done))
    }

    /// The receiver that was told, if it is still the one to tell, wants no more.
    fn disable(&mut self, report: &NoticeReport) -> Result<bool, StoreError> {
        let name = &report.notification;
        let known = self.docs.find::<NotificationRecord>("notification", name)?;
        let Some(mut record) = known.filter(|known| known.revision == report.revision) else { return Ok(false) };
        record.state = NotificationState::Disabled;
        self.docs.put("notification", name, &record)?;
        let dropped = self.forget_notices(name, |_| true)?;
        let detail = json!({ "message": report.id, "event": report.event, "answered": 410, "dropped": dropped });
        self.audit("notification.disabled", name, detail)?;
        Ok(true)
    }

    fn give_up(&mut self, waiting: Waiting, reason: String) -> Result<(), StoreError> {
        if let Some(sending) = &waiting.sending {
            let detail = json!({
                "message": sending.id, "event": waiting.event, "count": sending.count, "attempts": sending.attempt,
                "made_at": sending.made_at.rfc3339(), "reason": reason,
            });
            self.audit("notification.failed", &waiting.notification, detail)?;
        }
        self.end_sending(waiting)
    }

    /// Makes room for the next batch.
    fn end_sending(&mut self, mut waiting: Waiting) -> Result<(), StoreError> {
        let key = key(&waiting.notification, waiting.event);
        self.docs.delete("notice_message", &key)?;
        waiting.sending = None;
        match &waiting.gathering {
            Some(_) => self.docs.put("notice", &key, &waiting),
            None => self.docs.delete("notice", &key),
        }
    }
}

//! Gathering: what pools tell becomes one batch for each notification and event.

use toolgate_protocol::approvals::ApprovalView;
use toolgate_protocol::limits::{NOTICE_APPROVALS_MAX, NOTICE_BYTES_MAX, NOTICE_REASON_CHARS_MAX};
use toolgate_protocol::notifications::{ApprovalSummary, NotificationEvent, PrincipalSummary};

use super::{Gathering, Waiting, key};
use crate::principal::Principal;
use crate::registry::Step;
use crate::registry::notifications::NotificationRecord;
use crate::sql_port::StoreError;

/// What an approval in this state is told as.
fn event_of(state: &str) -> NotificationEvent {
    match state {
        "pending" => NotificationEvent::Requested,
        "expired" => NotificationEvent::Expired,
        _ => NotificationEvent::Decided,
    }
}

fn summary(view: &ApprovalView, base_url: &str) -> ApprovalSummary {
    let principal = Principal::parse(view.principal.get()).ok();
    let (id, tenant_id) = principal.map(|principal| (principal.id, principal.tenant_id)).unwrap_or_default();
    let last = view.decisions.last().filter(|_| matches!(view.state.as_str(), "approved" | "rejected"));
    ApprovalSummary {
        id: view.id.clone(),
        call: view.call.clone(),
        agent: view.agent.clone(),
        tool: view.tool.clone(),
        principal: PrincipalSummary { id, tenant_id },
        state: view.state.clone(),
        digest: view.digest.clone(),
        created_at: view.created_at.clone(),
        expires_at: view.expires_at.clone(),
        url: format!("{base_url}/v1/approvals/{}", view.id),
        decided_by: last.map(|decision| decision.by.clone()),
        reason: last.and_then(|decision| decision.reason.as_deref()).map(shortened),
    }
}

fn shortened(reason: &str) -> String {
    match reason.char_indices().nth(NOTICE_REASON_CHARS_MAX) {
        Some((end, _)) => format!("{}…", reason.get(..end).unwrap_or_default()),
        None => reason.to_owned(),
    }
}

impl Step<'_> {
    /// Adds what a pool told to the batches of those who want to hear of it.
    pub(in crate::registry) fn gather_notices(&mut self, news: &[ApprovalView]) -> Result<(), StoreError> {
        if news.is_empty() {
            return Ok(());
        }
        for (name, notification) in self.docs.find_all::<NotificationRecord>("notification")? {
            for event in notification.events.iter().filter(|event| notification.wants(**event)) {
                let mine = news.iter().filter(|view| event_of(&view.state) == *event);
                let mine: Vec<ApprovalSummary> = mine.map(|view| summary(view, &notification.base_url)).collect();
                if !mine.is_empty() {
                    self.gather(&name, *event, mine)?;
                }
            }
        }
        Ok(())
    }

    fn gather(
        &mut self,
        notification: &str,
        event: NotificationEvent,
        summaries: Vec<ApprovalSummary>,
    ) -> Result<(), StoreError> {
        let key = key(notification, event);
        let known = self.docs.find::<Waiting>("notice", &key)?;
        let mut waiting = known.unwrap_or_else(|| Waiting {
            notification: notification.into(),
            event,
            gathering: None,
            sending: None,
        });
        // A batch that is there has its alarm; events only move it back, and the alarm finds that out by itself.
        self.wakes |= waiting.gathering.is_none();
        let new = Gathering { first_at: self.now, last_at: self.now, count: 0, named: 0, bytes: 0 };
        let batch = waiting.gathering.get_or_insert(new);
        batch.last_at = self.now;
        let mut named: Vec<ApprovalSummary> = Vec::new();
        if batch.named > 0 && batch.has_room() {
            named = self.docs.find("notice_batch", &key)?.unwrap_or_default();
        }
        let before = named.len();
        for summary in summaries {
            batch.count = batch.count.saturating_add(1);
            if batch.has_room() {
                let bytes = serde_json::to_string(&summary).map_or(0, |text| text.len());
                batch.bytes = batch.bytes.saturating_add(bytes);
                named.push(summary);
                batch.named = named.len();
            }
        }
        if named.len() > before {
            self.docs.put("notice_batch", &key, &named)?;
        }
        self.docs.put("notice", &key, &waiting)
    }
}

impl Gathering {
    fn has_room(&self) -> bool {
        self.named < NOTICE_APPROVALS_MAX && self.bytes < NOTICE_BYTES_MAX
    }
}

//! What the pools tell: the audit record and the approval index.

use serde_json::{Value, json};
use toolgate_protocol::answers::AuditView;
use toolgate_protocol::approvals::ApprovalView;
use toolgate_protocol::limits::{ID_CHARS_MAX, LIST_BYTES_MAX, RECORD_SECONDS};
use toolgate_protocol::lists::AuditPage;
use toolgate_protocol::problems;

use super::policies::PoolRecord;
use super::{Answer, Order, Page, Step, Stepped, body};
use crate::problem::Problem;
use crate::queue::messages::{AuditEntry, Manifests, PoolBatch, PoolMessage};
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

impl Step<'_> {
    /// Told at least once: everything here may be written again without harm, but for the audit record, where a
    /// repeat shows the same time twice rather than losing an entry.
    pub(super) fn take_batch(&mut self, batch: PoolBatch) -> Stepped {
        let name = batch.place.pool;
        let Some(mut pool) = self.docs.get::<PoolRecord>("pool", &name)? else { return Ok(Ok(Answer::Done)) };
        let (mut decided, mut news) = (false, Vec::new());
        for (number, message) in batch.messages {
            match message {
                PoolMessage::Audit(entry) => self.docs.audit(&entry)?,
                PoolMessage::Approval(view) => {
                    let decided_at = (view.state != "pending").then_some(self.now.0);
                    let (id, state) = (view.id.clone(), view.state.clone());
                    let text = serde_json::to_string(&view).unwrap_or_default();
                    let known = self.docs.approval_state(&id)?;
                    self.docs.put_approval(&id, &state, number, decided_at, text)?;
                    decided |= decided_at.is_some();
                    if decided_at.is_some() {
                        self.audit_decision(&view)?;
                    }
                    // Told twice, or another vote of several: that is no event. What has ended has ended.
                    if known.is_none_or(|known| known == "pending" && known != state) {
                        news.push(*view);
                    }
                }
                PoolMessage::Live(Manifests { live, seen }) => {
                    pool.live = live;
                    self.docs.put("pool", &name, &pool)?;
                    self.confirm(&name, &seen)?;
                    self.reconcile(&name, &pool.live, None)?;
                }
            }
        }
        self.gather_notices(&news)?;
        if decided {
            self.docs.sweep_approvals(self.now.minus_seconds(RECORD_SECONDS).0)?;
        }
        Ok(Ok(Answer::Done))
    }

    /// The end of an approval as an entry: by whom, when a person decided.
    fn audit_decision(&mut self, view: &ApprovalView) -> Result<(), StoreError> {
        let last = view.decisions.last().filter(|_| matches!(view.state.as_str(), "approved" | "rejected"));
        let by = last.map_or_else(|| "gateway".to_owned(), |decision| format!("{} ({})", decision.by, decision.key));
        let reason = last.and_then(|decision| decision.reason.as_deref());
        let detail = json!({ "call": view.call, "tool": view.tool, "agent": view.agent, "digest": view.digest, "reason": reason });
        let event = format!("approval.{}", view.state);
        self.docs.audit(&AuditEntry { at: self.now.0, by, event, subject: view.id.clone(), detail })
    }

    /// A decision on an id that was made up, altered or taken from another org. No pool can be asked, and what was
    /// tried is on record all the same, as far as an id goes.
    pub(super) fn decide_nothing(&mut self, id: &str) -> Stepped {
        let subject: String = id.chars().take(ID_CHARS_MAX).collect();
        self.audit("approval.refused", &subject, json!({ "code": problems::NOT_FOUND.code }))?;
        Ok(Err(Problem::not_found()))
    }

    pub(super) fn list_audit(&mut self, asked: &Page) -> Stepped {
        let entries = self.docs.audit_page(asked)?;
        let next = entries.last().filter(|_| entries.len() >= asked.limit).map(|(number, _)| number.clone());
        let entries = entries
            .into_iter()
            .map(|(_, entry)| {
                let AuditEntry { at, by, event, subject, detail } = entry;
                AuditView { at: UnixMillis(at).rfc3339(), by, event, subject, detail }
            })
            .collect();
        body(200, &AuditPage { audit: entries, next_cursor: next })
    }

    /// The index may lag a moment behind the pools. A page ends early rather than grow past its bytes: arguments are
    /// shown in full.
    pub(super) fn list_approvals(&mut self, state: Option<&str>, order: Order, asked: &Page) -> Stepped {
        let found = self.docs.approvals(state, order, asked)?;
        let (mut body, mut taken, mut last) = (String::from("{\"approvals\":["), 0_usize, None);
        for (id, view) in &found {
            if taken > 0 && body.len().saturating_add(view.len()) > LIST_BYTES_MAX {
                break;
            }
            if taken > 0 {
                body.push(',');
            }
            body.push_str(view);
            taken = taken.saturating_add(1);
            last = Some(id);
        }
        body.push(']');
        if let Some(last) = last.filter(|_| taken < found.len() || found.len() >= asked.limit) {
            body.push_str(&format!(",\"next_cursor\":{}", Value::from(last.as_str())));
        }
        body.push('}');
        Ok(Ok(Answer::Text(200, body)))
    }
}

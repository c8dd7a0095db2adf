//! What surrounds a parked call: whether the like of it waits already or was rejected lately, how many wait, and what was
//! decided before.
//!
//! Decisions are remembered per tool and principal in one row; open approvals are counted in memory, read once from the
//! parked records after the object is built anew.

use std::collections::BTreeMap;

use serde_json::json;
use toolgate_protocol::approvals::{DecisionKind, EarlierDecision};
use toolgate_protocol::limits::{
    DECISIONS_REMEMBERED_MAX, EARLIER_DECISIONS_MAX, JOINED_KEYS_MAX, OPEN_APPROVALS_MAX, RECENTLY_REJECTED_SECONDS,
};
use toolgate_protocol::problems;

use super::Step;
use super::call::{Asked, Bucket, Call};
use super::store::{PastDecision, Stored};
use crate::hash::sha256_hex;
use crate::ids::{IdKind, LocalId};
use crate::problem::Problem;

/// Open approvals, as far as a submission must know them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parked {
    /// How many, by agent and principal.
    counts: BTreeMap<String, usize>,
    /// The call that waits, by what makes two calls the same.
    alike: BTreeMap<String, LocalId>,
    /// The keys under which a call is counted.
    known: BTreeMap<LocalId, (String, String)>,
}

impl Parked {
    fn add(&mut self, call: &Call) {
        let likeness = call.approval.as_ref().map(|approval| approval.likeness.clone()).unwrap_or_default();
        let who = who(&call.asked);
        let count = self.counts.entry(who.clone()).or_default();
        *count = count.saturating_add(1);
        self.alike.insert(likeness.clone(), call.id.clone());
        self.known.insert(call.id.clone(), (who, likeness));
    }

    fn remove(&mut self, id: &LocalId) {
        let Some((who, likeness)) = self.known.remove(id) else { return };
        if let Some(count) = self.counts.get_mut(&who) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.counts.remove(&who);
            }
        }
        if self.alike.get(&likeness) == Some(id) {
            self.alike.remove(&likeness);
        }
    }
}

/// What makes two calls of one run the same.
pub fn likeness(asked: &Asked) -> String {
    let (tenant, id) = &asked.principal_key;
    let same = json!([asked.agent, tenant, id, asked.principal, asked.run, asked.tool, asked.arguments]);
    sha256_hex(same.to_string().as_bytes())
}

fn who(asked: &Asked) -> String {
    let (tenant, id) = &asked.principal_key;
    json!([asked.agent, tenant, id]).to_string()
}

fn decisions_key(asked: &Asked) -> String {
    let (tenant, id) = &asked.principal_key;
    sha256_hex(json!([asked.tool, tenant, id]).to_string().as_bytes())
}

impl Step<'_> {
    /// The open call that this one joins: the identical one of the same run.
    pub(super) fn joined(&mut self, asked: &Asked) -> Stored<Option<Call>> {
        if asked.run.is_none() {
            return Ok(None);
        }
        let Some(id) = self.parked()?.alike.get(&likeness(asked)).cloned() else { return Ok(None) };
        let Some(call) = self.current(&id)?.filter(|call| Bucket::of(call.state) == Bucket::Parked) else {
            return Ok(None);
        };
        // The key that came with it leads there from now on, also when the call has ended.
        if let Some(hash) = &asked.idempotency
            && call.joined < JOINED_KEYS_MAX
        {
            let mut call = call.clone();
            call.joined = call.joined.saturating_add(1);
            call.note("joined", self.now, &asked.by, None, None);
            self.store.update(&call, Bucket::Parked)?;
            self.store.add_idempotency(&call, hash)?;
            return Ok(Some(call));
        }
        Ok(Some(call))
    }

    /// Why this call may not be parked: a person has just said no to the same one, or too many wait.
    pub(super) fn may_not_park(&mut self, asked: &Asked) -> Stored<Option<Problem>> {
        let arguments = sha256_hex(asked.arguments.as_bytes());
        let past = self.store.decisions(&decisions_key(asked))?;
        let lately = |past: &&PastDecision| {
            past.decision == DecisionKind::Reject
                && self.now < past.at.plus_seconds(RECENTLY_REJECTED_SECONDS)
                && (&past.agent, &past.arguments) == (&asked.agent, &arguments)
        };
        if let Some(rejected) = past.iter().rev().find(lately) {
            let reason = rejected.reason.as_deref().unwrap_or_default();
            let detail = format!(
                "{} rejected the same call at {} ({reason:?}). It is not asked again within an hour; change the arguments, or tell the user.",
                rejected.by,
                rejected.at.rfc3339()
            );
            let call = self.queue.ids.public(IdKind::Call, &self.place(), &rejected.call);
            return Ok(Some(
                Problem::new(problems::RECENTLY_REJECTED, detail).with("reason", reason).with("call", call),
            ));
        }
        let open = self.parked()?.counts.get(&who(asked)).copied().unwrap_or(0);
        if open >= OPEN_APPROVALS_MAX {
            let detail = format!(
                "{open} calls of this agent wait for a decision for this principal; the limit is {OPEN_APPROVALS_MAX}. Wait for decisions, or cancel some."
            );
            return Ok(Some(Problem::new(problems::TOO_MANY_PENDING, detail).with("limit", OPEN_APPROVALS_MAX)));
        }
        Ok(None)
    }

    /// The open approvals; read from storage once, then kept by [`Step::parked_changed`].
    fn parked(&mut self) -> Stored<&Parked> {
        const PAGE: usize = 200;
        if self.queue.memory.parked.is_none() {
            let (mut parked, mut after) = (Parked::default(), None);
            loop {
                let page = self.store.in_bucket(Bucket::Parked, after.as_ref(), PAGE)?;
                for id in &page {
                    if let Some(call) = self.load(id)? {
                        parked.add(&call);
                    }
                }
                match page.last() {
                    Some(last) if page.len() == PAGE => after = Some(last.clone()),
                    _ => break,
                }
            }
            self.queue.memory.parked = Some(parked);
        }
        Ok(self.queue.memory.parked.get_or_insert_default())
    }

    /// A call was parked, or is not any more.
    pub(super) fn parked_changed(&mut self, call: &Call) {
        if let Some(parked) = &mut self.queue.memory.parked {
            parked.remove(&call.id);
            if Bucket::of(call.state) == Bucket::Parked {
                parked.add(call);
            }
        }
    }

    /// Remembers a decision for those who decide the next one of the kind.
    pub(super) fn remember(&mut self, call: &Call, decision: PastDecision) -> Stored<()> {
        let key = decisions_key(&call.asked);
        let mut past = self.store.decisions(&key)?;
        past.push(decision);
        let surplus = past.len().saturating_sub(DECISIONS_REMEMBERED_MAX);
        past.drain(..surplus);
        self.store.put_decisions(&key, self.now, &past)
    }

    /// What was decided before on calls of this tool for this principal, newest first.
    pub(super) fn earlier(&self, call: &Call) -> Stored<Vec<EarlierDecision>> {
        let arguments = sha256_hex(call.asked.arguments.as_bytes());
        let past = self.store.decisions(&decisions_key(&call.asked))?;
        let others = past.into_iter().rev().filter(|past| past.call != call.id);
        let view = |past: PastDecision| EarlierDecision {
            approval: self.queue.ids.public(IdKind::Approval, &self.place(), &past.call),
            decision: past.decision,
            by: past.by,
            at: past.at.rfc3339(),
            reason: past.reason,
            same_arguments: past.arguments == arguments,
        };
        Ok(others.take(EARLIER_DECISIONS_MAX).map(view).collect())
    }
}

//! A thread's transcript: its items, how they change, and what may happen next.
//!
//! Promises: after any change the conversation can be given to a model of any provider: each call has exactly one result,
//! directly behind it, no id is there twice, and nothing that a client says becomes the result of a server's call.
//! Leaves to others: what a call came to (the gate), and keeping the items (`threads`).

mod item;
mod merge;
mod shown;

use std::collections::BTreeSet;

use toolgate_protocol::chat::CallEnd;
use toolgate_protocol::limits::CHAT_RESULT_BYTES_MAX;

use super::events::{Author, activity_id, result_id};
use crate::time::UnixMillis;

pub use item::{CallItem, Item, Parked, Side, Standing};
pub use merge::{BEYOND_ROUNDS, News};
pub use shown::interrupt;

/// A thread's items, and which of them changed.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    items: Vec<Item>,
    changed: BTreeSet<usize>,
}

/// An answer of the model.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its message.
    pub id: String,
    /// What was said; may be empty.
    pub text: String,
    /// Which model.
    pub author: Author,
    /// What it called.
    pub calls: Vec<CallItem>,
    /// Its endpoint wants back what it thought.
    pub returns: bool,
}

/// What a run has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Server calls have no end yet.
    Settle,
    /// A person must decide, or the browser must answer.
    Wait,
    /// Every call has its result, or the person has spoken: the model is to answer.
    Model,
    /// The model has answered.
    Done,
}

/// What a list says about a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    /// Messages, as a client counts them.
    pub messages: u64,
    /// Calls that wait for the browser.
    pub client: u64,
    /// Calls that wait for a decision.
    pub parked: u64,
}

impl Transcript {
    /// As it was kept.
    pub fn new(items: Vec<Item>) -> Transcript {
        Transcript { items, changed: BTreeSet::new() }
    }

    /// All items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// What changed since this was last asked for, with its place.
    pub fn take_changed(&mut self) -> Vec<(usize, Item)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().filter_map(|at| Some((at, self.items.get(at)?.clone()))).collect()
    }

    /// Is this id taken?
    pub fn has_id(&self, id: &str) -> bool {
        self.items.iter().any(|item| item.ids().contains(&id))
    }

    fn push(&mut self, item: Item) {
        self.changed.insert(self.items.len());
        self.items.push(item);
    }

    /// The model thought.
    pub fn reasoned(&mut self, id: String, text: String) {
        self.push(Item::Reasoning { id, text });
    }

    /// The model answered, with calls or without. An answer of nothing leaves nothing behind.
    pub fn answered(&mut self, said: Said) {
        self.said(said, false);
    }

    /// The model's turn broke off. What it said is kept, and the turn is to be asked for again; none of its calls was made.
    pub fn broke_off(&mut self, said: Said) {
        self.said(said, true);
    }

    fn said(&mut self, Said { id, text, author, calls, returns }: Said, cut: bool) {
        if text.is_empty() && calls.is_empty() {
            return;
        }
        self.push(Item::Assistant { id, text, author, cut, returns });
        for call in calls {
            self.push(Item::Call(call));
        }
    }

    /// Something for the screen; what a call shows a second time takes the place of the first.
    pub fn showed(&mut self, call: &str, kind: String, content: String) {
        let id = activity_id(call);
        let item = Item::Activity { id: id.clone(), kind, content };
        match self.items.iter().position(|known| matches!(known, Item::Activity { id: known, .. } if *known == id)) {
            None => self.push(item),
            Some(at) => {
                self.changed.insert(at);
                if let Some(known) = self.items.get_mut(at) {
                    *known = item;
                }
            }
        }
    }

    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallItem> {
        self.items.iter().filter_map(|item| match item {
            Item::Call(call) => Some(call),
            _ => None,
        })
    }

    /// A call.
    pub fn call(&self, id: &str) -> Option<&CallItem> {
        self.calls().find(|call| call.id == id)
    }

    fn stand(&mut self, id: &str, standing: Standing) {
        for (at, item) in self.items.iter_mut().enumerate() {
            if let Item::Call(call) = item
                && call.id == id
                && call.standing != standing
            {
                call.standing = standing;
                self.changed.insert(at);
                return;
            }
        }
    }

    /// What a call is called at the gateway.
    pub fn known_as(&mut self, id: &str, call: &str) {
        for (at, item) in self.items.iter_mut().enumerate() {
            if let Item::Call(known) = item
                && known.id == id
                && known.call.as_deref() != Some(call)
            {
                known.call = Some(call.into());
                self.changed.insert(at);
            }
        }
    }

    /// The gate took a server's call.
    pub fn accepted(&mut self, id: &str, call: &str) {
        if self.call(id).is_some_and(|known| matches!(known.standing, Standing::Open { .. })) {
            self.stand(id, Standing::Open { call: Some(call.to_owned()) });
        }
    }

    /// A server's call waits for a decision.
    pub fn parked(&mut self, id: &str, parked: Parked) {
        match self.call(id).map(|call| &call.standing) {
            Some(Standing::Open { .. }) => self.stand(id, Standing::Parked(Box::new(parked))),
            Some(Standing::Parked(known)) => {
                let superseded = known.superseded;
                self.stand(id, Standing::Parked(Box::new(Parked { superseded, ..parked })));
            }
            _ => {}
        }
    }

    /// A decided call runs: its end is waited for like any other's.
    pub fn decided(&mut self, id: &str) {
        if let Some(Standing::Parked(parked)) = self.call(id).map(|call| call.standing.clone()) {
            self.stand(id, Standing::Open { call: Some(parked.call) });
        }
    }

    /// A call has its end; a second one changes nothing. What the model is shown.
    pub fn ended(&mut self, id: &str, content: &str) -> Option<String> {
        let call = self.call(id)?;
        if matches!(call.standing, Standing::Answered { .. }) {
            return None;
        }
        let content = cut(content);
        self.stand(id, Standing::Answered { message: result_id(id), content: content.clone() });
        Some(content)
    }

    /// How a server's call ended, beside what the model is shown of it.
    pub fn ended_as(&mut self, id: &str, end: CallEnd) {
        for (at, item) in self.items.iter_mut().enumerate() {
            if let Item::Call(known) = item
                && known.id == id
                && known.side == Side::Server
                && known.end != Some(end)
            {
                known.end = Some(end);
                self.changed.insert(at);
            }
        }
    }

    /// What a run has to do next.
    pub fn next(&self) -> Next {
        let stands = |wanted: fn(&Standing) -> bool| self.calls().any(|call| wanted(&call.standing));
        if stands(|standing| matches!(standing, Standing::Open { .. })) {
            return Next::Settle;
        }
        if stands(|standing| match standing {
            Standing::Client => true,
            Standing::Parked(parked) => !parked.superseded,
            _ => false,
        }) {
            return Next::Wait;
        }
        match self.items.iter().rev().find(|item| !matches!(item, Item::Activity { .. } | Item::Reasoning { .. })) {
            Some(Item::User { .. } | Item::Call(_) | Item::Assistant { cut: true, .. }) => Next::Model,
            Some(_) | None => Next::Done,
        }
    }

    /// What a list says.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for item in &self.items {
            match item {
                Item::Call(call) => match &call.standing {
                    Standing::Client => summary.client = summary.client.saturating_add(1),
                    Standing::Parked(_) => summary.parked = summary.parked.saturating_add(1),
                    Standing::Answered { .. } => summary.messages = summary.messages.saturating_add(1),
                    Standing::Open { .. } => {}
                },
                _ => summary.messages = summary.messages.saturating_add(1),
            }
        }
        summary
    }

    /// What the person said last.
    pub fn last_said(&self) -> &str {
        let said = self.items.iter().rev().find_map(|item| match item {
            Item::User { text, .. } => Some(text.as_str()),
            _ => None,
        });
        said.unwrap_or_default()
    }
}

impl CallItem {
    /// The idempotency key of a call. It is kept with the call, so it is the same one however often its end is asked for;
    /// `run` is fresh for each run, so a thread that was deleted and begun anew meets none of its old calls.
    pub fn key(run: &str, id: &str) -> String {
        format!("chat-{}", crate::hash::sha256_hex(format!("{run}\n{id}").as_bytes()))
    }

    /// A call of this moment.
    pub fn new(id: String, name: String, arguments: String, side: Side, key: String, now: UnixMillis) -> CallItem {
        let standing = match side {
            Side::Server => Standing::Open { call: None },
            Side::Client => Standing::Client,
        };
        CallItem { id, name, arguments, side, key, at: now, standing, call: None, end: None, extra: None }
    }

    /// Its id at the gateway, as far as that is known.
    pub fn at_gateway(&self) -> Option<&str> {
        match &self.standing {
            Standing::Open { call: Some(call) } => Some(call),
            Standing::Parked(parked) => Some(&parked.call),
            _ => self.call.as_deref(),
        }
    }

    /// The same with its end: it never runs.
    pub fn refused(mut self, error: &str) -> CallItem {
        let content = serde_json::json!({ "error": error }).to_string();
        self.standing = Standing::Answered { message: result_id(&self.id), content };
        self.end = (self.side == Side::Server).then_some(CallEnd::Refused);
        self
    }
}

/// A result as a model may be shown it: one that is too long for a conversation is cut, and says so.
fn cut(content: &str) -> String {
    if content.len() <= CHAT_RESULT_BYTES_MAX {
        return content.to_owned();
    }
    let mut end = CHAT_RESULT_BYTES_MAX;
    while !content.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let kept = content.get(..end).unwrap_or_default();
    format!("{kept}\n[Cut here: the result has {} bytes, and {end} of them are shown.]", content.len())
}

//! What a thread holds, in order. Each item is a row of its object.

use serde::{Deserialize, Serialize};
use toolgate_protocol::chat::CallEnd;

use crate::chat::events::Author;
use crate::time::UnixMillis;

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// What the person said.
    User {
        /// As the client made it.
        id: String,
        /// What was said.
        text: String,
    },
    /// What the model thought. It is shown, and goes to no model but the one that asks for it back.
    Reasoning {
        /// Its message.
        id: String,
        /// The thoughts.
        text: String,
    },
    /// What the model said. Its calls stand directly behind it.
    Assistant {
        /// Its message.
        id: String,
        /// What was said; empty where it only called.
        text: String,
        /// Which model.
        author: Author,
        /// It broke off: the turn is to be asked for again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
        /// Its endpoint wants its thoughts back, those of the item directly before it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        returns: bool,
    },
    /// A call of the assistant's message before it, with what became of it: so a result is never apart from its call.
    Call(CallItem),
    /// Something for the screen.
    Activity {
        /// Its message.
        id: String,
        /// Its type.
        kind: String,
        /// JSON text of an object.
        content: String,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallItem {
    /// Unique in the thread.
    pub id: String,
    /// The tool.
    pub name: String,
    /// As the model wrote them, digit by digit; not always JSON.
    pub arguments: String,
    /// Where it runs.
    pub side: Side,
    /// The idempotency key with which it is submitted, however often that is.
    pub key: String,
    /// When it was asked for.
    pub at: UnixMillis,
    /// How it stands.
    pub standing: Standing,
    /// Its id at the gateway, once that was told; also after its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Box<str>>,
    /// How it ended behind the gate, once it has; a call of the browser has none, nor has one of older days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<CallEnd>,
    /// JSON that its endpoint wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Box<str>>,
}

/// Where a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Behind the gate.
    Server,
    /// In the browser.
    Client,
}

/// How a call stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// A server call without an end that this thread knows of.
    Open {
        /// Its id at the gateway, once that is known.
        call: Option<String>,
    },
    /// Waits for the browser.
    Client,
    /// Waits for a person's decision at the gateway.
    Parked(Box<Parked>),
    /// Has a result.
    Answered {
        /// The message that holds it.
        message: String,
        /// What the model is shown.
        content: String,
    },
}

/// A call that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parked {
    /// Its id at the gateway.
    pub call: String,
    /// The approval.
    pub approval: String,
    /// Where it is decided.
    pub url: String,
    /// What a decision must name.
    pub digest: String,
    /// RFC 3339.
    pub expires_at: String,
    /// What the model is told meanwhile, if the conversation goes on without it.
    pub told: String,
    /// The person said something else meanwhile: the conversation goes on.
    pub superseded: bool,
}

impl Item {
    /// The ids that this item takes: no other item may have them.
    pub fn ids(&self) -> Vec<&str> {
        match self {
            Item::User { id, .. }
            | Item::Reasoning { id, .. }
            | Item::Assistant { id, .. }
            | Item::Activity { id, .. } => {
                vec![id]
            }
            Item::Call(call) => match &call.standing {
                Standing::Answered { message, .. } => vec![&call.id, message],
                _ => vec![&call.id],
            },
        }
    }
}

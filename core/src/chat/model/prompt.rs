//! The words that loop and model share.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One turn, as it is asked of a model.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What the model is told; may be empty.
    pub system: String,
    /// The conversation, oldest first. Behind an assistant's calls stands one `Tool` message for each.
    pub messages: Vec<Message>,
    /// What may be called, in the order of the offer: what an earlier turn brought stays where it stands.
    pub tools: Vec<OfferedTool>,
}

/// A tool that a model may call.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// In the `openai` profile: `{"type":"function","function":{…}}`, sent verbatim.
    pub definition: Box<RawValue>,
    /// As in the offer; higher fits better.
    pub score: u32,
    /// Whether it runs in the browser.
    pub client: bool,
}

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From the person.
    User {
        /// What was said.
        text: String,
    },
    /// From the model.
    Assistant {
        /// What was said; may be empty where there are calls.
        text: String,
        /// What it thought, where its endpoint wants that back: as `reasoning_content`, be it empty.
        reasoning: Option<String>,
        /// What was called, in order.
        calls: Vec<Called>,
    },
    /// What a call came to.
    Tool {
        /// The call's id.
        call: String,
        /// The tool's name.
        name: String,
        /// What the model is shown.
        content: String,
    },
}

/// A call as a model made it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// Unique in its thread.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// JSON text, verbatim; not always valid.
    pub arguments: String,
    /// JSON that its endpoint wants back with it, as `extra_content`.
    pub extra: Option<String>,
}

/// A piece of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// More of the answer.
    Text(String),
    /// More of the reasoning.
    Reasoning(String),
    /// The reasoning came under the name under which the endpoint wants it back; it may still be empty.
    ReasoningReturns,
    /// A call begins; its name is complete.
    CallStarted {
        /// Its id.
        id: String,
        /// The tool's name, as the model said it: it may be one that was not offered.
        name: String,
    },
    /// More of a call's arguments.
    CallArguments {
        /// The call.
        id: String,
        /// A piece of JSON text.
        text: String,
    },
    /// What the endpoint wants back with a call; a second one takes the place of the first.
    CallExtra {
        /// The call.
        id: String,
        /// JSON text.
        extra: String,
    },
    /// A call is complete. What its arguments add up to may still be no JSON object.
    CallEnded {
        /// The call.
        id: String,
    },
    /// What the turn took.
    Usage(Usage),
    /// The turn is over; nothing follows.
    Finished,
}

/// What a turn took, in tokens. Absent is not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Of those written, how many were reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// Of those read, how many came from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<u64>,
}

/// Why a turn failed. Nothing follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// `model_unavailable`, `model_error`, `model_stream_cut`, `model_refused_address` or `internal`.
    pub code: &'static str,
    /// Fit for a user; holds no secret.
    pub message: String,
}

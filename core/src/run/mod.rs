//! Runs: who a conversation is for, and what has been offered in it.
//!
//! One object keeps one run. It remembers the offered set, which only grows, and the last turn's text; what the set grows
//! by is worked out at the edge ([`Offers`]) and taken here only if nobody took a turn meanwhile.

mod grounding;
mod kept;
mod offers;
mod request;
mod selection;
mod steps;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::runs::Door;

use crate::time::UnixMillis;

pub use grounding::{facts, fenced, prefetch_arguments, screen};
pub use kept::kept;
pub use offers::{OfferedTurn, Offers};
pub use request::{check_message, new_run, token_end};
pub use steps::{Command, Effects, Reply, SCHEMA, Turn, step};

/// A run as its object keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The agent.
    pub agent: String,
    /// Canonical text of the principal.
    pub principal: Box<RawValue>,
    /// The form of the definitions.
    pub profile: Profile,
    /// Tokens that its offers may take.
    pub budget_tokens: u32,
    /// Where its tokens may be used.
    pub doors: Vec<Door>,
    /// Web origins whose pages may use them.
    pub origins: Vec<String>,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When its last turn was.
    pub turned_at: UnixMillis,
    /// Turns so far.
    pub turns: u64,
    /// What the last turn said, cut.
    pub text: String,
    /// The tools offered so far, in the order in which they were.
    pub offered: Vec<String>,
}

//! What is asked of a model, and what comes back, in words of no provider.
//!
//! Promises: of one turn, ids of calls are unique; each call that was started ends before the turn does; a turn that
//! was cut is an error and never looks finished. Leaves to others: what becomes of a call (the loop), and reaching
//! the model (`src/chat/model.rs`).

mod prompt;

pub use prompt::{Called, Delta, Message, ModelError, OfferedTool, Prompt, Usage};

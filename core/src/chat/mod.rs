//! The chat: a conversation with a model that calls tools.
//!
//! Promises: what a client may add to a conversation is decided here (`input`, `transcript`), and a conversation stays
//! valid for every provider whatever ends a run. Leaves to others: reaching a model, and what becomes of a call, which
//! takes the same path as through any door.

pub mod input;
pub mod model;
mod prompt;
pub mod threads;
pub mod transcript;

pub use prompt::system;
/// What a run says.
pub use toolgate_protocol::agui as events;

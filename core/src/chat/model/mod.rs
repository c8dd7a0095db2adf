//! What is asked of a model, and what comes back, in words of no provider.
//!
//! Promises: of one turn, ids of calls are unique; each call that was started ends before the turn does; a turn that
//! was cut is an error and never looks finished. Leaves to others: what becomes of a call (the loop), and reaching
//! the model (`src/chat/model.rs`).

mod calls;
mod chunk;
pub mod demo;
mod fault;
mod prompt;
mod request;
mod settings;
mod sse;
mod trim;
mod turn;
#[cfg(test)]
mod turn_tests;

pub use fault::{ERROR, REFUSED_ADDRESS, STREAM_CUT, UNAVAILABLE};
pub use prompt::{Called, Delta, Message, ModelError, OfferedTool, Prompt, Usage};
pub use request::{completions_body, workers_ai_input};
pub use settings::{
    AgentRecord, Choice, Deployment, KeyChange, ModelRecord, ModelSpec, agent_view, check_setting, choose,
    completions_url, model_place, named_view, tell_model,
};
pub use turn::TurnReader;

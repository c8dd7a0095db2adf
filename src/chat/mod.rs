//! The chat at the edge: a run drives a model, takes its calls through the gate, and says what happens as it happens.
//! What a conversation may hold is `core::chat`; this takes it to where models, pools and threads are.

mod calls;
pub mod model;
mod offer;
mod person;
mod run;
mod sink;
mod turn;

pub use person::Person;
pub use run::begin;

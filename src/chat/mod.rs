//! The chat: a conversation with a model that calls tools.

pub mod model;

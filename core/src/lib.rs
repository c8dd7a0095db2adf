//! What decides. Every rule of the gate is here, as synchronous code over values: no input, no output, no clock,
//! no randomness. `now`, entropy and secrets are arguments; storage is a trait.
//!
//! Promises: total over untrusted input (no panic), one decision in one place. Leaves to others: durability and
//! transactions (`toolgate-durable`), HTTP (`src/`). Because nothing here can wait, a step cannot interleave with
//! another: what a step saw is what it changes.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

pub mod access;
pub mod chat;
pub mod contract;
pub mod delivery;
pub mod egress;
pub mod hash;
pub mod ids;
pub mod internal_route;
pub mod json;
pub mod keys;
pub mod mcp;
pub mod names;
pub mod offer;
pub mod pages;
pub mod policy;
pub mod principal;
pub mod problem;
pub mod queue;
pub mod registration;
pub mod registry;
pub mod route;
pub mod run;
pub mod seal;
pub mod sql_port;
pub mod time;
pub mod visible;

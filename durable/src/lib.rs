//! The objects: one thin shell per class, and the few files that touch the platform.
//!
//! A shell reads a request, runs one step of `toolgate-core` inside one storage transaction, arms the alarm in the
//! same turn, performs the effects and answers. The output gate holds the answer until the transaction is on disk, so
//! what was acknowledged survives a kill; what a kill loses between commit and effects stands in storage (outbox,
//! pending pushes, due times) and is found by the next alarm or request.
#![allow(missing_docs, reason = "what the attribute durable_object generates has none")]
#![cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]

mod alarm;
mod answers;
mod clock;
mod d1;
mod dataset;
mod org_registry;
mod pool_queue;
mod reach;
mod settings;
mod sql;
mod thread;
mod waiters;

pub use answers::{headers, refusal};
pub use clock::{before, entropy, now, pause, within};
pub use d1::Database;
pub use dataset::Dataset;
pub use org_registry::OrgRegistry;
pub use pool_queue::PoolQueue;
pub use reach::post;
pub use settings::{master_key, names};
pub use thread::{CHAT, MCP, Thread};

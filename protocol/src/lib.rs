//! What crosses a wire: serde types, limits and problem codes, shared by the edge, the objects and the Rust SDK.
//!
//! Promises: every name here is the public name of a field, header or code, and stays. Leaves to others: every
//! decision (`toolgate-core`) and all input and output. JSON that is only carried (arguments, results, the
//! principal) is [`RawValue`](serde_json::value::RawValue): no number in it is ever rounded.
#![forbid(unsafe_code)]

pub mod approvals;
pub mod calls;
pub mod control;
pub mod definitions;
pub mod limits;
pub mod notifications;
pub mod problems;
pub mod runs;
pub mod webhooks;
pub mod workers;

/// The version answered by `GET /healthz`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

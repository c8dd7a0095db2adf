//! What crosses a wire: serde types, limits and problem codes, shared by the edge, the objects and the Rust SDK.
//!
//! Promises: every name here is the public name of a field, header or code, and stays. Leaves to others: every
//! decision (`toolgate-core`) and all input and output. JSON that is only carried (arguments, results, the
//! principal) is [`RawValue`](serde_json::value::RawValue): no number in it is ever rounded.
#![forbid(unsafe_code)]

pub mod agui;
pub mod answers;
pub mod approvals;
pub mod calls;
pub mod chat;
pub mod control;
pub mod definitions;
pub mod limits;
pub mod lists;
pub mod models;
pub mod notifications;
pub mod problems;
pub mod runs;
pub mod webhooks;
pub mod workers;

/// The OpenAPI 3.1 document of the HTTP API, as `GET /openapi.json` answers it. The tests of `tests/openapi` make it from
/// the types and say when it is not current.
pub const OPENAPI: &str = include_str!("../openapi.json");

/// The version answered by `GET /healthz`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

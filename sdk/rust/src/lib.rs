//! Serve tools of your own code behind an HTTPS endpoint that Toolgate calls.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use toolgate_sdk::{CallContext, Endpoint, HandlerError, Secret, SideEffect, Tool};
//!
//! #[derive(Deserialize)]
//! struct GetOrder { order_id: u64 }
//! #[derive(Serialize)]
//! struct Order { order_id: u64, status: &'static str }
//!
//! # fn build(text: &str) -> Result<Endpoint, Box<dyn std::error::Error>> {
//! let get_order = Tool::new("get_order", SideEffect::ReadOnly)
//!     .description("Look up an order's status.")
//!     .input("order_id", "integer")
//!     .handler(async |arguments: GetOrder, _: CallContext| match arguments.order_id {
//!         0 => Err(HandlerError::coded("unknown_order", "There is no order 0.")),
//!         order_id => Ok(Order { order_id, status: "shipped" }),
//!     });
//! let endpoint = Endpoint::builder(Secret::parse_list(text)?).tool(get_order).build()?;
//! # Ok(endpoint) }
//! # assert!(build("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").is_ok());
//! ```
//!
//! Promises: a handler runs only for a request that a holder of the secret signed, over exactly the bytes received and
//! not long ago; a write runs once per call id as far as the [`Memory`] reaches; a reply is signed for the very request
//! that it answers; a caller without the secret learns nothing. Arguments go from their JSON text straight into your
//! types: no integer is ever rounded. Leaves to others: HTTP (the feature `workers` has a handler for Cloudflare
//! Workers), the clock (`now` is an argument), and whether the call was granted and approved, which the gateway decided
//! before it sent it.
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

mod answer;
mod ask_client;
mod builder;
mod call_context;
mod definition;
mod endpoint;
mod handler_error;
mod manifest;
mod memory;
mod outcome;
mod receiver;
mod tool;
#[cfg(feature = "workers")]
mod workers;

pub use answer::Answer;
pub use ask_client::ask_client;
pub use builder::EndpointBuilder;
pub use call_context::{CallContext, Principal};
pub use definition::ConfigurationFault;
pub use endpoint::Endpoint;
pub use handler_error::HandlerError;
pub use memory::{Entry, InMemory, Memory, MemoryFault, Seen};
pub use receiver::{Message, Received, Receiver};
pub use tool::Tool;
pub use toolgate_protocol::calls::{Activity, CallInput};
pub use toolgate_protocol::definitions::{ContextDefinition, ContextScope, DigestField, SideEffect};
pub use toolgate_protocol::webhooks::CallMessage;
pub use toolgate_signing as signing;
pub use toolgate_signing::{Secret, SecretFault};
#[cfg(feature = "workers")]
pub use workers::mount_tools;

//! The objects: one thin shell per class, and the few files that touch the platform.
//!
//! A shell reads a request, runs one step of `toolgate-core` inside one storage transaction, arms the alarm in the
//! same turn, performs the effects and answers. The output gate holds the answer until the transaction is on disk, so
//! what was acknowledged survives a kill; what a kill loses between commit and effects stands in storage (outbox,
//! pending pushes, due times) and is found by the next alarm or request.
// What `#[durable_object]` generates has no docs.
#![allow(missing_docs)]
#![cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]

mod alarm;
mod answers;
mod clock;
mod org_registry;
mod pool_queue;
mod reach;
mod sql;
mod waiters;

pub use clock::{entropy, now};
pub use org_registry::OrgRegistry;
pub use pool_queue::PoolQueue;
pub use reach::post;

/// Bindings and variables, by name.
pub mod names {
    /// Namespace of [`super::OrgRegistry`].
    pub const ORG_REGISTRY: &str = "ORG_REGISTRY";
    /// Namespace of [`super::PoolQueue`].
    pub const POOL_QUEUE: &str = "POOL_QUEUE";
    /// Any 32 bytes or more.
    pub const MASTER_KEY: &str = "TOOLGATE_MASTER_KEY";
    /// Makes orgs.
    pub const ROOT_TOKEN: &str = "TOOLGATE_ROOT_TOKEN";
}

/// The master key, or why there is none that can be used.
///
/// # Errors
/// A text for the log when the variable is missing or shorter than 32 bytes.
pub fn master_key(env: &worker::Env) -> Result<Vec<u8>, String> {
    let read =
        |name| env.secret(name).map(|secret| secret.to_string()).or_else(|_| env.var(name).map(|var| var.to_string()));
    let key = read(names::MASTER_KEY).map_err(|_| format!("{} is not set", names::MASTER_KEY))?;
    if key.len() < 32 {
        return Err(format!("{} has {} bytes; it needs at least 32", names::MASTER_KEY, key.len()));
    }
    Ok(key.into_bytes())
}

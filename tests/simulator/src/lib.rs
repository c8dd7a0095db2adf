//! A seeded world around the queue of a pool: callers, approvers, an admin, workers behind a network that drops,
//! repeats, delays and reorders, and in their place, for the whole run or a part of it, a webhook deliverer and its
//! endpoint; an object that is evicted, killed between commit and effects, and whose storage fails; the org's registry,
//! which is told of approvals and notifies who wants to hear of them; a clock that jumps. After each step the properties of the design are checked. The seed replays a run.
//!
//! The world is single-threaded and draws every choice from one generator, so a seed and a commit are a run.

pub mod bugs;
pub mod checks;
mod deliverer;
mod idle;
pub mod model;
pub mod office;
pub mod org;
mod people;
pub mod pool;
pub mod port;
pub mod random;
pub mod rough;
mod shell;
pub mod truth;
pub mod workers;
pub mod world;

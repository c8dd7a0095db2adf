//! A seeded world around the queue of a pool: callers, approvers, an admin, and workers behind a network that drops,
//! repeats, delays and reorders; an object that is evicted, killed between commit and effects, and whose storage
//! fails; a clock that jumps. After each step the properties of the design are checked. The seed replays a run.
//!
//! The world is single-threaded and draws every choice from one generator, so a seed and a commit are a run.

pub mod bugs;
pub mod checks;
pub mod model;
mod people;
pub mod port;
pub mod random;
pub mod rough;
mod shell;
pub mod truth;
pub mod workers;
pub mod world;

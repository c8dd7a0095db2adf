//! One query of a model on a database that it may only read.
//!
//! Four fences stand one behind the other, and each is enough against a write:
//! 1. the text ([`text`]): one statement, which begins as a query and whose parentheses match;
//! 2. the place: it is put inside `SELECT * FROM (…)`, where SQLite's grammar has queries and nothing else;
//! 3. the byte code ([`plan`]) that SQLite made of it: opcodes that read, of tables that may be read, in a transaction that
//!    reads, with functions that are known;
//! 4. the storage: it runs in a transaction that is always undone (the object's), and no row may have been written.
//!
//! SQLite cannot be interrupted here, so what a query may cost is worked out before it runs ([`work`]).
//!
//! [`Run`] is without input and output: it says what to ask the database next, and is given the answer.

mod d1;
pub mod plan;
mod run;
pub mod text;
pub mod work;

pub use d1::is_transient;
pub use run::{Next, Run, Table, Value, ask_all};

use toolgate_protocol::limits::SQL_SECONDS_MAX;

use super::Fault;

/// The database took too long.
pub fn too_slow() -> Fault {
    let detail = format!("The database did not answer within {SQL_SECONDS_MAX} s; ask for less.");
    Fault::new("query_failed", detail)
}

/// The statement is not run.
pub fn refused(message: impl Into<String>) -> Fault {
    Fault::new("query_refused", message)
}

/// What bounds a query on one database.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Rows of its largest table, and the longest value in it, where they are known: then the work is bounded before it is
    /// begun. A database of the customer's bounds its queries itself.
    pub known: Option<(u64, u64)>,
}

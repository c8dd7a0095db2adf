//! The data sets that ship: two small tables of invented records, the same on every machine.
//!
//! They exist to show what the tools do. Nobody's data was copied: names are put together from words, places lie around the
//! middle of a state, numbers come from a seeded generator.

mod grants;
mod permits;
mod random;
mod schema;

use serde::{Deserialize, Serialize};

use crate::sql_port::{Sql, SqlValue, StoreError};
use random::Random;

pub use schema::{SchemaRun, schema_of};

use super::sql::Bounds;

/// What is asked of a data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// What is in it.
    Schema,
    /// A query.
    Query(String),
}

/// A request to a data set's object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// Version of these messages.
    pub v: u32,
    /// Which data set.
    pub dataset: String,
    /// What is asked.
    pub ask: Ask,
}

/// What a data set's object answers: JSON text, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// JSON text.
    Text(String),
    /// For the model.
    Fault {
        /// A stable code.
        code: String,
        /// What is wrong.
        message: String,
    },
}

/// A data set that ships: one table.
#[derive(Clone, Copy)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// The name of its table.
    pub table: &'static str,
    /// The statement that makes it. What its columns mean stands in it, for whoever reads the schema; so does the release
    /// of the records, so that other ones replace these.
    pub create: &'static str,
    columns: usize,
    record: fn(u64, &mut Random) -> Vec<SqlValue>,
}

/// Records of each.
pub const RECORDS: u64 = 2_000;
/// Longest value of any of them, as text.
pub const VALUE_CHARS_MAX: u64 = 40;
/// Rows written by one statement, within the parameters that it may have.
const PARAMETERS_MAX: usize = 100;

/// All of them.
pub const SHIPPED: [Shipped; 2] = [permits::PERMITS, grants::GRANTS];

/// The one of this name.
pub fn shipped(name: &str) -> Option<Shipped> {
    SHIPPED.into_iter().find(|shipped| shipped.name == name)
}

impl Shipped {
    /// What bounds a query on it.
    pub fn bounds(&self) -> Bounds {
        Bounds { known: Some((RECORDS, VALUE_CHARS_MAX)) }
    }

    /// Is exactly this stored?
    ///
    /// # Errors
    /// When storage cannot be read.
    pub fn is_there(&self, sql: &dyn Sql) -> Result<bool, StoreError> {
        let found =
            sql.exec("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", &[self.table.into()])?;
        Ok(found.first().and_then(|row| row.first()).and_then(SqlValue::text) == Some(self.create))
    }

    /// Stores it, in place of what another release had there. Inside one transaction: it is there whole, or not at all.
    ///
    /// # Errors
    /// When storage cannot be written.
    pub fn store(&self, sql: &dyn Sql) -> Result<(), StoreError> {
        sql.exec(&format!("DROP TABLE IF EXISTS {}", self.table), &[])?;
        sql.exec(self.create, &[])?;
        let mut random = Random::new(self.name);
        let records: Vec<Vec<SqlValue>> = (1..=RECORDS).map(|id| (self.record)(id, &mut random)).collect();
        let row = format!("({})", vec!["?"; self.columns].join(", "));
        for some in records.chunks(PARAMETERS_MAX.div_euclid(self.columns.max(1)).max(1)) {
            let rows = vec![row.as_str(); some.len()].join(", ");
            sql.exec(&format!("INSERT INTO {} VALUES {rows}", self.table), &some.concat())?;
        }
        Ok(())
    }
}

/// A number with this many digits behind the point, for a column of numbers.
fn decimal(millionths: i64) -> SqlValue {
    let (sign, size) = (if millionths < 0 { "-" } else { "" }, millionths.unsigned_abs());
    SqlValue::Text(format!("{sign}{}.{:06}", size.div_euclid(1_000_000), size.rem_euclid(1_000_000)))
}

fn whole(number: u64) -> SqlValue {
    number.into()
}

//! The registry's storage on a bad day: it fails at a chosen operation, and it may hold a planted bug.

use std::cell::Cell;

use serde_json::Value;
use toolgate_core::sql_port::{Sql, SqlRow, SqlValue, StoreError};

use crate::bugs::Bug;
use crate::port::Sqlite;

pub struct Rough<'a> {
    sql: &'a Sqlite,
    /// Operations until the one that fails.
    fails_after: Cell<Option<usize>>,
    bug: Option<Bug>,
}

impl<'a> Rough<'a> {
    pub fn new(sql: &'a Sqlite, fails_after: Option<usize>, bug: Option<Bug>) -> Rough<'a> {
        Rough { sql, fails_after: Cell::new(fails_after), bug }
    }
}

impl Sql for Rough<'_> {
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        match self.fails_after.get() {
            Some(0) => return Err(StoreError::Failed("the disk is on fire".into())),
            Some(left) => self.fails_after.set(Some(left - 1)),
            None => {}
        }
        if self.bug == Some(Bug::DropsWhatComesMeanwhile)
            && statement.starts_with("INSERT INTO documents")
            && parameters.first().and_then(SqlValue::text) == Some("notice")
        {
            return self.sql.exec(statement, &without_what_came(parameters));
        }
        self.sql.exec(statement, parameters)
    }
}

/// A row of notices in which nothing was gathered while a message is out.
fn without_what_came(parameters: &[SqlValue]) -> Vec<SqlValue> {
    let mut changed = parameters.to_vec();
    if let Some(SqlValue::Text(text)) = changed.last_mut()
        && let Ok(mut row) = serde_json::from_str::<Value>(text)
        && row["sending"]["is_out"] == true
    {
        row["gathering"] = Value::Null;
        *text = row.to_string();
    }
    changed
}

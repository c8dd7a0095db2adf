//! The registry's storage: documents by kind and name, the audit record, the approval index. All of it is small and
//! rarely written, so it is JSON text in three tables.

use std::cell::Cell;

use serde::Serialize;
use serde::de::DeserializeOwned;

use toolgate_protocol::limits::AUDIT_ENTRIES_MAX;

use super::offers::OFFERED_KINDS;
use super::{Order, Page};
use crate::queue::messages::AuditEntry;
use crate::sql_port::{Sql, SqlRow, SqlValue, StoreError};

/// The tables. Run at each start.
pub const SCHEMA: [&str; 5] = [
    "CREATE TABLE IF NOT EXISTS documents (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS audit (number INTEGER PRIMARY KEY, entry TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS approvals (id TEXT PRIMARY KEY, state TEXT NOT NULL, number INTEGER NOT NULL, decided_at INTEGER, view TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS approvals_by_state ON approvals (state, id)",
    "CREATE INDEX IF NOT EXISTS approvals_by_end ON approvals (decided_at) WHERE decided_at IS NOT NULL",
];

const GET: &str = "SELECT value FROM documents WHERE kind = ? AND name = ?";
const PUT: &str = "INSERT INTO documents (kind, name, value) VALUES (?, ?, ?) ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value";
const COUNT: &str = "SELECT count(*) FROM documents WHERE kind = ?";
const LIST: &str = "SELECT name, value FROM documents WHERE kind = ? AND name > ? ORDER BY name LIMIT ?";
const DELETE: &str = "DELETE FROM documents WHERE kind = ? AND name = ?";
const ADD_AUDIT: &str = "INSERT INTO audit (entry) VALUES (?)";
const TRIM_AUDIT: &str = "DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ?";
const LIST_AUDIT: &str = "SELECT number, entry FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?";
const PUT_APPROVAL: &str = "INSERT INTO approvals (id, state, number, decided_at, view) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state, number = excluded.number, decided_at = excluded.decided_at, view = excluded.view WHERE excluded.number >= approvals.number OR excluded.decided_at IS NOT NULL";
const APPROVAL_STATE: &str = "SELECT state FROM approvals WHERE id = ?";
const LIST_APPROVALS: &str = "SELECT id, view FROM approvals WHERE state = ? AND id > ? ORDER BY id LIMIT ?";
const LIST_ALL_APPROVALS: &str = "SELECT id, view FROM approvals WHERE id > ? ORDER BY id LIMIT ?";
const NEWEST_APPROVALS: &str = "SELECT id, view FROM approvals WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?";
const NEWEST_OF_ALL_APPROVALS: &str = "SELECT id, view FROM approvals WHERE id < ? ORDER BY id DESC LIMIT ?";
const SWEEP_APPROVALS: &str = "DELETE FROM approvals WHERE decided_at IS NOT NULL AND decided_at <= ?";

/// The registry's storage over a SQL port.
pub struct Documents<'a> {
    sql: &'a dyn Sql,
    wrote_offered: Cell<bool>,
}

fn fault(error: &serde_json::Error) -> StoreError {
    StoreError::Corrupt(format!("a stored document does not parse: {error}"))
}

fn text(row: &SqlRow, at: usize) -> Result<&str, StoreError> {
    row.get(at).and_then(SqlValue::text).ok_or_else(|| StoreError::Corrupt(format!("column {at} is not text")))
}

fn limit(limit: usize) -> SqlValue {
    SqlValue::Integer(i64::try_from(limit).unwrap_or(i64::MAX).min(1 << 50))
}

/// Documents with their names, and the cursor of the next page.
pub type Listed<T> = (Vec<(String, T)>, Option<String>);

impl<'a> Documents<'a> {
    pub fn new(sql: &'a dyn Sql) -> Documents<'a> {
        Documents { sql, wrote_offered: Cell::new(false) }
    }

    pub fn get<T: DeserializeOwned>(&self, kind: &str, name: &str) -> Result<Option<T>, StoreError> {
        let rows = self.sql.exec(GET, &[kind.into(), name.into()])?;
        rows.first().map(|row| serde_json::from_str(text(row, 0)?).map_err(|error| fault(&error))).transpose()
    }

    pub fn exists(&self, kind: &str, name: &str) -> Result<bool, StoreError> {
        Ok(!self.sql.exec(GET, &[kind.into(), name.into()])?.is_empty())
    }

    pub fn count(&self, kind: &str) -> Result<usize, StoreError> {
        let rows = self.sql.exec(COUNT, &[kind.into()])?;
        let count = rows.first().and_then(|row| row.first()).and_then(SqlValue::integer);
        Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0))
    }

    pub fn put<T: Serialize>(&self, kind: &str, name: &str, value: &T) -> Result<(), StoreError> {
        let value = serde_json::to_string(value).map_err(|error| fault(&error))?;
        if OFFERED_KINDS.contains(&kind) {
            self.wrote_offered.set(true);
        }
        self.sql.exec(PUT, &[kind.into(), name.into(), value.into()]).map(|_| ())
    }

    /// Whether anything was written that offers are made from.
    pub fn wrote_offered(&self) -> bool {
        self.wrote_offered.get()
    }

    pub fn delete(&self, kind: &str, name: &str) -> Result<(), StoreError> {
        self.sql.exec(DELETE, &[kind.into(), name.into()]).map(|_| ())
    }

    /// Documents of a kind by name, after a name.
    pub fn page<T: DeserializeOwned>(&self, kind: &str, page: &Page) -> Result<Vec<(String, T)>, StoreError> {
        let after = page.cursor.as_deref().unwrap_or("");
        let rows = self.sql.exec(LIST, &[kind.into(), after.into(), limit(page.limit)])?;
        let read = |row: &SqlRow| {
            Ok((text(row, 0)?.to_owned(), serde_json::from_str(text(row, 1)?).map_err(|error| fault(&error))?))
        };
        rows.iter().map(read).collect()
    }

    /// The same, with the cursor of the next page where there may be one.
    pub fn listed<T: DeserializeOwned>(&self, kind: &str, page: &Page) -> Result<Listed<T>, StoreError> {
        let found = self.page(kind, page)?;
        let next = found.last().filter(|_| found.len() >= page.limit).map(|(name, _)| name.clone());
        Ok((found, next))
    }

    /// Every document of a kind.
    pub fn all<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<(String, T)>, StoreError> {
        self.page(kind, &Page { limit: usize::MAX, cursor: None })
    }

    /// As [`Documents::get`]; what cannot be read counts as absent. For what must never hold up anything else.
    pub fn find<T: DeserializeOwned>(&self, kind: &str, name: &str) -> Result<Option<T>, StoreError> {
        match self.get(kind, name) {
            Err(StoreError::Corrupt(_)) => Ok(None),
            found => found,
        }
    }

    /// As [`Documents::all`], without what cannot be read.
    pub fn find_all<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<(String, T)>, StoreError> {
        let rows = self.sql.exec(LIST, &[kind.into(), "".into(), limit(usize::MAX)])?;
        let read = |row: &SqlRow| Some((text(row, 0).ok()?.to_owned(), serde_json::from_str(text(row, 1).ok()?).ok()?));
        Ok(rows.iter().filter_map(read).collect())
    }

    pub fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let entry = serde_json::to_string(entry).map_err(|error| fault(&error))?;
        self.sql.exec(ADD_AUDIT, &[entry.into()])?;
        self.sql.exec(TRIM_AUDIT, &[limit(AUDIT_ENTRIES_MAX)]).map(|_| ())
    }

    /// The audit record, newest first, with numbers.
    pub fn audit_page(&self, page: &Page) -> Result<Vec<(String, AuditEntry)>, StoreError> {
        let before = page.cursor.as_deref().and_then(|cursor| cursor.parse::<i64>().ok()).unwrap_or(1 << 52);
        let rows = self.sql.exec(LIST_AUDIT, &[SqlValue::Integer(before), limit(page.limit)])?;
        let read = |row: &SqlRow| {
            let number = row.first().and_then(SqlValue::integer).unwrap_or(0);
            Ok((number.to_string(), serde_json::from_str(text(row, 1)?).map_err(|error| fault(&error))?))
        };
        rows.iter().map(read).collect()
    }

    /// Writes an entry of the approval index, unless a later one is there.
    pub fn put_approval(
        &self,
        id: &str,
        state: &str,
        number: u64,
        decided_at: Option<u64>,
        view: String,
    ) -> Result<(), StoreError> {
        self.sql
            .exec(PUT_APPROVAL, &[id.into(), state.into(), number.into(), decided_at.into(), view.into()])
            .map(|_| ())
    }

    /// The state of an approval as the index has it.
    pub fn approval_state(&self, id: &str) -> Result<Option<String>, StoreError> {
        let rows = self.sql.exec(APPROVAL_STATE, &[id.into()])?;
        rows.first().map(|row| text(row, 0).map(str::to_owned)).transpose()
    }

    /// Entries of the approval index by id, which for one pool is by time.
    pub fn approvals(
        &self,
        state: Option<&str>,
        order: Order,
        page: &Page,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let (edge, of_state, of_all) = match order {
            Order::OldestFirst => ("", LIST_APPROVALS, LIST_ALL_APPROVALS),
            // Behind every id, none of which has this character.
            Order::NewestFirst => ("~", NEWEST_APPROVALS, NEWEST_OF_ALL_APPROVALS),
        };
        let beyond: SqlValue = page.cursor.as_deref().unwrap_or(edge).into();
        let rows = match state {
            Some(state) => self.sql.exec(of_state, &[state.into(), beyond, limit(page.limit)])?,
            None => self.sql.exec(of_all, &[beyond, limit(page.limit)])?,
        };
        rows.iter().map(|row| Ok((text(row, 0)?.to_owned(), text(row, 1)?.to_owned()))).collect()
    }

    pub fn sweep_approvals(&self, decided_before: u64) -> Result<(), StoreError> {
        self.sql.exec(SWEEP_APPROVALS, &[decided_before.into()]).map(|_| ())
    }
}

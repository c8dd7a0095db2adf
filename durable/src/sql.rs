//! The SQL port over an object's storage, and its transactions.

use std::cell::Cell;

use toolgate_core::builtin::sql::{Table, Value};
use toolgate_core::sql_port::{Sql, SqlRow, SqlValue, StoreError};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::{SqlCursor, SqlStorage, SqlStorageValue, Storage};

#[wasm_bindgen]
extern "C" {
    /// The part of the platform's storage that the bindings lack.
    type RawStorage;

    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(
        this: &RawStorage,
        body: &mut dyn FnMut() -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue>;
}

/// An object's SQL storage.
pub struct ObjectSql {
    sql: SqlStorage,
    rows_written: Cell<u64>,
}

impl ObjectSql {
    /// Over this storage.
    pub fn new(storage: &Storage) -> ObjectSql {
        ObjectSql { sql: storage.sql(), rows_written: Cell::new(0) }
    }

    /// Rows written through this port, index rows included: what is billed.
    pub fn rows_written(&self) -> u64 {
        self.rows_written.get()
    }
}

impl ObjectSql {
    /// One statement as the database tools ask it: with the names of its columns, and an error in SQLite's own words.
    pub fn table(&self, statement: &str) -> Result<Table, String> {
        let cursor = self.sql.exec(statement, None).map_err(|error| error.to_string())?;
        let mut table = Table { columns: cursor.column_names(), rows: Vec::new() };
        for row in cursor.raw() {
            let row = row.map_err(|error| error.to_string())?;
            table.rows.push(row.into_iter().map(|value| to_value(from_platform(value))).collect());
        }
        self.count_written(&cursor);
        Ok(table)
    }

    /// Known once the cursor has been read to its end.
    fn count_written(&self, cursor: &SqlCursor) {
        let written = u64::try_from(cursor.rows_written()).unwrap_or(0);
        self.rows_written.set(self.rows_written.get().saturating_add(written));
    }
}

impl Sql for ObjectSql {
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        let bindings: Vec<SqlStorageValue> = parameters.iter().map(to_platform).collect();
        let cursor = self.sql.exec(statement, Some(bindings)).map_err(|error| fault(&error))?;
        let mut rows = Vec::new();
        for row in cursor.raw() {
            let row = row.map_err(|error| fault(&error))?;
            rows.push(row.into_iter().map(from_platform).collect());
        }
        self.count_written(&cursor);
        Ok(rows)
    }
}

/// Runs the body in one transaction: an `Err` undoes everything it did.
pub fn transaction<T>(storage: &Storage, mut body: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut outcome = Err(StoreError::Failed("the transaction did not run".into()));
    let mut run = || {
        outcome = body();
        match &outcome {
            Ok(_) => Ok(JsValue::UNDEFINED),
            Err(why) => Err(JsValue::from_str(&why.to_string())),
        }
    };
    let raw = storage.as_raw().unchecked_ref::<RawStorage>();
    let committed = raw.transaction_sync(&mut run);
    match (committed, outcome) {
        (Ok(_), outcome) => outcome,
        (Err(_), Err(why)) => Err(why),
        (Err(thrown), Ok(_)) => Err(StoreError::Failed(format!("the commit failed: {thrown:?}"))),
    }
}

/// Runs the body in a transaction that is undone, whatever it did.
pub fn undone<T>(storage: &Storage, mut body: impl FnMut() -> T) -> Result<T, String> {
    let mut said = None;
    let never = transaction(storage, || {
        said = Some(body());
        Err::<(), StoreError>(StoreError::Failed("undone, as intended".to_owned()))
    });
    match (said, never) {
        (Some(said), Err(_)) => Ok(said),
        (_, never) => Err(format!("the transaction was not undone: {never:?}")),
    }
}

fn to_value(value: SqlValue) -> Value {
    match value {
        SqlValue::Null => Value::Null,
        SqlValue::Integer(number) => Value::Integer(number),
        SqlValue::Text(text) => Value::Text(text),
    }
}

fn to_platform(value: &SqlValue) -> SqlStorageValue {
    match value {
        SqlValue::Null => SqlStorageValue::Null,
        SqlValue::Integer(number) => SqlStorageValue::Integer(*number),
        SqlValue::Text(text) => SqlStorageValue::String(text.clone()),
    }
}

/// Numbers arrive as doubles; ours are whole and below 2^53.
fn from_platform(value: SqlStorageValue) -> SqlValue {
    match value {
        SqlStorageValue::String(text) => SqlValue::Text(text),
        SqlStorageValue::Integer(number) => SqlValue::Integer(number),
        SqlStorageValue::Boolean(yes) => SqlValue::Integer(i64::from(yes)),
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53")]
        SqlStorageValue::Float(number) => SqlValue::Integer(number as i64),
        SqlStorageValue::Null | SqlStorageValue::Blob(_) => SqlValue::Null,
    }
}

fn fault(error: &worker::Error) -> StoreError {
    StoreError::Failed(error.to_string())
}

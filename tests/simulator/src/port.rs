//! The SQL port over an in-memory SQLite: the same statements as in the object's storage.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use toolgate_core::queue::sql::SqlStore;
use toolgate_core::sql_port::{Sql, SqlRow, SqlValue, StoreError};

pub struct Sqlite(pub Connection);

struct Parameter<'a>(&'a SqlValue);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            SqlValue::Null => ToSqlOutput::Owned(Value::Null),
            SqlValue::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            SqlValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl Sqlite {
    /// An empty storage with the registry's tables.
    pub fn registry() -> Sqlite {
        let sqlite = Sqlite(Connection::open_in_memory().expect("memory"));
        for statement in toolgate_core::registry::SCHEMA {
            sqlite.exec(statement, &[]).expect("a table");
        }
        sqlite
    }

    /// An empty storage with the queue's tables.
    pub fn queue() -> Sqlite {
        let sqlite = Sqlite(Connection::open_in_memory().expect("memory"));
        SqlStore::create(&sqlite).expect("tables");
        sqlite
    }
}

fn fault(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string())
}

impl Sql for Sqlite {
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        let mut prepared = self.0.prepare_cached(statement).map_err(|error| fault(&error))?;
        let columns = prepared.column_count();
        let mut rows =
            prepared.query(params_from_iter(parameters.iter().map(Parameter))).map_err(|error| fault(&error))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|error| fault(&error))? {
            let value = |at: usize| match row.get_ref(at) {
                Ok(ValueRef::Integer(number)) => SqlValue::Integer(number),
                Ok(ValueRef::Text(text)) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
                _ => SqlValue::Null,
            };
            found.push((0..columns).map(value).collect());
        }
        Ok(found)
    }
}

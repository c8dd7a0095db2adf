//! One synchronous SQL port: the object's storage implements it, and an in-memory SQLite in tests.

/// A value that crosses the port. Integers stay within ±2^53 (they cross the platform as doubles).
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// NULL.
    Null,
    /// INTEGER.
    Integer(i64),
    /// TEXT.
    Text(String),
}

impl SqlValue {
    /// The text, or `None` for anything else.
    pub fn text(&self) -> Option<&str> {
        if let SqlValue::Text(text) = self { Some(text) } else { None }
    }

    /// The number, or `None` for anything else.
    pub fn integer(&self) -> Option<i64> {
        if let SqlValue::Integer(number) = self { Some(*number) } else { None }
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        SqlValue::Text(text.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        SqlValue::Text(text)
    }
}

impl From<u64> for SqlValue {
    fn from(number: u64) -> Self {
        SqlValue::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(SqlValue::Null, Into::into)
    }
}

/// Why storage did not serve; the step that met it is undone as a whole. The text is for the log alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// It cannot be read or written now.
    Failed(String),
    /// What it holds cannot be understood.
    Corrupt(String),
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreError::Failed(why) => write!(formatter, "storage failed: {why}"),
            StoreError::Corrupt(why) => write!(formatter, "storage holds what cannot be read: {why}"),
        }
    }
}

/// One row.
pub type SqlRow = Vec<SqlValue>;

/// Runs one statement and returns its rows.
pub trait Sql {
    /// At most 100 parameters; a row is at most 2 MB.
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError>;
}

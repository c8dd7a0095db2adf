//! The level of log messages that a session asked for: the one thing of a session that is kept, in an object of its own,
//! from when it is set until the session is over. Of a session that sets none the object is asked and keeps nothing.

use serde::{Deserialize, Serialize};

use super::{LogLevel, Session};
use crate::sql_port::{Sql, StoreError};
use crate::time::UnixMillis;

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS mcp_level (one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1), level TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID";
const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'mcp_level'";
const GET: &str = "SELECT level, until FROM mcp_level WHERE one = 1";
const PUT: &str = "INSERT INTO mcp_level (one, level, until) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET level = excluded.level, until = excluded.until";

/// What is asked of a session's object. The edge has opened the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum LevelCommand {
    /// From now on, until the session is over.
    Set(LogLevel, UnixMillis),
    /// The level that was set.
    Read,
}

/// What the object knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptLevel {
    /// The level.
    pub level: LogLevel,
    /// Its storage can go then.
    pub until: UnixMillis,
}

/// The name of the object that keeps a session's level.
pub fn level_object(org: &str, session: &Session) -> String {
    format!("mcp/{org}/{}", session.id)
}

/// One command, inside one transaction: the level as it is after it.
///
/// # Errors
/// When storage does not serve; the step is to be undone.
pub fn level_step(sql: &dyn Sql, command: &LevelCommand) -> Result<Option<KeptLevel>, StoreError> {
    let LevelCommand::Set(level, until) = command else { return kept_level(sql) };
    let text = serde_json::to_string(level).map_err(|error| StoreError::Failed(error.to_string()))?;
    sql.exec(SCHEMA, &[])?;
    sql.exec(PUT, &[text.as_str().into(), until.0.into()])?;
    Ok(Some(KeptLevel { level: *level, until: *until }))
}

/// The level that the object keeps, if it is that of a session.
///
/// # Errors
/// When storage does not serve.
pub fn kept_level(sql: &dyn Sql) -> Result<Option<KeptLevel>, StoreError> {
    if sql.exec(TABLES, &[])?.is_empty() {
        return Ok(None);
    }
    let rows = sql.exec(GET, &[])?;
    let Some([level, until]) = rows.first().map(Vec::as_slice) else { return Ok(None) };
    let corrupt = || StoreError::Corrupt("a session's level does not parse".into());
    let level = level.text().and_then(|text| serde_json::from_str(text).ok()).ok_or_else(corrupt)?;
    let until = until.integer().and_then(|until| u64::try_from(until).ok()).ok_or_else(corrupt)?;
    Ok(Some(KeptLevel { level, until: UnixMillis(until) }))
}

//! The levels of log messages that a principal's sessions with an agent have set: the one thing of a session that is kept, in
//! an object of that person's, each for a while after it was set. Of a session that sets none nothing is kept.

use serde::{Deserialize, Serialize};
use toolgate_protocol::limits::{MCP_LEVEL_SECONDS, MCP_LEVELS_MAX};

use super::{LogLevel, Session};
use crate::hash::sha256_hex;
use crate::principal::Principal;
use crate::sql_port::{Sql, SqlValue, StoreError};
use crate::time::UnixMillis;

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS mcp_level (session TEXT NOT NULL PRIMARY KEY, level TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID";
const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'mcp_level'";
const GET: &str = "SELECT level FROM mcp_level WHERE session = ? AND until > ?";
const PUT: &str = "INSERT INTO mcp_level (session, level, until) VALUES (?, ?, ?) ON CONFLICT (session) DO UPDATE SET level = excluded.level, until = excluded.until";
const END: &str = "SELECT until FROM mcp_level ORDER BY until DESC LIMIT 1";
const OVER: &str = "DELETE FROM mcp_level WHERE until <= ?";
const TOO_MANY: &str = "DELETE FROM mcp_level WHERE session IN (SELECT session FROM mcp_level ORDER BY until DESC, session LIMIT -1 OFFSET ?)";

/// What is asked of the object. The edge has opened the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum LevelCommand {
    /// A session's level from now on, and until when that is.
    Set(String, LogLevel, UnixMillis),
    /// The level that a session has set.
    Read(String),
}

impl LevelCommand {
    /// A session's level from now on.
    pub fn set(session: &Session, level: LogLevel, now: UnixMillis) -> LevelCommand {
        LevelCommand::Set(session.id.clone(), level, now.plus_seconds(MCP_LEVEL_SECONDS))
    }

    /// The level that a session has set.
    pub fn read(session: &Session) -> LevelCommand {
        LevelCommand::Read(session.id.clone())
    }
}

/// The name of the object that keeps the levels of a principal's sessions with an agent.
pub fn levels_object(org: &str, agent: &str, principal: &Principal) -> String {
    let person = sha256_hex(serde_json::json!([principal.tenant_id, principal.id]).to_string().as_bytes());
    format!("mcp/{org}/{agent}/{person}")
}

/// One command, inside one transaction: the level as it is after it.
///
/// # Errors
/// When storage does not serve; the step is to be undone.
pub fn level_step(sql: &dyn Sql, command: &LevelCommand, now: UnixMillis) -> Result<Option<LogLevel>, StoreError> {
    let (session, level, until) = match command {
        LevelCommand::Set(session, level, until) => (session, level, until),
        LevelCommand::Read(session) if exists(sql)? => return read(sql, session, now),
        LevelCommand::Read(_) => return Ok(None),
    };
    let text = serde_json::to_string(level).map_err(|error| StoreError::Failed(error.to_string()))?;
    sql.exec(SCHEMA, &[])?;
    sql.exec(OVER, &[now.0.into()])?;
    sql.exec(PUT, &[session.as_str().into(), text.into(), until.0.into()])?;
    // The sessions that have set theirs first fall silent.
    sql.exec(TOO_MANY, &[MCP_LEVELS_MAX.into()])?;
    Ok(Some(*level))
}

/// When the last of the levels that an object keeps is over; nothing for an object that keeps none.
///
/// # Errors
/// When storage does not serve.
pub fn levels_end(sql: &dyn Sql) -> Result<Option<UnixMillis>, StoreError> {
    if !exists(sql)? {
        return Ok(None);
    }
    let until = sql.exec(END, &[])?.first().and_then(|row| row.first()).and_then(SqlValue::integer);
    Ok(Some(UnixMillis(until.and_then(|until| u64::try_from(until).ok()).unwrap_or(0))))
}

fn exists(sql: &dyn Sql) -> Result<bool, StoreError> {
    Ok(!sql.exec(TABLES, &[])?.is_empty())
}

fn read(sql: &dyn Sql, session: &str, now: UnixMillis) -> Result<Option<LogLevel>, StoreError> {
    let rows = sql.exec(GET, &[session.into(), now.0.into()])?;
    let Some(text) = rows.first().and_then(|row| row.first()).and_then(SqlValue::text) else { return Ok(None) };
    serde_json::from_str(text)
        .map(Some)
        .map_err(|error| StoreError::Corrupt(format!("a level does not parse: {error}")))
}

//! The object of a run: its storage, and one step at a time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toolgate_protocol::chat::ShownOffer;
use toolgate_protocol::limits::RUN_SECONDS;

use super::Run;
use crate::sql_port::{Sql, SqlValue, StoreError};
use crate::time::UnixMillis;

/// The table. Made with the run.
pub const SCHEMA: &str =
    "CREATE TABLE IF NOT EXISTS thread (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";
const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'thread'";
const GET: &str = "SELECT value FROM thread WHERE name = ?";
const PUT: &str =
    "INSERT INTO thread (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
/// The rows of the table: the run, and its last offer, which a turn need not read.
const RUN: &str = "run";
const OFFER: &str = "offer";

/// What is asked of a run's object. The edge has checked the key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// A new run, its first turn taken, and what was offered in it.
    Create(Box<Run>, Option<Box<ShownOffer>>),
    /// The run as it stands.
    Read,
    /// The same with its last offer, for a person.
    Explain,
    /// A turn.
    Turn(Turn),
    /// The alarm.
    Tick,
}

/// A turn, as worked out from the run as it stood after so many turns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// Turns before this one.
    pub after: u64,
    /// What it said, cut.
    pub text: String,
    /// What is offered from now on as well.
    pub added: Vec<String>,
    /// What it was offered, for who asks why.
    pub offer: Option<Box<ShownOffer>>,
}

/// The run after the step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// As it stands.
    Run(Box<Run>),
    /// As it stands, with its last offer.
    Explained(Box<Run>, Option<Box<ShownOffer>>),
    /// Another turn was taken meanwhile: the run as it stands, nothing was changed.
    Overtaken(Box<Run>),
    /// There is no such run, or none any more.
    Absent,
}

/// What must happen after the commit.
pub struct Effects {
    /// For who asked.
    pub reply: Reply,
    /// Set the alarm.
    pub alarm: Option<UnixMillis>,
    /// The run is over for good: its storage can go.
    pub forget: bool,
}

/// One command, inside one transaction.
///
/// # Errors
/// When storage does not serve; the step is to be undone.
pub fn step(sql: &dyn Sql, command: Command, now: UnixMillis) -> Result<Effects, StoreError> {
    let said = |reply| Effects { reply, alarm: None, forget: false };
    let found = match read::<Run>(sql, RUN) {
        // What cannot be read any more is of no use to anybody.
        Err(StoreError::Corrupt(_)) if matches!(command, Command::Tick) => {
            return Ok(Effects { reply: Reply::Absent, alarm: None, forget: true });
        }
        found => found?,
    };
    Ok(match (command, found) {
        (Command::Create(run, offer), None) => {
            sql.exec(SCHEMA, &[])?;
            write(sql, RUN, &run)?;
            write(sql, OFFER, &offer)?;
            let alarm = Some(run.turned_at.plus_seconds(RUN_SECONDS));
            Effects { reply: Reply::Run(run), alarm, forget: false }
        }
        // Ids are never made twice; nothing may be written over.
        (Command::Create(..), Some(run)) => said(Reply::Overtaken(Box::new(run))),
        (_, None) => said(Reply::Absent),
        (Command::Read, Some(run)) => said(Reply::Run(Box::new(run))),
        (Command::Explain, Some(run)) => said(Reply::Explained(Box::new(run), read(sql, OFFER)?.flatten())),
        (Command::Turn(turn), Some(run)) if turn.after != run.turns => said(Reply::Overtaken(Box::new(run))),
        (Command::Turn(turn), Some(mut run)) => {
            run.turns = run.turns.saturating_add(1);
            run.turned_at = now;
            run.text = turn.text;
            for name in turn.added {
                if !run.offered.contains(&name) {
                    run.offered.push(name);
                }
            }
            write(sql, RUN, &run)?;
            write(sql, OFFER, &turn.offer)?;
            said(Reply::Run(Box::new(run)))
        }
        (Command::Tick, Some(run)) => {
            let end = run.turned_at.plus_seconds(RUN_SECONDS);
            Effects { reply: Reply::Absent, alarm: (now < end).then_some(end), forget: now >= end }
        }
    })
}

fn read<T: DeserializeOwned>(sql: &dyn Sql, name: &str) -> Result<Option<T>, StoreError> {
    if sql.exec(TABLES, &[])?.is_empty() {
        return Ok(None);
    }
    let rows = sql.exec(GET, &[name.into()])?;
    let Some(text) = rows.first().and_then(|row| row.first()).and_then(SqlValue::text) else { return Ok(None) };
    serde_json::from_str(text)
        .map(Some)
        .map_err(|error| StoreError::Corrupt(format!("a {name} does not parse: {error}")))
}

fn write(sql: &dyn Sql, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
    let text = serde_json::to_string(value).map_err(|error| StoreError::Failed(error.to_string()))?;
    sql.exec(PUT, &[name.into(), text.into()]).map(|_| ())
}

//! The queue's storage in SQL: the statements, over the object's storage or any [`Sql`].
//!
//! One table of calls, clustered by what is to be done (`bucket`), then by id, which is the order of creation: the
//! queue is read in order without an index, and a call that finds a poll waiting costs one row to insert, one to
//! settle. Rows are billed, so there is no index at all.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::call::{Bucket, Call};
use super::messages::{AuditEntry, PoolMessage};
use super::store::{Filter, Head, KnownManifest, PastDecision, Session, Store, Stored};
use crate::ids::{LocalId, Place};
use crate::policy::Snapshot;
use crate::sql_port::{Sql, SqlRow, SqlValue, StoreError};
use crate::time::UnixMillis;

/// The tables. Run at each start; a later version adds, and removes a release later.
pub const SCHEMA: [&str; 7] = [
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS calls (bucket INTEGER NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, tool TEXT NOT NULL, agent TEXT NOT NULL, contract TEXT NOT NULL, ready_at INTEGER NOT NULL, due INTEGER, ended_at INTEGER, idempotency TEXT, record TEXT NOT NULL, arguments TEXT NOT NULL, result TEXT, activity TEXT, PRIMARY KEY (bucket, id)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS idempotency (hash TEXT PRIMARY KEY, call TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS decisions (key TEXT PRIMARY KEY, at INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS manifests (hash TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS outbox (number INTEGER PRIMARY KEY, message TEXT NOT NULL)",
];

const SELECT_META: &str = "SELECT value FROM meta WHERE name = ?";
const PUT_META: &str =
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
const SELECT_CALL: &str =
    "SELECT record, arguments, result, activity FROM calls WHERE bucket IN (0, 1, 2, 3) AND id = ? LIMIT 1";
const INSERT_CALL: &str = "INSERT INTO calls (bucket, id, state, tool, agent, contract, ready_at, due, ended_at, idempotency, record, arguments, result, activity) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const UPDATE_CALL: &str = "UPDATE calls SET bucket = ?, state = ?, ready_at = ?, due = ?, ended_at = ?, record = ?, result = ?, activity = ? WHERE bucket = ? AND id = ?";
const INSERT_IDEMPOTENCY: &str =
    "INSERT INTO idempotency (hash, call) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET call = excluded.call";
const SELECT_IDEMPOTENCY: &str = "SELECT call FROM idempotency WHERE hash = ?";
const SELECT_QUEUED: &str =
    "SELECT id, tool, contract FROM calls WHERE bucket = 0 AND id > ? AND ready_at <= ? ORDER BY id LIMIT ?";
const SELECT_BUCKET: &str = "SELECT id FROM calls WHERE bucket = ? AND id > ? ORDER BY id LIMIT ?";
const SELECT_DUE: &str = "SELECT id FROM calls WHERE bucket IN (0, 1, 2) AND due <= ? LIMIT ?";
/// Outside of every bucket: kept for people to look at.
const SET_ASIDE: &str = "UPDATE calls SET bucket = 9 WHERE bucket IN (0, 1, 2, 3) AND id = ?";
const SELECT_NEXT_DUE: &str = "SELECT min(due), min(CASE WHEN bucket = 0 AND ready_at > ? THEN ready_at END) FROM calls WHERE bucket IN (0, 1, 2)";
const SELECT_LIST: &str = "SELECT record FROM calls WHERE bucket = ? AND id < ? AND (? IS NULL OR state = ?) AND (? IS NULL OR tool = ?) AND (? IS NULL OR agent IN (SELECT value FROM json_each(?))) ORDER BY id DESC LIMIT ?";
const COUNT_BUCKET: &str = "SELECT count(*) FROM calls WHERE bucket = ?";
const SELECT_OLD: &str =
    "SELECT id, idempotency FROM calls WHERE bucket = 3 AND id < ? AND ended_at <= ? ORDER BY id LIMIT ?";
const DELETE_CALL: &str = "DELETE FROM calls WHERE bucket = 3 AND id = ?";
const DELETE_IDEMPOTENCY: &str = "DELETE FROM idempotency WHERE hash = ? AND call = ?";
const SET_IDEMPOTENCY: &str =
    "UPDATE calls SET idempotency = coalesce(idempotency || ' ', '') || ? WHERE bucket IN (0, 1, 2, 3) AND id = ?";
const SELECT_DECISIONS: &str = "SELECT record FROM decisions WHERE key = ?";
const PUT_DECISIONS: &str = "INSERT INTO decisions (key, at, record) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET at = excluded.at, record = excluded.record";
const SWEEP_DECISIONS: &str = "DELETE FROM decisions WHERE at <= ?";
const SELECT_SESSION: &str = "SELECT record FROM sessions WHERE id = ?";
const SELECT_SESSIONS: &str = "SELECT record FROM sessions ORDER BY id";
const PUT_SESSION: &str =
    "INSERT INTO sessions (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record";
const DELETE_SESSION: &str = "DELETE FROM sessions WHERE id = ?";
const SELECT_MANIFEST: &str = "SELECT record FROM manifests WHERE hash = ?";
const SELECT_MANIFESTS: &str = "SELECT hash FROM manifests";
const PUT_MANIFEST: &str =
    "INSERT INTO manifests (hash, record) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET record = excluded.record";
const DELETE_MANIFEST: &str = "DELETE FROM manifests WHERE hash = ?";
const PUSH_OUTBOX: &str =
    "INSERT INTO outbox (number, message) SELECT max(coalesce((SELECT max(number) FROM outbox), 0), ?) + 1, ?";
const SELECT_OUTBOX: &str = "SELECT number, message FROM outbox ORDER BY number LIMIT ?";
const HAS_OUTBOX: &str = "SELECT number FROM outbox LIMIT 1";
const DELETE_OUTBOX: &str = "DELETE FROM outbox WHERE number <= ?";

/// After every id.
const LAST: &str = "~";

/// The queue's storage over a SQL port.
pub struct SqlStore<'a> {
    sql: &'a dyn Sql,
    /// Numbers of the outbox never go back, also when it was emptied: they begin at the time.
    floor: u64,
}

impl<'a> SqlStore<'a> {
    /// Over a port whose tables exist.
    pub fn new(sql: &'a dyn Sql, now: UnixMillis) -> SqlStore<'a> {
        SqlStore { sql, floor: now.0 }
    }

    /// Were the tables made?
    pub fn exists(sql: &dyn Sql) -> Stored<bool> {
        Ok(!sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'calls'", &[])?.is_empty())
    }

    /// Creates the tables.
    pub fn create(sql: &dyn Sql) -> Stored<()> {
        SCHEMA.iter().try_for_each(|statement| sql.exec(statement, &[]).map(|_| ()))
    }

    fn one<T: DeserializeOwned>(&self, statement: &str, key: &str) -> Stored<Option<T>> {
        let rows = self.sql.exec(statement, &[key.into()])?;
        rows.first().map(|row| read(text(row, 0)?)).transpose()
    }
}

fn text(row: &SqlRow, at: usize) -> Stored<&str> {
    row.get(at).and_then(SqlValue::text).ok_or_else(|| StoreError::Corrupt(format!("column {at} is not text")))
}

fn read<T: DeserializeOwned>(text: &str) -> Stored<T> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(format!("a stored record does not parse: {error}")))
}

fn write<T: Serialize>(value: &T) -> Stored<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed(format!("a record cannot be written: {error}")))
}

fn id(row: &SqlRow, at: usize) -> Stored<LocalId> {
    LocalId::read(text(row, at)?).ok_or_else(|| StoreError::Corrupt("a stored id has no shape".into()))
}

fn limit(limit: usize) -> SqlValue {
    SqlValue::Integer(i64::try_from(limit).unwrap_or(i64::MAX).min(1 << 50))
}

fn bucket(bucket: Bucket) -> SqlValue {
    SqlValue::Integer(bucket as i64)
}

fn millis(at: Option<UnixMillis>) -> SqlValue {
    at.map(|at| at.0).into()
}

/// The large texts live in columns of their own, so that the record is not escaped twice.
fn split(call: &Call) -> Stored<(String, Option<String>, Option<String>)> {
    let mut record = call.clone();
    record.asked.arguments = String::new();
    let outcome = record.outcome.as_mut();
    let (result, activity) = outcome.map_or((None, None), |outcome| (outcome.result.take(), outcome.activity.take()));
    Ok((write(&record)?, result, activity))
}

fn join(row: &SqlRow) -> Stored<Call> {
    let mut call: Call = read(text(row, 0)?)?;
    call.asked.arguments = text(row, 1)?.to_owned();
    if let Some(outcome) = &mut call.outcome {
        outcome.result = row.get(2).and_then(SqlValue::text).map(str::to_owned);
        outcome.activity = row.get(3).and_then(SqlValue::text).map(str::to_owned);
    }
    Ok(call)
}

/// What cannot be read is as good as absent where it can be had anew.
fn unless_corrupt<T>(found: Stored<Option<T>>) -> Stored<Option<T>> {
    match found {
        Err(StoreError::Corrupt(_)) => Ok(None),
        other => other,
    }
}

/// That a message cannot be read is told in its place: it must not hold back those behind it.
fn unreadable(row: &SqlRow, error: &StoreError) -> PoolMessage {
    // Not the text itself: it may hold somebody's arguments.
    let bytes = row.get(1).and_then(SqlValue::text).map(str::len);
    let detail = serde_json::json!({ "why": error.to_string(), "bytes": bytes });
    let (by, event) = ("gateway".to_owned(), "message.unreadable".to_owned());
    PoolMessage::Audit(AuditEntry { at: 0, by, event, subject: String::new(), detail })
}

fn state(call: &Call) -> Stored<String> {
    write(&call.state)
}

impl Store for SqlStore<'_> {
    fn place(&self) -> Stored<Option<Place>> {
        self.one(SELECT_META, "place")
    }

    fn set_place(&mut self, place: &Place) -> Stored<()> {
        self.sql.exec(PUT_META, &["place".into(), write(place)?.into()]).map(|_| ())
    }

    /// One that cannot be read, of newer code perhaps, is none: the registry is asked for another.
    fn snapshot(&self) -> Stored<Option<Snapshot>> {
        unless_corrupt(self.one(SELECT_META, "snapshot"))
    }

    fn set_snapshot(&mut self, snapshot: &Snapshot) -> Stored<()> {
        self.sql.exec(PUT_META, &["snapshot".into(), write(snapshot)?.into()]).map(|_| ())
    }

    fn call(&self, id: &LocalId) -> Stored<Option<Call>> {
        self.sql.exec(SELECT_CALL, &[id.as_str().into()])?.first().map(join).transpose()
    }

    fn insert(&mut self, call: &Call) -> Stored<()> {
        let (record, result, activity) = split(call)?;
        let asked = &call.asked;
        self.sql.exec(
            INSERT_CALL,
            &[
                bucket(Bucket::of(call.state)),
                call.id.as_str().into(),
                state(call)?.into(),
                asked.tool.as_str().into(),
                asked.agent.as_str().into(),
                asked.contract_hash.as_str().into(),
                call.ready_at.0.into(),
                millis(call.due()),
                millis(call.ended_at),
                asked.idempotency.clone().into(),
                record.into(),
                asked.arguments.as_str().into(),
                result.into(),
                activity.into(),
            ],
        )?;
        match &asked.idempotency {
            Some(hash) => {
                self.sql.exec(INSERT_IDEMPOTENCY, &[hash.as_str().into(), call.id.as_str().into()]).map(|_| ())
            }
            None => Ok(()),
        }
    }

    fn update(&mut self, call: &Call, was: Bucket) -> Stored<()> {
        let (record, result, activity) = split(call)?;
        self.sql
            .exec(
                UPDATE_CALL,
                &[
                    bucket(Bucket::of(call.state)),
                    state(call)?.into(),
                    call.ready_at.0.into(),
                    millis(call.due()),
                    millis(call.ended_at),
                    record.into(),
                    result.into(),
                    activity.into(),
                    bucket(was),
                    call.id.as_str().into(),
                ],
            )
            .map(|_| ())
    }

    fn by_idempotency(&self, hash: &str) -> Stored<Option<LocalId>> {
        self.sql.exec(SELECT_IDEMPOTENCY, &[hash.into()])?.first().map(|row| id(row, 0)).transpose()
    }

    fn queued(&self, now: UnixMillis, after: Option<&LocalId>, most: usize) -> Stored<Vec<Head>> {
        let rows =
            self.sql.exec(SELECT_QUEUED, &[after.map_or("", LocalId::as_str).into(), now.0.into(), limit(most)])?;
        rows.iter()
            .map(|row| {
                Ok(Head { id: id(row, 0)?, tool: text(row, 1)?.to_owned(), contract_hash: text(row, 2)?.to_owned() })
            })
            .collect()
    }

    fn in_bucket(&self, which: Bucket, after: Option<&LocalId>, most: usize) -> Stored<Vec<LocalId>> {
        let rows =
            self.sql.exec(SELECT_BUCKET, &[bucket(which), after.map_or("", LocalId::as_str).into(), limit(most)])?;
        rows.iter().map(|row| id(row, 0)).collect()
    }

    fn due(&self, now: UnixMillis, most: usize) -> Stored<Vec<LocalId>> {
        self.sql.exec(SELECT_DUE, &[now.0.into(), limit(most)])?.iter().map(|row| id(row, 0)).collect()
    }

    fn set_aside(&mut self, id: &LocalId) -> Stored<()> {
        self.sql.exec(SET_ASIDE, &[id.as_str().into()]).map(|_| ())
    }

    fn next_due(&self, now: UnixMillis) -> Stored<Option<UnixMillis>> {
        let rows = self.sql.exec(SELECT_NEXT_DUE, &[now.0.into()])?;
        let numbers =
            rows.iter().flatten().filter_map(SqlValue::integer).filter_map(|number| u64::try_from(number).ok());
        Ok(numbers.min().map(UnixMillis))
    }

    fn list(&self, filter: &Filter, most: usize) -> Stored<Vec<Call>> {
        let before = filter.before.as_ref().map_or(LAST, LocalId::as_str);
        let wanted: SqlValue = filter.state.as_ref().map(write).transpose()?.into();
        let tool: SqlValue = filter.tool.clone().into();
        let agents: SqlValue = filter.agents.as_ref().map(write).transpose()?.into();
        let mut found: Vec<Call> = Vec::new();
        for which in Bucket::ALL {
            let (wanted, tool, agents) =
                ([wanted.clone(), wanted.clone()], [tool.clone(), tool.clone()], [agents.clone(), agents.clone()]);
            let filters = wanted.into_iter().chain(tool).chain(agents);
            let parameters: Vec<SqlValue> =
                [bucket(which), before.into()].into_iter().chain(filters).chain([limit(most)]).collect();
            for row in self.sql.exec(SELECT_LIST, &parameters)? {
                found.push(read(text(&row, 0)?)?);
            }
        }
        found.sort_by(|one, other| other.id.cmp(&one.id));
        found.truncate(most);
        Ok(found)
    }

    fn count(&self, which: Bucket) -> Stored<u64> {
        let rows = self.sql.exec(COUNT_BUCKET, &[bucket(which)])?;
        Ok(rows
            .first()
            .and_then(|row| row.first())
            .and_then(SqlValue::integer)
            .and_then(|count| u64::try_from(count).ok())
            .unwrap_or(0))
    }

    fn oldest_ended(&self) -> Stored<Option<LocalId>> {
        Ok(self.in_bucket(Bucket::Ended, None, 1)?.into_iter().next())
    }

    fn add_idempotency(&mut self, call: &Call, hash: &str) -> Stored<()> {
        self.sql.exec(INSERT_IDEMPOTENCY, &[hash.into(), call.id.as_str().into()])?;
        self.sql.exec(SET_IDEMPOTENCY, &[hash.into(), call.id.as_str().into()]).map(|_| ())
    }

    fn decisions(&self, key: &str) -> Stored<Vec<PastDecision>> {
        unless_corrupt(self.one(SELECT_DECISIONS, key)).map(Option::unwrap_or_default)
    }

    fn put_decisions(&mut self, key: &str, at: UnixMillis, decisions: &[PastDecision]) -> Stored<()> {
        self.sql.exec(PUT_DECISIONS, &[key.into(), at.0.into(), write(&decisions)?.into()]).map(|_| ())
    }

    fn sweep(&mut self, ended_before: UnixMillis, most: usize) -> Stored<usize> {
        self.sql.exec(SWEEP_DECISIONS, &[ended_before.0.into()])?;
        let first = LocalId::first_at(ended_before);
        let rows = self.sql.exec(SELECT_OLD, &[first.as_str().into(), ended_before.0.into(), limit(most)])?;
        for row in &rows {
            let call = id(row, 0)?;
            self.sql.exec(DELETE_CALL, &[call.as_str().into()])?;
            // One key, or several where others joined.
            for hash in row.get(1).and_then(SqlValue::text).unwrap_or_default().split_whitespace() {
                self.sql.exec(DELETE_IDEMPOTENCY, &[hash.into(), call.as_str().into()])?;
            }
        }
        Ok(rows.len())
    }

    fn session(&self, id: &str) -> Stored<Option<Session>> {
        unless_corrupt(self.one(SELECT_SESSION, id))
    }

    fn sessions(&self) -> Stored<Vec<Session>> {
        // A worker whose session cannot be read registers again.
        let rows = self.sql.exec(SELECT_SESSIONS, &[])?;
        Ok(rows.iter().filter_map(|row| text(row, 0).and_then(read).ok()).collect())
    }

    fn put_session(&mut self, session: &Session) -> Stored<()> {
        self.sql.exec(PUT_SESSION, &[session.id.as_str().into(), write(session)?.into()]).map(|_| ())
    }

    fn delete_session(&mut self, id: &str) -> Stored<()> {
        self.sql.exec(DELETE_SESSION, &[id.into()]).map(|_| ())
    }

    fn manifest(&self, hash: &str) -> Stored<Option<KnownManifest>> {
        self.one(SELECT_MANIFEST, hash)
    }

    fn put_manifest(&mut self, hash: &str, manifest: &KnownManifest) -> Stored<()> {
        self.sql.exec(PUT_MANIFEST, &[hash.into(), write(manifest)?.into()]).map(|_| ())
    }

    fn keep_manifests(&mut self, hashes: &[String]) -> Stored<()> {
        for row in self.sql.exec(SELECT_MANIFESTS, &[])? {
            let hash = text(&row, 0)?;
            if !hashes.iter().any(|kept| kept == hash) {
                self.sql.exec(DELETE_MANIFEST, &[hash.into()])?;
            }
        }
        Ok(())
    }

    fn push(&mut self, message: &PoolMessage) -> Stored<()> {
        self.sql.exec(PUSH_OUTBOX, &[self.floor.into(), write(message)?.into()]).map(|_| ())
    }

    fn outbox(&self, most: usize) -> Stored<Vec<(u64, PoolMessage)>> {
        let rows = self.sql.exec(SELECT_OUTBOX, &[limit(most)])?;
        let number = |row: &SqlRow| {
            row.first().and_then(SqlValue::integer).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
        };
        let message = |row: &SqlRow| text(row, 1).and_then(read).unwrap_or_else(|error| unreadable(row, &error));
        Ok(rows.iter().map(|row| (number(row), message(row))).collect())
    }

    fn has_outbox(&self) -> Stored<bool> {
        Ok(!self.sql.exec(HAS_OUTBOX, &[])?.is_empty())
    }

    fn told(&mut self, up_to: u64) -> Stored<()> {
        self.sql.exec(DELETE_OUTBOX, &[up_to.into()]).map(|_| ())
    }
}

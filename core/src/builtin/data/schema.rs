//! `get_database_schema`: the statements that made the tables, how many rows each has, and a few of them.

use toolgate_protocol::limits::{SCHEMA_BYTES_MAX, SCHEMA_TABLES_MAX};

use super::super::sql::{Bounds, Next, Run, Table, Value};
use super::super::{Fault, json_text};

/// Tables and views of the data set. The platform's own have none of these names.
const TABLES: &str = "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') AND lower(substr(name, 1, 7)) <> 'sqlite_' AND lower(substr(name, 1, 4)) <> '_cf_' AND lower(substr(name, 1, 3)) <> 'd1_' ORDER BY name";
/// Rows that are counted; a count of more costs more than it tells.
const COUNTED_MAX: u64 = 100_000;
/// Rows that are shown of each table.
const SHOWN: u64 = 3;

/// A schema under way: what to ask next, as for a query.
#[derive(Debug)]
pub struct SchemaRun {
    bounds: Bounds,
    dataset: String,
    /// Those still to be looked at, the next one last.
    tables: Option<Vec<(String, String)>>,
    left_out: bool,
    /// The table that is looked at: its name, its statement, its count once it is known, its rows.
    current: Option<Looked>,
    done: Vec<String>,
}

#[derive(Debug)]
struct Looked {
    name: String,
    statement: String,
    rows: Option<u64>,
    run: Option<Run>,
}

impl SchemaRun {
    /// A schema, with the first thing to ask.
    pub fn start(dataset: &str, bounds: Bounds) -> (SchemaRun, String) {
        let dataset = dataset.to_owned();
        let run = SchemaRun { bounds, dataset, tables: None, left_out: false, current: None, done: Vec::new() };
        (run, TABLES.to_owned())
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// When the database failed.
    pub fn take(&mut self, answer: Result<Table, String>) -> Result<Next, Fault> {
        let Some(Looked { rows, run, .. }) = &mut self.current else {
            let listed = answer.map_err(|why| Fault::new("query_failed", why))?;
            self.list(&listed);
            return Ok(self.next());
        };
        match run {
            None => {
                let counted = answer.ok().and_then(|table| table.rows.first()?.first()?.integer());
                *rows = counted.and_then(|count| u64::try_from(count).ok());
                self.sample()
            }
            Some(run) => match run.take(answer) {
                Ok(Next::Ask(next)) => Ok(Next::Ask(next)),
                Ok(Next::Done(shown)) => {
                    self.finish(Some(&shown));
                    Ok(self.next())
                }
                // A table that cannot be read (a virtual one, a broken view) is told of without rows.
                Err(_) => {
                    self.finish(None);
                    Ok(self.next())
                }
            },
        }
    }

    fn list(&mut self, listed: &Table) {
        let read = |row: &Vec<Value>| {
            Some((
                row.first().and_then(Value::text)?.to_owned(),
                row.get(1).and_then(Value::text).unwrap_or_default().to_owned(),
            ))
        };
        let mut tables: Vec<(String, String)> = listed.rows.iter().filter_map(read).collect();
        let mut bytes = 0_usize;
        let fits = |(_, statement): &&(String, String)| {
            bytes = bytes.saturating_add(statement.len());
            bytes <= SCHEMA_BYTES_MAX
        };
        let kept = tables.iter().take(SCHEMA_TABLES_MAX).take_while(fits).count();
        self.left_out = kept < tables.len();
        tables.truncate(kept);
        tables.reverse();
        self.tables = Some(tables);
    }

    /// The next table, or the end.
    fn next(&mut self) -> Next {
        match self.tables.as_mut().and_then(Vec::pop) {
            Some((name, statement)) => {
                let counted = COUNTED_MAX.saturating_add(1);
                let ask = format!("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {counted})", quoted(&name));
                self.current = Some(Looked { name, statement, rows: None, run: None });
                Next::Ask(ask)
            }
            None => Next::Done(self.text()),
        }
    }

    fn sample(&mut self) -> Result<Next, Fault> {
        let Some(looked) = &mut self.current else { return Ok(self.next()) };
        match Run::start(&format!("SELECT * FROM {} LIMIT {SHOWN}", quoted(&looked.name)), self.bounds) {
            Ok((run, next)) => {
                looked.run = Some(run);
                Ok(Next::Ask(next))
            }
            Err(_) => {
                self.finish(None);
                Ok(self.next())
            }
        }
    }

    fn finish(&mut self, shown: Option<&str>) {
        let Some(Looked { name, statement, rows, .. }) = self.current.take() else { return };
        let mut text = format!("{{\"table\":{},\"sql\":{}", json_text(&name), json_text(&statement));
        match rows {
            Some(rows) if rows > COUNTED_MAX => text.push_str(&format!(",\"rows\":\"more than {COUNTED_MAX}\"")),
            Some(rows) => text.push_str(&format!(",\"rows\":{rows}")),
            None => {}
        }
        if let Some(shown) = shown {
            text.push_str(&format!(",\"example\":{shown}"));
        }
        text.push('}');
        self.done.push(text);
    }

    fn text(&self) -> String {
        let note = if self.left_out { ",\"note\":\"Not all tables are listed.\"" } else { "" };
        format!(
            "{{\"dataset\":{},\"dialect\":\"SQLite\",\"tables\":[{}]{note}}}",
            json_text(&self.dataset),
            self.done.join(",")
        )
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The schema of a database that answers at once.
///
/// # Errors
/// When it failed.
pub fn schema_of(
    dataset: &str,
    bounds: Bounds,
    mut ask: impl FnMut(&str) -> Result<Table, String>,
) -> Result<String, Fault> {
    let (mut run, mut next) = SchemaRun::start(dataset, bounds);
    loop {
        match run.take(ask(&next))? {
            Next::Ask(statement) => next = statement,
            Next::Done(schema) => return Ok(schema),
        }
    }
}

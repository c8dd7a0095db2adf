//! A query, statement by statement: what to ask the database next, and what its answers come to.

use toolgate_protocol::limits::{SQL_COLUMNS_MAX, SQL_RESULT_BYTES_MAX, SQL_ROWS_MAX, SQL_VALUE_CHARS_MAX};

use super::super::{Fault, json_text};
use super::plan::{self, Code, Roots};
use super::text::Query;
use super::{Bounds, refused, work};

/// A value that a database gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// NULL, or what is neither of the others.
    Null,
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl Value {
    /// The text.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The number.
    pub fn integer(&self) -> Option<i64> {
        if let Value::Integer(number) = self { Some(*number) } else { None }
    }
}

/// What a database answered to one statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}

/// What is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Ask the database this.
    Ask(String),
    /// The result, as JSON text.
    Done(String),
}

/// Arguments that a function may have on the platform.
const ARGUMENTS_MAX: usize = 32;
/// What may be read: tables and views, and the indexes of tables. The platform's own tables have none of these names.
const ROOTS: &str = "SELECT rootpage FROM sqlite_master WHERE rootpage > 1 AND lower(substr(tbl_name, 1, 7)) <> 'sqlite_' AND lower(substr(tbl_name, 1, 4)) <> '_cf_' AND lower(substr(tbl_name, 1, 3)) <> 'd1_'";

#[derive(Debug)]
enum Stage {
    Roots,
    Code,
    Wrapped,
    Plan,
    Names,
    Rows { columns: Vec<String> },
}

/// A query under way.
#[derive(Debug)]
pub struct Run {
    query: Query,
    bounds: Bounds,
    stage: Stage,
    roots: Roots,
    code: Code,
}

impl Run {
    /// A query, with the first thing to ask.
    ///
    /// # Errors
    /// Why its text is refused.
    pub fn start(statement: &str, bounds: Bounds) -> Result<(Run, String), Fault> {
        let query = Query::read(statement)?;
        let run = Run { query, bounds, stage: Stage::Roots, roots: Roots::new(), code: Code::default() };
        Ok((run, ROOTS.to_owned()))
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// Why the query is not run, or how it failed.
    pub fn take(&mut self, answer: Result<Table, String>) -> Result<Next, Fault> {
        let table = answer.map_err(|why| Fault::new("query_failed", cleaned(&why)))?;
        let (stage, next) = match &self.stage {
            Stage::Roots => {
                self.roots = table.rows.iter().filter_map(|row| row.first().and_then(Value::integer)).collect();
                (Stage::Code, format!("EXPLAIN {}", self.query.text))
            }
            Stage::Code => {
                self.code = plan::read(&table, &self.roots, self.query.json_tables, false)?;
                if self.code.columns == 0 || self.code.columns > SQL_COLUMNS_MAX {
                    let detail = format!("It has {} columns; name 1 to {SQL_COLUMNS_MAX} of them.", self.code.columns);
                    return Err(refused(detail));
                }
                (Stage::Wrapped, format!("EXPLAIN {}", self.wrapped()))
            }
            // What runs is looked at itself, as it runs.
            Stage::Wrapped => {
                plan::read(&table, &self.roots, self.query.json_tables, true)?;
                (Stage::Plan, format!("EXPLAIN QUERY PLAN {}", self.query.text))
            }
            Stage::Plan => {
                work::check(&table, &self.query, &self.code, self.bounds)?;
                (Stage::Names, format!("SELECT * FROM (\n{}\n) LIMIT 0", self.query.text))
            }
            Stage::Names => (Stage::Rows { columns: table.columns }, self.wrapped()),
            Stage::Rows { columns } => return Ok(Next::Done(result(columns, &table))),
        };
        self.stage = stage;
        Ok(Next::Ask(next))
    }

    /// The statement that runs: the query inside a query, of which SQLite itself writes each row as JSON, so that no
    /// number is rounded on the way, and reads no more rows than are shown.
    fn wrapped(&self) -> String {
        let names: Vec<String> = (0..self.code.columns).map(|index| format!("c{index}")).collect();
        let rows = names.chunks(ARGUMENTS_MAX).map(|chunk| {
            let values: Vec<String> = chunk.iter().map(|name| value(name)).collect();
            format!("json_array({})", values.join(", "))
        });
        let (rows, limit) = (rows.collect::<Vec<_>>().join(", "), SQL_ROWS_MAX.saturating_add(1));
        let (names, text) = (names.join(", "), &self.query.text);
        format!(
            "WITH toolgate_rows({names}) AS MATERIALIZED (SELECT * FROM (\n{text}\n) LIMIT {limit}) SELECT {rows} FROM toolgate_rows"
        )
    }
}

/// A value as JSON can hold it: long texts cut, bytes counted, no number that is none.
fn value(name: &str) -> String {
    format!(
        "CASE typeof({name}) WHEN 'text' THEN iif(length({name}) > {SQL_VALUE_CHARS_MAX}, substr({name}, 1, {SQL_VALUE_CHARS_MAX}) || '…', {name}) WHEN 'blob' THEN '(' || length({name}) || ' bytes)' WHEN 'real' THEN iif(abs({name}) <= 1.7976931348623157e308, {name}, CAST({name} AS TEXT)) ELSE {name} END"
    )
}

/// The rows that fit, and whether there are more.
fn result(columns: &[String], table: &Table) -> String {
    let names: Vec<String> = columns.iter().map(|name| json_text(name)).collect();
    let (mut rows, mut count, mut bytes) = (String::new(), 0_usize, 0_usize);
    for row in &table.rows {
        let inner =
            |cell: &Value| cell.text().and_then(|text| text.strip_prefix('[')?.strip_suffix(']').map(str::to_owned));
        let parts: Vec<String> = row.iter().filter_map(inner).collect();
        let text = format!("[{}]", parts.join(","));
        bytes = bytes.saturating_add(text.len());
        if count >= SQL_ROWS_MAX || bytes > SQL_RESULT_BYTES_MAX {
            break;
        }
        rows.push_str(if count > 0 { "," } else { "" });
        rows.push_str(&text);
        count = count.saturating_add(1);
    }
    let note = match count < table.rows.len() {
        true => format!(
            ",\"truncated\":true,\"note\":\"Only the first {count} rows are shown; aggregate, or use LIMIT and OFFSET.\""
        ),
        false => String::new(),
    };
    format!("{{\"columns\":[{}],\"rows\":[{rows}],\"row_count\":{count}{note}}}", names.join(","))
}

/// SQLite's own words, without those that the platform puts around them.
fn cleaned(why: &str) -> String {
    let mut text = why;
    for prefix in ["Error: ", "D1_ERROR: "] {
        text = text.strip_prefix(prefix).unwrap_or(text);
    }
    for suffix in [": SQLITE_ERROR", ": SQLITE_AUTH"] {
        text = text.strip_suffix(suffix).unwrap_or(text);
    }
    text.chars().take(500).collect()
}

/// Runs it on a database that answers at once.
///
/// # Errors
/// As [`Run::take`].
pub fn ask_all(
    statement: &str,
    bounds: Bounds,
    mut ask: impl FnMut(&str) -> Result<Table, String>,
) -> Result<String, Fault> {
    let (mut run, mut next) = Run::start(statement, bounds)?;
    loop {
        match run.take(ask(&next))? {
            Next::Ask(statement) => next = statement,
            Next::Done(result) => return Ok(result),
        }
    }
}

//! The tables of a data set, from what `get_database_schema` says.

use std::fmt::Write as _;

use super::super::words::{parts, stem};
use crate::json::{Json, parse};

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// How many rows it has, as the schema says it.
    rows: Option<String>,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Number,
    Date,
    Text,
    Latitude,
    Longitude,
    /// What rows are told apart by.
    Key,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub holds: Holds,
    /// Values that were shown as examples.
    pub examples: Vec<String>,
}

impl Table {
    /// The first column that holds this.
    pub fn column(&self, holds: Holds) -> Option<&Column> {
        self.columns.iter().find(|column| column.holds == holds)
    }
}

impl Column {
    /// Whether these words (as stems) name it.
    pub fn is_named_in(&self, said: &[String]) -> bool {
        let parts = parts(&self.name);
        !parts.is_empty() && parts.iter().all(|part| said.contains(part))
    }
}

/// Reads a schema; `None` for what is none.
pub fn read(content: &str) -> Option<Vec<Table>> {
    let json = parse(content).ok()?;
    let Json::List(tables) = json.get("tables")? else { return None };
    Some(tables.iter().filter_map(table).collect())
}

fn table(json: &Json) -> Option<Table> {
    let name = json.get("table")?.as_str()?.to_owned();
    let mut columns = columns(json.get("sql")?.as_str()?);
    let example = json.get("example");
    if let (Some(Json::List(names)), Some(Json::List(rows))) =
        (example.and_then(|example| example.get("columns")), example.and_then(|example| example.get("rows")))
    {
        for column in &mut columns {
            let at = names.iter().position(|name| name.as_str() == Some(&column.name));
            let cell = |row: &Json| {
                if let Json::List(cells) = row { cells.get(at?)?.as_str().map(str::to_owned) } else { None }
            };
            column.examples = rows.iter().filter_map(cell).collect();
        }
    }
    let rows = match json.get("rows") {
        Some(Json::Number(count)) => Some(count.clone()),
        other => other.and_then(Json::as_str).map(str::to_owned),
    };
    Some(Table { name, columns, rows })
}

/// The columns of a `CREATE TABLE`. A comment behind a column says more about it than its type does.
fn columns(sql: &str) -> Vec<Column> {
    let Some((_, body)) = sql.split_once('(') else { return Vec::new() };
    let mut columns: Vec<Column> = Vec::new();
    for line in body.lines() {
        let (code, comment) = line.split_once("--").unwrap_or((line, ""));
        for definition in outer_parts(code) {
            columns.extend(column(definition));
        }
        if let Some(column) = columns.last_mut().filter(|column| column.holds == Holds::Text)
            && comment.split(|letter: char| !letter.is_alphanumeric()).any(|word| stem(word) == "date")
        {
            column.holds = Holds::Date;
        }
    }
    columns
}

/// Cut at commas that stand in no parentheses.
fn outer_parts(code: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_u32, 0, Vec::new());
    for (at, letter) in code.char_indices() {
        match letter {
            '(' => depth = depth.saturating_add(1),
            ')' if depth == 0 => {
                found.extend(code.get(from..at));
                return found;
            }
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.extend(code.get(from..at));
                from = at.saturating_add(1);
            }
            _ => {}
        }
    }
    found.extend(code.get(from..));
    found
}

fn column(definition: &str) -> Option<Column> {
    const CONSTRAINTS: [&str; 5] = ["primary", "unique", "check", "foreign", "constraint"];
    let mut words = definition.split_whitespace();
    let name = words.next()?.trim_matches(['"', '`', '[', ']']).to_owned();
    if name.is_empty() || CONSTRAINTS.contains(&name.to_lowercase().as_str()) {
        return None;
    }
    let kind = words.next().unwrap_or_default().to_uppercase();
    let is_number = ["INT", "REAL", "NUM", "DOUB", "FLOA", "DEC"].iter().any(|start| kind.contains(start));
    let own = parts(&name);
    let has = |word: &str| own.iter().any(|part| part == word);
    let holds = if has("latitude") || has("lat") {
        Holds::Latitude
    } else if has("longitude") || has("lon") || has("lng") {
        Holds::Longitude
    } else if has("id") || definition.to_uppercase().contains("PRIMARY KEY") {
        Holds::Key
    } else if kind.contains("DATE") || (!is_number && (has("date") || has("at") || has("day"))) {
        Holds::Date
    } else if is_number {
        Holds::Number
    } else {
        Holds::Text
    };
    Some(Column { name, holds, examples: Vec::new() })
}

/// The tables in a text.
pub fn told(tables: &[Table]) -> String {
    let mut text = String::from("The data set has these tables:");
    for table in tables {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let rows = table.rows.as_ref().map(|rows| format!(" ({rows} rows)")).unwrap_or_default();
        let _ = write!(text, "\n\n- {}{rows}: {}", table.name, names.join(", "));
    }
    text
}

//! Hostile and honest queries on a real SQLite: none of the former runs, and the data is the same afterwards.
#![allow(clippy::unwrap_used, reason = "a fault ends the test")]
#![allow(clippy::indexing_slicing, reason = "a fault ends the test")]
#![allow(clippy::arithmetic_side_effects, reason = "a fault ends the test")]

use std::collections::BTreeMap;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter};

use toolgate_core::builtin::Fault;
use toolgate_core::builtin::data::{RECORDS, SHIPPED, Shipped, VALUE_CHARS_MAX, schema_of, shipped};
use toolgate_core::builtin::sql::{Table, Value, ask_all, plan};
use toolgate_core::json::parse;
use toolgate_core::sql_port::{Sql, SqlRow, SqlValue, StoreError};

struct Native(Connection);

impl Native {
    /// With the limits that the platform sets.
    fn with(shipped: Shipped) -> Native {
        let native = Native(Connection::open_in_memory().unwrap());
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_COLUMN, 100),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
            (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
            (Limit::SQLITE_LIMIT_FUNCTION_ARG, 32),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        ] {
            native.0.set_limit(limit, most).unwrap();
        }
        assert_eq!(shipped.is_there(&native), Ok(false));
        shipped.store(&native).unwrap();
        assert_eq!(shipped.is_there(&native), Ok(true));
        native
    }

    fn table(&self, statement: &str) -> Result<Table, String> {
        let mut prepared = self.0.prepare(statement).map_err(|error| error.to_string())?;
        let columns: Vec<String> = prepared.column_names().map(str::to_owned).collect();
        let (width, mut found) = (columns.len(), Vec::new());
        let mut rows = prepared.query([]).map_err(|error| error.to_string())?;
        while let Some(row) = rows.next().map_err(|error| error.to_string())? {
            let cell = |at: usize| match row.get_ref(at).unwrap() {
                ValueRef::Integer(number) => Value::Integer(number),
                ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                _ => Value::Null,
            };
            found.push((0..width).map(cell).collect());
        }
        Ok(Table { columns, rows: found })
    }

    /// Everything that is stored.
    fn contents(&self, shipped: &Shipped) -> String {
        let schema = self.table("SELECT * FROM sqlite_master").unwrap();
        let rows = self.table(&format!("SELECT * FROM {}", shipped.table)).unwrap();
        let exact =
            self.table(&format!("SELECT sum(latitude), total(longitude), count(*) FROM {}", shipped.table)).unwrap();
        format!("{schema:?}{rows:?}{exact:?}{}", self.0.total_changes())
    }
}

impl Sql for Native {
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        let parameters = parameters.iter().map(|value| match value {
            SqlValue::Null => rusqlite::types::Value::Null,
            SqlValue::Integer(number) => (*number).into(),
            SqlValue::Text(text) => text.clone().into(),
        });
        let mut prepared = self.0.prepare(statement).unwrap();
        let mut rows = prepared.query(params_from_iter(parameters)).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let width = row.as_ref().column_count();
            let value = |at: usize| match row.get_ref(at).unwrap() {
                ValueRef::Integer(number) => SqlValue::Integer(number),
                ValueRef::Text(text) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
                _ => SqlValue::Null,
            };
            found.push((0..width).map(value).collect());
        }
        Ok(found)
    }
}

fn vectors(text: &str) -> BTreeMap<String, Vec<String>> {
    serde_json::from_str(text).unwrap()
}

fn ask(native: &Native, shipped: &Shipped, statement: &str) -> Result<String, Fault> {
    ask_all(statement, shipped.bounds(), |statement| native.table(statement))
}

#[test]
fn no_hostile_query_runs_and_nothing_changes() {
    let hostile = vectors(include_str!("../../tests/vectors/sql/hostile.json"));
    assert!(hostile.values().map(Vec::len).sum::<usize>() >= 200);
    let permits = shipped("city_permits").unwrap();
    let native = Native::with(permits);
    let before = native.contents(&permits);
    let mut faults = Vec::new();
    for (why, statements) in &hostile {
        for statement in statements {
            match ask(&native, &permits, statement) {
                Err(Fault { code: "query_refused" | "query_failed", message }) => assert!(!message.is_empty()),
                other => faults.push(format!("{why}: {statement:.300}: {other:.300?}")),
            }
        }
    }
    assert_eq!(before, native.contents(&permits));
    // The same behind the text alone: each fence is enough against a write.
    for statement in hostile.values().flatten() {
        let listed = native.table(&format!("EXPLAIN {statement}")).unwrap_or_default();
        let writes = |table: &Table| table.rows.iter().any(|row| row.get(1) == Some(&Value::Text("OpenWrite".into())));
        if writes(&listed) && plan::read(&listed, &plan::Roots::from([2, 3, 4, 5]), 9, false).is_ok() {
            faults.push(format!("its byte code passes: {statement}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn honest_queries_run_and_answer_in_json() {
    let honest = vectors(include_str!("../../tests/vectors/sql/honest.json"));
    assert!(honest.values().map(Vec::len).sum::<usize>() >= 60);
    let mut faults = Vec::new();
    for (name, statements) in &honest {
        let shipped = shipped(name).unwrap();
        let native = Native::with(shipped);
        for statement in statements {
            match ask(&native, &shipped, statement) {
                Ok(text) if parse(&text).is_ok() && text.len() < 300_000 => {}
                other => faults.push(format!("{statement}: {other:?}")),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn results_are_exact_and_bounded() {
    let permits = shipped("city_permits").unwrap();
    let native = Native::with(permits);
    for (statement, wanted) in [
        (
            "SELECT 9007199254740993 AS big, -9223372036854775808 AS small",
            r#"{"columns":["big","small"],"rows":[[9007199254740993,-9223372036854775808]],"row_count":1}"#,
        ),
        ("SELECT 1 AS a, 2 AS a", r#"{"columns":["a","a:1"],"rows":[[1,2]],"row_count":1}"#),
        (
            "SELECT x'00ff' AS b, 1e999 AS e, NULL AS n, 'ä\"\n' AS t",
            r#"{"columns":["b","e","n","t"],"rows":[["(2 bytes)","Inf",null,"ä\"\n"]],"row_count":1}"#,
        ),
        ("SELECT kind FROM permits WHERE id < 0", r#"{"columns":["kind"],"rows":[],"row_count":0}"#),
    ] {
        assert_eq!(ask(&native, &permits, statement).unwrap(), wanted);
    }
    let all = ask(&native, &permits, "SELECT id FROM permits ORDER BY id DESC").unwrap();
    assert!(all.starts_with(r#"{"columns":["id"],"rows":[[2000],[1999],"#));
    assert!(all.ends_with(r#"[1801]],"row_count":200,"truncated":true,"note":"Only the first 200 rows are shown; aggregate, or use LIMIT and OFFSET."}"#));
    let long = format!("SELECT '{}' AS t", "x".repeat(3_000));
    assert!(ask(&native, &permits, &long).unwrap().contains(&format!("{}…", "x".repeat(2_000))));
    let wide = format!("SELECT {} FROM permits", vec![format!("'{}'", "y".repeat(1_900)); 4].join(","));
    let cut = ask(&native, &permits, &wide).unwrap();
    assert!(cut.len() < 270_000 && cut.contains("\"truncated\":true"));
    let columns = (0..64).map(|n| format!("{n} AS c{n}")).collect::<Vec<_>>().join(",");
    assert!(ask(&native, &permits, &format!("SELECT {columns}")).unwrap().contains(",63]]"));
    let failed = ask(&native, &permits, "SELECT colour FROM permits").unwrap_err();
    assert_eq!((failed.code, failed.message.contains("no such column: colour")), ("query_failed", true));
}

#[test]
fn the_shipped_data_is_the_same_everywhere_and_within_its_bounds() {
    for shipped in SHIPPED {
        let native = Native::with(shipped);
        let longest = native.table(&format!("SELECT * FROM {}", shipped.table)).unwrap();
        assert_eq!(longest.rows.len() as u64, RECORDS);
        let chars = longest.rows.iter().flatten().filter_map(Value::text).map(str::len).max().unwrap();
        assert!(chars as u64 <= VALUE_CHARS_MAX, "{chars}");
        assert!(!longest.rows.iter().flatten().filter_map(Value::text).any(|text| text.contains('%')));
        let again = Native::with(shipped);
        assert_eq!(native.contents(&shipped), again.contents(&shipped));
        // Another release replaces it.
        again.0.execute_batch(&format!("DROP TABLE {0}; CREATE TABLE {0} (old)", shipped.table)).unwrap();
        assert_eq!(shipped.is_there(&again), Ok(false));
        shipped.store(&again).unwrap();
        assert_eq!(shipped.is_there(&again), Ok(true));
    }
}

#[test]
fn a_schema_shows_tables_with_counts_and_examples() {
    let permits = shipped("city_permits").unwrap();
    let native = Native::with(permits);
    native.0.execute_batch("CREATE TABLE \"odd \"\"name\" (x); CREATE VIEW broken AS SELECT y FROM nowhere; CREATE TABLE _cf_KV (secret)").unwrap();
    let schema = schema_of("city_permits", permits.bounds(), |statement| native.table(statement)).unwrap();
    assert!(parse(&schema).is_ok());
    for part in [
        r#""dataset":"city_permits""#,
        r#""table":"permits","sql":"CREATE TABLE permits ("#,
        r#""rows":2000,"example":{"columns":["id","kind","#,
        r#"{"table":"odd \"name","#,
        r#""rows":0,"example":{"columns":["x"],"rows":[],"row_count":0}"#,
        r#"{"table":"broken","sql":"CREATE VIEW broken AS SELECT y FROM nowhere"}"#,
    ] {
        assert!(schema.contains(part), "{part} in {schema}");
    }
    assert!(!schema.contains("_cf_KV"));
}

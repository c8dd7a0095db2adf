//! Questions about data, as statements, texts, charts and maps.

#[cfg(test)]
mod cases {
    use crate::chat::model::demo::data::*;
    use crate::chat::model::demo::tests::cases::{browser, called, server, told, user};
    use crate::json::parse;

    const PERMITS: &str = "CREATE TABLE permits (\n  id INTEGER PRIMARY KEY,\n  kind TEXT NOT NULL, -- what is built or changed\n  district TEXT NOT NULL, -- part of the city\n  applied TEXT NOT NULL, -- date, YYYY-MM-DD\n  status TEXT NOT NULL, -- issued, final, expired or in review\n  cost INTEGER NOT NULL, -- declared cost in dollars\n  latitude REAL NOT NULL,\n  longitude REAL NOT NULL\n)";
    const GRANTS: &str = "CREATE TABLE \"grants\" (id INTEGER PRIMARY KEY, agency TEXT, year INTEGER, amount NUMERIC(10, 2), UNIQUE (agency, year))";

    fn schema(tables: &[(&str, &str)]) -> String {
        let table = |(name, sql): &(&str, &str)| serde_json::json!({ "table": name, "sql": sql, "rows": 1_200, "example": { "columns": ["kind", "district"], "rows": [["Solar", "Harbour"]], "row_count": 1 } });
        serde_json::json!({ "dataset": "d", "dialect": "SQLite", "tables": tables.iter().map(table).collect::<Vec<_>>() })
        .to_string()
    }

    fn tools() -> Vec<OfferedTool> {
        vec![
            server(40, "execute_query query:string"),
            server(30, "create_chart config:json"),
            server(20, "create_map data:json"),
            server(10, "get_database_schema"),
        ]
    }

    fn asked(text: &str, results: &[(&str, &str)]) -> String {
        let mut messages = vec![user(text)];
        let schema = schema(&[("permits", PERMITS)]);
        messages.extend(called("get_database_schema", &schema));
        for (name, result) in results {
            messages.extend(called(name, result));
        }
        told(&tools(), messages)
    }

    fn query(text: &str, expected: &str) {
        let arguments =
            crate::json::Json::Map(vec![(b"query".to_vec(), crate::json::Json::Text(expected.as_bytes().to_vec()))]);
        assert_eq!(asked(text, &[]), format!("execute_query({})", arguments.canonical()), "{text}");
    }

    #[test]
    fn questions_as_sql() {
        for (text, expected) in [
            ("how many permits are there", r#"SELECT count(*) AS "count" FROM "permits""#),
            (
                "How many permits by district?",
                r#"SELECT "district" AS "district", count(*) AS "count" FROM "permits" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"#,
            ),
            (
                "which district has the most permits",
                r#"SELECT "district" AS "district", count(*) AS "count" FROM "permits" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"#,
            ),
            (
                "average cost per kind",
                r#"SELECT "kind" AS "kind", round(avg("cost"), 2) AS "average_cost" FROM "permits" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"#,
            ),
            ("total cost", r#"SELECT sum("cost") AS "total_cost" FROM "permits""#),
            (
                "permits per year",
                r#"SELECT substr("applied", 1, 4) AS "year", count(*) AS "count" FROM "permits" GROUP BY 1 ORDER BY 1 LIMIT 50"#,
            ),
            (
                "total cost by month",
                r#"SELECT substr("applied", 1, 7) AS "month", sum("cost") AS "total_cost" FROM "permits" GROUP BY 1 ORDER BY 1 LIMIT 50"#,
            ),
            (
                "latest 3 permits",
                r#"SELECT "kind", "district", "applied", "status", "cost" FROM "permits" ORDER BY "applied" DESC LIMIT 3"#,
            ),
            (
                "show the oldest permits",
                r#"SELECT "kind", "district", "applied", "status", "cost" FROM "permits" ORDER BY "applied" ASC LIMIT 10"#,
            ),
            (
                "top 5 permits by cost",
                r#"SELECT "kind", "district", "applied", "status", "cost" FROM "permits" ORDER BY "cost" DESC LIMIT 5"#,
            ),
            ("list permits", r#"SELECT "kind", "district", "applied", "status", "cost" FROM "permits" LIMIT 10"#),
            (
                "how many permits in Harbour",
                r#"SELECT count(*) AS "count" FROM "permits" WHERE "district" = 'Harbour' COLLATE NOCASE"#,
            ),
            (
                "how many permits in district \"Old Town's\"",
                r#"SELECT count(*) AS "count" FROM "permits" WHERE "district" = 'Old Town''s' COLLATE NOCASE"#,
            ),
            (
                "how many permits in the Quarry Heights district",
                r#"SELECT count(*) AS "count" FROM "permits" WHERE "district" = 'Quarry Heights' COLLATE NOCASE"#,
            ),
            (
                "how many permits in 2023 by kind",
                r#"SELECT "kind" AS "kind", count(*) AS "count" FROM "permits" WHERE substr("applied", 1, 4) = '2023' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"#,
            ),
            (
                "show a chart of permits by kind",
                r#"SELECT "kind" AS "kind", count(*) AS "count" FROM "permits" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"#,
            ),
            (
                "plot the permits",
                r#"SELECT "kind" AS "kind", count(*) AS "count" FROM "permits" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"#,
            ),
            (
                "line chart of the cost",
                r#"SELECT substr("applied", 1, 4) AS "year", count(*) AS "count" FROM "permits" GROUP BY 1 ORDER BY 1 LIMIT 50"#,
            ),
            (
                "show the permits on a map",
                r#"SELECT "kind", "district", "applied", "status", "cost", "latitude", "longitude" FROM "permits" ORDER BY "cost" DESC LIMIT 50"#,
            ),
            (
                "where are the permits in Harbour",
                r#"SELECT "kind", "district", "applied", "status", "cost", "latitude", "longitude" FROM "permits" WHERE "district" = 'Harbour' COLLATE NOCASE ORDER BY "cost" DESC LIMIT 50"#,
            ),
        ] {
            query(text, expected);
        }
    }

    #[test]
    fn what_rows_are_ordered_by_is_shown() {
        let wide = PERMITS.replace("  applied TEXT", "  address TEXT,\n  issued TEXT,\n  applied TEXT");
        let mut messages = vec![user("top 5 permits by cost")];
        messages.extend(called("get_database_schema", &schema(&[("permits", &wide)])));
        let shown = r#"SELECT \"kind\", \"district\", \"address\", \"issued\", \"applied\", \"cost\" FROM"#;
        let query = told(&tools(), messages);
        assert!(query.contains(shown), "{query}");
    }

    #[test]
    fn the_schema_comes_first_and_once() {
        assert_eq!(told(&tools(), vec![user("how many permits by kind")]), "get_database_schema({})");
        let both = schema(&[("permits", PERMITS), ("grants", GRANTS)]);
        let mut later = vec![user("how many permits")];
        later.extend(called("get_database_schema", &both));
        later.extend(called("execute_query", r#"{"columns":["count"],"rows":[[7]],"row_count":1}"#));
        later.push(crate::chat::model::demo::tests::cases::said("count: 7."));
        later.push(user("total amount per year"));
        let expected = r#"execute_query({"query":"SELECT \"year\" AS \"year\", sum(\"amount\") AS \"total_amount\" FROM \"grants\" GROUP BY 1 ORDER BY 1 LIMIT 50"})"#;
        assert_eq!(told(&tools(), later), expected);
        let mut described = vec![user("which tables are there?")];
        described.extend(called("get_database_schema", &both));
        assert_eq!(
            told(&tools(), described),
            "The data set has these tables:\n\n- permits (1200 rows): id, kind, district, applied, status, cost, latitude, longitude\n\n- grants (1200 rows): id, agency, year, amount"
        );
        // What is none is told, not asked for again.
        let mut odd = vec![user("how many permits")];
        odd.extend(called("get_database_schema", r#"{"x":1}"#));
        assert_eq!(told(&tools(), odd), "get_database_schema answered: x 1.");
        let mut empty = vec![user("how many permits")];
        empty.extend(called("get_database_schema", r#"{"tables":[]}"#));
        assert_eq!(told(&tools(), empty), "The data set has no tables.");
    }

    #[test]
    fn other_tools_go_first_when_they_fit_better() {
        let mut tools = tools();
        tools.insert(0, server(90, "get_order order_id:integer"));
        assert_eq!(told(&tools, vec![user("show order 4711")]), r#"get_order({"order_id":4711})"#);
        tools.push(browser("get_current_location"));
        assert_eq!(told(&tools, vec![user("Where am I?")]), "get_current_location({})");
        let unscored: Vec<OfferedTool> =
            self::tools().into_iter().map(|tool| OfferedTool { score: 0, ..tool }).collect();
        assert!(told(&unscored, vec![user("hello")]).starts_with("I am no real model"));
        assert_eq!(told(&unscored, vec![user("how many are there?")]), "get_database_schema({})");
    }

    const BY_KIND: &str = r#"{"columns":["kind","count"],"rows":[["Solar",30],["Pool | spa",12]],"row_count":2}"#;

    #[test]
    fn rows_are_told() {
        for (text, rows, expected) in [
            ("how many permits", r#"{"columns":["count"],"rows":[[1200]],"row_count":1}"#, "count: 1200."),
            ("average cost", r#"{"columns":["average_cost"],"rows":[[12.50]],"row_count":1}"#, "average cost: 12.50."),
            ("list permits", r#"{"columns":["kind"],"rows":[],"row_count":0}"#, "No rows fit."),
            (
                "how many permits by kind",
                BY_KIND,
                "The query gave 2 rows.\n\n| kind | count |\n| --- | --- |\n| Solar | 30 |\n| Pool \\| spa | 12 |",
            ),
            (
                "list permits",
                r#"{"columns":["kind"],"rows":[[null],["a\nb"]],"row_count":2}"#,
                "The query gave 2 rows.\n\n| kind |\n| --- |\n| – |\n| a b |",
            ),
            (
                "how many permits",
                r#"{"error":{"code":"query_failed","message":"no such column"}}"#,
                "execute_query failed: no such column",
            ),
            ("how many permits", "not rows", "execute_query: not rows"),
        ] {
            let found = asked(text, &[("execute_query", rows)]);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
        assert!(
            asked("how many permits", &[("execute_query", r#"{"error":"no such column"}"#)])
                .ends_with("execute_query failed: no such column")
        );
        let many: Vec<String> = (0..25).map(|at| format!("[\"k{at}\",{at}]")).collect();
        let many = format!(r#"{{"columns":["kind","count"],"rows":[{}],"row_count":25}}"#, many.join(","));
        assert!(asked("how many permits by kind", &[("execute_query", &many)]).ends_with("| k9 | 9 |\n\nand 15 more."));
    }

    #[test]
    fn charts() {
        let series = r#""series":[{"data":[30,12],"name":"count","type":"bar"}],"title":{"text":"count by kind"},"tooltip":{"trigger":"axis"},"xAxis":{"data":["Solar","Pool | spa"],"name":"kind","type":"category"},"yAxis":{"name":"count","type":"value"}"#;
        assert_eq!(
            asked("chart of permits by kind", &[("execute_query", BY_KIND)]),
            format!("create_chart({{\"config\":{{{series}}}}})")
        );
        let pie = asked("pie chart of permits by kind", &[("execute_query", BY_KIND)]);
        assert!(pie.contains(r#""series":[{"data":[{"name":"Solar","value":30},{"name":"Pool | spa","value":12}],"name":"count","type":"pie"}]"#), "{pie}");
        let years = r#"{"columns":["year","count"],"rows":[["2023",30],["2024",9007199254740993]],"row_count":2}"#;
        let line = asked("graph of permits per year", &[("execute_query", years)]);
        assert!(line.contains(r#""type":"line""#) && line.contains("9007199254740993"), "{line}");
        let drawn =
            asked("chart of permits by kind", &[("execute_query", BY_KIND), ("create_chart", "Chart created.")]);
        assert_eq!(drawn, "The query gave 2 rows.\n\ncreate_chart: Chart created.");
        // Without rows or numbers there is nothing to draw.
        assert_eq!(
            asked("chart of permits", &[("execute_query", r#"{"columns":["a","b"],"rows":[],"row_count":0}"#)]),
            "No rows fit."
        );
        assert!(
            asked(
                "chart of permits",
                &[("execute_query", r#"{"columns":["a","b"],"rows":[["x","y"]],"row_count":1}"#)]
            )
            .starts_with("The query gave 1 rows")
        );
    }

    #[test]
    fn maps() {
        let rows = r#"{"columns":["kind","latitude","longitude"],"rows":[["Solar <b>",46.20,-123.80],["Pool",46.10,-123.90],["x",null,1]],"row_count":3}"#;
        let map = asked("show the permits on a map", &[("execute_query", rows)]);
        let data = parse(map.strip_prefix("create_map(").unwrap().strip_suffix(')').unwrap()).unwrap();
        let data = data.get("data").unwrap();
        assert_eq!(data.get("center").unwrap().canonical(), "[46.15000,-123.85000]");
        let features = data.get("features").unwrap();
        assert_eq!(features.get("type").and_then(crate::json::Json::as_str), Some("FeatureCollection"));
        let first = r#"{"geometry":{"coordinates":[-123.80,46.20],"type":"Point"},"properties":{"popup":"kind: Solar  b "},"type":"Feature"}"#;
        assert!(features.canonical().contains(first), "{}", features.canonical());
        assert!(!features.canonical().contains("null"));
        let drawn = asked("show the permits on a map", &[("execute_query", rows), ("create_map", "Map created.")]);
        assert_eq!(drawn, "The query gave 3 rows.\n\ncreate_map: Map created.");
        assert!(asked("map of permits", &[("execute_query", BY_KIND)]).starts_with("The query gave 2 rows.\n\n| kind"));
    }
}

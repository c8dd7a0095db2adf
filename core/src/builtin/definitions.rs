//! The definitions of the shipped tools, as a manifest would have them.

use std::collections::BTreeMap;

use toolgate_protocol::definitions::{Routing, SideEffect, ToolDefinition};

use super::chart::SERIES_TYPES;
use crate::hash::sha256_hex;

/// What this version of the gateway ships.
pub fn definitions() -> Vec<ToolDefinition> {
    let chart = format!(
        "Shows the user a chart. config is an Apache ECharts option object: series with a type of {}, and with what they \
         need of xAxis, yAxis, dataset, visualMap, legend and title. It is pure JSON: no functions, no HTML, no images, no \
         links. In formatters, {{b}} and {{c}} stand for name and value. Query the data first and put the numbers into the \
         option. The user sees the chart; you get a short confirmation.",
        SERIES_TYPES.join(", ")
    );
    vec![
        tool(
            "get_database_schema",
            "Shows the tables of the agent's data set: their columns with types and meanings, row counts, and a few example \
             rows. Call it once before the first query: the names of tables and columns are in it.",
            &[],
            "schema, database, table, tables, column, columns, dataset, data set, fields, structure, what data",
        ),
        tool(
            "execute_query",
            "Runs one SQL query (SQLite dialect) on the agent's data set and returns its rows. Only a single SELECT, WITH or \
             VALUES statement runs; nothing can be changed. At most 200 rows come back, so aggregate and sort in SQL and use \
             LIMIT. Recursive queries and functions that build long texts are refused. Look at the schema first.",
            &[("query", "string")],
            "query, sql, select, count, how many, average, sum, total, top, most, highest, lowest, compare, trend, per year, per month, group by, statistics",
        ),
        tool(
            "create_chart",
            &chart,
            &[("config", "json")],
            "chart, plot, graph, diagram, visualize, visualise, bar chart, line chart, pie chart, scatter, heatmap, histogram, trend, draw",
        ),
        tool(
            "create_map",
            "Shows the user a map. data is {\"center\":[latitude,longitude],\"zoom\":0 to 22 (optional),\"features\":a GeoJSON \
             FeatureCollection}. Mind the order: center is [latitude, longitude], while coordinates in GeoJSON are \
             [longitude, latitude]. properties.popup of a feature is the text that a click on it shows: plain text, no HTML. \
             The user sees the map; you get a short confirmation.",
            &[("data", "json")],
            "map, where, location, locations, place, places, geographic, geojson, latitude, longitude, marker, markers, near, district, region, coordinates",
        ),
    ]
}

/// The hash of all of them: what a pool has registered is compared by it.
pub fn definitions_hash() -> String {
    sha256_hex(serde_json::to_string(&definitions()).unwrap_or_default().as_bytes())
}

fn tool(name: &str, description: &str, input: &[(&str, &str)], keywords: &str) -> ToolDefinition {
    let input: BTreeMap<String, String> =
        input.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect();
    let keywords = keywords.split(", ").map(str::to_owned).collect();
    ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        side_effect: SideEffect::ReadOnly,
        input,
        permissions: Vec::new(),
        routing: Routing { keywords, patterns: Vec::new() },
        queue_deadline_seconds: None,
        execution_deadline_seconds: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::check_tool;

    #[test]
    fn what_ships_meets_the_contract_and_only_reads() {
        let shipped = definitions();
        for tool in &shipped {
            assert_eq!(check_tool(tool), Ok(()), "{}", tool.name);
            assert_eq!(tool.side_effect, SideEffect::ReadOnly, "a write would need a hand-over that is accepted first");
            assert!(super::super::read(&tool.name, "{}").is_ok(), "{} is run", tool.name);
        }
        assert_eq!(shipped.len(), 4);
        assert!(super::super::read("drop_database", "{}").is_err());
    }
}

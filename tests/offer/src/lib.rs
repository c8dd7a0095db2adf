//! Public data to measure the ranking of tools with: a catalogue of 1,096 functions and 1,911 requests of people, each with
//! the function that fits. `tests/bench/support/offer_dataset.py` makes it; scripts/bench and scripts/test call that.
//!
//! The requests are two halves. Settings of the ranking are chosen on `dev`; `test` only says what they are worth.

pub mod bm25;

use std::path::PathBuf;

use serde::Deserialize;
use toolgate_core::offer::{Index, Searchable};

/// A tool of the catalogue.
#[derive(Deserialize)]
pub struct Tool {
    /// Its name, as Toolgate takes it.
    pub name: String,
    /// Description, with those of the fields at its end.
    pub description: String,
    /// Field to type.
    pub input: serde_json::Map<String, serde_json::Value>,
}

/// A request, and the tools that fit.
#[derive(Deserialize)]
pub struct Query {
    /// What was asked.
    pub text: String,
    /// Names of tools.
    pub gold: Vec<String>,
}

/// Where the data is: `TOOLGATE_OFFER_DATA`, or the place where scripts put it.
pub fn folder() -> PathBuf {
    let made = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.state/offer");
    std::env::var_os("TOOLGATE_OFFER_DATA").map_or(made, PathBuf::from)
}

/// One JSON value per line.
pub fn lines<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    let path = folder().join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; scripts/test offer makes it", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of the data set")).collect()
}

/// The index over the catalogue, as the product builds it.
pub fn index(tools: &[Tool]) -> Index {
    let fields: Vec<Vec<&str>> = tools.iter().map(|tool| tool.input.keys().map(String::as_str).collect()).collect();
    Index::new(tools.iter().zip(&fields).map(|(tool, fields)| Searchable {
        name: &tool.name,
        description: &tool.description,
        keywords: &[],
        patterns: &[],
        fields,
    }))
}

/// How far down lists are looked at.
pub const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// The share of queries with a fitting tool among the first 1, 5, 10 and 20 of a ranking.
pub fn recall(tools: &[Tool], queries: &[Query], rank: impl Fn(&str) -> Vec<usize>) -> [f64; 4] {
    let places: Vec<Option<usize>> = queries
        .iter()
        .map(|query| rank(&query.text).iter().position(|tool| query.gold.contains(&tools[*tool].name)))
        .collect();
    DEPTHS.map(|depth| {
        let found = places.iter().flatten().filter(|place| **place < depth).count();
        found as f64 / places.len() as f64
    })
}

//! scripts/bench offer: recall of both halves beside BM25, and times. One JSON line per measurement.
#![expect(clippy::disallowed_methods, reason = "a native program that measures time")]

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};
use toolgate_offer_bench::bm25::Bm25;
use toolgate_offer_bench::{DEPTHS, Query, Tool, index, lines, recall};

/// Times over all queries; the fastest round counts, the others had company.
const ROUNDS: u32 = 5;

fn main() {
    let tools: Vec<Tool> = lines("tools.jsonl");
    let halves: [(&str, Vec<Query>); 2] = ["dev", "test"].map(|half| (half, lines(&format!("{half}.jsonl"))));
    let ours = index(&tools);
    let plain = Bm25::new(&tools);
    for (half, queries) in &halves {
        let found = recall(&tools, queries, |text| ours.rank(text).into_iter().map(|scored| scored.tool).collect());
        print("toolgate", half, queries.len(), found);
        print("bm25", half, queries.len(), recall(&tools, queries, |text| plain.rank(text)));
    }
    let texts: Vec<&str> = halves.iter().flat_map(|(_, queries)| queries).map(|query| query.text.as_str()).collect();
    let ranking = fastest(|| texts.iter().for_each(|text| drop(black_box(ours.rank(text))))) / texts.len() as f64;
    let first_ten: Vec<usize> = (0..10).collect();
    let reasons =
        fastest(|| texts.iter().for_each(|text| drop(black_box(ours.explain(text, &first_ten))))) / texts.len() as f64;
    say(
        json!({ "what": "time", "tools": tools.len(), "rank_micros": round(ranking), "explain_10_micros": round(reasons),
        "index_millis": round(fastest(|| drop(black_box(index(&tools)))) / 1_000.0) }),
    );
    let hostile: String =
        (0..10_000).map(|number| format!("{}{number:x}ing ", "cpsr".split_at(number % 4).1)).collect();
    let long = "please calculate the weather price for my order ".repeat(20_000);
    for (what, text) in [("10,000 different words", hostile), ("1 MB", long), ("one word of 1 MB", "a".repeat(1 << 20))]
    {
        say(json!({ "what": what, "rank_micros": round(fastest(|| drop(black_box(ours.rank(&text))))) }));
    }
}

fn print(ranking: &str, half: &str, queries: usize, recall: [f64; 4]) {
    let shares: serde_json::Map<String, Value> = DEPTHS
        .iter()
        .zip(recall)
        .map(|(depth, share)| (format!("recall_at_{depth}"), json!((share * 10_000.0).round() / 10_000.0)))
        .collect();
    say(json!({ "what": "recall", "ranking": ranking, "half": half, "queries": queries, "recall": shares }));
}

fn say(mut measurement: Value) {
    measurement["bench"] = json!("offer");
    println!("{measurement}");
}

/// Microseconds.
fn fastest(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1e6
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

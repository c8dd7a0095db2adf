//! Holds what the ranking has reached. A change that loses more than half a point says why, here.
#![expect(clippy::disallowed_methods, reason = "a native test that looks at the time a text takes")]

use std::time::{Duration, Instant};

use toolgate_offer_bench::bm25::Bm25;
use toolgate_offer_bench::{Query, Tool, index, lines, recall};

/// May be lost: five queries of a thousand.
const SLACK: f64 = 0.005;

fn check(half: &str, at_10_reached: f64, at_20_reached: f64) {
    let tools: Vec<Tool> = lines("tools.jsonl");
    let queries: Vec<Query> = lines(&format!("{half}.jsonl"));
    assert_eq!(tools.len(), 1_096, "another data set has other figures");
    let ours = index(&tools);
    let rank = |text: &str| ours.rank(text).into_iter().map(|scored| scored.tool).collect();
    let [_, _, at_10, at_20] = recall(&tools, &queries, rank);
    assert!(at_10 >= at_10_reached - SLACK, "{half}: recall@10 is {at_10:.4}, it was {at_10_reached}");
    assert!(at_20 >= at_20_reached - SLACK, "{half}: recall@20 is {at_20:.4}, it was {at_20_reached}");
    let plain = Bm25::new(&tools);
    let [_, _, plain_at_10, _] = recall(&tools, &queries, |text| plain.rank(text));
    assert!(at_10 > plain_at_10 + 0.05, "{half}: {at_10:.4} is no more than BM25's {plain_at_10:.4}");
}

#[test]
fn the_half_that_was_tuned_on() {
    check("dev", 0.9602, 0.9806);
}

#[test]
fn the_half_that_was_not() {
    check("test", 0.9366, 0.9634);
}

/// For every query: the reasons of the first tools sum up to their scores, and a second index gives the same ranking.
#[test]
fn scores_are_explained_and_repeatable() {
    let tools: Vec<Tool> = lines("tools.jsonl");
    let (first, second) = (index(&tools), index(&tools));
    for query in lines::<Query>("dev.jsonl").iter().chain(&lines::<Query>("test.jsonl")) {
        let ranked = first.rank(&query.text);
        assert_eq!(ranked, second.rank(&query.text));
        let best: Vec<usize> = ranked.iter().take(20).map(|scored| scored.tool).collect();
        let explained = first.explain(&query.text, &best);
        assert_eq!(explained.len(), best.len());
        for (explained, scored) in explained.iter().zip(&ranked) {
            let sum: u32 = explained.reasons.iter().map(|reason| reason.points).sum();
            assert_eq!(
                (explained.tool, explained.score, sum),
                (scored.tool, scored.score, scored.score),
                "{}",
                query.text
            );
        }
    }
}

/// No measurement (scripts/bench offer is one): it fails when the work is no longer bounded.
#[test]
fn no_text_takes_long() {
    let index = index(&lines::<Tool>("tools.jsonl"));
    let different: String = (0..10_000).map(|number| format!("w{number:x}ing ")).collect();
    for text in
        [different, "a".repeat(1 << 20), "calculate the price of my order ".repeat(30_000), "\u{5929}".repeat(1 << 18)]
    {
        let started = Instant::now();
        index.rank(&text);
        let took = started.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?} for {:.20}…", text);
    }
}

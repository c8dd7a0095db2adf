//! Plain BM25 over name and description, to compare with: no word forms, no synonyms, no fields.

use std::collections::BTreeMap;

use crate::Tool;

const K1: f64 = 0.9;
const B: f64 = 0.4;

/// A catalogue.
pub struct Bm25<'a> {
    tools: &'a [Tool],
    lengths: Vec<f64>,
    average: f64,
    postings: BTreeMap<String, BTreeMap<usize, f64>>,
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

impl Bm25<'_> {
    /// Reads the tools.
    pub fn new(tools: &[Tool]) -> Bm25<'_> {
        let mut postings: BTreeMap<String, BTreeMap<usize, f64>> = BTreeMap::new();
        let mut lengths = vec![0.0; tools.len()];
        for (at, tool) in tools.iter().enumerate() {
            for word in words(&tool.name).chain(words(&tool.description)) {
                *postings.entry(word).or_default().entry(at).or_default() += 1.0;
                lengths[at] += 1.0;
            }
        }
        let average = lengths.iter().sum::<f64>() / tools.len() as f64;
        Bm25 { tools, lengths, average, postings }
    }

    /// Best first.
    pub fn rank(&self, text: &str) -> Vec<usize> {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for found in words(text).filter_map(|word| self.postings.get(&word)) {
            let (all, with) = (self.tools.len() as f64, found.len() as f64);
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (tool, times) in found {
                let length = 1.0 - B + B * self.lengths[*tool] / self.average;
                *scores.entry(*tool).or_default() += rarity * times * (K1 + 1.0) / (times + K1 * length);
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|left, right| {
            let by_name = || self.tools[left.0].name.cmp(&self.tools[right.0].name);
            right.1.total_cmp(&left.1).then_with(by_name)
        });
        ranked.into_iter().map(|(tool, _)| tool).collect()
    }
}

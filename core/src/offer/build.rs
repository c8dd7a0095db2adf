//! From tools to an index: what each word is worth in each tool (BM25F: a word of the name weighs more than one of the
//! description, and each further time it is said adds less).

use std::collections::BTreeMap;

use super::index::{Index, Posting, Tool};
use super::logarithm::rarity_milli;
use super::near::Spellings;
use super::patterns::Patterns;
use super::phrases::Phrases;
use super::stem::stem;
use super::values::Kind;
use super::words::{folded, stems};
use super::{Part, Searchable};

/// Parts that are read by word: what one word weighs, and how much of that a longer part than the average takes away, both
/// in thousandths.
const PARTS: [(Part, u64, u64); 5] = [
    (Part::Name, 2_500, 300),
    (Part::Description, 1_300, 500),
    (Part::FieldDescription, 400, 400),
    (Part::Field, 600, 400),
    (Part::Keyword, 2_500, 0),
];
/// A word that weighs this much reaches half of what it can be worth.
const HALF_MILLI: u64 = 2_000;

/// A word of a tool.
#[derive(Clone, Copy)]
struct Said {
    term: usize,
    /// Position in `Index::written`.
    written: u32,
}

/// The words of one tool, by part in the order of `PARTS`.
type Parts = [Vec<Said>; PARTS.len()];

pub(super) fn index<'a>(tools: impl IntoIterator<Item = Searchable<'a>>) -> Index {
    let mut builder = Builder::default();
    for tool in tools {
        builder.read(&tool);
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    terms: BTreeMap<String, usize>,
    /// Words as they are written: each is stemmed once.
    written: BTreeMap<String, Said>,
    words: Vec<Parts>,
    tools: Vec<Tool>,
    keywords: Vec<(usize, Vec<String>, String)>,
    patterns: Vec<(usize, String)>,
}

impl Builder {
    fn read(&mut self, tool: &Searchable<'_>) {
        let position = self.tools.len();
        let (summary, about_fields) = at_fields(tool.description, tool.fields);
        let parts = [
            self.words(tool.name),
            self.words(summary),
            self.words(about_fields),
            tool.fields.iter().flat_map(|field| self.words(field)).collect(),
            tool.keywords.iter().flat_map(|keyword| self.words(keyword)).collect(),
        ];
        let mut name_terms: Vec<usize> = parts.iter().take(1).flatten().map(|said| said.term).collect();
        name_terms.sort_unstable();
        name_terms.dedup();
        self.tools.push(Tool {
            name: tool.name.to_owned(),
            name_terms,
            name_rarity: 0,
            fields: typed(tool.fields),
            order: 0,
        });
        self.words.push(parts);
        let keywords = tool.keywords.iter().map(|keyword| (position, stems(keyword), keyword.clone()));
        self.keywords.extend(keywords);
        self.patterns.extend(tool.patterns.iter().map(|pattern| (position, pattern.clone())));
    }

    fn words(&mut self, text: &str) -> Vec<Said> {
        folded(text).into_iter().map(|word| self.said(word)).collect()
    }

    fn said(&mut self, word: String) -> Said {
        if let Some(known) = self.written.get(&word) {
            return *known;
        }
        let next = self.terms.len();
        let term = *self.terms.entry(stem(&word)).or_insert(next);
        let written = u32::try_from(self.written.len()).unwrap_or(u32::MAX);
        *self.written.entry(word).or_insert(Said { term, written })
    }

    fn finish(mut self) -> Index {
        let rarities = self.rarities();
        let postings = self.postings(&rarities);
        self.order_names();
        for tool in &mut self.tools {
            let told = tool.name_terms.iter().filter_map(|term| rarities.get(*term));
            tool.name_rarity = told.fold(0, |sum: u32, rarity| sum.saturating_add(*rarity));
        }
        let spellings = self.written.iter().filter(|(word, _)| word.chars().all(char::is_alphabetic));
        let spellings = Spellings::new(spellings.map(|(word, said)| (word.as_str(), said.term)));
        let phrases = Phrases::new(self.keywords, &self.terms);
        let mut written: Vec<(String, u32)> =
            self.written.into_iter().map(|(word, said)| (word, said.written)).collect();
        written.sort_unstable_by_key(|(_, at)| *at);
        Index {
            terms: self.terms,
            rarities,
            postings,
            tools: self.tools,
            written: written.into_iter().map(|(word, _)| word).collect(),
            spellings,
            phrases,
            patterns: Patterns::new(&self.patterns),
        }
    }

    /// By term: what it tells. A word that few tools have tells more.
    fn rarities(&self) -> Vec<u32> {
        let mut with = vec![0_usize; self.terms.len()];
        for parts in &self.words {
            let mut terms: Vec<usize> = parts.iter().flatten().map(|said| said.term).collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                if let Some(count) = with.get_mut(term) {
                    *count = count.saturating_add(1);
                }
            }
        }
        with.into_iter().map(|count| rarity_milli(self.tools.len(), count)).collect()
    }

    fn postings(&self, rarities: &[u32]) -> Vec<Vec<Posting>> {
        let mut totals = [0_u64; PARTS.len()];
        for parts in &self.words {
            for (total, words) in totals.iter_mut().zip(parts) {
                *total = total.saturating_add(count(words));
            }
        }
        let mut postings = vec![Vec::new(); self.terms.len()];
        for (tool, parts) in (0_u32..).zip(&self.words) {
            for (term, weight) in self.weights(parts, &totals) {
                let rarity = u64::from(rarities.get(term).copied().unwrap_or_default());
                let whole = weight.milli.saturating_add(HALF_MILLI);
                let points = rarity.saturating_mul(weight.milli).checked_div(whole).unwrap_or_default();
                if let Some(list) = postings.get_mut(term) {
                    let points = u32::try_from(points).unwrap_or(u32::MAX);
                    list.push(Posting { tool, points, written: weight.written, part: weight.part });
                }
            }
        }
        postings
    }

    /// What each term weighs in a tool.
    fn weights(&self, parts: &Parts, totals: &[u64; PARTS.len()]) -> BTreeMap<usize, Weight> {
        let tools = count(&self.words);
        let mut weights: BTreeMap<usize, Weight> = BTreeMap::new();
        for (((part, one, slope), words), total) in PARTS.iter().zip(parts).zip(totals) {
            // In thousandths of the average.
            let length = count(words).saturating_mul(tools).saturating_mul(1_000).checked_div(*total).unwrap_or(1_000);
            let norm = 1_000_u64.saturating_sub(*slope).saturating_add(slope.saturating_mul(length).div_euclid(1_000));
            let milli = one.saturating_mul(1_000).checked_div(norm).unwrap_or_default();
            let mut here: BTreeMap<usize, (u64, u32)> = BTreeMap::new();
            for said in words {
                let entry = here.entry(said.term).or_insert((0, said.written));
                entry.0 = entry.0.saturating_add(milli);
            }
            for (term, (milli, written)) in here {
                let none = Weight { milli: 0, most: 0, written, part: *part };
                weights.entry(term).or_insert(none).add(milli, written, *part);
            }
        }
        weights
    }

    fn order_names(&mut self) {
        let mut names: Vec<(String, usize)> =
            self.tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        names.sort_unstable();
        for (order, (_, at)) in (0_u32..).zip(names) {
            if let Some(tool) = self.tools.get_mut(at) {
                tool.order = order;
            }
        }
    }
}

struct Weight {
    milli: u64,
    /// Of the part where it weighs most.
    most: u64,
    written: u32,
    part: Part,
}

impl Weight {
    fn add(&mut self, milli: u64, written: u32, part: Part) {
        self.milli = self.milli.saturating_add(milli);
        if milli > self.most {
            (self.most, self.written, self.part) = (milli, written, part);
        }
    }
}

fn count<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

/// A description, cut where it begins to explain the fields: at the first `field:` of a field of the tool.
fn at_fields<'a>(description: &'a str, fields: &[&str]) -> (&'a str, &'a str) {
    let explains = |field: &&str| {
        description.match_indices(*field).map(|(at, _)| at).find(|at| {
            let before = description.get(..*at).and_then(|text| text.chars().next_back());
            let after = description.get(at.saturating_add(field.len())..).unwrap_or_default();
            let begins = before.is_none_or(|before| before.is_whitespace() || matches!(before, '-' | '*' | '`' | '('));
            begins && after.trim_start_matches(['`', ' ', '*']).starts_with(':')
        })
    };
    let cut = fields.iter().filter(|field| !field.is_empty()).filter_map(explains).min();
    description.split_at(cut.unwrap_or(description.len()))
}

/// The first field for each kind of value.
fn typed(fields: &[&str]) -> Vec<(Kind, String)> {
    let stems: Vec<Vec<String>> = fields.iter().map(|field| stems(field)).collect();
    let first = |kind: Kind| {
        let mut named = fields.iter().zip(&stems);
        let found = named.find(|(_, stems)| stems.iter().any(|stem| kind.is_taken_by(stem)));
        found.map(|(field, _)| (kind, (*field).to_owned()))
    };
    Kind::ALL.into_iter().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_cut_at_their_fields() {
        for (description, summary) in [
            ("Gets an order. order_id: the number. full: all?", "Gets an order. "),
            ("Gets an order.\n- `order_id`: the number", "Gets an order.\n- `"),
            ("full: all? order_id: the number", ""),
            ("Gets the reorder_id: none", "Gets the reorder_id: none"),
            ("order_id is not explained", "order_id is not explained"),
            ("", ""),
            ("é full : x", "é "),
        ] {
            assert_eq!(at_fields(description, &["order_id", "full", ""]).0, summary);
        }
    }
}

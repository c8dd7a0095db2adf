//! What the tools of a catalogue say, by word.

use std::collections::BTreeMap;

use super::near::Spellings;
use super::patterns::Patterns;
use super::phrases::Phrases;
use super::values::Kind;
use super::{Part, Ranked, Scored, Searchable, build, rank};

/// An index over a catalogue. Built once for a version of the catalogue, then asked many times.
pub struct Index {
    /// Stem to term.
    pub(super) terms: BTreeMap<String, usize>,
    /// By term: what it tells, in thousandths.
    pub(super) rarities: Vec<u32>,
    /// By term: the tools that have it, ordered.
    pub(super) postings: Vec<Vec<Posting>>,
    pub(super) tools: Vec<Tool>,
    /// Words as the catalogue writes them.
    pub(super) written: Vec<String>,
    pub(super) spellings: Spellings,
    pub(super) phrases: Phrases,
    pub(super) patterns: Patterns,
}

/// A tool that has a term.
#[derive(Clone, Copy)]
pub(super) struct Posting {
    pub tool: u32,
    /// What the term is worth in this tool, said once and as such.
    pub points: u32,
    /// Position in `Index::written`: the word that the term stands for here.
    pub written: u32,
    /// Where it weighs most.
    pub part: Part,
}

/// What is known of a tool beside its words.
pub(super) struct Tool {
    pub name: String,
    /// Terms of the name, each once.
    pub name_terms: Vec<usize>,
    /// What they tell together.
    pub name_rarity: u32,
    /// The first field for each kind of value.
    pub fields: Vec<(Kind, String)>,
    /// Place among the tools by name.
    pub order: u32,
}

impl Index {
    /// Reads the tools. Takes some milliseconds for a thousand.
    pub fn new<'a>(tools: impl IntoIterator<Item = Searchable<'a>>) -> Index {
        build::index(tools)
    }

    /// The tools with a score over zero, best first, equal ones by name.
    ///
    /// Reasons are not worked out here: for a thousand tools they would take longer than the ranking. Ask `explain` for those
    /// that are offered.
    pub fn rank(&self, text: &str) -> Vec<Scored> {
        rank::rank(self, text)
    }

    /// Score and reasons of some tools, in the order they are asked for. The scores are those of `rank`; a tool that nothing
    /// speaks for has 0 and no reason. A position past the last tool is left out.
    pub fn explain(&self, text: &str, tools: &[usize]) -> Vec<Ranked> {
        rank::explain(self, text, tools)
    }

    pub(super) fn term(&self, stem: &str) -> Option<usize> {
        self.terms.get(stem).copied()
    }

    pub(super) fn rarity(&self, term: usize) -> u32 {
        self.rarities.get(term).copied().unwrap_or_default()
    }

    pub(super) fn postings(&self, term: usize) -> &[Posting] {
        self.postings.get(term).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn written(&self, posting: &Posting) -> &str {
        usize::try_from(posting.written)
            .ok()
            .and_then(|at| self.written.get(at))
            .map(String::as_str)
            .unwrap_or_default()
    }
}

//! Which tools speak for a turn's text: a ranking that needs no model and no network, and that says why.
//!
//! Promises: the same text and catalogue give the same ranking on every machine (whole numbers only, no clock, no chance, no
//! order of a hash table); the points of the reasons sum up to the score; the work is bounded by the catalogue and by
//! `OFFER_…` of `protocol/src/limits.rs`, however long and odd the text is. Leaves to others: which tools an agent may be
//! offered at all, what is pinned, and how many fit the budget.
//!
//! `fold` → `words` → `stem` make words of text; `lexicon`, `near` and `question` say what a text may mean; `index` holds what
//! the tools say; `rank` adds up. docs/offers.md explains the scores to those who write tools.

mod build;
mod fold;
mod index;
mod lexicon;
mod logarithm;
mod near;
mod patterns;
mod phrases;
mod question;
mod rank;
mod stem;
mod values;
mod words;

pub use index::Index;
pub use patterns::compile as compile_pattern;

/// What of a tool speaks for it.
#[derive(Clone, Copy, Debug)]
pub struct Searchable<'a> {
    /// Its name, in any of the usual ways to join words.
    pub name: &'a str,
    /// Its description; an explanation of its fields (`order_id: the number of…`) counts less than what is before it.
    pub description: &'a str,
    /// Words and phrases that its author wants it found by.
    pub keywords: &'a [String],
    /// Regular expressions over the text as it was written.
    pub patterns: &'a [String],
    /// Names of its input fields.
    pub fields: &'a [&'a str],
}

/// A tool and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Position among the tools that the index was made of.
    pub tool: usize,
    /// Thousandths of a point; over zero.
    pub score: u32,
}

/// A tool, its score, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Position among the tools that the index was made of.
    pub tool: usize,
    /// Thousandths of a point.
    pub score: u32,
    /// What the score is made of, biggest first. The points sum up to the score.
    pub reasons: Vec<Reason>,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Which part of the tool matched. A word that several parts have is counted once; this is where it weighs most.
    pub part: Part,
    /// The word, phrase, pattern or field of the tool that matched.
    pub what: String,
    /// What the user said, when it is another word; of a value its kind, such as `a date`.
    pub said: Option<String>,
    /// Thousandths of a point.
    pub points: u32,
}

/// Part of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A word of the name.
    Name,
    /// How much of the name was said.
    WholeName,
    /// A word of the description.
    Description,
    /// A word of the description's explanation of fields.
    FieldDescription,
    /// The name of a field.
    Field,
    /// A field that takes a value which was said.
    Value,
    /// A word of a keyword.
    Keyword,
    /// A keyword, whole.
    Phrase,
    /// A regular expression.
    Pattern,
}

impl Part {
    /// As it stands in an offer.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Name => "name",
            Part::WholeName => "whole_name",
            Part::Description => "description",
            Part::FieldDescription => "field_description",
            Part::Field => "field",
            Part::Value => "value",
            Part::Keyword => "keyword",
            Part::Phrase => "phrase",
            Part::Pattern => "pattern",
        }
    }
}

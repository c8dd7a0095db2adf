//! What a text may mean to a catalogue: each of its words with the terms it stands for, and what else it brings.

use std::collections::BTreeMap;

use toolgate_protocol::limits::{OFFER_DISTINCT_WORDS_MAX, OFFER_TEXT_CHARS_MAX, OFFER_WORDS_MAX};

use super::index::Index;
use super::lexicon::{Lexicon, Meaning, lexicon};
use super::patterns::Found;
use super::phrases::Phrase;
use super::values::{Kind, kinds};
use super::words::{Word, Words, split};

/// What a word weighs, in thousandths: the plain word, …
const WHOLE_MILLI: u32 = 1_000;
/// … one that requests are full of, …
const COMMON_MILLI: u32 = 250;
/// … a number, and a single letter: values more often than names.
const NUMBER_MILLI: u32 = 250;
const LETTER_MILLI: u32 = 500;
/// More for a word that is said again, by how often it is said; 1 + 0.3 × ln.
const REPEATED_MILLI: [u32; 5] = [1_000, 1_208, 1_330, 1_416, 1_483];

/// What a term carries of the word it stands for: two words that the catalogue writes as one, or the other way round, …
const JOINED_MILLI: u32 = 800;
/// … and a word that one slip away.
const NEAR_MILLI: u32 = 600;
/// Letters of the shortest word that may be two.
const JOINED_CHARS_MIN: usize = 6;
/// A longer word is no misspelling: looking at its parts would take the square of its length.
const LOOKED_INTO_BYTES_MAX: usize = 64;

/// A word of the text, and what it may stand for.
pub(super) struct Concept {
    pub said: String,
    pub weight_milli: u32,
    /// Term and share, each term once.
    pub meanings: Vec<(usize, u32)>,
}

/// All that is read of a text.
pub(super) struct Question<'a> {
    pub concepts: Vec<Concept>,
    pub kinds: Vec<Kind>,
    pub phrases: Vec<&'a Phrase>,
    pub patterns: Vec<Found<'a>>,
}

impl<'a> Question<'a> {
    pub fn read(index: &'a Index, text: &str) -> Question<'a> {
        let (head, tail) = ends(text);
        let mut words = split(head);
        let mut rest = split(tail);
        words.words.append(&mut rest.words);
        words.runs.append(&mut rest.runs);
        let words = Words { words: both_ends(words.words, OFFER_WORDS_MAX), runs: words.runs };
        let terms: Vec<Option<usize>> = words.words.iter().map(|word| index.term(&word.stem)).collect();
        let mut found = kinds(head);
        found.extend(kinds(tail));
        found.sort_unstable();
        found.dedup();
        Question {
            concepts: Reader { index, lexicon: lexicon() }.concepts(&words),
            kinds: found,
            phrases: index.phrases.find(&terms),
            patterns: index.patterns.find(text),
        }
    }
}

/// A long text is read at its beginning and at its end: what is asked stands before or after what is pasted.
fn ends(text: &str) -> (&str, &str) {
    let half = OFFER_TEXT_CHARS_MAX.div_euclid(2);
    if text.len() <= OFFER_TEXT_CHARS_MAX || text.char_indices().nth(OFFER_TEXT_CHARS_MAX).is_none() {
        return (text, "");
    }
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().rev().nth(half.saturating_sub(1)).map_or(0, |(at, _)| at);
    (text.get(..head).unwrap_or(text), text.get(tail..).unwrap_or_default())
}

fn both_ends<T>(mut list: Vec<T>, most: usize) -> Vec<T> {
    if list.len() > most {
        let half = most.div_euclid(2);
        list.drain(half..list.len().saturating_sub(half));
    }
    list
}

struct Reader<'a> {
    index: &'a Index,
    lexicon: &'static Lexicon,
}

/// A word, how often it is said, and the words after it.
struct Said<'a> {
    word: &'a Word,
    times: usize,
    nexts: Vec<&'a Word>,
}

impl Reader<'_> {
    fn concepts(&self, words: &Words) -> Vec<Concept> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut said: Vec<Said<'_>> = Vec::new();
        for (at, word) in words.words.iter().enumerate() {
            let place = *places.entry(&word.stem).or_insert(said.len());
            if place == said.len() {
                said.push(Said { word, times: 0, nexts: Vec::new() });
            }
            if let Some(seen) = said.get_mut(place) {
                seen.times = seen.times.saturating_add(1);
                if seen.times <= REPEATED_MILLI.len() {
                    seen.nexts.extend(words.words.get(at.saturating_add(1)));
                }
            }
        }
        let said = both_ends(said, OFFER_DISTINCT_WORDS_MAX);
        let mut concepts: Vec<Concept> = said.iter().map(|said| self.concept(said)).collect();
        concepts.extend(self.inside(&words.runs));
        concepts.retain(|concept| !concept.meanings.is_empty());
        concepts
    }

    fn concept(&self, said: &Said<'_>) -> Concept {
        let Word { folded, stem } = said.word;
        let mut meanings = Meanings { index: self.index, list: Vec::new() };
        meanings.stem(stem, WHOLE_MILLI);
        meanings.all(self.lexicon.translated(folded, None));
        meanings.all(self.lexicon.related(stem, None));
        let known = !meanings.list.is_empty();
        for next in &said.nexts {
            meanings.all(self.lexicon.translated(folded, Some(&next.folded)));
            meanings.all(self.lexicon.related(stem, Some(&next.stem)));
            meanings.stem(&super::stem::stem(&format!("{folded}{}", next.folded)), JOINED_MILLI);
        }
        if !known && folded.len() <= LOOKED_INTO_BYTES_MAX && folded.chars().all(char::is_alphabetic) {
            meanings.terms(self.index.spellings.near(folded), NEAR_MILLI);
            if folded.chars().count() >= JOINED_CHARS_MIN {
                let counts = |part: &str| !self.lexicon.is_common(&super::stem::stem(part));
                meanings.terms(self.index.spellings.apart(folded, counts), JOINED_MILLI);
            }
        }
        Concept { said: folded.clone(), weight_milli: self.weight(said), meanings: meanings.list }
    }

    fn weight(&self, said: &Said<'_>) -> u32 {
        let Word { folded, stem } = said.word;
        let one = if folded.chars().all(char::is_numeric) {
            NUMBER_MILLI
        } else if self.lexicon.is_common(stem) {
            COMMON_MILLI
        } else if folded.len() == 1 {
            LETTER_MILLI
        } else {
            WHOLE_MILLI
        };
        let repeats = said.times.min(REPEATED_MILLI.len()).saturating_sub(1);
        let repeated = REPEATED_MILLI.get(repeats).copied().unwrap_or(WHOLE_MILLI);
        one.saturating_mul(repeated).div_euclid(WHOLE_MILLI)
    }

    /// Words of scripts without blanks that have a translation, each once.
    fn inside(&self, runs: &[String]) -> Vec<Concept> {
        let mut concepts: BTreeMap<&str, Concept> = BTreeMap::new();
        for (word, found) in runs.iter().flat_map(|run| self.lexicon.inside(run)) {
            if concepts.len() >= OFFER_DISTINCT_WORDS_MAX {
                break;
            }
            concepts.entry(word).or_insert_with(|| {
                let mut meanings = Meanings { index: self.index, list: Vec::new() };
                meanings.all(found.iter());
                Concept { said: word.to_owned(), weight_milli: WHOLE_MILLI, meanings: meanings.list }
            });
        }
        concepts.into_values().collect()
    }
}

struct Meanings<'a> {
    index: &'a Index,
    list: Vec<(usize, u32)>,
}

impl Meanings<'_> {
    fn all<'m>(&mut self, meanings: impl Iterator<Item = &'m Meaning>) {
        meanings.for_each(|meaning| self.stem(&meaning.stem, meaning.share_milli));
    }

    fn stem(&mut self, stem: &str, share_milli: u32) {
        self.terms(self.index.term(stem), share_milli);
    }

    fn terms(&mut self, terms: impl IntoIterator<Item = usize>, share_milli: u32) {
        for term in terms {
            match self.list.iter_mut().find(|(known, _)| *known == term) {
                Some((_, share)) => *share = (*share).max(share_milli),
                None => self.list.push((term, share_milli)),
            }
        }
    }
}

//! What words mean beside themselves: synonyms, words of other languages, and words that say nothing about a tool.
//!
//! Two lists of ours, `synonyms.txt` and `languages.txt`, read once. They hold general language only: nothing in them is
//! for a certain tool. Who misses a word there gives the tool a keyword.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::stem::stem;
use super::words::{Words, split, stems};

/// Another stem for a word, and how much of the word's weight it carries, in thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub stem: String,
    pub share_milli: u32,
}

/// Who says "film" may mean "movie".
const SYNONYM_MILLI: u32 = 500;
/// Who says the general word means a certain one less often.
const REVERSE_MILLI: u32 = 250;
/// A translation says the same.
const TRANSLATION_MILLI: u32 = 800;
/// Characters of the longest word that is looked for in a run without blanks.
const RUN_WORD_CHARS_MAX: usize = 10;

/// Words that requests are full of, whatever they are about.
const COMMON: &str = "a an the of in on at to by for from with and or is are was were be been am do does did doing it its \
    this that these those i me my mine we our us you your he she his her him them they their there here as if then than so \
    such into about up down out over under again can could should would may might must will shall please want wanna need \
    like help tell know let give show get hi hello hey thanks thank what which who whom whose how when where why has have \
    had having not no any some all each also just really very much many more most im id ive ill whats its thats youre dont \
    lets using use used following based given provide okay ok looking look make sure able";
/// Common words that yet ask for something: a person, a place, a day.
const ASKING: &[&str] = &["who", "where", "when"];

pub(super) struct Lexicon {
    /// By stem, or by two stems with a blank.
    related: BTreeMap<String, Vec<Meaning>>,
    /// By folded word, words with a blank, or run of characters.
    foreign: BTreeMap<String, Vec<Meaning>>,
    common: BTreeSet<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        related: BTreeMap::new(),
        foreign: BTreeMap::new(),
        common: COMMON.split_whitespace().map(stem).collect(),
    };
    entries(include_str!("synonyms.txt")).for_each(|entry| lexicon.synonyms(entry));
    entries(include_str!("languages.txt")).for_each(|entry| lexicon.translations(entry));
    lexicon
});

/// The lists, read at the first use.
pub(super) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(" / "))
}

impl Lexicon {
    /// Says it nothing about what is wanted?
    pub fn is_common(&self, stem: &str) -> bool {
        self.common.contains(stem)
    }

    /// What else a word, or two in a row, may mean.
    pub fn related(&self, stem: &str, next: Option<&str>) -> impl Iterator<Item = &Meaning> {
        let silent = self.is_common(stem) && !ASKING.contains(&stem);
        let alone = (!silent).then(|| self.related.get(stem)).flatten();
        let pair = next.and_then(|next| self.related.get(&format!("{stem} {next}")));
        alone.into_iter().chain(pair).flatten()
    }

    /// What a word, or two in a row, is in English.
    pub fn translated(&self, folded: &str, next: Option<&str>) -> impl Iterator<Item = &Meaning> {
        let pair = next.and_then(|next| self.foreign.get(&format!("{folded} {next}")));
        self.foreign.get(folded).into_iter().chain(pair).flatten()
    }

    /// The known words inside a run of characters, with their meanings, in their order.
    pub fn inside<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a str, &'a [Meaning])> {
        run.char_indices().flat_map(move |(start, _)| {
            let rest = run.get(start..).unwrap_or_default();
            let ends = rest.char_indices().skip(1).map(|(end, _)| end).chain(Some(rest.len())).take(RUN_WORD_CHARS_MAX);
            ends.filter_map(move |end| {
                let word = rest.get(..end)?;
                Some((word, self.foreign.get(word)?.as_slice()))
            })
        })
    }

    fn synonyms(&mut self, entry: &str) {
        if let Some((kinds, means)) = entry.split_once('>') {
            for kind in kinds.split_whitespace() {
                means.split_whitespace().for_each(|mean| self.relate(kind, mean, SYNONYM_MILLI));
            }
        } else if let Some((word, others)) = entry.split_once(':') {
            for other in others.split_whitespace() {
                self.relate(word, other, SYNONYM_MILLI);
                self.relate(other, word, REVERSE_MILLI);
            }
        }
    }

    /// Only a single word can be what is meant: that is what an index holds.
    fn relate(&mut self, said: &str, meant: &str, share_milli: u32) {
        let mut meant = stems(meant);
        if let (Some(stem), true) = (meant.pop(), meant.is_empty()) {
            add(self.related.entry(stems(said).join(" ")).or_default(), stem, share_milli);
        }
    }

    fn translations(&mut self, entry: &str) {
        let Some((english, words)) = entry.split_once(':') else { return };
        for word in words.split_whitespace() {
            let Words { words, runs } = split(word);
            let folded: Vec<String> = words.into_iter().map(|word| word.folded).collect();
            let key = if runs.is_empty() { folded.join(" ") } else { runs.concat() };
            add(self.foreign.entry(key).or_default(), stem(english.trim()), TRANSLATION_MILLI);
        }
    }
}

fn add(meanings: &mut Vec<Meaning>, stem: String, share_milli: u32) {
    match meanings.iter_mut().find(|known| known.stem == stem) {
        Some(known) => known.share_milli = known.share_milli.max(share_milli),
        None => meanings.push(Meaning { stem, share_milli }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings<'a>(found: impl Iterator<Item = &'a Meaning>) -> Vec<&'a str> {
        found.map(|meaning| meaning.stem.as_str()).collect()
    }

    #[test]
    fn the_lists_are_read() {
        let lexicon = lexicon();
        assert!(meanings(lexicon.related("film", None)).contains(&"movi"));
        assert!(meanings(lexicon.related("turn", Some("on"))).contains(&"start"));
        assert!(meanings(lexicon.related("pizza", None)).contains(&"food"));
        assert!(!meanings(lexicon.related("food", None)).contains(&"pizza"));
        assert!(meanings(lexicon.related("get", None)).is_empty(), "common words have no synonyms");
        assert_eq!(meanings(lexicon.translated("rechnung", None)), [stem("invoice")]);
        assert_eq!(meanings(lexicon.translated("hari", Some("ini"))), ["todai"]);
        let inside: Vec<&str> = lexicon.inside("今天天气怎么样").map(|(word, _)| word).collect();
        assert_eq!(inside, ["今天", "天气"]);
    }

    /// A word that English has too would mean two things in English text.
    #[test]
    fn no_translation_hides_a_common_word() {
        let lexicon = lexicon();
        let hidden: Vec<&String> = lexicon.foreign.keys().filter(|word| lexicon.common.contains(*word)).collect();
        assert!(hidden.is_empty(), "{hidden:?}");
    }

    #[test]
    fn entries_are_well_formed() {
        for list in [include_str!("synonyms.txt"), include_str!("languages.txt")] {
            for entry in entries(list).filter(|entry| !entry.trim().is_empty()) {
                assert_eq!(entry.matches([':', '>']).count(), 1, "{entry}");
                let sides: Vec<&str> = entry.split([':', '>']).collect();
                assert!(sides.iter().all(|side| !side.trim().is_empty()), "{entry}");
            }
        }
    }
}

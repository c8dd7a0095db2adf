//! Keywords as wholes: words in a row, whatever their forms. "Money back" is said by "I want my money back".

use std::collections::BTreeMap;

/// Words of the longest phrase that is looked for.
const PHRASE_WORDS_MAX: usize = 8;

/// The keywords of a catalogue, by their terms.
#[derive(Default)]
pub(super) struct Phrases {
    by_terms: BTreeMap<Vec<usize>, Phrase>,
}

/// A keyword.
pub(super) struct Phrase {
    /// As the first tool writes it.
    pub written: String,
    pub tools: Vec<usize>,
}

impl Phrases {
    /// Of tools, stems and keywords as written.
    pub fn new(keywords: Vec<(usize, Vec<String>, String)>, terms: &BTreeMap<String, usize>) -> Phrases {
        let mut by_terms: BTreeMap<Vec<usize>, Phrase> = BTreeMap::new();
        for (tool, stems, written) in keywords {
            let key: Vec<usize> = stems.iter().filter_map(|stem| terms.get(stem).copied()).collect();
            if key.is_empty() || key.len() != stems.len() || key.len() > PHRASE_WORDS_MAX {
                continue;
            }
            let phrase = by_terms.entry(key).or_insert(Phrase { written, tools: Vec::new() });
            if phrase.tools.last() != Some(&tool) {
                phrase.tools.push(tool);
            }
        }
        Phrases { by_terms }
    }

    /// The phrases that a text's terms hold, each once. `None` stands for a word that no tool has.
    pub fn find(&self, text: &[Option<usize>]) -> Vec<&Phrase> {
        let mut found: BTreeMap<&[usize], &Phrase> = BTreeMap::new();
        if self.by_terms.is_empty() {
            return Vec::new();
        }
        for start in 0..text.len() {
            let mut key = Vec::new();
            for term in text.iter().skip(start).take(PHRASE_WORDS_MAX).map_while(|term| *term) {
                key.push(term);
                if let Some((known, phrase)) = self.by_terms.get_key_value(&key) {
                    found.insert(known, phrase);
                }
            }
        }
        found.into_values().collect()
    }
}

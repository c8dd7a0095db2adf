//! Text to words: at blanks and signs, at the humps of `getOrderStatus`, between letters and digits; scripts that write no
//! blanks, and Hangul with its particles, to pairs of neighbouring characters.

use super::fold::{fold_into, is_mark};
use super::stem::stem;

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Folded: lower case, no accents.
    pub folded: String,
    /// What forms of the word have in common; this is what is compared.
    pub stem: String,
}

/// A text as words.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// In their order.
    pub words: Vec<Word>,
    /// Whole runs of scripts without blanks, for words of such a script that are no pair.
    pub runs: Vec<String>,
}

/// Splits a text.
pub(super) fn split(text: &str) -> Words {
    let Folded { words, runs } = fold(text);
    Words { words: words.into_iter().map(|folded| Word { stem: stem(&folded), folded }).collect(), runs }
}

/// The folded words of a text, for those who know their stems.
pub(super) fn folded(text: &str) -> Vec<String> {
    fold(text).words
}

/// The stems of a text, for what needs no more.
pub(super) fn stems(text: &str) -> Vec<String> {
    fold(text).words.iter().map(|word| stem(word)).collect()
}

#[derive(Default)]
struct Folded {
    words: Vec<String>,
    runs: Vec<String>,
}

fn fold(text: &str) -> Folded {
    let mut splitter = Splitter::default();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        splitter.take(letter, letters.peek().copied());
    }
    splitter.end();
    splitter.out
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Class {
    #[default]
    Gap,
    Lower,
    Upper,
    Digit,
    Unspaced,
}

#[derive(Default)]
struct Splitter {
    out: Folded,
    word: String,
    class: Class,
}

impl Splitter {
    fn take(&mut self, letter: char, next: Option<char>) {
        if is_mark(letter) {
            return; // belongs to the letter before it
        }
        if is_apostrophe(letter)
            && matches!(self.class, Class::Lower | Class::Upper)
            && next.is_some_and(char::is_alphanumeric)
        {
            self.apostrophe();
            return;
        }
        let class = class_of(letter);
        let hump = class == Class::Upper && (self.class == Class::Lower || self.ends_capitals(next));
        let letters = |class| class == Class::Lower || class == Class::Upper;
        let joins = class == self.class || (letters(class) && letters(self.class));
        if hump || !joins {
            self.end();
        }
        self.class = class;
        if class != Class::Gap {
            fold_into(letter, &mut self.word);
        }
    }

    /// The `S` of `HTTPServer` begins a word.
    fn ends_capitals(&self, next: Option<char>) -> bool {
        self.class == Class::Upper && self.word.len() > 1 && next.is_some_and(|next| class_of(next) == Class::Lower)
    }

    /// "Anna's" is one word, "don't" too, and "l'addition" two.
    fn apostrophe(&mut self) {
        if self.word.len() == 1 && self.word != "i" {
            self.end();
        }
    }

    fn end(&mut self) {
        let word = std::mem::take(&mut self.word);
        let unspaced = self.class == Class::Unspaced;
        self.class = Class::Gap;
        if word.is_empty() {
            return;
        }
        if unspaced {
            self.out.words.extend(pairs(&word));
            self.out.runs.push(word);
        } else {
            self.out.words.push(word);
        }
    }
}

/// Neighbouring characters, two at a time; a single one is itself.
fn pairs(run: &str) -> impl Iterator<Item = String> {
    let single = run.chars().nth(1).is_none().then(|| run.to_owned());
    let pairs = run.chars().zip(run.chars().skip(1)).map(|(left, right)| [left, right].iter().collect());
    single.into_iter().chain(pairs)
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | 'ʼ')
}

fn class_of(letter: char) -> Class {
    match letter {
        _ if is_unspaced(letter) => Class::Unspaced,
        _ if letter.is_numeric() => Class::Digit,
        _ if letter.is_uppercase() => Class::Upper,
        _ if letter.is_alphabetic() || is_indic_sign(letter) => Class::Lower,
        _ => Class::Gap,
    }
}

/// Thai, Lao, Burmese, Khmer, Kana, Han, and Hangul.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e01}'..='\u{0e4e}' | '\u{0e81}'..='\u{0ecd}' | '\u{1000}'..='\u{103f}' | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17d3}' | '\u{3005}' | '\u{3041}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// Signs inside words of Indic scripts that Unicode does not count as letters.
fn is_indic_sign(letter: char) -> bool {
    matches!(letter, '\u{0900}'..='\u{0963}' | '\u{0971}'..='\u{0dff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split() {
        for (text, wanted) in [
            ("getOrderStatus", "get order status"),
            ("get_order-status", "get order status"),
            ("HTTPServer parseURL", "http server parse url"),
            ("order42b", "order 42 b"),
            ("Anna's invoice; don't, l'addition", "annas invoice dont l addition"),
            ("'quoted' words' end", "quoted words end"),
            ("I'm here", "im here"),
            ("Größe ÉTÉ", "grosse ete"),
            ("天气预报", "天气 气预 预报"),
            ("票", "票"),
            ("뉴스를 찾아", "뉴스 스를 찾아"),
            ("order東京", "order 東京"),
            ("ｏｒｄｅｒ", "order"),
            ("नमस्ते दुनिया", "नमस्ते दुनिया"),
            ("", ""),
            ("?!… — 🙂👍🏽", ""),
            ("a\u{200d}b c\u{ad}d", "ab cd"),
        ] {
            let words: Vec<String> = split(text).words.into_iter().map(|word| word.folded).collect();
            assert_eq!(words.join(" "), wanted, "{text}");
        }
    }
}

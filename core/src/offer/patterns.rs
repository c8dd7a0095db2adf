//! Regular expressions of tools, each once however many tools have it. The engine takes time in proportion to text times
//! pattern, so both are bounded, and a pattern whose fixed letters the text lacks is not run at all.

use std::collections::BTreeMap;

use regex_lite::{Regex, RegexBuilder};
use toolgate_protocol::limits::{
    OFFER_PATTERN_BYTES_MAX, OFFER_PATTERN_CHARS_MAX, OFFER_PATTERN_WORK_CHARS_MAX, OFFER_PATTERNS_COST_MAX,
};

/// Characters that every pattern sees, however many there are.
const SHARE_CHARS_MIN: usize = 64;
/// A pattern of the largest size costs as much as this many of the smallest.
const COST_MAX: usize = 8;
/// Characters of a match that a reason shows.
const SAID_CHARS_MAX: usize = 80;

/// A pattern as it is run: within the bound of its size.
pub fn compile(pattern: &str) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(pattern).size_limit(OFFER_PATTERN_BYTES_MAX).build()
}

/// The smallest share of the bound that it fits: what a character costs grows with a pattern's size.
fn cost(pattern: &str) -> usize {
    let fits = |cost: &usize| {
        let bytes = OFFER_PATTERN_BYTES_MAX.saturating_mul(*cost).div_euclid(COST_MAX);
        RegexBuilder::new(pattern).size_limit(bytes).build().is_ok()
    };
    [1, 2, 4].into_iter().find(fits).unwrap_or(COST_MAX)
}

struct Pattern {
    regex: Regex,
    /// Letters that every match has.
    fixed: Option<String>,
    cost: usize,
    text: String,
    tools: Vec<usize>,
}

/// The patterns of a catalogue.
#[derive(Default)]
pub(super) struct Patterns {
    list: Vec<Pattern>,
}

/// A pattern that was found.
pub(super) struct Found<'a> {
    pub pattern: &'a str,
    pub said: String,
    pub tools: &'a [usize],
}

impl Patterns {
    /// Of pairs of tool and pattern. One that does not compile matches nothing: registration has refused it.
    pub fn new(pairs: &[(usize, String)]) -> Patterns {
        let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (tool, pattern) in pairs {
            by_text.entry(pattern).or_default().push(*tool);
        }
        let (mut list, mut spent) = (Vec::new(), 0_usize);
        for (text, tools) in by_text {
            let cost = cost(text);
            spent = spent.saturating_add(cost);
            // Neither memory nor the work for a text may grow with what a catalogue declares.
            if spent > OFFER_PATTERNS_COST_MAX {
                break;
            }
            if let Ok(regex) = compile(text) {
                list.push(Pattern { regex, fixed: fixed_letters(text), cost, text: text.to_owned(), tools });
            }
        }
        Patterns { list }
    }

    /// Those that match the beginning of the text.
    pub fn find(&self, text: &str) -> Vec<Found<'_>> {
        let text = first_chars(text, OFFER_PATTERN_CHARS_MAX);
        let possible = |pattern: &&Pattern| pattern.fixed.as_ref().is_none_or(|fixed| text.contains(fixed.as_str()));
        let candidates: Vec<&Pattern> = self.list.iter().filter(possible).collect();
        let costs = candidates.iter().fold(0, |sum: usize, pattern| sum.saturating_add(pattern.cost));
        let share = OFFER_PATTERN_WORK_CHARS_MAX.checked_div(costs).unwrap_or(OFFER_PATTERN_CHARS_MAX);
        let seen = first_chars(text, share.max(SHARE_CHARS_MIN));
        let found = candidates.into_iter().filter_map(|pattern| {
            let said = first_chars(pattern.regex.find(seen)?.as_str(), SAID_CHARS_MAX).to_owned();
            Some(Found { pattern: &pattern.text, said, tools: &pattern.tools })
        });
        found.collect()
    }
}

/// The first characters of a text.
pub(super) fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The longest run of letters that stands in every match, when that is easily seen: outside of groups, in a pattern without
/// alternatives and flags.
fn fixed_letters(pattern: &str) -> Option<String> {
    if pattern.contains('|') || pattern.contains("(?") {
        return None;
    }
    let mut runs = vec![String::new()];
    let mut depth: usize = 0;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let literal = match letter {
            '\\' => letters.next().filter(|next| next.is_ascii_punctuation()),
            '[' => {
                skip_class(&mut letters)?;
                None
            }
            '(' => {
                depth = depth.saturating_add(1);
                None
            }
            ')' => {
                depth = depth.saturating_sub(1);
                None
            }
            '?' | '*' | '{' => {
                runs.last_mut()?.pop();
                if letter == '{' {
                    letters.find(|next| *next == '}')?;
                }
                None
            }
            '+' | '.' | '^' | '$' => None,
            other => Some(other),
        };
        match literal.filter(|_| depth == 0) {
            Some(literal) => runs.last_mut()?.push(literal),
            None => runs.push(String::new()),
        }
    }
    runs.into_iter().rev().max_by_key(String::len).filter(|run| run.len() >= 2)
}

/// Past the `]`. None for a class in a class, which is not looked into.
fn skip_class(letters: &mut std::str::Chars<'_>) -> Option<()> {
    let mut first = true;
    loop {
        match letters.next()? {
            '^' if first => continue,
            ']' if !first => return Some(()),
            '\\' => drop(letters.next()?),
            '[' => return None,
            _ => {}
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_letters_are_seen() {
        for (pattern, wanted) in [
            (r"\bORD-\d+\b", Some("ORD-")),
            (r"invoices?\s+no", Some("invoice")),
            (r"ab{2}cde", Some("cde")),
            (r"(abc)?de+f", Some("de")),
            (r"a\.b\+c", Some("a.b+c")),
            (r"[^]abc]xyz", Some("xyz")),
            (r"[[:alpha:]]xyz", None),
            (r"(?i)ord", None),
            (r"abc|def", None),
            (r"\d{6}", None),
            (r"x*", None),
            ("", None),
        ] {
            assert_eq!(fixed_letters(pattern).as_deref(), wanted, "{pattern}");
        }
    }

    #[test]
    fn patterns_are_found() {
        let pairs = [(0, r"\bORD-\d+\b"), (1, r"\bORD-\d+\b"), (2, r"(?i)refund"), (3, "("), (4, r"^\d{4}$")];
        let patterns = Patterns::new(&pairs.map(|(tool, pattern)| (tool, pattern.to_owned())));
        let found = |text| -> Vec<(String, Vec<usize>)> {
            patterns.find(text).into_iter().map(|found| (found.said, found.tools.to_vec())).collect()
        };
        assert_eq!(found("where is ORD-17?"), [("ORD-17".to_owned(), vec![0, 1])]);
        assert_eq!(found("REFUND 1234"), [("REFUND".to_owned(), vec![2])]);
        assert_eq!(found("1234"), [("1234".to_owned(), vec![4])]);
        assert!(found("ORD-").is_empty());
    }

    #[test]
    fn patterns_are_bounded_in_size_and_so_in_time() {
        for (pattern, wanted) in [
            (r"\bORD-\d+\b", Some(1)),
            (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}", Some(1)),
            (r"\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b", Some(2)),
            (r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", Some(2)),
            (r"(\w{100}){100}", None),
        ] {
            assert_eq!(compile(pattern).ok().map(|_| cost(pattern)), wanted, "{pattern}");
        }
    }
}

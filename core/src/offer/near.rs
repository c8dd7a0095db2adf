//! Misspelt words: the words of the catalogue that one slip away, and words that were written together.

use std::cmp::Ordering;

/// Letters of the shortest word that may be a misspelling.
pub(super) const NEAR_CHARS_MIN: usize = 5;
/// Letters of the shortest part of a word written together, and of its longer part.
const PART_CHARS_MIN: usize = 3;
const LONGER_PART_CHARS_MIN: usize = 4;

/// Words as they are written in the catalogue, with their term.
#[derive(Default)]
pub(super) struct Spellings {
    /// By first letter, then by length: that is what a misspelling is looked up by.
    list: Vec<Spelling>,
}

struct Spelling {
    first: char,
    chars: usize,
    word: String,
    term: usize,
}

impl Spelling {
    fn key(&self) -> (char, usize) {
        (self.first, self.chars)
    }
}

impl Spellings {
    /// Of folded words, each once.
    pub fn new<'a>(words: impl IntoIterator<Item = (&'a str, usize)>) -> Spellings {
        let spelling = |(word, term): (&str, usize)| {
            let first = word.chars().next()?;
            Some(Spelling { first, chars: word.chars().count(), word: word.to_owned(), term })
        };
        let mut list: Vec<Spelling> = words.into_iter().filter_map(spelling).collect();
        list.sort_by(|left, right| left.key().cmp(&right.key()).then_with(|| left.word.cmp(&right.word)));
        Spellings { list }
    }

    /// The terms that one letter more, less, other or swapped makes of the word. The first letter is right.
    pub fn near(&self, word: &str) -> Vec<usize> {
        let chars = word.chars().count();
        let Some(first) = word.chars().next().filter(|_| chars >= NEAR_CHARS_MIN) else { return Vec::new() };
        let shortest = chars.saturating_sub(1).max(NEAR_CHARS_MIN.saturating_sub(1));
        let start = self.list.partition_point(|known| known.key() < (first, shortest));
        let rest = self.list.get(start..).unwrap_or_default();
        let in_reach = rest.iter().take_while(|known| known.key() <= (first, chars.saturating_add(1)));
        in_reach.filter(|known| is_one_slip(word, &known.word)).map(|known| known.term).collect()
    }

    /// The terms of a word that is two words of the catalogue without a blank.
    pub fn apart(&self, word: &str, counts: impl Fn(&str) -> bool) -> Vec<usize> {
        let cuts = word.char_indices().skip(PART_CHARS_MIN).map(|(at, _)| at);
        let halves = cuts.filter_map(|at| {
            let (left, right) = (word.get(..at)?, word.get(at..)?);
            let [shorter, longer] = match left.chars().count().cmp(&right.chars().count()) {
                Ordering::Less => [left, right],
                _ => [right, left],
            };
            let long_enough =
                shorter.chars().count() >= PART_CHARS_MIN && longer.chars().count() >= LONGER_PART_CHARS_MIN;
            (long_enough && counts(left) && counts(right)).then_some(())?;
            Some([self.term(left)?, self.term(right)?])
        });
        halves.flatten().collect()
    }

    fn term(&self, word: &str) -> Option<usize> {
        let key = (word.chars().next()?, word.chars().count());
        let at = self.list.binary_search_by(|known| known.key().cmp(&key).then_with(|| known.word.as_str().cmp(word)));
        at.ok().and_then(|at| self.list.get(at)).map(|known| known.term)
    }
}

fn is_one_slip(said: &str, known: &str) -> bool {
    let (mut left, mut right) = (said.chars(), known.chars());
    loop {
        let (rest_left, rest_right) = (left.clone(), right.clone());
        match (left.next(), right.next()) {
            (Some(one), Some(other)) if one == other => {}
            (None, None) => return false, // no slip at all
            (one, other) => {
                let swapped = left.clone().next() == other && right.clone().next() == one;
                return left.clone().eq(right.clone()) // another letter, or one more at the end
                    || left.clone().eq(rest_right) // one more
                    || rest_left.eq(right.clone()) // one less
                    || (swapped && left.skip(1).eq(right.skip(1)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_seen() {
        for (said, known, near) in [
            ("invioce", "invoice", true),
            ("invoce", "invoice", true),
            ("invoicee", "invoice", true),
            ("invoise", "invoice", true),
            ("invoic", "invoice", true),
            ("invoice", "invoice", false),
            ("invocie", "invoice", true),
            ("onvices", "invoice", false),
            ("", "", false),
            ("заказы", "заказ", true),
        ] {
            assert_eq!(is_one_slip(said, known), near, "{said}");
        }
    }

    #[test]
    fn words_are_found_by_their_slips_and_parts() {
        let words = ["order", "status", "state", "refund", "refunds", "customer"];
        let spellings = Spellings::new(words.iter().enumerate().map(|(term, word)| (*word, term)));
        assert_eq!(spellings.near("refnd"), [3]);
        assert_eq!(spellings.near("refundz"), [3, 4]);
        assert_eq!(spellings.near("xefund"), [] as [usize; 0]);
        assert_eq!(spellings.near("stat"), [] as [usize; 0]);
        assert_eq!(spellings.apart("orderstatus", |_| true), [0, 1]);
        assert_eq!(spellings.apart("orderstatus", |word| word != "order"), [] as [usize; 0]);
        assert_eq!(spellings.apart("", |_| true), [] as [usize; 0]);
    }
}

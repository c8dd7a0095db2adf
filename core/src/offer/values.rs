//! Values that a text brings along (a date, an address, a sum of money), and the fields that take such a value. A tool that
//! has a field for what was said is a little more likely to be meant.

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Date,
    Time,
    Year,
    Url,
    Email,
    Ip,
    Money,
    Place,
    Quoted,
    Id,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 10] = [
        Kind::Date,
        Kind::Time,
        Kind::Year,
        Kind::Url,
        Kind::Email,
        Kind::Ip,
        Kind::Money,
        Kind::Place,
        Kind::Quoted,
        Kind::Id,
    ];

    /// As a reason names it.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Date => "a date",
            Kind::Time => "a time",
            Kind::Year => "a year",
            Kind::Url => "a URL",
            Kind::Email => "an e-mail address",
            Kind::Ip => "an IP address",
            Kind::Money => "a sum of money",
            Kind::Place => "a place",
            Kind::Quoted => "a quotation",
            Kind::Id => "an identifier",
        }
    }

    /// Stems of the names of fields that take it.
    fn field_stems(self) -> &'static [&'static str] {
        match self {
            Kind::Date => &["dat", "day"],
            Kind::Time => &["tim", "hour"],
            Kind::Year => &["year"],
            Kind::Url => &["url", "link"],
            Kind::Email => &["email", "mail"],
            Kind::Ip => &["ip"],
            Kind::Money => &["amount", "pric"],
            Kind::Place => &["loc", "citi"],
            Kind::Quoted => &["nam", "titl", "queri", "text", "cont", "string", "messag"],
            Kind::Id => &["id"],
        }
    }

    /// Does a field whose name has this stem take it?
    pub fn is_taken_by(self, field_stem: &str) -> bool {
        self.field_stems().contains(&field_stem)
    }
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["today", "tonight", "tomorrow"];
const WEEK: &[&str] = &["week", "mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const BEFORE_PLACES: &[&str] = &["in", "at", "near", "around", "to", "from", "for", "of"];
const MONEY: &[&str] =
    &["dollar", "dollars", "euro", "euros", "bucks", "pounds", "rupees", "usd", "eur", "gbp", "inr", "jpy", "chf"];
const MONEY_SIGNS: &[char] = &['$', '€', '£', '¥', '₹'];
const QUOTES: &[(char, char)] = &[('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')];
/// Bytes between two quotation marks: more is no name of a thing.
const QUOTED_BYTES: std::ops::RangeInclusive<usize> = 2..=100;

/// The kinds of values in a text, each once, in the order of `Kind::ALL`.
pub(super) fn kinds(text: &str) -> Vec<Kind> {
    let mut seen = Seen::default();
    let mut before = Piece::default();
    for raw in text.split_whitespace() {
        let piece = Piece::new(raw);
        seen.piece(&before, &piece);
        before = piece;
    }
    if has_quotation(text) {
        seen.0.push(Kind::Quoted);
    }
    Kind::ALL.into_iter().filter(|kind| seen.0.contains(kind)).collect()
}

/// What stands between two blanks.
#[derive(Default)]
struct Piece<'a> {
    raw: &'a str,
    /// Without signs around it.
    word: &'a str,
    lower: String,
}

impl<'a> Piece<'a> {
    fn new(raw: &'a str) -> Piece<'a> {
        let word = raw.trim_matches(|letter: char| !letter.is_alphanumeric());
        Piece { raw, word, lower: word.to_lowercase() }
    }

    fn is_capitalised(&self) -> bool {
        self.word.starts_with(char::is_uppercase)
    }

    fn has_digit(&self) -> bool {
        self.word.contains(|letter: char| letter.is_ascii_digit())
    }

    fn starts_with_digit(&self) -> bool {
        self.word.starts_with(|letter: char| letter.is_ascii_digit())
    }

    fn is_month(&self) -> bool {
        MONTHS.iter().any(|month| self.lower.starts_with(month)) && !self.has_digit() && self.lower.len() <= 9
    }

    /// Parts of digits only, split at the sign; none when anything else is among them.
    fn numbers(&self, sign: char) -> Vec<usize> {
        let parts: Vec<&str> = self.word.split(sign).collect();
        let plain = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if plain { parts.iter().map(|part| part.len()).collect() } else { Vec::new() }
    }
}

#[derive(Default)]
struct Seen(Vec<Kind>);

impl Seen {
    fn note(&mut self, kind: Kind, found: bool) {
        if found && !self.0.contains(&kind) {
            self.0.push(kind);
        }
    }

    fn piece(&mut self, before: &Piece<'_>, piece: &Piece<'_>) {
        let lower = piece.lower.as_str();
        let word_before = before.lower.as_str();
        self.note(Kind::Date, is_date(before, piece));
        let half_day = |text: &str| matches!(text, "am" | "pm" | "a.m" | "p.m");
        let clock = matches!(piece.numbers(':').as_slice(), [1 | 2, 2] | [1 | 2, 2, 2]);
        let joined = piece.starts_with_digit() && lower.len() <= 7 && (lower.ends_with("am") || lower.ends_with("pm"));
        self.note(Kind::Time, clock || joined || (before.starts_with_digit() && half_day(lower)));
        let century = piece.word.starts_with("19") || piece.word.starts_with("20");
        self.note(Kind::Year, century && piece.numbers('-').first() == Some(&4));
        self.note(Kind::Url, piece.raw.contains("://") || lower.starts_with("www."));
        let domain = piece.word.split_once('@').map(|(_, domain)| domain);
        self.note(Kind::Email, domain.is_some_and(|domain| domain.contains('.')));
        self.note(Kind::Ip, matches!(piece.numbers('.').as_slice(), [1..=3, 1..=3, 1..=3, 1..=3]));
        let sum = piece.has_digit() && (piece.raw.contains(MONEY_SIGNS));
        self.note(Kind::Money, sum || (before.starts_with_digit() && MONEY.contains(&lower)));
        let introduced = BEFORE_PLACES.contains(&word_before) && piece.word.len() > 1;
        let listed = before.is_capitalised() && before.raw.ends_with(',');
        self.note(Kind::Place, piece.is_capitalised() && !piece.is_month() && (introduced || listed));
        let named = matches!(word_before, "id" | "number" | "no" | "#") || piece.raw.starts_with('#');
        self.note(Kind::Id, named && piece.has_digit());
    }
}

fn is_date(before: &Piece<'_>, piece: &Piece<'_>) -> bool {
    let dashed = matches!(piece.numbers('-').as_slice(), [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4]);
    let slashed = matches!(piece.numbers('/').as_slice(), [1 | 2, 1 | 2, 2 | 4] | [4, 1 | 2, 1 | 2]);
    let dotted = matches!(piece.numbers('.').as_slice(), [1 | 2, 1 | 2, 2 | 4]);
    let short = |piece: &Piece<'_>| piece.starts_with_digit() && piece.word.len() <= 4;
    let month = (piece.is_month() && (short(before) || before.lower == "of")) || (before.is_month() && short(piece));
    let soon = matches!(before.lower.as_str(), "next" | "this" | "coming")
        && WEEK.iter().any(|day| piece.lower.starts_with(day));
    dashed || slashed || dotted || month || soon || DAYS.contains(&piece.lower.as_str())
}

/// A mark that no letter precedes, something, and the other mark that no letter follows.
fn has_quotation(text: &str) -> bool {
    let mut before = ' ';
    let mut opened: Option<(char, usize)> = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next_is_letter = letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if let Some((mark, start)) = opened
            && letter == mark
            && !next_is_letter
            && QUOTED_BYTES.contains(&at.saturating_sub(start))
        {
            return true;
        }
        if let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == letter)
            && !before.is_alphanumeric()
            && next_is_letter
        {
            opened = Some((*close, at.saturating_add(letter.len_utf8())));
        }
        before = letter;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_seen() {
        for (text, wanted) in [
            ("on 2024-03-15", vec![Kind::Date, Kind::Year]),
            ("the 4th of March", vec![Kind::Date]),
            ("March 8th, at 10:30", vec![Kind::Date, Kind::Time]),
            ("22/3/2024 at 5pm", vec![Kind::Date, Kind::Time]),
            ("next Thursday 11 a.m.", vec![Kind::Date, Kind::Time]),
            ("since 1998", vec![Kind::Year]),
            ("see https://example.com/a", vec![Kind::Url]),
            ("mail ann@example.com", vec![Kind::Email]),
            ("scan 10.0.0.1", vec![Kind::Ip]),
            ("send $50", vec![Kind::Money]),
            ("send 50 euros", vec![Kind::Money]),
            ("weather in Berkeley", vec![Kind::Place]),
            ("Paris, France", vec![Kind::Place]),
            ("find 'the lost city'", vec![Kind::Quoted]),
            ("find “it all”", vec![Kind::Quoted]),
            ("order number A-17", vec![Kind::Id]),
            ("where is #4711", vec![Kind::Id]),
            ("it's mine, isn't it", vec![]),
            ("", vec![]),
            ("?? !! ''", vec![]),
        ] {
            assert_eq!(kinds(text), wanted, "{text}");
        }
    }

    #[test]
    fn field_names_take_values() {
        for (kind, fields) in [
            (Kind::Date, "date startDate day"),
            (Kind::Time, "time start_time hours"),
            (Kind::Year, "year"),
            (Kind::Url, "target_url link"),
            (Kind::Email, "email mail"),
            (Kind::Ip, "ip"),
            (Kind::Money, "amount price"),
            (Kind::Place, "city location"),
            (Kind::Quoted, "name title query text content string message"),
            (Kind::Id, "orderId"),
        ] {
            for field in fields.split(' ') {
                assert!(super::super::words::stems(field).iter().any(|stem| kind.is_taken_by(stem)), "{field}");
            }
        }
        assert!(!Kind::Date.is_taken_by("city"));
    }
}

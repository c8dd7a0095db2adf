//! A text as the demo model reads it: words, quoted texts, and values by their looks.

/// A word, or a quoted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Without the punctuation around it, or without its quotes.
    pub text: &'a str,
    pub is_quoted: bool,
    /// Where it begins in the whole text.
    pub at: usize,
}

const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('`', '`'), ('\'', '\'')];

/// The tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let blank = rest.len().saturating_sub(rest.trim_start().len());
        if blank > 0 {
            at = at.saturating_add(blank);
            continue;
        }
        if let Some((token, length)) = quoted(rest, at) {
            found.push(token);
            at = at.saturating_add(length);
            continue;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        // A quote in the middle of a word begins a token of its own: reason:"late".
        let length = word.find(['"', '“', '=']).filter(|at| *at > 0).unwrap_or(length);
        push_word(&mut found, rest.get(..length).unwrap_or_default(), at);
        let skips_sign = rest.get(length..).is_some_and(|rest| rest.starts_with('='));
        at = at.saturating_add(length.max(1)).saturating_add(usize::from(skips_sign));
    }
    found
}

fn quoted(rest: &str, at: usize) -> Option<(Token<'_>, usize)> {
    let open = rest.chars().next()?;
    let (_, close) = QUOTES.iter().find(|(first, _)| *first == open)?;
    let inner = rest.get(open.len_utf8()..)?;
    let end = inner.find(*close).filter(|end| *end > 0)?;
    let after = inner.get(end.saturating_add(close.len_utf8())..)?;
    // The quote inside of don't ends nothing.
    if after.starts_with(char::is_alphanumeric) {
        return None;
    }
    let length = rest.len().saturating_sub(after.len());
    Some((Token { text: inner.get(..end)?, is_quoted: true, at }, length))
}

fn push_word<'a>(found: &mut Vec<Token<'a>>, word: &'a str, at: usize) {
    if let Some((label, value)) = word.split_once(':')
        && !value.is_empty()
        && !value.starts_with("//")
        && label.chars().all(|letter| letter.is_alphabetic() || letter == '_')
    {
        push_word(found, label, at);
        push_word(found, value, at.saturating_add(label.len()).saturating_add(1));
        return;
    }
    let begun = word.trim_start_matches(|letter: char| "([{<#$€£,;:!?='\"".contains(letter));
    let bare = begun.trim_end_matches(|letter: char| ")]}>.,;:!?%€='\"".contains(letter));
    if !bare.is_empty() {
        let skipped = word.len().saturating_sub(begun.len());
        found.push(Token { text: bare, is_quoted: false, at: at.saturating_add(skipped) });
    }
}

/// Lower case, and one form for one and many.
pub fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let word = word.strip_suffix("'s").unwrap_or(&word);
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    let plural = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']));
    plural.unwrap_or(word).to_owned()
}

/// The words of a name, whatever joins them.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.push(letter);
        }
        was_lower = letter.is_lowercase();
    }
    parts.iter().filter(|part| !part.is_empty()).map(|part| stem(part)).collect()
}

/// Whether a text has one of these phrases, as whole words.
pub fn says(text: &str, phrases: &[&str]) -> bool {
    let spaced = |text: &str| {
        let words: Vec<String> = tokens(text).iter().map(|token| token.text.to_lowercase()).collect();
        format!(" {} ", words.join(" "))
    };
    let text = spaced(text);
    phrases.iter().any(|phrase| text.contains(&spaced(phrase)))
}

/// A JSON number in the text of a token: 4711, -2, 12.50, 1,250.00.
pub fn number(text: &str) -> Option<String> {
    let plain = if is_grouped(text) { text.replace(',', "") } else { text.to_owned() };
    let digits = plain.strip_prefix('-').unwrap_or(&plain);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_digits(whole) && is_digits(fraction) && (whole.len() == 1 || !whole.starts_with('0'));
    (is_plain && plain.len() <= 40).then_some(plain)
}

fn is_grouped(text: &str) -> bool {
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=4).contains(&first.len()) && groups.clone().count() > 0 && groups.all(|group| group.len() == 3)
}

/// The same without a fraction, as far as 64 bits go.
pub fn integer(text: &str) -> Option<String> {
    number(text).filter(|number| number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok())
}

/// YYYY-MM-DD.
pub fn is_date(text: &str) -> bool {
    let pattern =
        |text: &str| text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }).collect::<Vec<_>>();
    let part = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok()).unwrap_or(0);
    pattern(text) == b"0000-00-00" && (1..=12).contains(&part(5, 7)) && (1..=31).contains(&part(8, 10))
}

/// RFC 3339 with an offset.
pub fn is_datetime(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(date, _)| is_date(date))
        && chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

/// 8-4-4-4-12 hexadecimal digits.
pub fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// name@host.tld
pub fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && !host.contains('@')
            && host.split('.').count() > 1
            && host.split('.').all(|label| !label.is_empty())
    })
}

/// http or https.
pub fn is_url(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://")) && url::Url::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let told = |token: Token<'_>| {
            assert!(text.get(token.at..).unwrap().contains(token.text), "{token:?}");
            if token.is_quoted { format!("<{}>", token.text) } else { token.text.to_owned() }
        };
        tokens(text).into_iter().map(told).collect()
    }

    #[test]
    fn texts_in_tokens() {
        for (text, expected) in [
            ("", &[][..]),
            ("  refund   order 4711. ", &["refund", "order", "4711"]),
            ("refund order #4711, $12.50!", &["refund", "order", "4711", "12.50"]),
            ("order: 4711 amount=12.50", &["order", "4711", "amount", "12.50"]),
            ("order:4711", &["order", "4711"]),
            ("see https://example.com/a?b=c", &["see", "https://example.com/a?b", "c"]),
            ("at 2026-01-31T09:30:00Z", &["at", "2026-01-31T09:30:00Z"]),
            ("say \"call back\" and 'so on'", &["say", "<call back>", "and", "<so on>"]),
            ("reason:\"late\" „spät“ “x y”", &["reason", "<late>", "<spät>", "<x y>"]),
            ("don't it's", &["don't", "it's"]),
            ("'open", &["open"]),
            ("\"", &[]),
            ("\"\" x", &["x"]),
            ("(a) [b] {c}", &["a", "b", "c"]),
            ("café 日本", &["café", "日本"]),
            ("= == x=", &["x"]),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn values_by_their_looks() {
        for (text, expected) in
            [("4711", "4711"), ("-2", "-2"), ("12.50", "12.50"), ("1,250.00", "1250.00"), ("0", "0"), ("0.5", "0.5")]
        {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "-", "x", "1.2.3", "12.", ".5", "007", "1,25", "1e5", "12a", "१"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(integer("9007199254740993").as_deref(), Some("9007199254740993"));
        for text in ["12.50", "99999999999999999999999", "x"] {
            assert_eq!(integer(text), None, "{text}");
        }
        assert!(is_date("2026-01-31") && !is_date("2026-13-01") && !is_date("26-01-31") && !is_date("2026-01-3x"));
        assert!(
            is_datetime("2026-01-31T09:30:00+01:00") && !is_datetime("2026-01-31T09:30") && !is_datetime("2026-01-31")
        );
        assert!(is_uuid("123e4567-e89b-12d3-a456-426614174000") && !is_uuid("123e4567-e89b-12d3-a456-42661417400x"));
        assert!(is_email("a.b@example.com") && !is_email("a@b") && !is_email("@example.com") && !is_email("a@b@c.de"));
        assert!(is_url("https://example.com/a") && !is_url("ftp://example.com") && !is_url("https://"));
    }

    #[test]
    fn words_and_names() {
        for (word, expected) in [
            ("Orders", "order"),
            ("cities", "city"),
            ("address", "address"),
            ("status", "status"),
            ("Bob's", "bob"),
            ("is", "is"),
        ] {
            assert_eq!(stem(word), expected);
        }
        assert_eq!(parts("order_id"), ["order", "id"]);
        assert_eq!(parts("user.first-name"), ["user", "first", "name"]);
        assert_eq!(parts("getCurrentLocations"), ["get", "current", "location"]);
        assert!(says("Where am I?", &["where am i"]) && !says("somewhere am I", &["where am i"]));
    }
}

//! JSON text (RFC 8259) that is checked and rewritten but never understood as numbers.
//!
//! Promises: duplicate keys, trailing text and deep nesting are refused; the canonical text has members sorted by
//! code point, no blanks, the text of numbers verbatim and strings as in RFC 8785, section 3.2.2.2, with a lone
//! surrogate left as an escape. Own code because no kept library does all of: numbers verbatim, lone surrogates,
//! duplicates refused.

mod parse;
mod write;

pub use parse::parse;

/// A JSON value. Strings are WTF-8 (UTF-8 plus lone surrogates), so byte order is code point order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// The text as written.
    Number(String),
    /// WTF-8.
    Text(Vec<u8>),
    /// An array.
    List(Vec<Json>),
    /// Members sorted by key, keys distinct.
    Map(Vec<(Vec<u8>, Json)>),
}

/// Where and why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// Byte offset.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl Json {
    /// The text, when this is a string without lone surrogates.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::Text(bytes) = self { std::str::from_utf8(bytes).ok() } else { None }
    }

    /// The member of a map.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Map(members) = self else { return None };
        members.iter().find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
    }

    /// The canonical text.
    pub fn canonical(&self) -> String {
        write::canonical(self)
    }

    /// What this is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Map(_) => "an object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_texts() {
        for (text, canonical) in [
            (r#" { "b" : 1 , "a" : [ ] } "#, r#"{"a":[],"b":1}"#),
            ("9007199254740993", "9007199254740993"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("1e400", "1e400"),
            ("1.0", "1.0"),
            ("-0", "-0"),
            (r#""\u00e9\u2028\/""#, "\"é\u{2028}/\""),
            (r#""\u0001\u0008\n\"\\""#, r#""\u0001\b\n\"\\""#),
            (r#""\ud83d\ude00""#, "\"😀\""),
            (r#""\uD83D""#, r#""\ud83d""#),
            (r#""\udE00\ud83d""#, r#""\ude00\ud83d""#),
            // By code point, not by UTF-16 unit: U+FFFF before U+1F600.
            ("{\"😀\":1,\"\u{ffff}\":2}", "{\"\u{ffff}\":2,\"😀\":1}"),
            (r#"{"a":{"d":1,"c":2},"":null}"#, r#"{"":null,"a":{"c":2,"d":1}}"#),
        ] {
            assert_eq!(parse(text).map(|json| json.canonical()), Ok(canonical.to_owned()), "{text}");
            let again = parse(canonical).unwrap();
            assert_eq!(again.canonical(), canonical);
        }
    }

    #[test]
    fn faults() {
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1,\"\\u0061\":2}",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "NaN",
            "'a'",
            "\"a",
            "\"\u{1}\"",
            "\"\\x\"",
            "\"\\u12\"",
            "{} {}",
            "nul",
            "truex",
            "[1 2]",
            "{a:1}",
            "\u{feff}{}",
            "-",
            deep.as_str(),
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&format!("{}{}", "[".repeat(64), "]".repeat(64))).is_ok());
    }
}

//! The field types. Closed: a new one is a change of the protocol.

use crate::json::Json;
use crate::time::{is_date, is_datetime};

/// A type without its list and optional marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// Any string; a lone surrogate stays the escape that it was.
    String,
    /// A JSON integer within i64 or u64.
    Integer,
    /// Any JSON number that is finite as a double.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `YYYY-MM-DD`.
    Date,
    /// RFC 3339 with an offset.
    Datetime,
    /// RFC 9562, the hyphenated form.
    Uuid,
    /// The HTML standard's valid e-mail address.
    Email,
    /// An absolute http or https URL.
    Url,
    /// Any JSON value.
    Json,
}

/// A field's type: base, list, optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    /// What each value is.
    pub base: BaseType,
    /// `T[]`
    pub list: bool,
    /// `T?`
    pub optional: bool,
}

impl FieldType {
    /// Reads `"string"`, `"string?"`, `"string[]"`, `"string[]?"`; `None` for anything else.
    pub fn parse(text: &str) -> Option<FieldType> {
        let (text, optional) = text.strip_suffix('?').map_or((text, false), |rest| (rest, true));
        let (text, list) = text.strip_suffix("[]").map_or((text, false), |rest| (rest, true));
        let base = match text {
            "string" => BaseType::String,
            "integer" => BaseType::Integer,
            "number" => BaseType::Number,
            "boolean" => BaseType::Boolean,
            "date" => BaseType::Date,
            "datetime" => BaseType::Datetime,
            "uuid" => BaseType::Uuid,
            "email" => BaseType::Email,
            "url" => BaseType::Url,
            "json" => BaseType::Json,
            _ => return None,
        };
        Some(FieldType { base, list, optional })
    }
}

impl BaseType {
    /// `None` when the value fits, else what was expected, in words for a model.
    pub fn fault(self, value: &Json) -> Option<&'static str> {
        let text = value.as_str();
        let (fits, expected) = match self {
            BaseType::String => (matches!(value, Json::Text(_)), "a string"),
            BaseType::Integer => (
                is_integer(value),
                "an integer without fraction or quotes, between -9223372036854775808 and 18446744073709551615",
            ),
            BaseType::Number => (is_number(value), "a finite number"),
            BaseType::Boolean => (matches!(value, Json::Bool(_)), "true or false"),
            BaseType::Date => (text.is_some_and(is_date), "a date as YYYY-MM-DD"),
            BaseType::Datetime => {
                (text.is_some_and(is_datetime), "a time as in RFC 3339 with an offset, such as 2026-01-31T09:30:00Z")
            }
            BaseType::Uuid => (text.is_some_and(is_uuid), "a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
            BaseType::Email => (text.is_some_and(is_email), "an e-mail address"),
            BaseType::Url => (text.is_some_and(is_url), "an absolute http or https URL"),
            BaseType::Json => (true, "any JSON value"),
        };
        if fits { None } else { Some(expected) }
    }
}

fn is_integer(value: &Json) -> bool {
    matches!(value, Json::Number(text) if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok())
}

fn is_number(value: &Json) -> bool {
    matches!(value, Json::Number(text) if text.parse::<f64>().is_ok_and(f64::is_finite))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

/// The HTML standard's "valid e-mail address", at most 254 bytes (RFC 5321, section 4.5.3.1.3).
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let local_byte = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 254 && !local.is_empty() && local.bytes().all(local_byte) && domain.split('.').all(label)
}

fn is_url(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn type_texts() {
        for text in ["string", "integer?", "url[]", "json[]?"] {
            assert!(FieldType::parse(text).is_some(), "{text}");
        }
        for text in
            ["", "?", "[]", "str", "String", "string??", "string?[]", "string[][]", " string", "int", "object", "any"]
        {
            assert!(FieldType::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn values() {
        for (kind, good, bad) in [
            ("string", &[r#""""#, r#""é""#, r#""\ud800""#][..], &["1", "null"][..]),
            (
                "integer",
                &["0", "-1", "9007199254740993", "2512292042121000001", "-9223372036854775808", "18446744073709551615"],
                &["1.0", "\"1\"", "1e2", "18446744073709551616", "-9223372036854775809", "1e400", "true"],
            ),
            ("number", &["0", "1.0", "1e308", "-0.5e-3", "9007199254740993"], &["1e400", "-1e999", "\"1\"", "null"]),
            ("boolean", &["true", "false"], &["0", "\"true\"", "null"]),
            ("date", &[r#""2026-11-30""#], &[r#""2026-02-30""#, r#""30.11.2026""#, "20261130"]),
            (
                "datetime",
                &[r#""2026-11-30T09:00:00Z""#, r#""2026-11-30T09:00:00.5-07:00""#],
                &[r#""2026-11-30T09:00:00""#, r#""2026-11-30""#],
            ),
            (
                "uuid",
                &[r#""123e4567-e89b-12d3-a456-426614174000""#],
                &[r#""123e4567e89b12d3a456426614174000""#, r#""{123e4567-e89b-12d3-a456-426614174000}""#],
            ),
            (
                "email",
                &[r#""a@b""#, r#""a.b+c@example.org""#],
                &[r#""a""#, r#""@b""#, r#""a@""#, r#""a b@c""#, r#""a@-b.c""#],
            ),
            (
                "url",
                &[r#""https://example.org/x?y""#],
                &[r#""example.org""#, r#""javascript:alert(1)""#, r#""/x""#, r#""ftp://a/b""#],
            ),
            ("json", &["null", "[1]", r#""\ud800""#], &[]),
        ] {
            let kind = FieldType::parse(kind).unwrap().base;
            for text in good {
                assert_eq!(kind.fault(&parse(text).unwrap()), None, "{kind:?} {text}");
            }
            for text in bad {
                assert!(kind.fault(&parse(text).unwrap()).is_some(), "{kind:?} {text}");
            }
        }
    }
}

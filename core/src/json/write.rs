//! The canonical writer.

use super::Json;

pub(super) fn canonical(json: &Json) -> String {
    let mut out = String::new();
    write(json, &mut out);
    out
}

fn write(json: &Json, out: &mut String) {
    match json {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(text) => out.push_str(text),
        Json::Text(text) => string(text, out),
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Json::Map(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn string(text: &[u8], out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some((plain, unit, after)) = next_surrogate(rest) {
        String::from_utf8_lossy(plain).chars().for_each(|character| push_character(character, out));
        out.push_str(&format!("\\u{unit:04x}"));
        rest = after;
    }
    String::from_utf8_lossy(rest).chars().for_each(|character| push_character(character, out));
    out.push('"');
}

/// What stands before the first lone surrogate, the surrogate, and what follows it.
fn next_surrogate(text: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let at = text.windows(3).position(|window| matches!(window, [0xed, 0xa0..=0xbf, 0x80..=0xbf]))?;
    let (plain, from) = text.split_at_checked(at)?;
    let ([_, middle, last], after) = from.split_first_chunk()?;
    let unit = 0xd000 | (u32::from(middle & 0x3f) << 6) | u32::from(last & 0x3f);
    Some((plain, unit, after))
}

fn push_character(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
        other => out.push(other),
    }
}

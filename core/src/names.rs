//! Which texts may be names (design: "The contract").

use crate::problem::Problem;

/// Tools: `[a-z][a-z0-9_]{0,47}`, without the reserved prefix.
pub fn is_tool(text: &str) -> bool {
    shape(text, 48, lower, |byte| lower(byte) || digit(byte) || byte == b'_') && !text.starts_with("toolgate_")
}

/// Input fields: `[A-Za-z_][A-Za-z0-9_.-]{0,63}`.
pub fn is_field(text: &str) -> bool {
    shape(
        text,
        64,
        |byte| byte.is_ascii_alphabetic() || byte == b'_',
        |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'),
    )
}

/// Agents, pools, capabilities, orgs, context types: `[a-z][a-z0-9_-]{0,31}`.
pub fn is_plain(text: &str) -> bool {
    shape(text, 32, lower, |byte| lower(byte) || digit(byte) || matches!(byte, b'_' | b'-'))
}

/// Worker ids and names of keys: 1 to 128 printable characters.
pub fn is_label(text: &str) -> bool {
    let count = text.chars().count();
    (1..=128).contains(&count) && !text.chars().any(char::is_control)
}

/// A plain name, or a refusal that names the member.
pub fn plain(field: &str, text: &str) -> Result<(), Problem> {
    if is_plain(text) { Ok(()) } else { Err(Problem::invalid(field, "must match [a-z][a-z0-9_-]{0,31}.")) }
}

/// A label, or a refusal that names the member.
pub fn label(field: &str, text: &str) -> Result<(), Problem> {
    if is_label(text) { Ok(()) } else { Err(Problem::invalid(field, "must have 1 to 128 printable characters.")) }
}

fn shape(text: &str, longest: usize, first: impl Fn(u8) -> bool, rest: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    text.len() <= longest && bytes.next().is_some_and(first) && bytes.all(rest)
}

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged() {
        for (text, tool, field, plain) in [
            ("get_order", true, true, true),
            ("get-order", false, true, true),
            ("getOrder", false, true, false),
            ("_x", false, true, false),
            ("1x", false, false, false),
            ("", false, false, false),
            ("toolgate_x", false, true, true),
            ("a.b", false, true, false),
            ("é", false, false, false),
            ("a b", false, false, false),
        ] {
            assert_eq!((is_tool(text), is_field(text), is_plain(text)), (tool, field, plain), "{text}");
        }
        assert!(is_tool(&"a".repeat(48)) && !is_tool(&"a".repeat(49)));
        assert!(is_plain(&"a".repeat(32)) && !is_plain(&"a".repeat(33)));
        assert!(is_field(&"a".repeat(64)) && !is_field(&"a".repeat(65)));
        assert!(is_label("laptop 7") && !is_label("") && !is_label("a\nb"));
    }
}

//! The document as text: one line for each operation and each schema, so that a change is seen where it is.

use serde_json::Value;

/// How many levels of members have lines of their own: the document, its parts, paths or kinds of components, and
/// operations or components.
const LEVELS: usize = 3;

/// The text of the file.
pub fn text(document: &Value) -> String {
    let mut text = String::new();
    write(document, 0, &mut text);
    text.push('\n');
    text
}

fn write(value: &Value, level: usize, text: &mut String) {
    let Some(members) = value.as_object().filter(|members| level < LEVELS && !members.is_empty()) else {
        return text.push_str(&value.to_string());
    };
    let indent = " ".repeat(level.saturating_add(1));
    let lines = members.iter().map(|(name, member)| {
        let mut line = format!("\n{indent}{}:", Value::from(name.as_str()));
        write(member, level.saturating_add(1), &mut line);
        line
    });
    text.push('{');
    text.push_str(&lines.collect::<Vec<_>>().join(","));
    text.push_str(&format!("\n{}}}", " ".repeat(level)));
}

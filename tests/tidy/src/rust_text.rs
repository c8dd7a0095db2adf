//! Just enough reading of Rust: what is code and what is comment or text, where a test module ends, how long a function
//! is, which names a file takes from a crate. Lines stay where they are, so that a complaint can name them.

/// A function with a body.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of the `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace, both counted.
    pub lines: usize,
}

/// The text with comments and the insides of literals blanked, line breaks kept.
pub fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match (chars[at], chars.get(at + 1)) {
            ('/', Some('/')) => line_end(&chars, at),
            ('/', Some('*')) => block_comment_end(&chars, at),
            ('r', Some('"' | '#')) if starts_word(&chars, at) => raw_string_end(&chars, at),
            ('b' | 'c', Some('r')) if starts_word(&chars, at) => raw_string_end(&chars, at + 1),
            ('"', _) => string_end(&chars, at),
            ('\'', _) => char_end(&chars, at),
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Code with the bodies of `#[cfg(test)]` items blanked too.
pub fn product_code(text: &str) -> String {
    let mut code: Vec<char> = code_only(text).chars().collect();
    let marker: Vec<char> = "#[cfg(test)]".chars().collect();
    let mut at = 0;
    while at + marker.len() <= code.len() {
        if code[at..at + marker.len()] == marker[..] {
            let end = item_end(&code, at + marker.len());
            for c in &mut code[at..end] {
                if *c != '\n' {
                    *c = ' ';
                }
            }
            at = end;
        } else {
            at += 1;
        }
    }
    code.into_iter().collect()
}

/// Functions of code that `code_only` or `product_code` made.
pub fn functions(code: &str) -> Vec<Function> {
    let chars: Vec<char> = code.chars().collect();
    let mut found = Vec::new();
    for at in word_positions(&chars, "fn") {
        let name: String = chars[at + 2..].iter().skip_while(|c| **c == ' ').take_while(|c| is_word(**c)).collect();
        let end = item_end(&chars, at);
        if name.is_empty() || chars.get(end - 1) != Some(&'}') {
            continue; // a function type, or a declaration without a body
        }
        let line = 1 + count_lines(&chars[..at]);
        found.push(Function { name, line, lines: 1 + count_lines(&chars[at..end]) });
    }
    found
}

/// The names that code takes from a crate by `krate::Name` or `use krate::{A, b::C}`, with `*` for a glob.
pub fn names_from(krate: &str, code: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = code.chars().collect();
    let mut found = Vec::new();
    for at in word_positions(&chars, krate) {
        let after = at + krate.chars().count();
        let inside_path = at >= 2 && chars[at - 1] == ':' && chars[at - 2] == ':' && !follows_blank(&chars, at - 2);
        if inside_path || chars.get(after..after + 2) != Some(&[':', ':']) {
            continue;
        }
        let line = 1 + count_lines(&chars[..at]);
        let rest = &chars[after + 2..];
        let end = match rest.first() {
            Some('{') => matching_brace(rest, 0),
            _ => rest.iter().position(|c| !is_word(*c) && *c != '*' && *c != ':').unwrap_or(rest.len()),
        };
        let taken: String = rest[..end].iter().collect();
        let names = taken.split(|c: char| !is_word(c) && c != '*').filter(|name| !name.is_empty());
        found.extend(names.map(|name| (line, name.to_owned())));
    }
    found
}

/// Lines on which a word stands, from 1.
pub fn lines_with_word(code: &str, word: &str) -> Vec<usize> {
    let chars: Vec<char> = code.chars().collect();
    word_positions(&chars, word).into_iter().map(|at| 1 + count_lines(&chars[..at])).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn starts_word(chars: &[char], at: usize) -> bool {
    at == 0 || !is_word(chars[at - 1])
}

fn follows_blank(chars: &[char], at: usize) -> bool {
    at == 0 || !(is_word(chars[at - 1]) || chars[at - 1] == '>')
}

fn count_lines(chars: &[char]) -> usize {
    chars.iter().filter(|c| **c == '\n').count()
}

fn word_positions(chars: &[char], word: &str) -> Vec<usize> {
    let word: Vec<char> = word.chars().collect();
    (0..chars.len().saturating_sub(word.len()))
        .filter(|&at| chars[at..at + word.len()] == word[..])
        .filter(|&at| starts_word(chars, at) && !chars.get(at + word.len()).is_some_and(|c| is_word(*c)))
        .collect()
}

fn line_end(chars: &[char], at: usize) -> usize {
    chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |length| at + length)
}

fn block_comment_end(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], mut at: usize) -> usize {
    at += 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// `at` is the `r`; a raw identifier (`r#type`) is no string and ends where it starts.
fn raw_string_end(chars: &[char], at: usize) -> usize {
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    let open = at + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return at;
    }
    let mut close = vec!['"'];
    close.extend(std::iter::repeat_n('#', hashes));
    (open + 1..chars.len())
        .find(|&end| chars.get(end..end + close.len()) == Some(&close[..]))
        .map_or(chars.len(), |end| end + close.len())
}

/// A character ends at its quote; a lifetime is no literal and ends where it starts.
fn char_end(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => {
            chars[at + 3..].iter().position(|c| *c == '\'').map_or(chars.len(), |length| at + 4 + length)
        }
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

fn matching_brace(chars: &[char], open: usize) -> usize {
    let mut depth = 0;
    for (at, c) in chars.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    chars.len()
}

/// The end of the item that starts at `at`: its closing brace, or the semicolon of one without a body.
fn item_end(chars: &[char], at: usize) -> usize {
    let mut depth = 0;
    for (here, c) in chars.iter().enumerate().skip(at) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' if depth == 0 => return here + 1,
            '{' if depth == 0 => return matching_brace(chars, here),
            _ => {}
        }
        if depth < 0 {
            return here; // a function type inside a list of arguments
        }
    }
    chars.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        let text = "let a = \"x // {\\\" y\"; // worker\n/* {\n /* in */ } */ let b = '{'; fn f<'a>(c: &'a str) {}\nr#\"fn \" g\"#; b'\\''";
        let code = code_only(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert!(!code.contains("worker") && !code.contains(" g") && !code.contains("in"));
        assert!(code.contains("fn f<'a>(c: &'a str) {}"));
    }

    #[test]
    fn functions_are_measured_and_test_modules_are_not() {
        let text = "fn one() {\n  two(|| { 3 });\n}\n#[cfg(test)]\nmod tests {\n  fn long() {\n\n  }\n}\ntrait T { fn no(&self); }\ntype F = fn(u8) -> u8;\n";
        let found = functions(&product_code(text));
        let seen: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(seen, [("one", 1, 3)]);
        assert_eq!(functions(&code_only(text)).len(), 2);
    }

    #[test]
    fn names_taken_from_a_crate() {
        let code = "use worker::{Env, sql::SqlStorage};\nuse crate::worker::Mine;\nlet x: worker::Delay = y;\nuse worker::*;\n";
        let names: Vec<_> =
            names_from("worker", code).into_iter().map(|(line, name)| format!("{line} {name}")).collect();
        assert_eq!(names, ["1 Env", "1 sql", "1 SqlStorage", "3 Delay", "4 *"]);
    }
}

//! Every refusal has a stable code, and every code a page that says what to do about it.

use std::collections::BTreeSet;

use toolgate_tidy::files::{all, read};
use toolgate_tidy::report;

/// Lines of the table in protocol/src/problems.rs: `NAME = "code", 404, "title";`.
fn codes() -> BTreeSet<String> {
    let text = read("protocol/src/problems.rs");
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    text.lines()
        .filter_map(|line| line.trim().split_once(" = \""))
        .filter(|(name, _)| is_name(name))
        .filter_map(|(_, rest)| rest.split('"').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let codes = codes();
    let pages: BTreeSet<String> = all(|path| path.starts_with("docs/errors/") && path.ends_with(".md"))
        .into_iter()
        .filter_map(|file| Some(file.path.strip_prefix("docs/errors/")?.strip_suffix(".md")?.to_owned()))
        .filter(|name| name != "README")
        .collect();
    let mut violations = Vec::new();
    if codes.is_empty() {
        violations.push("protocol/src/problems.rs: no line `NAME = \"code\"` was found".to_owned());
    }
    violations.extend(codes.difference(&pages).map(|code| format!("docs/errors/{code}.md is missing")));
    violations.extend(pages.difference(&codes).map(|code| format!("docs/errors/{code}.md: no such code")));
    report("who meets an error code finds its page: what happened, whose fault, what to do", &violations);
}

#[test]
fn codes_are_words_that_programs_can_compare() {
    let odd: Vec<String> =
        codes().into_iter().filter(|code| !code.chars().all(|c| c.is_ascii_lowercase() || c == '_')).collect();
    report("codes are lower-case words joined by `_`, for ever", &odd);
}

//! A test that does not run is a promise nobody keeps.

use toolgate_tidy::files::{all, rust_under};
use toolgate_tidy::report;

#[test]
fn no_rust_test_is_ignored() {
    let marker = concat!("#[", "ignore");
    let mut violations = Vec::new();
    for file in rust_under(&[""]) {
        for (number, line) in file.text.lines().enumerate().filter(|(_, line)| line.contains(marker)) {
            violations.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
        }
    }
    report("an ignored test fails for years unseen: mend it or delete it", &violations);
}

#[test]
fn no_script_test_is_skipped_or_repeated() {
    let is_test = |path: &str| {
        let script = [".js", ".mjs", ".ts", ".tsx"].iter().any(|ending| path.ends_with(ending));
        script && (path.contains(".test.") || path.contains("/test/") || path.starts_with("tests/"))
    };
    let marks = [".skip(", ".only(", ".todo(", "skip:", "todo:", "only: true", "retries:", "retry:"];
    let mut violations = Vec::new();
    for file in all(is_test) {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(mark) = marks.iter().find(|mark| line.contains(**mark)) {
                violations.push(format!("{}:{}: {mark}", file.path, number + 1));
            }
        }
    }
    report("every test runs, once: a skipped one proves nothing, a repeated one hides a race", &violations);
}

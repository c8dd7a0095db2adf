//! A panic takes the whole isolate down, other orgs' requests with it, and leaves parked requests unanswered.

use toolgate_tidy::files::rust_under;
use toolgate_tidy::report;
use toolgate_tidy::rust_text::product_code;

const PANICS: &[&str] = &[
    ".unwrap()",
    ".expect(",
    "panic!(",
    "todo!(",
    "unimplemented!(",
    "unreachable!(",
    "assert!(",
    "assert_eq!(",
    "assert_ne!(",
];

#[test]
fn the_edge_and_the_objects_never_panic() {
    let mut violations = Vec::new();
    for file in rust_under(&["src/", "durable/src/", "core/src/", "signing/src/", "sdk/rust/src/"]) {
        for (number, line) in product_code(&file.text).lines().enumerate() {
            for word in PANICS.iter().filter(|word| line.contains(**word) && !line.contains("debug_assert")) {
                violations.push(format!("{}:{}: {word}", file.path, number + 1));
            }
        }
    }
    report("a panic takes the isolate down, other orgs' requests with it: return an error", &violations);
}

#[test]
fn a_lint_is_lifted_only_with_a_reason() {
    let mut violations = Vec::new();
    for file in rust_under(&["src/", "durable/", "core/", "protocol/", "signing/", "sdk/rust/", "tests/"]) {
        let code = product_code(&file.text);
        for (number, (line, whole)) in code.lines().zip(file.text.lines()).enumerate() {
            let lifts = ["#[allow(", "#![allow(", "#[expect(", "#![expect("];
            if lifts.iter().any(|start| line.contains(start)) && !whole.contains("reason = ") {
                violations.push(format!("{}:{}: {}", file.path, number + 1, whole.trim()));
            }
        }
    }
    report(
        "every lint guards against something that bit somebody: #[allow(…, reason = \"…\")] on one line",
        &violations,
    );
}

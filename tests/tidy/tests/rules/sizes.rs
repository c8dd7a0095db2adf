//! What fits on a screen gets read.

use toolgate_tidy::files::{all, rust_under};
use toolgate_tidy::report;
use toolgate_tidy::rust_text::{functions, product_code};

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;

#[test]
fn files_stay_small() {
    let is_code = |path: &str| {
        let endings = [".rs", ".ts", ".tsx", ".js", ".mjs", ".py", ".sh", ".capnp", ".toml"];
        // What a program wrote is read where it came from.
        let is_written = !path.ends_with(".gen.ts");
        is_written && (endings.iter().any(|ending| path.ends_with(ending)) || path.starts_with("scripts/"))
    };
    let violations: Vec<String> = all(is_code)
        .iter()
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > FILE_LINES_MAX)
        .map(|(file, lines)| format!("{}: {lines} lines", file.path))
        .collect();
    report("a file is about 150 lines and never over 600: a longer one holds two things", &violations);
}

#[test]
fn functions_fit_a_screen() {
    let mut violations = Vec::new();
    for file in rust_under(&["protocol/", "signing/", "core/", "durable/", "src/", "sdk/", "examples/", "tests/"]) {
        for function in functions(&product_code(&file.text)) {
            if function.lines > FUNCTION_LINES_MAX {
                violations
                    .push(format!("{}:{}: {} has {} lines", file.path, function.line, function.name, function.lines));
            }
        }
    }
    report("a function fits a screen (70 lines): what cannot be seen at once is not reviewed", &violations);
}

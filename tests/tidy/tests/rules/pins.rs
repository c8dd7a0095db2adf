//! The same commit builds the same bytes next year.

use toolgate_tidy::files::{all, read};
use toolgate_tidy::report;

fn in_dependencies(section: &str) -> bool {
    section.split('.').any(|part| part.trim_matches(['[', ']']).ends_with("dependencies"))
}

#[test]
fn crates_are_pinned_exactly() {
    let mut violations = Vec::new();
    for file in all(|path| path.ends_with("Cargo.toml")) {
        let mut section = String::new();
        for (number, line) in file.text.lines().enumerate() {
            if line.starts_with('[') {
                section = line.trim().to_owned();
                continue;
            }
            let Some((_, value)) = line.split_once('=').filter(|_| in_dependencies(&section)) else { continue };
            let version = match value.split_once("version = \"") {
                Some((_, version)) => version,
                None => value.trim().strip_prefix('"').unwrap_or("="),
            };
            if !line.starts_with('#') && !version.starts_with('=') {
                violations.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    report(
        "crates are pinned exactly (version = \"=1.2.3\"): worker, wasm-bindgen and its tools pin each other",
        &violations,
    );
}

#[test]
fn npm_packages_are_pinned_exactly() {
    let mut violations = Vec::new();
    for file in all(|path| path.ends_with("package.json")) {
        let mut inside = false;
        for (number, line) in file.text.lines().enumerate() {
            let trimmed = line.trim().trim_end_matches(',');
            if trimmed.ends_with('{') {
                inside = trimmed.starts_with("\"dependencies\"")
                    || trimmed.starts_with("\"devDependencies\"")
                    || trimmed.starts_with("\"optionalDependencies\"");
            } else if trimmed.starts_with('}') {
                inside = false;
            } else if inside {
                let value = trimmed.rsplit('"').nth(1).unwrap_or_default();
                let version = value.rsplit('@').next().unwrap_or_default();
                let exact = version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains([' ', 'x', '*']);
                if !exact {
                    violations.push(format!("{}:{}: {trimmed}", file.path, number + 1));
                }
            }
        }
    }
    report("npm packages are pinned exactly: the lock file is for what they bring along", &violations);
}

#[test]
fn the_toolchain_is_pinned() {
    let text = read("rust-toolchain.toml");
    let channel = text.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap_or_default().trim_matches('"');
    let exact = channel.split('.').count() == 3 && channel.chars().all(|c| c.is_ascii_digit() || c == '.');
    report("rust-toolchain.toml names one release", &if exact { vec![] } else { vec![channel.to_owned()] });
}

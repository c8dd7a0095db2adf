//! Rules of the repository that no compiler checks. `tests/rules` holds one file per kind of rule; this library finds
//! the files and reads just enough Rust to count and to search it. It promises to be fast (no build, no network) and to
//! name file, line and reason in every complaint.

pub mod files;
pub mod rust_text;

/// Fails with every violation at once and the reason for the rule.
pub fn report(reason: &str, violations: &[String]) {
    assert!(violations.is_empty(), "\n{reason}\n  {}\n({} in all)\n", violations.join("\n  "), violations.len());
}

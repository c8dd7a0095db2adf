//! Nothing here depends on where it was written or from whom it is downloaded.

use std::os::unix::fs::PermissionsExt;

use toolgate_tidy::files::{all, root};
use toolgate_tidy::report;

/// Put together here, so that this file does not hold them.
const HOSTS: &[&str] = &[
    concat!("registry.npm", "js.org"),
    concat!("registry.yarn", "pkg.com"),
    concat!("static.crates", ".io"),
    concat!("index.crates", ".io"),
    concat!("files.python", "hosted.org"),
    concat!("pypi.org", "/simple"),
];

#[test]
fn no_file_names_a_registry_host() {
    let mut violations = Vec::new();
    for file in all(|_| true) {
        for (number, line) in file.text.lines().enumerate() {
            let download = line.contains("\"resolved\": \"http");
            if let Some(host) = HOSTS.iter().find(|host| line.contains(**host)).or(download.then_some(&"resolved")) {
                violations.push(format!("{}:{}: {host}", file.path, number + 1));
            }
        }
    }
    report(
        "who builds behind a mirror must not be sent elsewhere: integrity is in the lock, the host in their settings",
        &violations,
    );
}

#[test]
fn no_file_names_a_folder_of_a_build_machine() {
    let folders = [concat!("/wo", "rk/"), concat!("/root", "/."), concat!("/home", "/")];
    let mut violations = Vec::new();
    for file in all(|_| true) {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(folder) = folders.iter().find(|folder| line.contains(**folder)) {
                violations.push(format!("{}:{}: {folder}", file.path, number + 1));
            }
        }
    }
    report("paths start at the repository's root: anyone's clone must work anywhere", &violations);
}

#[test]
fn scripts_run_and_stop_at_the_first_error() {
    let mut violations = Vec::new();
    for file in all(|path| path.starts_with("scripts/") || path == ".ci/run") {
        let script = file.text.starts_with("#!");
        let mode = std::fs::metadata(root().join(&file.path)).map_or(0, |found| found.permissions().mode());
        if script && mode & 0o111 == 0 {
            violations.push(format!("{}: not executable", file.path));
        }
        let strict = ["set -e", "lib.sh\"", "exec "].iter().any(|start| file.text.contains(start));
        if file.text.starts_with("#!/usr/bin/env bash") && !strict {
            violations.push(format!("{}: neither `set -e` nor lib.sh", file.path));
        }
    }
    report("people and CI start the same files: each is executable and stops at the first error", &violations);
}

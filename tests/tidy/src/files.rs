//! The files that belong to the repository: what git tracks or would track.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold what is built or installed; only needed where git is missing.
const NOT_OURS: &[&str] = &[".git", ".state", ".tools", ".wrangler", "build", "dist", "node_modules", "target"];

/// One text file: its path from the root, with `/`, and its text.
pub struct SourceFile {
    /// Path from the repository's root.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// The repository's root.
pub fn root() -> PathBuf {
    // At run time where cargo says it: a built test may be run from another clone that shares the target folder.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).join("../..").canonicalize().expect("the crate lies in the repository")
}

/// Every text file of the repository whose path passes the filter, sorted.
pub fn all(wanted: impl Fn(&str) -> bool) -> Vec<SourceFile> {
    let root = root();
    let mut paths = listed_by_git(&root).unwrap_or_else(|| walked(&root));
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| wanted(path))
        .filter_map(|path| Some(SourceFile { text: std::fs::read_to_string(root.join(&path)).ok()?, path }))
        .collect()
}

/// The text of one file; empty where it does not exist.
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_default()
}

/// Rust sources under one of the folders.
pub fn rust_under(folders: &[&str]) -> Vec<SourceFile> {
    all(|path| path.ends_with(".rs") && folders.iter().any(|folder| path.starts_with(folder)))
}

fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let answer = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let listing = String::from_utf8(answer.stdout).ok()?;
    let paths: Vec<String> = listing.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (answer.status.success() && !paths.is_empty()).then_some(paths)
}

fn walked(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if NOT_OURS.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
                found.push(name.replace('\\', "/"));
            }
        }
    }
    found
}

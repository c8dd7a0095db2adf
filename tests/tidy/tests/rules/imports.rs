//! Who may name what: dependencies point one way, and each thing of the platform is touched in the files named for it.

use toolgate_tidy::files::{SourceFile, read, rust_under};
use toolgate_tidy::report;
use toolgate_tidy::rust_text::{lines_with_word, names_from, product_code};

/// Crates that bring a platform, a clock or chance with them.
const PLATFORM_CRATES: &[&str] =
    &["worker", "wasm-bindgen", "js-sys", "web-sys", "tokio", "reqwest", "getrandom", "rand", "uuid"];

#[test]
fn protocol_and_core_do_not_depend_on_a_platform() {
    let mut violations = Vec::new();
    for manifest in ["protocol/Cargo.toml", "signing/Cargo.toml", "core/Cargo.toml"] {
        for (number, line) in read(manifest).lines().enumerate() {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            if PLATFORM_CRATES.contains(&name) {
                violations.push(format!("{manifest}:{}: {name}", number + 1));
            }
        }
    }
    report("protocol and core run natively, in tests and in the simulator, as they run at the edge", &violations);
}

#[test]
fn core_has_no_clock_no_chance_and_no_outside() {
    let words = [
        "SystemTime",
        "Instant",
        "Utc",
        "Local",
        "getrandom",
        "rand",
        "wasm_bindgen",
        "js_sys",
        "web_sys",
        "tokio",
        "reqwest",
        "fs",
        "net",
        "env",
        "process",
        "thread",
        "async",
    ];
    let files = rust_under(&["protocol/src/", "signing/src/", "core/src/"]);
    let mut violations = Vec::new();
    for file in &files {
        let code = product_code(&file.text);
        let taken = names_from("std", &code);
        for word in words {
            let only_from_std = ["fs", "net", "env", "process", "thread"].contains(&word);
            let lines = match only_from_std {
                true => taken.iter().filter(|(_, name)| name == word).map(|(line, _)| *line).collect(),
                false => lines_with_word(&code, word),
            };
            violations.extend(lines.into_iter().map(|line| format!("{}:{line}: {word}", file.path)));
        }
    }
    report("a step is a function of store, event, now and entropy: only so can a seed replay a failure", &violations);
}

#[test]
fn protocol_and_core_forbid_unsafe_code() {
    let missing = ["protocol/src/lib.rs", "signing/src/lib.rs", "sdk/rust/src/lib.rs", "core/src/lib.rs"]
        .into_iter()
        .filter(|path| !read(path).contains("#![forbid(unsafe_code)]"))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    report("what decides about other people's code needs no unsafe: #![forbid(unsafe_code)] is missing", &missing);
}

fn is_shell(file: &SourceFile) -> bool {
    file.path.starts_with("durable/src/") && product_code(&file.text).contains("#[durable_object")
}

/// What `worker` offers and the only files that may name it (`<shell>`: a file with an object class).
const HOMES: &[(&str, &[&str])] = &[
    ("*", &[]),
    ("State", &["<shell>", "durable/src/sql.rs", "durable/src/alarm.rs", "durable/src/sockets.rs"]),
    ("Storage", &["durable/src/sql.rs", "durable/src/alarm.rs"]),
    ("SqlStorage", &["durable/src/sql.rs"]),
    ("SqlCursor", &["durable/src/sql.rs"]),
    ("SqlStorageValue", &["durable/src/sql.rs"]),
    ("WebSocket", &["<shell>", "durable/src/sockets.rs"]),
    ("WebSocketPair", &["durable/src/sockets.rs"]),
    ("WebSocketIncomingMessage", &["<shell>", "durable/src/sockets.rs"]),
    ("Delay", &["durable/src/waiters.rs", "durable/src/clock.rs"]),
    ("Date", &["durable/src/clock.rs"]),
    ("Request", &["<shell>", "durable/src/reach.rs", "src/"]),
    ("Response", &["<shell>", "durable/src/reach.rs", "durable/src/answers.rs", "src/"]),
    ("Fetch", &["src/"]),
    ("Fetcher", &["<shell>", "src/"]),
    ("Env", &["<shell>", "durable/src/d1.rs", "durable/src/reach.rs", "durable/src/settings.rs", "src/"]),
    ("Router", &[]),
];

#[test]
fn the_platform_is_touched_in_the_files_named_for_it() {
    let mut violations = Vec::new();
    for file in rust_under(&["durable/src/", "src/"]) {
        let shell = is_shell(&file);
        for (line, name) in names_from("worker", &product_code(&file.text)) {
            let Some((_, homes)) = HOMES.iter().find(|(thing, _)| *thing == name) else { continue };
            let at_home = homes.iter().any(|home| file.path.starts_with(home) || (shell && *home == "<shell>"));
            if !at_home {
                violations.push(format!("{}:{line}: worker::{name} belongs to {homes:?}", file.path));
            }
        }
    }
    report(
        "each trap of the platform is handled once, in the one file named for it; `use worker::*` hides who does",
        &violations,
    );
}

#[test]
fn alarms_and_statements_have_one_door() {
    let doors = [
        ("set_alarm", "durable/src/alarm.rs"),
        ("delete_alarm", "durable/src/alarm.rs"),
        ("accept_web_socket", "durable/src/sockets.rs"),
        ("accept_websocket_with_tags", "durable/src/sockets.rs"),
        ("as_raw", "durable/src/sql.rs"),
    ];
    let mut violations = Vec::new();
    for file in rust_under(&["durable/src/", "src/"]) {
        let code = product_code(&file.text);
        for (word, home) in doors.iter().filter(|(_, home)| file.path != *home) {
            let lines = lines_with_word(&code, word).into_iter();
            violations.extend(lines.map(|line| format!("{}:{line}: {word} belongs to {home}", file.path)));
        }
    }
    report(
        "an alarm set elsewhere may move an earlier one; a statement run elsewhere escapes the transaction",
        &violations,
    );
}

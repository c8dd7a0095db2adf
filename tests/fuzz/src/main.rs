//! The fuzzer's entry: libFuzzer brings `main` and calls this for each input. `TOOLGATE_FUZZ` names the target.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use toolgate_fuzz::{TARGETS, Target};

fuzz_target!(|bytes: &[u8]| {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    CHOSEN.get_or_init(chosen)(bytes);
});

#[expect(clippy::disallowed_methods, clippy::panic, reason = "a program on a developer's machine")]
fn chosen() -> Target {
    let name = std::env::var("TOOLGATE_FUZZ").unwrap_or_default();
    match TARGETS.iter().find(|(target, _)| *target == name) {
        Some((_, target)) => *target,
        None => panic!("there is no target {name:?}"),
    }
}

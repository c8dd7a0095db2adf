//! Every input that was ever interesting, once more; and the neighbours of each.
#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test panics")]
#![allow(clippy::arithmetic_side_effects, reason = "a failed test panics")]

use std::path::PathBuf;

use toolgate_fuzz::{TARGETS, Target};

fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Each input, cut at each length and with each byte changed in turn, as far as the budget goes.
fn replay(target: Target, inputs: &[Vec<u8>]) -> usize {
    const NEIGHBOURS_PER_INPUT: usize = 400;
    let mut runs = 0;
    for input in inputs {
        target(input);
        let step = input.len().div_ceil(NEIGHBOURS_PER_INPUT / 2).max(1);
        for at in (0..input.len()).step_by(step) {
            target(&input[..at]);
            let mut changed = input.clone();
            changed[at] = changed[at].wrapping_add(1 + (at % 255) as u8);
            target(&changed);
            runs += 2;
        }
    }
    runs
}

#[test]
fn the_corpus_holds() {
    for (name, target) in TARGETS {
        let inputs = inputs(name);
        assert!(inputs.len() >= 10, "{name} has {} inputs", inputs.len());
        assert!(replay(target, &inputs) > inputs.len(), "{name}");
    }
}

//! `simulate --seed N --steps M`: one run, replayed exactly by its seed.

use toolgate_simulator::world::World;

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut seed, mut steps) = (1_u64, 100_000_u64);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|value| value.parse().ok());
        match (name.as_str(), value) {
            ("--seed", Some(value)) => seed = value,
            ("--steps", Some(value)) => steps = value,
            _ => {
                eprintln!("usage: simulate --seed N --steps M");
                return std::process::ExitCode::from(2);
            }
        }
    }
    let mut world = World::new(seed, None);
    let outcome = world.run(steps);
    println!(
        "seed {seed}: {} steps, {} calls ended, {} pairs visited",
        world.steps,
        world.ledger.ended.len(),
        world.ledger.visited.len()
    );
    println!("  of notices: {:?}", world.office.books.fates);
    for (phase, event) in &world.ledger.visited {
        println!("  (Phase::{phase:?}, \"{event}\"),");
    }
    match outcome {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(violation) => {
            println!("VIOLATION after step {}: {violation}", world.steps);
            std::process::ExitCode::FAILURE
        }
    }
}

//! Two million steps, replays, planted bugs, and the SQL beside the model. A failure prints the seed:
//! `scripts/simulate --seed N --steps M` replays it.

use std::collections::BTreeSet;

use toolgate_core::queue::Queue;
use toolgate_core::queue::machine::Phase;
use toolgate_core::queue::sql::SqlStore;
use toolgate_core::queue::store::{Filter, Store as _};
use toolgate_simulator::bugs::{Bug, found};
use toolgate_simulator::port::Sqlite;
use toolgate_simulator::rough::{Requeues, Rough};
use toolgate_simulator::world::{Done, PAIRS, World, ids};

/// The properties hold, and every pair of the state machine is visited and no other.
fn properties(seeds: std::ops::Range<u64>, steps: u64) {
    let mut visited: BTreeSet<(Phase, &'static str)> = BTreeSet::new();
    let (mut total, mut fates) = (0, BTreeSet::new());
    for seed in seeds {
        let mut world = World::new(seed, None);
        if let Err(violation) = world.run(steps) {
            panic!("seed {seed}, step {}: {violation}", world.steps);
        }
        total += world.steps;
        visited.append(&mut world.ledger.visited);
        fates.extend(world.office.books.fates.into_iter().filter(|(_, many)| *many > 0).map(|(fate, _)| fate));
    }
    println!("{total} steps");
    assert!(total >= 1_000_000, "only {total} steps were taken");
    let expected: BTreeSet<_> = PAIRS.iter().copied().collect();
    assert_eq!(visited, expected);
    let every = ["deleted", "disabled", "given up", "messages", "owed", "repeated", "told", "unwanted"];
    assert_eq!(fates, BTreeSet::from(every), "what may become of a notice");
}

// Two halves, so that two cores share them. In each, one seed's pool is a webhook pool throughout, one begins as one and
// two begin with workers; those are switched again and again.
#[test]
fn the_properties_hold_over_the_first_million_steps() {
    properties(100..104, 260_000);
}

#[test]
fn the_properties_hold_over_the_second_million_steps() {
    properties(200..204, 260_000);
}

#[test]
fn a_seed_replays_exactly() {
    let run = |seed| {
        let mut world = World::new(seed, None);
        world.log = Some(Vec::new());
        world.run(5_000).expect("no violation");
        let log = world.log.take().unwrap_or_default();
        let effects: Vec<String> = log.into_iter().map(|(_, effects)| effects).collect();
        (effects, world.store.everything())
    };
    let (first, second, other) = (run(7), run(7), run(8));
    assert_eq!(first.0.len(), second.0.len());
    assert!(first == second, "the same seed gave another run");
    assert!(first.0 != other.0, "another seed gave the same run");
}

#[test]
fn a_write_that_is_retried_is_found() {
    let found = found(Bug::RetriesAWrite);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("2:") || violation.starts_with("6:")), "{found:?}");
}

#[test]
fn a_stale_claim_that_is_accepted_is_found() {
    let found = found(Bug::AcceptsAStaleClaim);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("2:") || violation.starts_with("1:")), "{found:?}");
}

#[test]
fn a_waiter_that_is_lost_is_found() {
    let found = found(Bug::LosesAWaiter);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.contains("waits") || violation.contains("forgotten")), "{found:?}");
}

#[test]
fn a_write_that_is_sent_without_leave_is_found() {
    let found = found(Bug::SendsWithoutLeave);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("2:") || violation.starts_with("1:")), "{found:?}");
}

#[test]
fn a_write_that_is_delivered_again_because_its_reply_was_lost_is_found() {
    let found = found(Bug::RequeuesALostReply);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("2:") || violation.starts_with("6:")), "{found:?}");
}

#[test]
fn a_refusal_that_was_sent_all_the_same_is_found() {
    let found = found(Bug::RefusesWhatItSent);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.contains("not sent")), "{found:?}");
}

#[test]
fn an_approval_that_lets_a_twin_go_is_found() {
    let found = found(Bug::ApprovesATwin);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("1:")), "{found:?}");
}

#[test]
fn an_edit_that_nobody_has_checked_is_found() {
    let found = found(Bug::SendsAnUncheckedEdit);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("9:")), "{found:?}");
}

#[test]
fn an_end_that_moves_while_people_decide_is_found() {
    let found = found(Bug::PutsOffTheEnd);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("4:")), "{found:?}");
}

/// The same events through the SQL: the same effects at each step, the same records at the end.
#[test]
fn the_sql_does_what_the_model_does() {
    for seed in 11..15 {
        let mut world = World::new(seed, None);
        world.log = Some(Vec::new());
        world.run(20_000).expect("no violation");
        let sqlite = Sqlite::queue();
        let mut queue = Queue::new(ids());
        for (number, (done, expected)) in world.log.take().unwrap_or_default().into_iter().enumerate() {
            let effects = replay(&sqlite, &mut queue, done);
            assert_eq!(effects, expected, "seed {seed}, event {number}");
        }
        let now = world.now;
        let store = SqlStore::new(&sqlite, now);
        let listed = store.list(&Filter::default(), usize::MAX).expect("a list");
        let mut kept: Vec<_> = listed.iter().filter_map(|call| store.call(&call.id).expect("a record")).collect();
        let mut expected = world.store.everything();
        kept.sort_by(|one, other| one.id.cmp(&other.id));
        expected.sort_by(|one, other| one.id.cmp(&other.id));
        assert_eq!(kept, expected, "seed {seed}");
    }
}

fn replay(sqlite: &Sqlite, queue: &mut Queue, done: Done) -> String {
    let Done::Step(event, now, entropy, fails_after) = done else {
        *queue = Queue::new(ids());
        return String::new();
    };
    sqlite.0.execute_batch("BEGIN").expect("begin");
    let mut store = SqlStore::new(sqlite, now);
    let fails_after = std::cell::Cell::new(fails_after);
    let mut rough = Rough { store: &mut store, fails_after, requeues: Requeues::Nothing };
    let effects = queue.step(&mut rough, event, now, entropy);
    let end = if effects.is_ok() { "COMMIT" } else { "ROLLBACK" };
    sqlite.0.execute_batch(end).expect("end");
    let text = format!("{effects:?}");
    if effects.is_err() {
        queue.forget();
    }
    text
}

//! Who hears of approvals, in the simulated world: nothing of a call depends on it, and planted bugs are found.

use toolgate_simulator::bugs::{Bug, found};
use toolgate_simulator::world::World;

/// What the pool did and how it ended, in a world with notifications or without.
struct Run {
    steps: Vec<String>,
    calls: Vec<String>,
    /// Events that somebody was to be told of.
    owed: u64,
    outcome: Result<(), String>,
}

fn run(seed: u64, notifies: bool, bug: Option<Bug>) -> Run {
    let mut world = World::new(seed, bug);
    world.office.notifies = notifies;
    world.log = Some(Vec::new());
    let outcome = world.run(10_000);
    let log = world.log.take().unwrap_or_default();
    Run {
        steps: log.into_iter().map(|(done, effects)| format!("{done:?} {effects}")).collect(),
        calls: world.store.everything().iter().map(|call| format!("{call:?}")).collect(),
        owed: world.office.books.fates.get("owed").copied().unwrap_or(0),
        outcome,
    }
}

/// Every step of the pool, at its instant and with its effects, is the same whether or not anybody is notified, whatever
/// receivers, the edge and the registry's storage do meanwhile.
#[test]
fn no_decision_expiry_or_execution_depends_on_a_notification() {
    for seed in 31..35 {
        let (with, without) = (run(seed, true, None), run(seed, false, None));
        assert_eq!((&with.outcome, &without.outcome), (&Ok(()), &Ok(())), "seed {seed}");
        assert!(with.owed > 100 && without.owed == 0, "seed {seed}: {} and {} were owed", with.owed, without.owed);
        assert!(with.steps == without.steps, "seed {seed}: a step of the pool differs");
        assert!(with.calls == without.calls, "seed {seed}: a call differs");
    }
}

#[test]
fn an_outbox_that_waits_for_notices_is_found() {
    let bug = Some(Bug::NoticesHoldUpTheOutbox);
    let differ = (1..=3).filter(|seed| run(*seed, true, bug).steps != run(*seed, false, bug).steps);
    assert_eq!(differ.count(), 3, "some seed missed it");
}

#[test]
fn an_event_that_is_dropped_while_a_message_is_out_is_found() {
    let found = found(Bug::DropsWhatComesMeanwhile);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("2:")), "{found:?}");
}

#[test]
fn an_event_that_is_lost_between_the_outbox_and_its_row_is_found() {
    let found = found(Bug::TellsBeforeItIsStored);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("2:")), "{found:?}");
}

#[test]
fn an_alarm_that_is_not_set_is_found() {
    let found = found(Bug::ForgetsItsAlarm);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("5:")), "{found:?}");
}

#[test]
fn an_address_in_the_audit_record_is_found() {
    let found = found(Bug::SaysWhereTo);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("6:")), "{found:?}");
}

#[test]
fn a_message_that_is_repeated_in_other_words_is_found() {
    let found = found(Bug::RepeatsOtherWords);
    assert_eq!(found.len(), 3, "some seed missed it");
    assert!(found.iter().all(|violation| violation.starts_with("4:")), "{found:?}");
}

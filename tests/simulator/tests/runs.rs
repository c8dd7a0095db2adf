//! The object of a run over SQL: turns one after the other, and the end of what nobody continues.

use serde_json::json;
use toolgate_core::run::{Command, Effects, Reply, Run, Turn, step};
use toolgate_core::sql_port::Sql as _;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::chat::ShownOffer;
use toolgate_protocol::limits::RUN_SECONDS;
use toolgate_simulator::port::Sqlite;

const START: UnixMillis = UnixMillis(1_764_500_000_000);

fn run() -> Run {
    serde_json::from_value(json!({
        "agent": "alice", "principal": { "id": "u", "tenant_id": "t" }, "profile": "openai", "budget_tokens": 100, "doors": ["rest"],
        "origins": [], "created_at": START.0, "turned_at": START.0, "turns": 1, "text": "first", "offered": ["a"],
    }))
    .expect("a run")
}

fn empty() -> Sqlite {
    Sqlite::queue()
}

fn done(sqlite: &Sqlite, command: Command, now: UnixMillis) -> Effects {
    step(sqlite, command, now).expect("storage")
}

/// An offer that can be told from others.
fn offer(after: u64) -> Option<Box<ShownOffer>> {
    let offer = json!({ "tools": [], "left_out": [], "budget_tokens": 100, "used_tokens": after });
    Some(Box::new(serde_json::from_value(offer).expect("an offer")))
}

fn turn(sqlite: &Sqlite, after: u64, added: &[&str], now: UnixMillis) -> Reply {
    let added = added.iter().map(|name| (*name).to_owned()).collect();
    done(sqlite, Command::Turn(Turn { after, text: format!("after {after}"), added, offer: offer(after) }), now).reply
}

#[test]
fn turns_follow_one_another_and_what_is_offered_only_grows() {
    let sqlite = empty();
    for command in [
        Command::Read,
        Command::Turn(Turn { after: 0, text: String::new(), added: vec![], offer: None }),
        Command::Tick,
    ] {
        let effects = done(&sqlite, command, START);
        assert!(matches!(effects.reply, Reply::Absent) && effects.alarm.is_none() && !effects.forget);
    }
    let made = done(&sqlite, Command::Create(Box::new(run()), None), START);
    assert_eq!(made.alarm, Some(START.plus_seconds(RUN_SECONDS)));
    assert!(
        matches!(done(&sqlite, Command::Create(Box::new(run()), None), START).reply, Reply::Overtaken(_)),
        "never written over"
    );
    assert!(
        matches!(turn(&sqlite, 1, &["b", "a", "c"], START.plus_seconds(1)), Reply::Run(run) if run.offered == ["a", "b", "c"] && run.turns == 2 && run.text == "after 1")
    );
    // Another turn that was worked out before that one: nothing of it is taken.
    assert!(
        matches!(turn(&sqlite, 1, &["x"], START.plus_seconds(2)), Reply::Overtaken(run) if run.offered == ["a", "b", "c"] && run.text == "after 1")
    );
    assert!(
        matches!(done(&sqlite, Command::Read, START.plus_seconds(3)).reply, Reply::Run(run) if run.turned_at == START.plus_seconds(1))
    );
}

#[test]
fn the_last_offer_is_kept_for_who_asks_why() {
    let sqlite = empty();
    let explained = |now| match done(&sqlite, Command::Explain, now).reply {
        Reply::Explained(run, offer) => Some((run.turns, offer)),
        _ => None,
    };
    assert_eq!(explained(START), None);
    done(&sqlite, Command::Create(Box::new(run()), offer(0)), START);
    assert_eq!(explained(START), Some((1, offer(0))));
    turn(&sqlite, 1, &["b"], START.plus_seconds(1));
    // It was worked out before that one: its offer was never advertised.
    turn(&sqlite, 1, &["x"], START.plus_seconds(2));
    assert_eq!(explained(START.plus_seconds(3)), Some((2, offer(1))));
}

#[test]
fn a_run_goes_when_nobody_took_a_turn_for_a_week() {
    let sqlite = empty();
    done(&sqlite, Command::Create(Box::new(run()), None), START);
    let later = START.plus_seconds(1_000);
    turn(&sqlite, 1, &[], later);
    let early = done(&sqlite, Command::Tick, START.plus_seconds(RUN_SECONDS));
    assert_eq!((early.forget, early.alarm), (false, Some(later.plus_seconds(RUN_SECONDS))));
    let end = done(&sqlite, Command::Tick, later.plus_seconds(RUN_SECONDS));
    assert_eq!((end.forget, end.alarm), (true, None));
}

#[test]
fn a_row_that_cannot_be_read_is_an_error_and_no_other_run() {
    let sqlite = empty();
    done(&sqlite, Command::Create(Box::new(run()), None), START);
    sqlite.exec("UPDATE thread SET value = 'rubbish'", &[]).expect("spoilt");
    assert!(step(&sqlite, Command::Read, START).is_err());
    assert!(done(&sqlite, Command::Tick, START).forget, "and goes");
}

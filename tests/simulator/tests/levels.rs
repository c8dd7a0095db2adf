//! The object that keeps the levels of log messages of a person's sessions at the MCP door, over SQL.

use toolgate_core::mcp::{LevelCommand, LogLevel, level_step, levels_end};
use toolgate_core::sql_port::{Sql as _, SqlValue, StoreError};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::limits::MCP_LEVELS_MAX;
use toolgate_simulator::port::Sqlite;

const NOW: UnixMillis = UnixMillis(1_764_500_000_000);

fn set(sqlite: &Sqlite, session: &str, level: LogLevel, until: UnixMillis, now: UnixMillis) {
    assert_eq!(level_step(sqlite, &LevelCommand::Set(session.to_owned(), level, until), now), Ok(Some(level)));
}

fn read(sqlite: &Sqlite, session: &str) -> Result<Option<LogLevel>, StoreError> {
    level_step(sqlite, &LevelCommand::Read(session.to_owned()), NOW)
}

#[test]
fn each_session_has_the_last_level_that_it_has_set() {
    let sqlite = Sqlite::queue();
    assert_eq!((read(&sqlite, "a"), levels_end(&sqlite)), (Ok(None), Ok(None)));
    let until = NOW.plus_seconds(100);
    for level in [LogLevel::Debug, LogLevel::Warning, LogLevel::Emergency] {
        set(&sqlite, "a", level, until, NOW);
        assert_eq!((read(&sqlite, "a"), read(&sqlite, "b")), (Ok(Some(level)), Ok(None)));
    }
    set(&sqlite, "b", LogLevel::Info, NOW.plus_seconds(50), NOW);
    assert_eq!(levels_end(&sqlite), Ok(Some(until)), "the object is kept for the last one");
    for (at, kept) in [(49, true), (50, false)] {
        let read = level_step(&sqlite, &LevelCommand::Read("b".to_owned()), NOW.plus_seconds(at));
        assert_eq!(read.map(|level| level.is_some()), Ok(kept), "at {at} s");
    }
    set(&sqlite, "c", LogLevel::Info, NOW.plus_seconds(200), NOW.plus_seconds(50));
    assert_eq!((read(&sqlite, "b"), read(&sqlite, "a").map(|level| level.is_some())), (Ok(None), Ok(true)));
    sqlite.exec("UPDATE mcp_level SET level = 'loud'", &[]).expect("storage");
    assert!(matches!(read(&sqlite, "a"), Err(StoreError::Corrupt(_))));
}

#[test]
fn a_person_has_so_many_at_most() {
    let sqlite = Sqlite::queue();
    for n in 0..MCP_LEVELS_MAX + 2 {
        set(&sqlite, &format!("s{n}"), LogLevel::Info, NOW.plus_seconds(1 + n), NOW);
    }
    let rows = sqlite.exec("SELECT count(*) FROM mcp_level", &[]).expect("storage");
    assert_eq!(rows[0][0], SqlValue::from(MCP_LEVELS_MAX));
    assert_eq!((read(&sqlite, "s1"), read(&sqlite, "s2")), (Ok(None), Ok(Some(LogLevel::Info))), "the oldest go");
}

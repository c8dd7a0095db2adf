//! The object of a session at the MCP door over SQL: the level of log messages that it asked for.

use toolgate_core::mcp::{KeptLevel, LevelCommand, LogLevel, kept_level, level_step};
use toolgate_core::sql_port::{Sql as _, StoreError};
use toolgate_core::time::UnixMillis;
use toolgate_simulator::port::Sqlite;

const UNTIL: UnixMillis = UnixMillis(1_764_500_000_000);

#[test]
fn the_last_level_that_was_set_is_kept() {
    let sqlite = Sqlite::queue();
    assert_eq!(level_step(&sqlite, &LevelCommand::Read), Ok(None));
    for level in [LogLevel::Debug, LogLevel::Warning, LogLevel::Emergency] {
        let kept = Ok(Some(KeptLevel { level, until: UNTIL }));
        assert_eq!(level_step(&sqlite, &LevelCommand::Set(level, UNTIL)), kept);
        assert_eq!((level_step(&sqlite, &LevelCommand::Read), kept_level(&sqlite)), (kept.clone(), kept));
    }
    sqlite.exec("UPDATE mcp_level SET level = 'loud'", &[]).expect("storage");
    assert!(matches!(kept_level(&sqlite), Err(StoreError::Corrupt(_))));
}

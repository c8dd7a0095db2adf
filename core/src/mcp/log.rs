//! What the gate knows of a call's life, as log messages: for clients that asked to hear it, at or above the level that
//! they asked for. They hold nothing that the client does not know: its call, its tool, and the event.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::progress::words;

/// How serious a message is (RFC 5424, section 6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// `debug`
    Debug,
    /// `info`
    Info,
    /// `notice`
    Notice,
    /// `warning`
    Warning,
    /// `error`
    Error,
    /// `critical`
    Critical,
    /// `alert`
    Alert,
    /// `emergency`
    Emergency,
}

impl LogLevel {
    /// Is there anything of a call's life that who asked for this level is told?
    pub fn hears(self) -> bool {
        self <= LOUDEST
    }
}

/// The most that an event of a call comes to.
const LOUDEST: LogLevel = LogLevel::Warning;

fn level(event: &str) -> LogLevel {
    match event {
        "lease_lapsed" | "transport_lost" => LOUDEST,
        _ => LogLevel::Info,
    }
}

/// `notifications/message` of an event of a call's life; nothing for who wants to hear of more serious things alone.
pub fn log_message(wanted: LogLevel, call: &str, tool: &str, event: &str) -> Option<String> {
    let level = level(event);
    let data = json!({ "call": call, "tool": tool, "event": event, "message": words(event) });
    let params = json!({ "level": level, "logger": "toolgate", "data": data });
    (wanted <= level)
        .then(|| json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }).to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_message_is_told_from_its_level_on() {
        let told = |wanted, event| log_message(wanted, "call_1", "look", event);
        for (wanted, info, warning) in [
            (LogLevel::Debug, true, true),
            (LogLevel::Info, true, true),
            (LogLevel::Notice, false, true),
            (LogLevel::Warning, false, true),
            (LogLevel::Error, false, false),
            (LogLevel::Emergency, false, false),
        ] {
            assert_eq!(told(wanted, "hand_out").is_some(), info, "{wanted:?}");
            assert_eq!(told(wanted, "lease_lapsed").is_some(), warning, "{wanted:?}");
            assert_eq!(wanted.hears(), warning, "{wanted:?}");
        }
        let message: Value = serde_json::from_str(&told(LogLevel::Debug, "settle").unwrap()).unwrap();
        let params = &message["params"];
        assert_eq!((&params["level"], &params["logger"]), (&json!("info"), &json!("toolgate")));
        assert_eq!((&params["data"]["call"], &params["data"]["event"]), (&json!("call_1"), &json!("settle")));
    }
}

//! A stream that tells how a call gets on, while what keeps the call does not answer: it restarts, or moves. The call goes on
//! all the same, so a client must not hear that it is to repeat it: a write would run twice.

use serde_json::value::RawValue;
use toolgate_protocol::calls::CallView;

use super::input::{cannot_ask, is_question};
use super::results::call_result;
use super::{Answer, Era, answer};
use crate::time::UnixMillis;

/// What a stream does about something that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It looks again.
    Again,
    /// It ends with what was seen last.
    LastSeen,
    /// It ends with the failure: that is an answer.
    Tell,
}

/// What follows a failure with this status. `until`: the call is waited for until then.
pub fn after_failure(status: u16, now: UnixMillis, until: UnixMillis) -> Next {
    match status {
        ..500 => Next::Tell,
        _ if now < until => Next::Again,
        _ => Next::LastSeen,
    }
}

/// The result of a call as it was last seen, where nothing more can be asked about it.
pub fn last_seen(id: &str, view: &CallView, era: Era) -> Answer {
    let result: Option<Box<RawValue>> = if is_question(view) {
        cannot_ask(view, era, "what keeps the call does not answer just now")
    } else {
        call_result(view, era)
    };
    answer(id, &result)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_restart_is_never_told_while_the_call_is_waited_for() {
        let (before, until) = (UnixMillis(999), UnixMillis(1_000));
        for status in [500, 502, 503] {
            assert_eq!(after_failure(status, before, until), Next::Again, "{status}");
            assert_eq!(after_failure(status, until, until), Next::LastSeen, "{status}");
        }
        for status in [200, 400, 401, 404, 429] {
            assert_eq!(after_failure(status, before, until), Next::Tell, "{status}");
            assert_eq!(after_failure(status, until, until), Next::Tell, "{status}");
        }
    }

    #[test]
    fn what_was_last_seen_names_the_call_and_says_nothing_of_a_repeat() {
        let view = |state: &str, more: &str| -> CallView {
            let text = format!(
                r#"{{"call":"call_1","state":"{state}","tool":"t","agent":"a","created_at":"","result":null{more}}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let asks = format!(
            r#","activity":{{"type":"{}","content":{{"inputRequests":{{}}}}}}"#,
            toolgate_protocol::calls::INPUT_REQUIRED
        );
        for (view, status) in [
            (view("running", ""), "running"),
            (view("queued", ""), "queued"),
            (view("succeeded", &asks), "input_required"),
        ] {
            for era in [Era::Modern, Era::Legacy] {
                let told: Value = serde_json::from_str(&last_seen("7", &view, era).body.unwrap()).unwrap();
                let result = &told["result"];
                assert_eq!((&told["id"], &result["isError"]), (&Value::from(7), &Value::Bool(true)), "{told}");
                assert_eq!(result["structuredContent"]["status"], status, "{told}");
                assert_eq!(result["_meta"]["toolgate/call"], "call_1", "{told}");
                assert!(!told.to_string().contains("Idempotency-Key"), "{told}");
            }
        }
    }
}

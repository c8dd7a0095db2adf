//! How a call gets on, for a client that wants to hear of it: each event of the call's life is a step. No total is told,
//! because nobody knows how many there will be: a read may be tried again.

/// What a client is told of again and again while it is asked: it is no event of the call's life.
pub const ASKED: &str = "asked";

/// `notifications/progress`: the call's `step`th event. `token` is JSON text.
pub fn progress(token: &str, step: usize, event: &str) -> String {
    // No number is read: the name is the client's own.
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":{step},\"message\":\"{}\"}}}}",
        words(event)
    )
}

/// An event of a call's timeline, for people.
pub(super) fn words(event: &str) -> &'static str {
    match event {
        "queued" => "The call is accepted and waits for its code.",
        "parked" => "The call is accepted and waits for a person's decision.",
        "approve" => "A person approved the call.",
        "hand_out" => "The call was handed to its code.",
        "accept" => "The code has started.",
        "return" | "postpone" => "The call is back in the queue.",
        "lease_lapsed" | "transport_lost" => "The code did not answer.",
        "settle" => "The code has answered.",
        ASKED => "The tool has asked something, and its answer is waited for.",
        _ => "The call has moved on.",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_step_is_told_under_the_clients_own_name() {
        for token in ["\"a\\\"b\"", "7", "9007199254740993"] {
            let told: Value = serde_json::from_str(&progress(token, 2, "hand_out")).unwrap();
            assert_eq!(told["params"]["progressToken"].to_string(), token);
            assert_eq!((&told["params"]["progress"], &told["method"]), (&json!(2), &json!("notifications/progress")));
        }
    }
}

//! What a run may be asked for.

use serde_json::value::RawValue;
use toolgate_protocol::limits::{
    KEY_PRINCIPAL_BYTES_MAX, MESSAGE_CHARS_MAX, OFFER_BUDGET_TOKENS, OFFER_BUDGET_TOKENS_MAX, ORIGIN_BYTES_MAX,
    ORIGINS_MAX, RUN_TOKEN_SECONDS,
};
use toolgate_protocol::runs::{Door, RunRequest};
use url::Url;

use super::Run;
use crate::chat::model::AgentRecord;
use crate::principal::Principal;
use crate::problem::Problem;
use crate::time::UnixMillis;

/// The run that a request asks for, before its first turn.
///
/// # Errors
/// A refusal that names the member.
pub fn new_run(
    request: &RunRequest,
    agent: &AgentRecord,
    principal: &Principal,
    now: UnixMillis,
) -> Result<Run, Problem> {
    if principal.text.len() > KEY_PRINCIPAL_BYTES_MAX {
        return Err(Problem::too_large("principal of a run", principal.text.len(), KEY_PRINCIPAL_BYTES_MAX));
    }
    check_message(request.message.as_deref().unwrap_or_default())?;
    let budget_tokens = request.budget_tokens.or(agent.offer_budget_tokens).unwrap_or(OFFER_BUDGET_TOKENS);
    if !(1..=OFFER_BUDGET_TOKENS_MAX).contains(&budget_tokens) {
        return Err(Problem::invalid(
            "budget_tokens",
            format!("is {budget_tokens}; it needs 1 to {OFFER_BUDGET_TOKENS_MAX} tokens."),
        ));
    }
    let mut doors = request.doors.clone().unwrap_or_else(|| vec![Door::Rest]);
    doors.sort_unstable();
    doors.dedup();
    if doors.is_empty() {
        return Err(Problem::invalid("doors", "names no door; leave it out for rest alone."));
    }
    let origins = request.origins.clone().unwrap_or_default();
    check_origins(&origins)?;
    let text =
        RawValue::from_string(principal.text.clone()).map_err(|_| Problem::invalid("principal", "is no JSON."))?;
    Ok(Run {
        agent: request.agent.clone(),
        principal: text,
        profile: request.profile.unwrap_or_default(),
        budget_tokens,
        doors,
        origins,
        created_at: now,
        turned_at: now,
        turns: 0,
        text: String::new(),
        offered: Vec::new(),
    })
}

/// When a run token ends: in an hour, and never after the key that it is made with.
pub fn token_end(parent: Option<UnixMillis>, now: UnixMillis) -> UnixMillis {
    let end = now.plus_seconds(RUN_TOKEN_SECONDS);
    parent.map_or(end, |parent| parent.min(end))
}

/// Refuses a turn's text that is too long.
///
/// # Errors
/// A refusal with both numbers.
pub fn check_message(text: &str) -> Result<(), Problem> {
    let characters = text.chars().count();
    if characters > MESSAGE_CHARS_MAX {
        return Err(Problem::invalid(
            "message",
            format!("has {characters} characters; the limit is {MESSAGE_CHARS_MAX}."),
        ));
    }
    Ok(())
}

/// Web origins as browsers send them (RFC 6454, section 6.2), so that comparing texts is comparing origins.
fn check_origins(origins: &[String]) -> Result<(), Problem> {
    if origins.len() > ORIGINS_MAX {
        return Err(Problem::invalid("origins", format!("has {} entries; the limit is {ORIGINS_MAX}.", origins.len())));
    }
    for (index, origin) in origins.iter().enumerate() {
        let written = Url::parse(origin).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if origin.len() > ORIGIN_BYTES_MAX || written.is_none_or(|url| url.origin().ascii_serialization() != *origin) {
            let what =
                "is no web origin as a browser writes it, such as https://app.example.com or http://localhost:3000.";
            return Err(Problem::invalid(&format!("origins[{index}]"), what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_token_never_outlives_its_parent() {
        let now = UnixMillis(5_000);
        let hour = now.plus_seconds(3_600);
        for (parent, end) in
            [(None, hour), (Some(hour.plus_seconds(1)), hour), (Some(now.plus_seconds(7)), now.plus_seconds(7))]
        {
            assert_eq!(token_end(parent, now), end);
        }
    }

    #[test]
    fn requests_are_checked() {
        let agent: AgentRecord =
            serde_json::from_value(json!({ "capabilities": [], "offer_budget_tokens": 900 })).unwrap();
        let principal = Principal::parse(r#"{"id":"u","tenant_id":"t","permissions":[]}"#).unwrap();
        let ask = |members: serde_json::Value| {
            let mut body = json!({ "agent": "a", "principal": { "id": "u", "tenant_id": "t" } });
            body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            let request: RunRequest = serde_json::from_value(body).unwrap();
            new_run(&request, &agent, &principal, UnixMillis(7))
        };
        let plain = ask(json!({})).unwrap();
        assert_eq!((plain.budget_tokens, plain.doors, plain.turns), (900, vec![Door::Rest], 0));
        assert_eq!(
            ask(json!({ "budget_tokens": 5, "origins": ["https://app.example.com", "http://localhost:3000"] }))
                .unwrap()
                .budget_tokens,
            5
        );
        for (members, field) in [
            (json!({ "budget_tokens": 0 }), "budget_tokens"),
            (json!({ "budget_tokens": 200_001 }), "budget_tokens"),
            (json!({ "doors": [] }), "doors"),
            (json!({ "message": "x".repeat(32_001) }), "message"),
            (json!({ "origins": ["https://app.example.com/"] }), "origins[0]"),
            (json!({ "origins": ["https://a.example", "HTTPS://app.example.com"] }), "origins[1]"),
            (json!({ "origins": ["*"] }), "origins[0]"),
            (json!({ "origins": ["null"] }), "origins[0]"),
            (json!({ "origins": ["https://app.example.com:443"] }), "origins[0]"),
            (json!({ "origins": vec!["https://a.example"; 21] }), "origins"),
        ] {
            assert_eq!(ask(members.clone()).unwrap_err().members["field"], field, "{members}");
        }
    }
}

//! Telling what calls came to, in a sentence each.

use super::super::fault::words_of;
use super::Done;
use super::words::parts;
use crate::json::{Json, parse};

/// Longest piece of a result that is repeated.
const SHOWN_CHARS: usize = 300;

/// What became of all calls of a turn.
pub fn report(done: &[Done<'_>]) -> String {
    done.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// Whether a result tells of a failure.
pub fn failed(content: &str) -> bool {
    parse(content).is_ok_and(|json| json.get("error").is_some_and(|error| *error != Json::Null))
}

/// What a person decided, where the result is a decision.
pub fn decision(content: &str) -> Option<bool> {
    let json = parse(content).ok()?;
    match json.get("decision")?.as_str()? {
        "approved" => Some(true),
        "rejected" => Some(false),
        _ => None,
    }
}

fn one(done: &Done<'_>) -> String {
    let name = done.name;
    let Ok(json) = parse(done.content) else {
        // The gateway's own words, such as those for a call that waits for a decision.
        return format!("{name}: {}", shortened(done.content));
    };
    if failed(done.content) {
        let words = words_of(&json).unwrap_or_else(|| json.canonical());
        return format!("{name} failed: {}", shortened(&words));
    }
    match decision(done.content) {
        Some(true) => return "You approved it.".to_owned(),
        Some(false) => return "You rejected it, so nothing was done.".to_owned(),
        None => {}
    }
    if let (Some(Json::Number(latitude)), Some(Json::Number(longitude))) = (json.get("latitude"), json.get("longitude"))
    {
        return format!("You are at latitude {latitude}, longitude {longitude}.");
    }
    match &json {
        Json::Text(_) => format!("{name} answered: {}", shortened(json.as_str().unwrap_or_default())),
        Json::Map(members)
            if !members.is_empty() && members.len() <= 8 && members.iter().all(|(_, value)| is_plain(value)) =>
        {
            let told = members
                .iter()
                .map(|(key, value)| format!("{} {}", parts(&String::from_utf8_lossy(key)).join(" "), plain(value)));
            format!("{name} answered: {}.", shortened(&told.collect::<Vec<_>>().join(", ")))
        }
        _ => format!("{name} answered: {}", shortened(&json.canonical())),
    }
}

fn is_plain(value: &Json) -> bool {
    !matches!(value, Json::List(_) | Json::Map(_))
}

/// A plain value as people write it.
pub fn plain(value: &Json) -> String {
    match value {
        Json::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Json::Null => "–".to_owned(),
        other => other.canonical(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

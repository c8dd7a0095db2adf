//! Which tool a text asks for. Server tools have the score of the offer; tools of the browser have none, so the words of
//! their names decide.

use std::cmp::Reverse;

use super::super::OfferedTool;
use super::words::{parts, says, stem, tokens};

/// The shipped tools, which have a skill of their own.
pub const SCHEMA: &str = "get_database_schema";
pub const QUERY: &str = "execute_query";
pub const CHART: &str = "create_chart";
pub const MAP: &str = "create_map";
const SHIPPED: [&str; 4] = [SCHEMA, QUERY, CHART, MAP];

/// Tools of the browser that every chat page may have.
const LOCATION: &str = "get_current_location";
const APPROVAL: &str = "request_user_approval";
const LOCATION_PHRASES: [&str; 8] = [
    "where am i",
    "my location",
    "current location",
    "my position",
    "my coordinates",
    "where i am",
    "my current location",
    "around here",
];
const APPROVAL_PHRASES: [&str; 9] = [
    "ask me",
    "my approval",
    "my permission",
    "my consent",
    "ask for approval",
    "approval from me",
    "confirm with me",
    "check with me",
    "let me approve",
];
/// Parts of names that half of all tools have.
const GENERIC: [&str; 16] = [
    "get", "set", "current", "user", "request", "my", "the", "to", "a", "show", "open", "create", "list", "find",
    "run", "of",
];

/// Whether the text asks to be asked first, and there is a tool for it.
pub fn approval<'a>(tools: &'a [OfferedTool], text: &str) -> Option<&'a OfferedTool> {
    tools.iter().find(|tool| tool.client && tool.name == APPROVAL && says(text, &APPROVAL_PHRASES))
}

/// A tool of the browser that the text names.
pub fn browser<'a>(tools: &'a [OfferedTool], text: &str) -> Option<&'a OfferedTool> {
    let said: Vec<String> = tokens(text).iter().map(|token| stem(token.text)).collect();
    tools.iter().filter(|tool| tool.client && tool.name != APPROVAL).find(|tool| {
        if tool.name == LOCATION {
            return says(text, &LOCATION_PHRASES);
        }
        let telling: Vec<String> =
            parts(&tool.name).into_iter().filter(|part| !GENERIC.contains(&part.as_str())).collect();
        !telling.is_empty() && telling.iter().all(|part| said.contains(part))
    })
}

/// The tool that the text speaks for most, of equals the first: an offer keeps the order of the turns before.
fn best<'a>(tools: impl Iterator<Item = &'a OfferedTool>) -> Option<&'a OfferedTool> {
    tools.filter(|tool| !tool.client && tool.score > 0).min_by_key(|tool| Reverse(tool.score))
}

/// The server tool that fits best: by its score where the offer saw a reason, else by the words of its name.
pub fn server<'a>(tools: &'a [OfferedTool], text: &str) -> Option<&'a OfferedTool> {
    let mut own = tools.iter().filter(|tool| !tool.client && !SHIPPED.contains(&tool.name.as_str()));
    let best = best(own.clone());
    let said: Vec<String> = tokens(text).iter().map(|token| stem(token.text)).collect();
    best.or_else(|| {
        own.find(|tool| parts(&tool.name).iter().any(|part| !GENERIC.contains(&part.as_str()) && said.contains(part)))
    })
}

/// Whether a data set can be asked, and nothing fits the text better.
pub fn is_about_data(tools: &[OfferedTool], text: &str) -> bool {
    let of = |name: &str| tools.iter().find(|tool| !tool.client && tool.name == name);
    if of(SCHEMA).is_none() || of(QUERY).is_none() {
        return false;
    }
    match best(tools.iter()) {
        Some(tool) => SHIPPED.contains(&tool.name.as_str()),
        None => server(tools, text).is_none() && says(text, &DATA_PHRASES),
    }
}

/// What a question about data says, where the offer saw nothing in it.
const DATA_PHRASES: [&str; 22] = [
    "how many", "count", "average", "total", "sum", "chart", "plot", "graph", "map", "table", "tables", "data",
    "which", "list", "show", "latest", "newest", "most", "highest", "per", "by", "rows",
];

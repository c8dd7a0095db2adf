//! The demo model: no network and no model, and it says so. It picks the tool that fits a text best, fills its fields from
//! the text, and tells what came of it, so that everything around a model can be seen working.
//!
//! Promises: the same conversation gives the same turn; a field is filled from what was said or asked for, never made
//! up; each of its skills ends after a fixed number of steps, so it never goes round; all of its text is labelled.

mod data;
mod fill;
mod pick;
mod report;
#[cfg(test)]
mod tests;
mod words;

use super::calls::call_id;
use super::{Called, Delta, Message, OfferedTool, Prompt};
use crate::json::Json;

/// What people call it, and what its text begins with.
pub const LABEL: &str = "Demo model";

/// Of a text this much is read.
const READ_CHARS_MAX: usize = 4_000;
/// Most calls between two texts of a person.
const STEPS_MAX: usize = 4;
/// Characters of arguments in a piece.
const ARGUMENTS_PIECE_CHARS: usize = 24;
/// Words of text in a piece.
const TEXT_PIECE_WORDS: usize = 3;
/// How a request for missing fields begins, behind the label; it tells the next turn what its text belongs to.
const MISSING: &str = "To call ";

/// A call that was made since the person last said something, and what came of it.
#[derive(Clone, Copy, Debug)]
struct Done<'a> {
    name: &'a str,
    content: &'a str,
}

/// What the next turn is.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Say(String),
    Call { name: String, arguments: String },
}

/// A turn.
pub fn turn(prompt: &Prompt, entropy: [u8; 16]) -> Vec<Delta> {
    let mut deltas = Vec::new();
    match answer(prompt) {
        Answer::Say(text) => say(&mut deltas, &text),
        Answer::Call { name, arguments } => {
            say(&mut deltas, &format!("I call {name}."));
            let id = call_id(&entropy, 0);
            deltas.push(Delta::CallStarted { id: id.clone(), name });
            let letters: Vec<char> = arguments.chars().collect();
            let pieces = letters.chunks(ARGUMENTS_PIECE_CHARS).map(|piece| piece.iter().collect());
            deltas.extend(pieces.map(|text| Delta::CallArguments { id: id.clone(), text }));
            deltas.push(Delta::CallEnded { id });
        }
    }
    deltas.push(Delta::Finished);
    deltas
}

fn say(deltas: &mut Vec<Delta>, text: &str) {
    let text = format!("{LABEL}: {text}");
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    deltas.extend(words.chunks(TEXT_PIECE_WORDS).map(|words| Delta::Text(words.concat())));
}

fn answer(prompt: &Prompt) -> Answer {
    let Some(last) = prompt.messages.iter().rposition(|message| matches!(message, Message::User { .. })) else {
        return Answer::Say("Ask me something.".to_owned());
    };
    let Some(Message::User { text: said }) = prompt.messages.get(last) else { return Answer::Say(String::new()) };
    let since = prompt.messages.get(last.saturating_add(1)..).unwrap_or_default();
    let done = done(since);
    if done.len() >= STEPS_MAX {
        return Answer::Say(report::report(&done));
    }
    let (asked, tool) = continued(prompt, last).unwrap_or_else(|| (said.clone(), None));
    let asked: String = asked.chars().take(READ_CHARS_MAX).collect();
    if tool.is_none() && is_data(prompt, &asked, &done) {
        return data::answer(prompt, &asked, &done);
    }
    if done.is_empty() {
        return first(prompt, &asked, tool);
    }
    // Who asked to be asked and said yes: now the thing itself, once.
    let approved = done.len() == 1 && done.first().and_then(|done| report::decision(done.content)) == Some(true);
    let next = pick::server(&prompt.tools, &asked).filter(|_| approved);
    next.map_or_else(|| Answer::Say(report::report(&done)), |tool| fill_in(tool, &asked))
}

/// Whether the steps are those of a question about data: such a question, or one that began as one.
fn is_data(prompt: &Prompt, asked: &str, done: &[Done<'_>]) -> bool {
    let is_other = |done: &Done<'_>| ![pick::SCHEMA, pick::QUERY, pick::CHART, pick::MAP].contains(&done.name);
    let begins = pick::approval(&prompt.tools, asked).is_none() && pick::browser(&prompt.tools, asked).is_none();
    begins && !done.iter().any(is_other) && (!done.is_empty() || pick::is_about_data(&prompt.tools, asked))
}

/// The calls of these messages with their results, in order.
fn done(messages: &[Message]) -> Vec<Done<'_>> {
    let result = |id: &str| {
        messages.iter().find_map(|message| match message {
            Message::Tool { call, content, .. } if call == id => Some(content.as_str()),
            _ => None,
        })
    };
    let calls = messages.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    let done = |call| {
        let Called { id, name, .. }: &Called = call;
        Some(Done { name, content: result(id)? })
    };
    calls.flatten().filter_map(done).collect()
}

fn first(prompt: &Prompt, asked: &str, tool: Option<&OfferedTool>) -> Answer {
    if let Some(tool) = pick::approval(&prompt.tools, asked) {
        return fill_in(tool, asked);
    }
    let chosen = tool.or_else(|| pick::browser(&prompt.tools, asked)).or_else(|| pick::server(&prompt.tools, asked));
    match chosen {
        Some(tool) => fill_in(tool, asked),
        None => Answer::Say(nothing_fits(&prompt.tools)),
    }
}

fn fill_in(tool: &OfferedTool, asked: &str) -> Answer {
    match fill::fill(&fill::fields(tool.definition.get()), asked) {
        Ok(arguments) => Answer::Call { name: tool.name.clone(), arguments: arguments.canonical() },
        Err(missing) => {
            let asked: Vec<String> = missing.iter().map(fill::Field::asked).collect();
            Answer::Say(format!("{MISSING}{} I still need {}.", tool.name, asked.join("; ")))
        }
    }
}

/// When the last answer asked for missing fields, what is said now goes on with what was said before.
fn continued(prompt: &Prompt, last: usize) -> Option<(String, Option<&OfferedTool>)> {
    let before = prompt.messages.get(..last)?;
    let (Message::Assistant { text, calls, .. }, earlier) = before.split_last()? else { return None };
    let name = text.strip_prefix(LABEL)?.strip_prefix(": ")?.strip_prefix(MISSING)?.split(' ').next()?;
    let tool = prompt.tools.iter().find(|tool| tool.name == name).filter(|_| calls.is_empty())?;
    let Some(Message::User { text: now }) = prompt.messages.get(last) else { return None };
    // Another wish is another wish.
    if pick::server(&prompt.tools, now).is_some_and(|other| other.score > 0 && other.name != name) {
        return None;
    }
    let earlier = match earlier.last()? {
        Message::User { text } => text,
        _ => return None,
    };
    Some((format!("{earlier} {now}"), Some(tool)))
}

fn nothing_fits(tools: &[OfferedTool]) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() {
        return "I am no real model, and no tools are offered here, so there is nothing that I can do.".to_owned();
    }
    format!(
        "I am no real model: I pick a tool by the words of a text, and none fits this one. There are {}.",
        names.join(", ")
    )
}

/// An object of JSON.
fn object(members: impl IntoIterator<Item = (String, Json)>) -> Json {
    let mut members: Vec<(Vec<u8>, Json)> =
        members.into_iter().map(|(name, value)| (name.into_bytes(), value)).collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    Json::Map(members)
}

fn list(items: impl IntoIterator<Item = Json>) -> Json {
    Json::List(items.into_iter().collect())
}

fn text(text: &str) -> Json {
    Json::Text(text.as_bytes().to_vec())
}

//! As much of a conversation as one turn of a model may be sent.
//!
//! Whole turns go, the oldest first: a turn is what the person said with all that came of it. Of the last one its oldest
//! steps go, where it is too long by itself; a step is a message of the model with the results of its calls, so no call
//! is ever without its result. What the person said last and the last step stay; results of that step are cut where
//! they do not fit. The same conversation is trimmed the same way, whoever asks.

use super::{Called, Message, OfferedTool, Prompt};

/// What a message takes beside its texts.
const MESSAGE_BYTES: usize = 64;
/// What a call takes beside its texts.
const CALL_BYTES: usize = 80;
/// Of a result of the last step so much is sent at least.
const RESULT_BYTES_MIN: usize = 1_024;
/// Stands behind a result that was cut.
const CUT: &str = "\n[Cut here: the conversation is too long for all of this result.]";
/// Told to the model when something was left out.
const NOTE: &str = "The beginning of this conversation is too long to be shown here; older messages were left out. \
                    Do not guess what they said: ask the user, or look again.";

impl Prompt {
    /// The prompt of a turn, its system text and messages within so many bytes of JSON. The system text, what the person
    /// said last, and the calls just made may be larger by themselves: those have limits of their own.
    pub fn fitted(system: &str, messages: Vec<Message>, tools: Vec<OfferedTool>, bytes_max: usize) -> Prompt {
        let told = MESSAGE_BYTES.saturating_add(written(system));
        let all = messages.iter().map(size).fold(told, usize::saturating_add);
        if all <= bytes_max {
            return Prompt { system: system.to_owned(), messages, tools };
        }
        let note = written(NOTE).saturating_add(4);
        let room = bytes_max.saturating_sub(told).saturating_sub(note);
        let before = messages.len();
        let messages = trimmed(steps(messages), room);
        let is_shorter = messages.len() < before;
        let parts = [Some(system), is_shorter.then_some(NOTE)];
        let system: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.trim().is_empty()).collect();
        Prompt { system: system.join("\n\n"), messages, tools }
    }
}

/// A message of the person, or one of the model with the results of its calls.
struct Step {
    messages: Vec<Message>,
    bytes: usize,
    is_user: bool,
}

fn steps(messages: Vec<Message>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for message in messages {
        let bytes = size(&message);
        match (&message, steps.last_mut()) {
            (Message::Tool { .. }, Some(step)) if !step.is_user => {
                step.bytes = step.bytes.saturating_add(bytes);
                step.messages.push(message);
            }
            _ => {
                let is_user = matches!(message, Message::User { .. });
                steps.push(Step { messages: vec![message], bytes, is_user });
            }
        }
    }
    steps
}

fn trimmed(mut steps: Vec<Step>, room: usize) -> Vec<Message> {
    let Some(said) = steps.iter().rposition(|step| step.is_user) else { return flat(steps) };
    let mut after = steps.split_off(said);
    let mut kept_after: Vec<Step> = Vec::new();
    let mut left = after.first().map_or(room, |said| room.saturating_sub(said.bytes));
    if after.len() > 1
        && let Some(mut last) = after.pop()
    {
        if last.bytes > left {
            cut_results(&mut last, left);
        }
        left = left.saturating_sub(last.bytes);
        kept_after.push(last);
    }
    let mut is_whole = true;
    while after.len() > 1 {
        let Some(step) = after.pop().filter(|step| is_whole && step.bytes <= left) else {
            is_whole = false;
            continue;
        };
        left = left.saturating_sub(step.bytes);
        kept_after.push(step);
    }
    let mut kept = if is_whole { newest_turns(steps, left) } else { Vec::new() };
    kept.append(&mut after);
    kept.extend(kept_after.into_iter().rev());
    flat(kept)
}

/// The newest whole turns that fit, in order.
fn newest_turns(mut steps: Vec<Step>, mut left: usize) -> Vec<Step> {
    let mut turns: Vec<Vec<Step>> = Vec::new();
    while let Some(begins) = steps.iter().rposition(|step| step.is_user) {
        let turn = steps.split_off(begins);
        let bytes = turn.iter().fold(0, |sum: usize, step| sum.saturating_add(step.bytes));
        if bytes > left {
            break;
        }
        left = left.saturating_sub(bytes);
        turns.push(turn);
    }
    turns.into_iter().rev().flatten().collect()
}

fn flat(steps: Vec<Step>) -> Vec<Message> {
    steps.into_iter().flat_map(|step| step.messages).collect()
}

/// Cuts the largest results until the step fits, none below [`RESULT_BYTES_MIN`].
fn cut_results(step: &mut Step, room: usize) {
    let content = |message: &Message| match message {
        Message::Tool { content, .. } => Some(written(content)),
        _ => None,
    };
    let mut sizes: Vec<usize> = step.messages.iter().filter_map(content).collect();
    let fixed = sizes.iter().fold(step.bytes, |rest, size| rest.saturating_sub(*size));
    let mut left = room.saturating_sub(fixed);
    sizes.sort_unstable();
    let mut most = usize::MAX;
    for (at, size) in sizes.iter().enumerate() {
        let share = left.checked_div(sizes.len().saturating_sub(at)).unwrap_or_default();
        if *size > share {
            most = share;
            break;
        }
        left = left.saturating_sub(*size);
    }
    let most = most.max(RESULT_BYTES_MIN);
    for message in &mut step.messages {
        if let Message::Tool { content, .. } = message
            && written(content) > most
        {
            *content = cut(content, most);
        }
    }
    step.bytes = step.messages.iter().map(size).fold(0, usize::saturating_add);
}

fn cut(text: &str, bytes_max: usize) -> String {
    let room = bytes_max.saturating_sub(written(CUT));
    let mut bytes = 0_usize;
    let fits = |letter: &char| {
        bytes = bytes.saturating_add(width(*letter));
        bytes <= room
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{kept}{CUT}")
}

fn size(message: &Message) -> usize {
    let texts = match message {
        Message::User { text } => written(text),
        Message::Assistant { text, reasoning, calls } => {
            let said = written(text).saturating_add(reasoning.as_deref().map_or(0, written));
            calls.iter().map(call_size).fold(said, usize::saturating_add)
        }
        Message::Tool { call, content, .. } => written(call).saturating_add(written(content)),
    };
    texts.saturating_add(MESSAGE_BYTES)
}

fn call_size(Called { id, name, arguments, extra }: &Called) -> usize {
    let bytes = CALL_BYTES.saturating_add(extra.as_ref().map_or(0, String::len));
    [id, name, arguments].into_iter().map(|text| written(text)).fold(bytes, usize::saturating_add)
}

/// What a text takes as JSON.
fn written(text: &str) -> usize {
    text.chars().map(width).fold(0, usize::saturating_add)
}

fn width(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        letter => letter.len_utf8(),
    }
}

//! A transcript as a model is given it, and as a client is.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{CallItem, Item, Parked, Standing, Transcript};
use crate::chat::events::{Author, Interrupt, InterruptMetadata};
use crate::chat::model::{Called, Message};
use crate::json::{self, Json};

impl Transcript {
    /// The conversation for a model. Whatever happened, it is one that every provider takes: users and assistants take
    /// turns, and behind an assistant's calls stands one result for each, in their order. What an endpoint wants back goes
    /// to the model that it came from alone: others refuse members that they do not know.
    pub fn prompt(&self, model: &str) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        let mut results: Vec<Message> = Vec::new();
        let (mut thoughts, mut is_own) = ("", false);
        for item in &self.items {
            match item {
                Item::User { text, .. } => {
                    messages.append(&mut results);
                    match messages.last_mut() {
                        Some(Message::User { text: said }) => *said = format!("{said}\n\n{text}"),
                        _ => messages.push(Message::User { text: text.clone() }),
                    }
                }
                Item::Assistant { text, author, returns, .. } => {
                    messages.append(&mut results);
                    is_own = author.model == model;
                    let back = (*returns && is_own).then(|| thoughts.to_owned());
                    match messages.last_mut() {
                        // A turn that broke off, and the next one.
                        Some(Message::Assistant { text: said, reasoning, .. }) => {
                            if !text.is_empty() {
                                *said = format!("{said}\n\n{text}");
                            }
                            *reasoning = back.or(reasoning.take());
                        }
                        _ => {
                            let (text, calls) = (text.clone(), Vec::new());
                            messages.push(Message::Assistant { text, reasoning: back, calls });
                        }
                    }
                }
                Item::Call(call) => {
                    if let Some(Message::Assistant { calls, .. }) = messages.last_mut() {
                        calls.push(called(call, is_own));
                        results.push(Message::Tool {
                            call: call.id.clone(),
                            name: call.name.clone(),
                            content: told(&call.standing),
                        });
                    }
                }
                Item::Reasoning { .. } | Item::Activity { .. } => {}
            }
            thoughts = if let Item::Reasoning { text, .. } = item { text } else { "" };
        }
        messages.append(&mut results);
        // What broke off is asked for anew: not every provider goes on with a beginning of the answer.
        if matches!(messages.last(), Some(Message::Assistant { calls, .. }) if calls.is_empty()) {
            messages.pop();
        }
        forget_idle_thoughts(&mut messages);
        messages
    }

    /// The messages for a client, in order, results directly behind their calls.
    pub fn messages(&self) -> Vec<Box<RawValue>> {
        let (mut shown, mut results): (Vec<Shown<'_>>, Vec<Shown<'_>>) = (Vec::new(), Vec::new());
        for item in &self.items {
            if !matches!(item, Item::Call(_)) {
                shown.append(&mut results);
            }
            match item {
                Item::User { id, text } => shown.push(Shown::User { id, content: text }),
                Item::Reasoning { id, text } => shown.push(Shown::Reasoning { id, content: text }),
                Item::Assistant { id, text, author, .. } => shown.push(Shown::Assistant {
                    id,
                    content: (!text.is_empty()).then_some(text),
                    tool_calls: Vec::new(),
                    metadata: author,
                }),
                Item::Activity { id, kind, content } => {
                    let Ok(content) = serde_json::from_str(content) else { continue };
                    shown.push(Shown::Activity { id, activity_type: kind, content });
                }
                Item::Call(call) => {
                    if let Some(Shown::Assistant { tool_calls, .. }) = shown.last_mut() {
                        tool_calls.push(ShownCall {
                            id: &call.id,
                            kind: "function",
                            function: ShownFunction { name: &call.name, arguments: &call.arguments },
                        });
                    }
                    if let Standing::Answered { message, content } = &call.standing {
                        results.push(Shown::Tool { id: message, tool_call_id: &call.id, content });
                    }
                }
            }
        }
        shown.append(&mut results);
        shown.iter().filter_map(|message| to_raw_value(message).ok()).collect()
    }
}

/// Thoughts go back where tools were called between what the person said and what they said next. Elsewhere no endpoint
/// asks for them.
fn forget_idle_thoughts(messages: &mut [Message]) {
    for turn in messages.chunk_by_mut(|_, next| !matches!(next, Message::User { .. })) {
        if turn.iter().any(|message| matches!(message, Message::Tool { .. })) {
            continue;
        }
        for message in turn {
            if let Message::Assistant { reasoning, .. } = message {
                *reasoning = None;
            }
        }
    }
}

/// A message as AG-UI writes it.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Shown<'a> {
    User {
        id: &'a str,
        content: &'a str,
    },
    Reasoning {
        id: &'a str,
        content: &'a str,
    },
    Assistant {
        id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<&'a String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ShownCall<'a>>,
        metadata: &'a Author,
    },
    Tool {
        id: &'a str,
        tool_call_id: &'a str,
        content: &'a str,
    },
    Activity {
        id: &'a str,
        activity_type: &'a str,
        content: &'a RawValue,
    },
}

#[derive(Serialize)]
struct ShownCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: ShownFunction<'a>,
}

#[derive(Serialize)]
struct ShownFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// A call as a provider takes it: arguments that are no JSON object would make it refuse the whole conversation.
fn called(call: &CallItem, is_own: bool) -> Called {
    let object = matches!(json::parse(&call.arguments), Ok(Json::Map(_)));
    let arguments = if object { call.arguments.clone() } else { "{}".to_owned() };
    let extra = call.extra.as_deref().filter(|_| is_own).map(str::to_owned);
    Called { id: call.id.clone(), name: call.name.clone(), arguments, extra }
}

/// What a model is shown in place of a result.
fn told(standing: &Standing) -> String {
    match standing {
        Standing::Answered { content, .. } => content.clone(),
        Standing::Parked(parked) => parked.told.clone(),
        Standing::Open { .. } => "This call is under way and has no result yet. Do not ask for it again.".to_owned(),
        Standing::Client => r#"{"error":"the user's browser has not answered"}"#.to_owned(),
    }
}

/// A parked call as an interrupt.
pub fn interrupt(call: &CallItem, parked: &Parked) -> Interrupt {
    Interrupt {
        id: parked.approval.clone(),
        reason: "tool_call",
        tool_call_id: call.id.clone(),
        message: format!("{} waits for a person's decision.", call.name),
        expires_at: parked.expires_at.clone(),
        metadata: InterruptMetadata {
            call: parked.call.clone(),
            approval: parked.approval.clone(),
            approval_url: parked.url.clone(),
            side_effect: "consequential",
            args_digest: parked.digest.clone(),
            tool: call.name.clone(),
        },
    }
}

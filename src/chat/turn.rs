//! One turn of the model: what it says is said on, piece by piece, and kept when it is whole.

use std::collections::BTreeMap;
use std::rc::Rc;

use toolgate_core::chat::events::{Author, Event, TokenUsage};
use toolgate_core::chat::model::{Delta, ModelError, Prompt, Usage};
use toolgate_core::chat::transcript::{BEYOND_ROUNDS, CallItem, Said, Side};
use toolgate_core::hash::hex;
use toolgate_core::names;
use toolgate_durable::now;
use toolgate_protocol::limits::{CHAT_CALLS_MAX, CHAT_PROMPT_BYTES_MAX, CHAT_RENEW_SECONDS, CHAT_ROUNDS_MAX};

use super::offer::Told;
use super::run::{Fault, Run};
use crate::http::internal;

/// Of a call whose turn broke off.
const BROKE_OFF: &str = "the model's answer broke off; this call was not made";

/// A turn as far as it has come.
struct Turn {
    message: String,
    reasoning: String,
    author: Author,
    text: String,
    thoughts: String,
    /// What was thought goes back to the model.
    returns: bool,
    calls: Vec<Heard>,
    /// Ids of calls as the model said them, by place.
    ids: BTreeMap<String, usize>,
    open: Open,
}

/// A call as far as it was heard.
struct Heard {
    id: String,
    name: String,
    arguments: String,
    /// JSON that the model wants back with it.
    extra: Option<String>,
}

/// What is open in the stream.
#[derive(Default)]
struct Open {
    text: bool,
    reasoning: bool,
    calls: Vec<String>,
}

impl Run {
    /// The model answers once; its calls are in the thread afterwards, and not yet made.
    pub(super) async fn take_turn(&mut self, told: &Told) -> Result<(), Fault> {
        let prompt = Prompt::fitted(
            &told.system,
            self.transcript.prompt(self.model.label()),
            told.tools.clone(),
            CHAT_PROMPT_BYTES_MAX,
        );
        let author = Author { model: self.model.label().to_owned(), demo: self.model.is_demo() };
        let mut turn = Turn {
            message: fresh("msg")?,
            reasoning: fresh("rsn")?,
            author,
            text: String::new(),
            thoughts: String::new(),
            returns: false,
            calls: Vec::new(),
            ids: BTreeMap::new(),
            open: Open::default(),
        };
        let ended = self.listen(&prompt, &mut turn).await;
        self.close(&mut turn);
        let ended = match ended {
            Ok(()) if turn.calls.is_empty() && turn.text.trim().is_empty() => Err(Fault::Model(ModelError::nothing())),
            ended => ended,
        };
        if !turn.thoughts.is_empty() {
            self.transcript.reasoned(turn.reasoning.clone(), std::mem::take(&mut turn.thoughts));
        }
        let calls: Vec<CallItem> = turn.calls.iter().enumerate().map(|(at, call)| self.call_item(at, call)).collect();
        let (text, returns) = (turn.text, turn.returns);
        let said = |calls| Said { id: turn.message, text, author: turn.author, calls, returns };
        match ended {
            Ok(()) => self.transcript.answered(said(calls)),
            Err(_) => {
                let calls = calls.into_iter().map(|call| call.refused(BROKE_OFF)).collect();
                self.transcript.broke_off(said(calls));
            }
        }
        // In the thread before any of them is made.
        self.keep().await?;
        for call in &turn.calls {
            self.say_end(&call.id);
        }
        ended
    }

    async fn listen(&mut self, prompt: &Prompt, turn: &mut Turn) -> Result<(), Fault> {
        let (model, edge) = (Rc::clone(&self.model), Rc::clone(&self.edge));
        let opened = self.hold(model.open(&edge.env, prompt)).await?;
        let mut stream = opened.map_err(Fault::Model)?;
        let mut renew = now();
        loop {
            let delta = match self.hold(stream.next()).await? {
                Some(Ok(Delta::Finished)) => return Ok(()),
                Some(Ok(delta)) => delta,
                Some(Err(error)) => return Err(Fault::Model(error)),
                None => return Err(Fault::Model(cut("The model's answer broke off."))),
            };
            if self.sink.is_gone() {
                return Err(Fault::Left);
            }
            self.hear(turn, delta)?;
            if renew.plus_seconds(CHAT_RENEW_SECONDS) <= now() {
                renew = now();
                self.keep().await?;
            }
        }
    }

    fn hear(&mut self, turn: &mut Turn, delta: Delta) -> Result<(), Fault> {
        match delta {
            Delta::Text(text) if text.is_empty() => {}
            Delta::Text(text) => self.hear_text(turn, text),
            Delta::Reasoning(text) if text.is_empty() => {}
            Delta::Reasoning(text) => self.hear_reasoning(turn, text),
            Delta::ReasoningReturns => turn.returns = true,
            Delta::CallStarted { id, name } => self.hear_call(turn, id, name)?,
            Delta::CallArguments { id, text } => {
                if let Some(call) = turn.ids.get(&id).and_then(|at| turn.calls.get_mut(*at)) {
                    call.arguments.push_str(&text);
                    self.sink.say(&Event::ToolCallArgs { tool_call_id: call.id.clone(), delta: text });
                }
            }
            Delta::CallExtra { id, extra } => {
                if let Some(call) = turn.ids.get(&id).and_then(|at| turn.calls.get_mut(*at)) {
                    call.extra = Some(extra);
                }
            }
            Delta::CallEnded { id } => {
                if let Some(call) = turn.ids.get(&id).and_then(|at| turn.calls.get(*at)) {
                    turn.open.calls.retain(|open| *open != call.id);
                    self.sink.say(&Event::ToolCallEnd { tool_call_id: call.id.clone() });
                }
            }
            Delta::Usage(usage) => self.usage.push(token_usage(&turn.author.model, &usage)),
            Delta::Finished => {}
        }
        Ok(())
    }

    fn hear_text(&self, turn: &mut Turn, text: String) {
        self.close_reasoning(turn);
        if !turn.open.text {
            turn.open.text = true;
            self.sink.say(&Event::TextMessageStart {
                message_id: turn.message.clone(),
                role: "assistant",
                metadata: turn.author.clone(),
            });
        }
        turn.text.push_str(&text);
        self.sink.say(&Event::TextMessageContent { message_id: turn.message.clone(), delta: text });
    }

    fn hear_reasoning(&self, turn: &mut Turn, text: String) {
        if !turn.open.reasoning {
            turn.open.reasoning = true;
            let id = turn.reasoning.clone();
            self.sink.say(&Event::ReasoningStart { message_id: id.clone() });
            self.sink.say(&Event::ReasoningMessageStart { message_id: id, role: "reasoning" });
        }
        turn.thoughts.push_str(&text);
        self.sink.say(&Event::ReasoningMessageContent { message_id: turn.reasoning.clone(), delta: text });
    }

    fn hear_call(&self, turn: &mut Turn, id: String, name: String) -> Result<(), Fault> {
        self.close_reasoning(turn);
        self.close_text(turn);
        let taken = self.transcript.has_id(&id) || turn.calls.iter().any(|known| known.id == id);
        let own = if taken || id.is_empty() || id.len() > 64 { fresh("call")? } else { id.clone() };
        turn.ids.insert(id, turn.calls.len());
        let (arguments, extra) = (String::new(), None);
        turn.calls.push(Heard { id: own.clone(), name: name.clone(), arguments, extra });
        turn.open.calls.push(own.clone());
        self.sink.say(&Event::ToolCallStart {
            tool_call_id: own,
            tool_call_name: name,
            parent_message_id: turn.message.clone(),
            metadata: turn.author.clone(),
        });
        Ok(())
    }

    fn close_reasoning(&self, turn: &mut Turn) {
        if std::mem::take(&mut turn.open.reasoning) {
            self.sink.say(&Event::ReasoningMessageEnd { message_id: turn.reasoning.clone() });
            self.sink.say(&Event::ReasoningEnd { message_id: turn.reasoning.clone() });
        }
    }

    fn close_text(&self, turn: &mut Turn) {
        if std::mem::take(&mut turn.open.text) {
            self.sink.say(&Event::TextMessageEnd { message_id: turn.message.clone() });
        }
    }

    fn close(&self, turn: &mut Turn) {
        self.close_reasoning(turn);
        self.close_text(turn);
        for call in std::mem::take(&mut turn.open.calls) {
            self.sink.say(&Event::ToolCallEnd { tool_call_id: call });
        }
    }

    /// Where a call runs, if it may at all.
    fn call_item(&self, at: usize, heard: &Heard) -> CallItem {
        let Heard { id, name, arguments, extra } = heard;
        let client = self.input.tools.iter().any(|tool| tool.name == *name);
        let side = if client { Side::Client } else { Side::Server };
        let key = CallItem::key(&self.token, id);
        let item = CallItem::new(id.clone(), name.clone(), arguments.clone(), side, key, now());
        let item = CallItem { extra: extra.as_deref().map(Box::from), ..item };
        if at >= CHAT_CALLS_MAX {
            return item.refused(&format!("not made: more than {CHAT_CALLS_MAX} calls in one message"));
        }
        if client && self.head.rounds >= CHAT_ROUNDS_MAX {
            return item.refused(BEYOND_ROUNDS);
        }
        if !client && !names::is_tool(name) {
            return item.refused("there is no tool of this name");
        }
        item
    }
}

fn fresh(prefix: &str) -> Result<String, Fault> {
    let entropy = toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?;
    Ok(format!("{prefix}-{}", hex(&entropy)))
}

fn cut(message: &str) -> ModelError {
    ModelError { code: "model_stream_cut", message: message.to_owned() }
}

fn token_usage(model: &str, usage: &Usage) -> TokenUsage {
    TokenUsage {
        model: model.to_owned(),
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.total,
        reasoning_tokens: usage.reasoning,
        cached_input_tokens: usage.cached_input,
    }
}

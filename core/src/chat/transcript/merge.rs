//! What a client sends, merged into what is known. The store is the truth: a client can add what its user said and what
//! its own tools returned, and nothing else.

use toolgate_protocol::limits::{CHAT_ROUNDS_MAX, MESSAGE_CHARS_MAX};
use toolgate_protocol::problems;

use super::{Item, Side, Standing, Transcript};
use crate::chat::events::result_id;
use crate::chat::input::InMessage;
use crate::problem::Problem;

/// What a client's message brought.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct News {
    /// The person said something.
    pub user: bool,
    /// Results of client tools.
    pub results: usize,
    /// Client calls that the gateway answered itself, because nobody else will.
    pub settled: Vec<String>,
}

/// Of a call that the person's next message overtook.
const SUPERSEDED: &str = "superseded by a new message";
/// Of a call beyond the last round.
pub const BEYOND_ROUNDS: &str = "round limit reached";

impl Transcript {
    /// Takes what is new. `rounds` counts the client rounds since the person's last message.
    ///
    /// # Errors
    /// A refusal, and nothing was changed.
    pub fn merge(&mut self, messages: &[InMessage], rounds: &mut u64) -> Result<News, Problem> {
        let mut said: Vec<(&str, &str)> = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            match message {
                InMessage::User { id, text } => {
                    if self.has_id(id) || said.iter().any(|(known, _)| known == id) {
                        continue;
                    }
                    check_text(at, text)?;
                    said.push((id, text));
                }
                InMessage::Tool { call, content, .. } => self.check_result(at, call, content)?,
            }
        }
        let mut news = News { user: !said.is_empty(), ..News::default() };
        for message in messages {
            if let InMessage::Tool { id, call, content } = message
                && self.take_result(id, call, content)
            {
                news.results = news.results.saturating_add(1);
            }
        }
        if news.user {
            *rounds = 0;
            news.settled = self.settle_client_calls(SUPERSEDED);
            self.supersede();
            for (id, text) in said {
                self.push(Item::User { id: id.to_owned(), text: text.to_owned() });
            }
        } else if news.results > 0 {
            *rounds = rounds.saturating_add(1);
            if *rounds >= CHAT_ROUNDS_MAX {
                news.settled = self.settle_client_calls(BEYOND_ROUNDS);
            }
        }
        Ok(news)
    }

    /// A client repeats what it was told about a server's call; it says nothing about one of its own.
    fn check_result(&self, at: usize, call: &str, content: &str) -> Result<(), Problem> {
        let forged = match self.call(call) {
            Some(known) if known.side == Side::Server => match &known.standing {
                Standing::Answered { content: told, .. } => told != content,
                _ => true,
            },
            _ => false,
        };
        if !forged {
            return Ok(());
        }
        let detail = format!(
            "messages[{at}]: the call {call:?} runs behind the gateway, and this is not what it came to. Leave such messages out."
        );
        Err(Problem::new(problems::FORGED_TOOL_RESULT, detail))
    }

    fn take_result(&mut self, id: &str, call: &str, content: &str) -> bool {
        if self.call(call).is_none_or(|known| known.standing != Standing::Client) {
            return false;
        }
        let message = if self.has_id(id) { result_id(call) } else { id.to_owned() };
        self.stand(call, Standing::Answered { message, content: super::cut(content) });
        true
    }

    /// Ends every call that waits for the browser with this error.
    fn settle_client_calls(&mut self, error: &str) -> Vec<String> {
        let content = serde_json::json!({ "error": error }).to_string();
        let waiting: Vec<String> =
            self.calls().filter(|call| call.standing == Standing::Client).map(|call| call.id.clone()).collect();
        for id in &waiting {
            let message = result_id(id);
            self.stand(id, Standing::Answered { message, content: content.clone() });
        }
        waiting
    }

    /// The conversation goes on without what waits for a decision. It stays parked: only a decision ends it.
    fn supersede(&mut self) {
        let parked: Vec<(String, super::Parked)> = self
            .calls()
            .filter_map(|call| match &call.standing {
                Standing::Parked(parked) => Some((call.id.clone(), (**parked).clone())),
                _ => None,
            })
            .collect();
        for (id, parked) in parked {
            let parked = super::Parked { superseded: true, ..parked };
            self.stand(&id, Standing::Parked(Box::new(parked)));
        }
    }
}

fn check_text(at: usize, text: &str) -> Result<(), Problem> {
    let characters = text.chars().count();
    if text.trim().is_empty() || characters > MESSAGE_CHARS_MAX {
        let detail = format!("messages[{at}].content: has {characters} characters; it needs 1 to {MESSAGE_CHARS_MAX}.");
        return Err(Problem::new(problems::INVALID_RUN_INPUT, detail).with("field", format!("messages[{at}].content")));
    }
    Ok(())
}

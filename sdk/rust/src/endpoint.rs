//! The endpoint: from a request to its answer.

use std::collections::BTreeMap;

use toolgate_protocol::webhooks::{CallMessage, ChallengeReply};
use toolgate_signing::Secret;

use crate::answer::Answer;
use crate::builder::EndpointBuilder;
use crate::call_context::CallContext;
use crate::manifest::ManifestText;
use crate::memory::{Entry, InMemory, Memory, Seen};
use crate::outcome::Outcome;
use crate::receiver::{Message, Receiver};
use crate::tool::ServedTool;

/// Tools behind one URL. It stays on one thread; share it by `Rc`, or keep it in a `thread_local!`.
pub struct Endpoint<M = InMemory> {
    pub(crate) receiver: Receiver,
    pub(crate) tools: BTreeMap<String, ServedTool>,
    pub(crate) manifest: ManifestText,
    pub(crate) memory: M,
    pub(crate) path: Option<String>,
}

impl Endpoint {
    /// Starts an endpoint for requests signed with any of the secrets: two while a secret is rotated.
    pub fn builder(secrets: Vec<Secret>) -> EndpointBuilder {
        EndpointBuilder::new(secrets)
    }
}

/// A reply's text, or `None` where nothing can be said that is certainly true; and a line for the log.
struct Said {
    text: Option<String>,
    log: Option<String>,
}

impl Said {
    fn text(text: String) -> Said {
        Said { text: Some(text), log: None }
    }

    fn nothing(log: String) -> Said {
        Said { text: None, log: Some(log) }
    }
}

impl<M: Memory> Endpoint<M> {
    /// Whether requests to this path are for the endpoint.
    pub fn is_at(&self, path: &str) -> bool {
        self.path.as_ref().is_none_or(|own| own == path)
    }

    /// The name of the present manifest: SHA-256 in hexadecimal digits.
    pub fn manifest_hash(&self) -> &str {
        &self.manifest.hash
    }

    /// Answers a POST: verifies it, runs what it asks for, signs the reply. `headers` are the header lines as they
    /// came, `body` the bytes as they came off the wire.
    pub async fn handle<N: AsRef<str>, V: AsRef<[u8]>>(
        &self,
        headers: impl IntoIterator<Item = (N, V)>,
        body: &[u8],
        now_seconds: u64,
    ) -> Answer {
        self.handle_with_clock(headers, body, || now_seconds).await
    }

    /// As [`Endpoint::handle`], with a clock that is read again when the handler has ended.
    pub async fn handle_with_clock<N: AsRef<str>, V: AsRef<[u8]>>(
        &self,
        headers: impl IntoIterator<Item = (N, V)>,
        body: &[u8],
        now_seconds: impl Fn() -> u64,
    ) -> Answer {
        let now = now_seconds();
        let received = match self.receiver.receive(headers, body, now) {
            Ok(received) => received,
            Err(answer) => return answer,
        };
        let Said { text, log } = match &received.message {
            Message::Challenge { nonce } => Said::text(challenge_reply(nonce)),
            Message::Manifest => Said::text(self.manifest.reply.clone()),
            Message::Call(call) => self.call(call, received.timestamp_seconds, now).await,
        };
        match text {
            Some(text) => self.receiver.reply(&received, text, now_seconds()).with_log(log),
            None => Answer::unsigned(503, "").with_log(log).with_header("retry-after", "1"),
        }
    }

    /// What is decided here is answered at once; nothing has run then.
    async fn call(&self, message: &CallMessage, timestamp_seconds: u64, now_seconds: u64) -> Said {
        let refused = |code, text: String| Said::text(self.refusal(code, text));
        let Some(tool) = self.tools.get(&message.tool) else {
            return refused("unknown_tool", format!("This endpoint has no tool {}.", message.tool));
        };
        // The gateway decided under a weaker class than this code declares: perhaps nobody was asked.
        if tool.side_effect > message.side_effect {
            let text = format!("{} does more than the gateway knows of; it was not run.", message.tool);
            return refused("side_effect_changed", text);
        }
        let context = match CallContext::of(message) {
            Ok(context) => context,
            Err(error) => return refused("malformed_message", format!("The principal cannot be read: {error}.")),
        };
        let is_write = message.side_effect.is_write();
        let key = match is_write {
            true => format!("write {}", message.call),
            false => format!("read {} {timestamp_seconds}", message.call),
        };
        // A timestamp is taken from one tolerance before its time to one after: it is gone from memory after both.
        let forget_at_seconds =
            now_seconds.saturating_add(self.receiver.tolerance_seconds().saturating_mul(2)).saturating_add(1);
        let entry = Entry { key: &key, is_write, now_seconds, forget_at_seconds };
        self.once(entry, tool, message, context).await
    }

    fn refusal(&self, code: &'static str, text: String) -> String {
        Outcome::coded(code, text).into_text(&self.manifest.hash)
    }

    /// A write that was started before and has no reply is answered without a signature: whatever were signed would be
    /// taken for its outcome, and nobody here knows it. A read may run again.
    async fn once(&self, entry: Entry<'_>, tool: &ServedTool, message: &CallMessage, context: CallContext) -> Said {
        let mut log = None;
        match self.memory.begin(entry).await {
            Ok(Seen::Done(reply)) => return Said::text(reply),
            Ok(Seen::Started) if entry.is_write => {
                return Said::nothing(format!("write {} came again and has no reply yet: not run again", message.call));
            }
            Ok(Seen::NoRoom) if entry.is_write => {
                let text = "The endpoint cannot note that this write starts, so it did not run it.".to_owned();
                let log = Some(format!("write {} not run: the memory takes no more", message.call));
                return Said { text: Some(self.refusal("memory_unavailable", text)), log };
            }
            // It may have run before.
            Err(fault) if entry.is_write => {
                return Said::nothing(format!("write {} not run: the memory failed: {}", message.call, fault.0));
            }
            Err(fault) => log = Some(format!("read {}: the memory failed: {}", message.call, fault.0)),
            Ok(Seen::New | Seen::Started | Seen::NoRoom) => {}
        }
        let text = tool.run(&message.arguments, context).await.into_text(&self.manifest.hash);
        if log.is_none()
            && let Err(fault) = self.memory.finish(entry, &text).await
        {
            log = Some(format!("call {}: its reply was not remembered: {}", message.call, fault.0));
        }
        Said { text: Some(text), log }
    }
}

fn challenge_reply(nonce: &str) -> String {
    serde_json::to_string(&ChallengeReply { nonce: nonce.to_owned() }).unwrap_or_default()
}

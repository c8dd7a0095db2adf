//! A model's answer, from its bytes to what the loop is told.
//!
//! Promises: how the bytes were cut makes no difference to what they add up to; after `Finished` or an error nothing
//! follows; every call that was started ends before `Finished`. An answer without its end is an error: half of an
//! answer must not pass for one.

use toolgate_protocol::limits::{MODEL_STREAM_BYTES_MAX, MODEL_TURN_BYTES_MAX};

use super::calls::Calls;
use super::chunk::{self, Chunk};
use super::sse::{Event, Events};
use super::{Delta, ModelError, Usage};
use crate::json::parse;

/// The line that ends a stream.
const DONE: &str = "[DONE]";

/// How an answer comes.
#[derive(Debug)]
enum Form {
    /// As server-sent events.
    Events(Events),
    /// As one JSON object, from endpoints that do not stream.
    Whole(Vec<u8>),
}

/// Reads an answer.
#[derive(Debug)]
pub struct TurnReader {
    form: Form,
    turn: Turn,
}

impl TurnReader {
    /// For an answer of this media type to a request that offered these tools. `entropy` makes the ids of its calls.
    ///
    /// # Errors
    /// For a page of HTML, which no model writes.
    pub fn new(media_type: &str, offered: Vec<String>, entropy: [u8; 16]) -> Result<TurnReader, ModelError> {
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let form = match media_type.as_str() {
            "application/json" => Form::Whole(Vec::new()),
            "text/html" | "application/xhtml+xml" => return Err(ModelError::malformed("it is a web page")),
            _ => Form::Events(Events::default()),
        };
        Ok(TurnReader { form, turn: Turn::new(offered, entropy) })
    }

    /// More bytes, and what they tell.
    ///
    /// # Errors
    /// When the answer is none, or reports an error; nothing is to be read after it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ModelError> {
        match &mut self.form {
            Form::Events(events) => events.push(bytes, |event| self.turn.take(&event))?,
            Form::Whole(whole) if whole.len().saturating_add(bytes.len()) > MODEL_STREAM_BYTES_MAX => {
                return Err(ModelError::malformed("it is too large"));
            }
            Form::Whole(whole) => whole.extend_from_slice(bytes),
        }
        Ok(std::mem::take(&mut self.turn.out))
    }

    /// The bytes are over.
    ///
    /// # Errors
    /// When the answer is not.
    pub fn end(&mut self) -> Result<Vec<Delta>, ModelError> {
        match &mut self.form {
            Form::Events(events) => {
                if let Some(event) = events.end()? {
                    self.turn.take(&event)?;
                }
            }
            Form::Whole(whole) => {
                let data = String::from_utf8_lossy(whole).into_owned();
                self.turn.take(&Event { kind: String::new(), data })?;
                self.turn.is_ended |= self.turn.is_plain;
            }
        }
        self.turn.finish("the connection ended in the middle of it")?;
        Ok(std::mem::take(&mut self.turn.out))
    }

    /// Whether the answer is complete: what follows needs no reading.
    pub fn is_finished(&self) -> bool {
        self.turn.is_finished
    }
}

#[derive(Debug)]
struct Turn {
    calls: Calls,
    usage: Option<Usage>,
    /// A reason for the end was named.
    is_ended: bool,
    /// It was a limit.
    is_limited: bool,
    /// In the form that names none.
    is_plain: bool,
    is_finished: bool,
    /// It was told that the reasoning goes back.
    is_returned: bool,
    bytes: usize,
    out: Vec<Delta>,
}

impl Turn {
    fn new(offered: Vec<String>, entropy: [u8; 16]) -> Turn {
        let calls = Calls::new(entropy, offered);
        Turn {
            calls,
            usage: None,
            is_ended: false,
            is_limited: false,
            is_plain: false,
            is_finished: false,
            is_returned: false,
            bytes: 0,
            out: Vec::new(),
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), ModelError> {
        let data = event.data.trim();
        if self.is_finished || data.is_empty() {
            return Ok(());
        }
        if data == DONE {
            self.is_ended |= self.is_plain;
            return self.finish("it names no reason for its end");
        }
        let Ok(json) = parse(data) else { return self.take_lines(event) };
        let mut chunk = chunk::read(&json);
        if event.kind == "error" && chunk.error.is_none() {
            chunk.error = Some(super::fault::words_of(&json));
        }
        self.chunk(chunk)
    }

    /// Endpoints that leave out the blank line between events: each line is one.
    fn take_lines(&mut self, event: &Event) -> Result<(), ModelError> {
        if !event.data.contains('\n') {
            return Err(ModelError::malformed("it is no JSON"));
        }
        event
            .data
            .split('\n')
            .try_for_each(|line| self.take(&Event { kind: event.kind.clone(), data: line.to_owned() }))
    }

    fn chunk(&mut self, chunk: Chunk) -> Result<(), ModelError> {
        if let Some(words) = chunk.error {
            return Err(ModelError::told(words.as_deref()));
        }
        let pieces = chunk
            .calls
            .iter()
            .map(|piece| piece.name.len().saturating_add(piece.arguments.len()).saturating_add(piece.extra.len()));
        let bytes = pieces.fold(chunk.text.len().saturating_add(chunk.reasoning.len()), usize::saturating_add);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MODEL_TURN_BYTES_MAX {
            return Err(ModelError::malformed("it is too large"));
        }
        if chunk.is_returned && !std::mem::replace(&mut self.is_returned, true) {
            self.out.push(Delta::ReasoningReturns);
        }
        if !chunk.reasoning.is_empty() {
            self.out.push(Delta::Reasoning(chunk.reasoning));
        }
        if !chunk.text.is_empty() {
            self.out.push(Delta::Text(chunk.text));
        }
        for piece in &chunk.calls {
            self.calls.piece(piece, &mut self.out)?;
        }
        self.usage = chunk.usage.or(self.usage);
        self.is_ended |= chunk.is_finish;
        self.is_limited |= chunk.is_limited;
        self.is_plain |= chunk.is_plain;
        Ok(())
    }

    fn finish(&mut self, how: &str) -> Result<(), ModelError> {
        if self.is_finished {
            return Ok(());
        }
        if !self.is_ended {
            return Err(ModelError::cut(how));
        }
        // Half of a call is none, and which of several are whole nobody can tell: empty arguments may be a beginning.
        if self.is_limited && !self.calls.is_empty() {
            return Err(ModelError::cut("a limit was reached in the middle of its calls"));
        }
        self.is_finished = true;
        self.calls.end(&mut self.out)?;
        self.out.extend(self.usage.map(Delta::Usage));
        self.out.push(Delta::Finished);
        Ok(())
    }
}

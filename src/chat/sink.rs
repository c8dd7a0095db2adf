//! The stream of a run. Whoever drives the run says its events here; whether the client still listens makes no difference
//! to what is kept.

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::StreamExt as _;
use futures_util::stream::{Stream, unfold};
use toolgate_core::chat::events::Event;
use toolgate_core::problem::Problem;
use toolgate_durable::now;
use toolgate_protocol::limits::CHAT_KEEP_ALIVE_SECONDS;
use worker::Response;

use crate::http::internal;

/// Where a run says its events.
pub struct Sink {
    sender: UnboundedSender<String>,
}

impl Sink {
    /// A stream, and where to say what goes into it.
    pub fn open() -> (Sink, impl Stream<Item = Result<Vec<u8>, worker::Error>> + 'static) {
        let (sender, receiver) = unbounded();
        (Sink { sender }, unfold(receiver, piece))
    }

    /// Says an event.
    pub fn say(&self, event: &Event) {
        if let Some(frame) = event.frame() {
            let _ = self.sender.unbounded_send(frame);
        }
    }

    /// The client left.
    pub fn is_gone(&self) -> bool {
        self.sender.is_closed()
    }
}

/// The next frame; a comment where there is none for a while (HTML standard, section 9.2.6).
async fn piece(
    mut receiver: UnboundedReceiver<String>,
) -> Option<(Result<Vec<u8>, worker::Error>, UnboundedReceiver<String>)> {
    let quiet = now().plus_seconds(CHAT_KEEP_ALIVE_SECONDS);
    let text = match toolgate_durable::before(quiet, receiver.next()).await {
        Some(frame) => frame?,
        None => ":\n\n".to_owned(),
    };
    Some((Ok(text.into_bytes()), receiver))
}

/// The answer that carries a stream.
pub fn answer(stream: impl Stream<Item = Result<Vec<u8>, worker::Error>> + 'static) -> Result<Response, Problem> {
    let headers =
        toolgate_durable::headers(200, Some("text/event-stream")).map_err(|error| internal("answering", error))?;
    headers.set("x-accel-buffering", "no").map_err(|error| internal("answering", error))?;
    Response::from_stream(Box::pin(stream))
        .map(|response| response.with_headers(headers))
        .map_err(|error| internal("answering", error))
}

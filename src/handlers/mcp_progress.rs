//! `tools/call` of a client that wants to hear how it gets on: the answer is a stream that tells each event of the call's
//! life as it happens, and ends with the result. The call does not depend on who listens.

use futures_util::stream::unfold;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Answer, Fault, Method, Request, Waits};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, Watched};
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use toolgate_protocol::limits::MCP_STREAM_SECONDS;
use toolgate_protocol::problems;
use worker::Response;

use super::Handled;
use super::listen::event;
use super::mcp::{EVENT_STREAM, Failed, INTERNAL_ERROR, Untold, answered, told};
use super::mcp_calls::{Submitted, ToolCall, read_answer};
use crate::edge::Edge;
use crate::http::internal;

struct Stream {
    edge: Edge,
    who: Identity,
    request: Request,
    submitted: Submitted,
    place: Place,
    call: LocalId,
    /// Events that were told.
    known: usize,
    ends: UnixMillis,
    over: bool,
}

/// Makes the call. What is answered at once, or refused, is answered without a stream.
pub(super) async fn call(edge: Edge, who: Identity, request: Request) -> Handled {
    let Some(call) = tool_call(&edge, &who, &request) else {
        return Err(internal("answering a call", "it is none"));
    };
    let ends = now().plus_seconds(call.wait_seconds());
    let submitted = match call.submit(0).await {
        Ok(Ok(submitted)) => submitted,
        Ok(Err(refused)) => return answered(&request.id, Ok(refused)),
        Err(failed) => return answered(&request.id, Err(failed)),
    };
    if Waits::of(&submitted.view) != Some(Waits::Code) {
        return answered(&request.id, call.outcome(&submitted, &submitted.view).await);
    }
    let (place, local) = edge.find(IdKind::Call, &who, &submitted.view.call)?;
    let headers = toolgate_durable::headers(200, Some(EVENT_STREAM)).map_err(|error| internal("answering", error))?;
    headers.set("x-accel-buffering", "no").map_err(|error| internal("answering", error))?;
    let first = Stream { edge, who, request, submitted, place, call: local, known: 0, ends, over: false };
    let stream = unfold(first, |stream| async move {
        stream.next().await.map(|(text, rest)| (Ok::<_, worker::Error>(text.into_bytes()), rest))
    });
    Response::from_stream(Box::pin(stream))
        .map(|response| response.with_headers(headers))
        .map_err(|error| internal("answering", error))
}

fn tool_call<'a>(edge: &'a Edge, who: &'a Identity, request: &'a Request) -> Option<ToolCall<'a>> {
    match &request.method {
        Method::CallTool(call) => Some(ToolCall { edge, who, request, call }),
        _ => None,
    }
}

impl Stream {
    /// The next piece of the stream; nothing after its end.
    async fn next(mut self) -> Option<(String, Stream)> {
        if self.over {
            return None;
        }
        let text = match self.step().await {
            Ok(text) => text,
            Err(failed) => {
                self.over = true;
                self.failed(failed)
            }
        };
        Some((text, self))
    }

    /// What has happened since; with the result, when that is the end. A comment keeps the connection open meanwhile (HTML
    /// standard, section 9.2.6).
    async fn step(&mut self) -> Result<String, Failed> {
        let wait_seconds = self.ends.seconds_from(now()).min(MCP_STREAM_SECONDS);
        let watch = Ask::Watch { call: self.call.clone(), known: self.known, wait_seconds };
        let watched: Result<Watched, Problem> =
            read_answer(self.edge.ask_pool(self.place.clone(), &self.who, watch).await).await?;
        let (Watched { view, events }, crowded) = match watched {
            // Too many wait in the pool: the client is told that the call is under way.
            Err(problem) if problem.kind == problems::BUSY => {
                (Watched { view: self.submitted.view.clone(), events: Vec::new() }, true)
            }
            watched => (watched?, false),
        };
        let mut text = self.progress(&events);
        if crowded || Waits::of(&view).is_none() || now() >= self.ends {
            self.over = true;
            let call = tool_call(&self.edge, &self.who, &self.request);
            let call = call.ok_or_else(|| internal("answering a call", "it is none"))?;
            text.push_str(&message(call.outcome(&self.submitted, &view).await?));
        }
        Ok(if text.is_empty() { ":\n\n".to_owned() } else { text })
    }

    fn progress(&mut self, events: &[String]) -> String {
        let Method::CallTool(call) = &self.request.method else { return String::new() };
        let token = call.progress_token.as_deref().unwrap_or("null");
        let news = events.iter().enumerate().skip(self.known);
        let text = news.map(|(at, name)| event(&mcp::progress(token, at.saturating_add(1), name))).collect();
        self.known = self.known.max(events.len());
        text
    }

    /// A stream has begun: what would not be an answer of the protocol is told as one.
    fn failed(&self, failed: Failed) -> String {
        let answer = told(&self.request.id, failed).unwrap_or_else(|untold| {
            let why = match untold {
                Untold::Problem(problem) => problem.detail,
                Untold::Refused(_) => "The call goes on, but this key is not answered any more.".to_owned(),
            };
            mcp::failure(&Fault { id: Some(self.request.id.clone()), ..Fault::new(200, INTERNAL_ERROR, why) })
        });
        message(answer)
    }
}

fn message(answer: Answer) -> String {
    answer.body.map(|body| event(&body)).unwrap_or_default()
}

//! `tools/call` of a client that wants to hear how it gets on, or that its tool may ask for something: the answer is a
//! stream that tells each event of the call's life as it happens, and ends with the result. The call does not depend on
//! who listens, and a client is never told to repeat it because what keeps it restarts.

use futures_util::stream::unfold;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Answer, CallTool, Era, Fault, LevelCommand, LogLevel, Method, Next, Request, Waits};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, TaskView, Watched};
use toolgate_core::time::UnixMillis;
use toolgate_durable::{now, pause, within};
use toolgate_protocol::calls::CallView;
use toolgate_protocol::limits::{
    MCP_LEVEL_WAIT_SECONDS, MCP_QUESTION_PAUSES_MILLIS, MCP_QUESTION_PROGRESS_SECONDS, MCP_QUESTION_SECONDS,
    MCP_STREAM_AGAIN_MILLIS, MCP_STREAM_SECONDS,
};
use toolgate_protocol::problems;
use worker::Response;

use super::Handled;
use super::listen::event;
use super::mcp::{EVENT_STREAM, Failed, INTERNAL_ERROR, Untold, answered, principal, told};
use super::mcp_calls::{Submitted, ToolCall, read_answer};
use super::{mcp_questions, mcp_tasks};
use crate::edge::Edge;
use crate::http::internal;

/// Keeps the connection open (HTML standard, section 9.2.6).
const NOTHING_NEW: &str = ":\n\n";

struct Stream {
    edge: Edge,
    who: Identity,
    request: Request,
    submitted: Submitted,
    place: Place,
    /// The call that was made.
    first: LocalId,
    /// The one that stands for it now, as it was last seen: another one once its tool has asked and was answered.
    view: CallView,
    current: LocalId,
    /// What was told of that one.
    known: usize,
    /// How much was told of those before it, and of what was waited for.
    earlier: usize,
    /// What is to be told before anything else.
    untold: String,
    level: Option<LogLevel>,
    /// The call is waited for until then.
    ends: UnixMillis,
    /// The last time at which the client may answer.
    closes: UnixMillis,
    question: Option<Question>,
    over: bool,
}

/// What the client was asked.
#[derive(Clone, Copy)]
struct Question {
    /// How many questions were answered before it.
    answered: u32,
    /// How often an answer was looked for.
    looks: usize,
    /// When the client last heard of progress.
    told: UnixMillis,
}

/// May the answer to this call be a stream?
pub(super) fn may_need(request: &Request, call: &CallTool) -> bool {
    call.progress_token.is_some() || call.log_level.is_some() || request.session.is_some()
}

/// Makes the call. Where there is nothing to tell before the result, and nothing to ask, the answer is no stream.
pub(super) async fn call(edge: Edge, who: Identity, request: Request) -> Handled {
    let Some(call) = tool_call(&edge, &who, &request) else {
        return Err(internal("answering a call", "it is none"));
    };
    let level = level(call).await;
    let hears = call.call.progress_token.is_some() || level.is_some();
    let begun = now();
    let ends = begun.plus_seconds(call.wait_seconds());
    let submitted = match call.submit(if hears { 0 } else { call.wait_seconds() }).await {
        Ok(Ok(submitted)) => submitted,
        Ok(Err(refused)) => return answered(&request.id, Ok(refused)),
        Err(failed) => return answered(&request.id, Err(failed)),
    };
    let asks = request.session.is_some() && mcp::is_question(&submitted.view);
    if !asks && (!hears || Waits::of(&submitted.view) != Some(Waits::Code)) {
        return answered(&request.id, call.outcome(&submitted, &submitted.view).await);
    }
    let (place, first) = edge.find(IdKind::Call, &who, &submitted.view.call)?;
    let headers = toolgate_durable::headers(200, Some(EVENT_STREAM)).map_err(|error| internal("answering", error))?;
    headers.set("x-accel-buffering", "no").map_err(|error| internal("answering", error))?;
    let (view, current, closes) = (submitted.view.clone(), first.clone(), begun.plus_seconds(MCP_QUESTION_SECONDS));
    let (known, earlier, untold, question, over) = (0, 0, String::new(), None, false);
    let first = Stream {
        edge,
        who,
        request,
        submitted,
        place,
        first,
        view,
        current,
        known,
        earlier,
        untold,
        level,
        ends,
        closes,
        question,
        over,
    };
    let stream = unfold(first, |stream| async move {
        stream.next().await.map(|(text, rest)| (Ok::<_, worker::Error>(text.into_bytes()), rest))
    });
    Response::from_stream(Box::pin(stream))
        .map(|response| response.with_headers(headers))
        .map_err(|error| internal("answering", error))
}

/// From which level on the client hears of this call: what the request says, before 2026-07-28 what its session has set.
async fn level(ToolCall { edge, who, request, call }: ToolCall<'_>) -> Option<LogLevel> {
    let level = match &request.session {
        None => call.log_level,
        Some(session) => {
            // Where that cannot be read at once nothing is told: messages are an extra, and no call waits for them.
            let (principal, read) = (principal(who).ok()?, LevelCommand::read(session));
            within(MCP_LEVEL_WAIT_SECONDS, Box::pin(edge.ask_level(who, &principal, &read))).await?.ok().flatten()
        }
    };
    level.filter(|level| level.hears())
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
        let step = match self.question {
            Some(question) => self.look(question).await,
            None => self.step().await,
        };
        let more = match step {
            Ok(text) => text,
            Err(failed) => self.after(failed).await,
        };
        let mut text = std::mem::take(&mut self.untold);
        text.push_str(&more);
        Some((if text.is_empty() { NOTHING_NEW.to_owned() } else { text }, self))
    }

    /// What follows something that could not be done.
    async fn after(&mut self, failed: Failed) -> String {
        let status = match &failed {
            Failed::Fault(fault) => fault.status,
            Failed::Problem(problem) => problem.kind.status,
            Failed::Refused(response) => response.status_code(),
        };
        let until = if self.question.is_some() { self.closes } else { self.ends };
        let next = mcp::after_failure(status, now(), until);
        self.over = next != Next::Again;
        match next {
            Next::Again => {
                pause(MCP_STREAM_AGAIN_MILLIS).await;
                String::new()
            }
            Next::LastSeen => {
                let outcome = if mcp::is_question(&self.view) { None } else { self.outcome().await.ok() };
                outcome.unwrap_or_else(|| message(mcp::last_seen(&self.request.id, &self.view, self.request.era)))
            }
            Next::Tell => self.failed(failed),
        }
    }

    /// What has happened since; with the result, when that is the end, or with what the tool asks.
    async fn step(&mut self) -> Result<String, Failed> {
        let wait_seconds = self.ends.seconds_from(now()).min(MCP_STREAM_SECONDS);
        let watch = Ask::Watch { call: self.current.clone(), known: self.known, wait_seconds };
        let watched: Result<Watched, Problem> =
            read_answer(self.edge.ask_pool(self.place.clone(), &self.who, watch).await).await?;
        let crowded = match watched {
            // Too many wait in the pool: the client is told that the call is under way.
            Err(problem) if problem.kind == problems::BUSY => true,
            watched => {
                let watched = watched?;
                self.news(&watched);
                self.view = watched.view;
                false
            }
        };
        if mcp::is_question(&self.view)
            && let Some(asked) = self.ask().await?
        {
            return Ok(asked);
        }
        let is_end = crowded || Waits::of(&self.view).is_none() || now() >= self.ends;
        if is_end { self.outcome().await } else { Ok(String::new()) }
    }

    /// Each event that has not been told yet, in the forms that the client wants to hear of it.
    fn news(&mut self, watched: &Watched) {
        let Method::CallTool(call) = &self.request.method else { return };
        for (number, name) in watched.since(self.known) {
            if let Some(token) = &call.progress_token {
                self.untold.push_str(&event(&mcp::progress(token, self.earlier.saturating_add(number), name)));
            }
            let logged = self.level.and_then(|level| mcp::log_message(level, &watched.view.call, &call.name, name));
            self.untold.push_str(&logged.map(|logged| event(&logged)).unwrap_or_default());
        }
        self.known = self.known.max(watched.happened);
    }

    /// The result, with which the stream ends.
    async fn outcome(&mut self) -> Result<String, Failed> {
        let call = tool_call(&self.edge, &self.who, &self.request);
        let call = call.ok_or_else(|| internal("answering a call", "it is none"))?;
        let answer = call.outcome(&self.submitted, &self.view).await?;
        self.over = true;
        Ok(message(answer))
    }

    /// Asks the client what the tool wants to know, where this client can be asked and its call is one that may ask.
    async fn ask(&mut self) -> Result<Option<String>, Failed> {
        let Some(session) = self.request.session.as_ref().filter(|_| self.request.era == Era::Legacy) else {
            return Ok(None);
        };
        if now() >= self.closes {
            return Ok(Some(self.unanswered(false)));
        }
        let task = mcp_tasks::get(&self.edge, &self.who, &self.submitted.view.call).await?;
        // The same principal may have answered it as a task, or taken it back, before this client was asked.
        if task.view.call != self.view.call {
            return self.follow(task).map(Some);
        }
        if task.cancelled {
            return Ok(Some(self.unanswered(true)));
        }
        let requests = mcp_questions::requests(&self.edge, &self.who, session, &task, self.closes)?;
        if requests.is_empty() {
            return Ok(None);
        }
        self.question = Some(Question { answered: task.answered, looks: 0, told: now() });
        Ok(Some(requests.iter().map(|request| event(request)).collect()))
    }

    /// Looks whether the client has answered. Where it has, the stream goes on with the call that its answers made.
    async fn look(&mut self, Question { answered, looks, told }: Question) -> Result<String, Failed> {
        let last = MCP_QUESTION_PAUSES_MILLIS.last().copied().unwrap_or(0);
        pause(MCP_QUESTION_PAUSES_MILLIS.get(looks).copied().unwrap_or(last)).await;
        let is_due = now() >= told.plus_seconds(MCP_QUESTION_PROGRESS_SECONDS);
        let told = if is_due { now() } else { told };
        self.question = Some(Question { answered, looks: looks.saturating_add(1), told });
        if is_due {
            self.still_waits();
        }
        let task = mcp_tasks::get(&self.edge, &self.who, &self.submitted.view.call).await?;
        if task.answered > answered {
            return self.follow(task);
        }
        if task.cancelled {
            return Ok(self.unanswered(true));
        }
        if now() < self.closes {
            return Ok(String::new());
        }
        // In the call's own row, so that no answer is taken of which nobody would hear. One that was faster counts.
        let withdrawn =
            mcp_questions::withdraw(&self.edge, &self.who, &self.place, self.first.clone(), answered).await?;
        Ok(if withdrawn { self.unanswered(false) } else { String::new() })
    }

    /// The stream goes on with the call that the answers made.
    fn follow(&mut self, task: TaskView) -> Result<String, Failed> {
        (_, self.current) = self.edge.find(IdKind::Call, &self.who, &task.view.call)?;
        self.earlier = self.earlier.saturating_add(self.known);
        (self.known, self.question, self.view) = (0, None, task.view);
        let wait_seconds = tool_call(&self.edge, &self.who, &self.request).map_or(0, ToolCall::wait_seconds);
        self.ends = now().plus_seconds(wait_seconds);
        Ok(String::new())
    }

    /// Tells a client that hears of progress that its answer is waited for: many give a request up of which they hear
    /// nothing for a minute.
    fn still_waits(&mut self) {
        let Method::CallTool(CallTool { progress_token: Some(token), .. }) = &self.request.method else { return };
        self.earlier = self.earlier.saturating_add(1);
        let step = self.earlier.saturating_add(self.known);
        self.untold.push_str(&event(&mcp::progress(token, step, mcp::ASKED)));
    }

    /// The result where the client was asked in vain.
    fn unanswered(&mut self, in_time: bool) -> String {
        self.over = true;
        message(mcp::answer(&self.request.id, &mcp::no_answer(&self.view, in_time)))
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

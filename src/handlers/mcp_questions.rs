//! What a tool asks its client before 2026-07-28: the requests that go out on the stream of its call, and the client's
//! answers, each a message of its own, which may reach another isolate. What is between them is the call's own row.

use serde::de::IgnoredAny;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Answer, Asked, Client, Fault, Response, Session, Sessions, Standing};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{AnswerTask, Ask, TaskView};
use toolgate_core::time::UnixMillis;
use toolgate_durable::{now, pause};
use toolgate_protocol::problems;

use super::mcp::{Failed, INTERNAL_ERROR};
use super::mcp_calls::{master, read_answer};
use super::{deliver_if_asked, mcp_tasks};
use crate::edge::Edge;
use crate::objects::TELL_AGAIN_MILLIS;

/// The messages that ask the client what the tool of a call wants to know; none where it cannot be asked.
pub(super) fn requests(
    edge: &Edge,
    who: &Identity,
    session: &Session,
    task: &TaskView,
    until: UnixMillis,
) -> Result<Vec<String>, Problem> {
    let sessions = Sessions::new(&master(edge)?);
    let id = |at: usize| {
        let asked = Asked { call: task.task.clone(), question: task.answered, at };
        sessions.ask(who, session, &asked, until)
    };
    Ok(mcp::requests(task, &client(session), id))
}

fn client(session: &Session) -> Client {
    Client { tasks: false, answers: session.answers.clone() }
}

/// Takes a client's answer: 202, also where it is late, comes twice, or is none that the tool can be called with. A client
/// cannot mend that, and some end on a 400. 400 is for what this session was not asked.
pub(super) async fn take(
    edge: &Edge,
    who: &Identity,
    session: &Session,
    response: &Response,
) -> Result<Answer, Problem> {
    let asked = match Sessions::new(&master(edge)?).asked(who, session, &response.id, now()) {
        None => return Ok(mcp::failure(&mcp::not_asked())),
        Some(Standing::Over) => return Ok(mcp::taken()),
        Some(Standing::Open(asked)) => asked,
    };
    match surely_taken(edge, who, session, response, &asked).await {
        Err(Failed::Problem(problem)) if problem.kind == problems::INVALID_KEY => Err(problem),
        Err(Failed::Problem(problem)) if problem.kind.status >= 500 => {
            Ok(mcp::failure(&Fault::new(problem.kind.status, INTERNAL_ERROR, problem.detail)))
        }
        Err(Failed::Refused(_)) => Err(Problem::new(problems::INVALID_KEY, "This key is not answered any more.")),
        // What is not there any more is not asked any more.
        Ok(()) | Err(Failed::Fault(_) | Failed::Problem(_)) => Ok(mcp::taken()),
    }
}

/// The client sends its answer once: it is brought again while what keeps the call restarts. One that was taken, and of
/// which nobody heard, is not asked for any more then.
async fn surely_taken(
    edge: &Edge,
    who: &Identity,
    session: &Session,
    response: &Response,
    asked: &Asked,
) -> Result<(), Failed> {
    for pause_millis in TELL_AGAIN_MILLIS {
        match taken(edge, who, session, response, asked).await {
            Err(Failed::Problem(problem)) if problem.kind.status >= 500 => pause(pause_millis).await,
            done => return done,
        }
    }
    taken(edge, who, session, response, asked).await
}

async fn taken(
    edge: &Edge,
    who: &Identity,
    session: &Session,
    response: &Response,
    asked: &Asked,
) -> Result<(), Failed> {
    let (place, call) = edge.find(IdKind::Call, who, &asked.call)?;
    let task = mcp_tasks::get(edge, who, &asked.call).await?;
    let Some(answer) = mcp::answer_to(call.clone(), &task, &client(session), asked, response) else { return Ok(()) };
    match given(edge, who, &place, answer).await? {
        Err(problem) if problem.kind.status >= 500 || problem.kind == problems::INVALID_KEY => Err(problem.into()),
        Ok(()) => Ok(()),
        // Another answer came before it, or nobody waits any more.
        Err(problem) if problem.kind == problems::NOT_FOUND => Ok(()),
        // The answers are too large together, or the tool may not be called again: nobody is to wait for it.
        Err(_) => withdraw(edge, who, &place, call, asked.question).await.map(|_| ()),
    }
}

/// Ends a question. It stays answered where an answer was faster.
pub(super) async fn withdraw(
    edge: &Edge,
    who: &Identity,
    place: &Place,
    call: LocalId,
    answered: u32,
) -> Result<bool, Failed> {
    match given(edge, who, place, mcp::withdrawn(call, answered)).await? {
        Ok(()) => Ok(true),
        Err(problem) if problem.kind == problems::NOT_FOUND => Ok(false),
        Err(problem) => Err(problem.into()),
    }
}

async fn given(edge: &Edge, who: &Identity, place: &Place, answer: AnswerTask) -> Result<Result<(), Problem>, Failed> {
    let answer = edge.ask_pool(place.clone(), who, Ask::AnswerTask(answer)).await?;
    // Either the task, or the next call when that goes to an endpoint.
    let told: Result<IgnoredAny, Problem> = read_answer(deliver_if_asked(edge, who, 0, answer).await).await?;
    Ok(told.map(|_| ()))
}

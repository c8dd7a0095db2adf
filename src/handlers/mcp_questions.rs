//! What a tool asks its client before 2026-07-28: the requests that go out on the stream of its call, and the client's
//! answers, each a message of its own, which may reach another isolate. What is between them is the call's own row.

use serde::de::IgnoredAny;
use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Answer, Asked, Client, Fault, Response, Session, Sessions};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{AnswerTask, Ask, TaskView};
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use toolgate_protocol::problems;

use super::mcp::{Failed, INTERNAL_ERROR};
use super::mcp_calls::{master, read_answer};
use super::{deliver_if_asked, mcp_tasks};
use crate::edge::Edge;

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

/// Takes a client's answer: 202, or why it is refused. Never 404, which would end the session.
pub(super) async fn take(
    edge: &Edge,
    who: &Identity,
    session: &Session,
    response: &Response,
) -> Result<Answer, Problem> {
    match taken(edge, who, session, response).await {
        Ok(()) => Ok(mcp::taken()),
        Err(Failed::Fault(fault)) => Ok(mcp::failure(&fault)),
        Err(Failed::Problem(problem)) if problem.kind != problems::INVALID_KEY => {
            let status = if problem.kind.status < 500 { 400 } else { problem.kind.status };
            Ok(mcp::failure(&Fault::new(status, INTERNAL_ERROR, problem.detail)))
        }
        Err(Failed::Problem(problem)) => Err(problem),
        Err(Failed::Refused(_)) => Err(Problem::new(problems::INVALID_KEY, "This key is not answered any more.")),
    }
}

async fn taken(edge: &Edge, who: &Identity, session: &Session, response: &Response) -> Result<(), Failed> {
    let sessions = Sessions::new(&master(edge)?);
    let asked = sessions.asked(who, session, &response.id, now()).ok_or_else(mcp::not_asked)?;
    let (place, call) = edge.find(IdKind::Call, who, &asked.call).map_err(|_| mcp::not_asked())?;
    let task = match mcp_tasks::get(edge, who, &asked.call).await {
        Err(Failed::Fault(_)) => return Err(mcp::not_asked().into()),
        task => task?,
    };
    let answer = mcp::answer_to(call.clone(), &task, &client(session), &asked, response)?;
    match given(edge, who, &place, answer).await? {
        Ok(()) => Ok(()),
        // Another answer came before it, or nobody waits any more.
        Err(problem) if problem.kind == problems::NOT_FOUND => Err(mcp::not_asked().into()),
        Err(problem) if problem.kind.status >= 500 || problem.kind == problems::PAYLOAD_TOO_LARGE => {
            Err(problem.into())
        }
        Err(problem) => {
            // The tool may not be called again, and the client does not answer twice: nobody is to wait for it.
            withdraw(edge, who, &place, call, asked.question).await?;
            Err(problem.into())
        }
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

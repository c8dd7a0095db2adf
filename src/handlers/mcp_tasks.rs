//! Calls as tasks at the MCP door: read, answered, taken back.

use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Client, Fault, UpdateTask};
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Ask, TaskView};
use toolgate_protocol::problems;

use super::deliver_if_asked;
use super::mcp::Failed;
use super::mcp_calls::read_answer;
use crate::edge::Edge;

fn find(edge: &Edge, who: &Identity, task: &str) -> Result<(Place, LocalId), Failed> {
    edge.find(IdKind::Call, who, task).map_err(|_| no_task().into())
}

/// `tasks/get`
pub(super) async fn get(edge: &Edge, who: &Identity, task: &str) -> Result<TaskView, Failed> {
    let (place, call) = find(edge, who, task)?;
    read_answer(edge.ask_pool(place, who, Ask::Task(call)).await).await?.map_err(refused)
}

/// `tasks/update`: what is answered is kept with the task, and when all is the tool is called again.
pub(super) async fn update(edge: &Edge, who: &Identity, client: &Client, update: &UpdateTask) -> Result<(), Failed> {
    let (place, call) = find(edge, who, &update.task)?;
    let task = get(edge, who, &update.task).await?;
    let Some(answers) = mcp::answers(call, &task, client, &update.responses)? else { return Ok(()) };
    let answer = edge.ask_pool(place, who, Ask::AnswerTask(answers)).await?;
    // Either the task, or the next call when that goes to an endpoint.
    let told: Result<serde::de::IgnoredAny, Problem> =
        read_answer(deliver_if_asked(edge, who, 0, answer).await).await?;
    told.map(|_| ()).map_err(refused)
}

/// `tasks/cancel`: cooperative. A write that has started goes on, and its outcome can be read; a task that ended stays as
/// it is.
pub(super) async fn cancel(edge: &Edge, who: &Identity, task: &str) -> Result<(), Failed> {
    let (place, call) = find(edge, who, task)?;
    match edge.ask_pool(place, who, Ask::CancelTask(call)).await?.status_code() {
        404 => Err(no_task().into()),
        _ => Ok(()),
    }
}

fn refused(problem: Problem) -> Failed {
    if problem.kind == problems::NOT_FOUND { no_task().into() } else { problem.into() }
}

fn no_task() -> Fault {
    Fault { status: 200, ..Fault::params("There is no such task, or it is not yours.") }
}

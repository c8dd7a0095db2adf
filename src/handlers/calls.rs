//! Calls by id, and lists of them.

use toolgate_core::ids::{IdKind, LocalId, Place};
use toolgate_core::names;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::Ask;
use toolgate_core::queue::store::Filter;
use toolgate_protocol::calls::{CallState, ResolutionRequest};
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::{NOTE_CHARS_MAX, RESULT_BYTES_MAX};

use super::Handled;
use crate::edge::Edge;

const READERS: &[Role] = &[Role::Caller, Role::Agent, Role::Admin, Role::Approver];
const OWNERS: &[Role] = &[Role::Caller, Role::Agent, Role::Admin];
const RESOLUTION_BYTES_MAX: usize = RESULT_BYTES_MAX + 8 * NOTE_CHARS_MAX;

/// `GET /v1/calls/{call}`
pub async fn get(edge: Edge, id: String) -> Handled {
    let who = edge.identity(READERS)?;
    let (place, call) = edge.find(IdKind::Call, &who, &id)?;
    edge.ask_pool(place, &who, Ask::Read { call, wait_seconds: edge.wait_seconds(), submitted: false }).await
}

/// `GET /v1/calls/{call}/events`
pub async fn events(edge: Edge, id: String) -> Handled {
    let who = edge.identity(READERS)?;
    let (place, call) = edge.find(IdKind::Call, &who, &id)?;
    edge.ask_pool(place, &who, Ask::Events(call)).await
}

/// `POST /v1/calls/{call}/cancel`
pub async fn cancel(edge: Edge, id: String) -> Handled {
    let who = edge.identity(OWNERS)?;
    let (place, call) = edge.find(IdKind::Call, &who, &id)?;
    edge.ask_pool(place, &who, Ask::Cancel(call)).await
}

/// `POST /v1/calls/{call}/resolution`
pub async fn resolve(mut edge: Edge, id: String) -> Handled {
    let who = edge.identity(&[Role::Admin, Role::Approver])?;
    let request: ResolutionRequest = edge.json(RESOLUTION_BYTES_MAX).await?;
    let (place, call) = edge.find(IdKind::Call, &who, &id)?;
    edge.ask_pool(place, &who, Ask::Resolve(call, request)).await
}

/// `GET /v1/calls?pool=&state=&tool=&agent=`
pub async fn list(edge: Edge) -> Handled {
    let who = edge.identity(&[Role::Caller, Role::Admin])?;
    edge.only_query(&["pool", "state", "tool", "agent", "limit", "cursor"])?;
    let pool = edge.query("pool").ok_or_else(|| Problem::invalid("pool", "is required."))?;
    names::plain("pool", &pool)?;
    let state = match edge.query("state") {
        None => None,
        Some(text) => Some(
            serde_json::from_value::<CallState>(text.into())
                .map_err(|_| Problem::invalid("state", "is no state of a call."))?,
        ),
    };
    let page = edge.page()?;
    let before = match page.cursor {
        None => None,
        Some(cursor) => {
            Some(LocalId::read(&cursor).ok_or_else(|| Problem::invalid("cursor", "did not come from a list."))?)
        }
    };
    let agents = match (edge.query("agent"), who.scope.agents.clone()) {
        (Some(agent), Some(own)) if !own.contains(&agent) => Some(Vec::new()),
        (Some(agent), _) => Some(vec![agent]),
        (None, own) => own,
    };
    let filter = Filter { state, tool: edge.query("tool"), agents, before };
    edge.ask_pool(Place::of(&who.org, &pool), &who, Ask::List(filter, page.limit)).await
}

//! Approvals: listed by the registry's index, shown and decided in the pool.

use toolgate_core::ids::IdKind;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::Ask;
use toolgate_core::registry::Command;
use toolgate_protocol::approvals::DecisionRequest;
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::BODY_BYTES_MAX;

use super::{Handled, pages};
use crate::edge::Edge;

const APPROVER: &[Role] = &[Role::Approver];
const STATES: [&str; 6] = ["pending", "approved", "rejected", "expired", "cancelled", "invalidated"];

/// `GET /v1/approvals?state=pending`
pub async fn list(edge: Edge) -> Handled {
    let who = edge.identity(APPROVER)?;
    edge.only_query(&["state", "order", "limit", "cursor"])?;
    let state = edge.query("state");
    if state.as_ref().is_some_and(|state| !STATES.contains(&state.as_str())) {
        return Err(Problem::invalid("state", format!("must be one of {}.", STATES.join(", "))));
    }
    let page = edge.page()?;
    let command = match edge.query("order").as_deref() {
        None | Some("oldest") => Command::ListApprovals(state, page),
        Some("newest") => Command::NewestApprovals(state, page),
        Some(_) => return Err(Problem::invalid("order", "must be oldest or newest.")),
    };
    edge.ask_registry(&who.org, Some(&who), command).await
}

/// `GET /v1/approvals/{id}`; a link that somebody opens in a browser leads to its page.
pub async fn get(edge: Edge, id: String) -> Handled {
    if let Some(page) = pages::approval(&edge, &id) {
        return page;
    }
    let who = edge.identity(APPROVER)?;
    let (place, call) = edge.find(IdKind::Approval, &who, &id)?;
    edge.ask_pool(place, &who, Ask::Approval(call)).await
}

/// `POST /v1/approvals/{id}/decision`
pub async fn decide(mut edge: Edge, id: String) -> Handled {
    let who = edge.identity(APPROVER)?;
    let request: DecisionRequest = edge.json(BODY_BYTES_MAX).await?;
    let Ok((place, call)) = edge.find(IdKind::Approval, &who, &id) else {
        return edge.ask_registry(&who.org, Some(&who), Command::DecideNothing(id)).await;
    };
    edge.ask_pool(place, &who, Ask::Decide(call, request)).await
}

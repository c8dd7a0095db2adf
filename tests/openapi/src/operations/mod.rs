//! What stands at each path.

mod calls;
mod chat;
mod control;
mod pools;
mod runs;

use toolgate_protocol::answers::{Health, Site};

use crate::operation::{Operation, Who, operation};
use crate::schemas::any;

/// The admin alone.
const ADMIN: Who = Who::Roles(&["admin"]);

/// Whoever has a key.
const ANY_KEY: Who = Who::Roles(&["admin", "caller", "worker", "approver", "agent"]);

/// All of them.
pub fn all() -> Vec<Operation> {
    let mut all = vec![
        operation("GET", "/healthz", "health", Who::Anybody, "Says that the gateway answers.")
            .gives::<Health>(200, "It does."),
        operation("GET", "/openapi.json", "description", Who::Anybody, "This document.").gives_as(
            200,
            "The document.",
            |_| any(),
        ),
        operation("GET", "/v1/site", "site", Who::Anybody, "Says what the gateway's own pages must know.")
            .gives::<Site>(200, "It."),
    ];
    all.extend(control::operations());
    all.extend(control::tools());
    all.extend(control::notifications());
    all.extend(pools::operations());
    all.extend(pools::workers());
    all.extend(runs::operations());
    all.extend(chat::operations());
    all.extend(calls::operations());
    all.extend(calls::approvals());
    all
}

//! What stands at each path.

mod calls;
mod control;
mod pools;
mod runs;

use toolgate_protocol::answers::Health;

use crate::operation::{Operation, Who, operation};
use crate::schemas::any;

/// The admin alone.
const ADMIN: Who = Who::Roles(&["admin"]);

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
    ];
    all.extend(control::operations());
    all.extend(control::tools());
    all.extend(control::notifications());
    all.extend(pools::operations());
    all.extend(pools::workers());
    all.extend(runs::operations());
    all.extend(calls::operations());
    all.extend(calls::approvals());
    all
}

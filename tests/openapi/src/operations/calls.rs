//! Calls and approvals.

use serde_json::{Value, json};
use toolgate_protocol::approvals::{ApprovalView, DecisionRequest};
use toolgate_protocol::calls::{CallRequest, CallState, CallView, ResolutionRequest};
use toolgate_protocol::lists::{ApprovalPage, CallEvents, CallPage};
use toolgate_protocol::problems as p;

use crate::operation::{Operation, Who, operation};

const SUBMITTERS: Who = Who::Roles(&["caller", "agent"]);
const OWNERS: Who = Who::Roles(&["caller", "agent", "admin"]);
const READERS: Who = Who::Roles(&["caller", "agent", "admin", "approver"]);
const APPROVER: Who = Who::Roles(&["approver"]);

/// The words of the type.
fn states() -> Value {
    let schema = schemars::schema_for!(CallState).to_value();
    schema["oneOf"].as_array().into_iter().flatten().map(|each| each["const"].clone()).collect()
}

pub fn operations() -> Vec<Operation> {
    let filter = json!({ "type": "string" });
    vec![
        operation("POST", "/v1/calls", "submitCall", SUBMITTERS, "Asks for a tool.")
            .takes::<CallRequest>()
            .waits()
            .repeats()
            .gives::<CallView>(200, "It has ended.")
            .gives::<CallView>(202, "It goes on, or waits for a decision.")
            .of_pool()
            .refuses(&[p::AGENT_NOT_IN_SCOPE, p::NOT_GRANTED, p::TOOL_DISABLED, p::PERMISSION_MISSING])
            .refuses(&[p::WRITE_NOT_ENABLED, p::UNKNOWN_TOOL, p::INVALID_ARGUMENTS, p::ENDPOINT_SUSPENDED])
            .refuses(&[
                p::IDEMPOTENCY_CONFLICT,
                p::IDEMPOTENCY_KEY_REQUIRED,
                p::RECENTLY_REJECTED,
                p::TOO_MANY_PENDING,
            ]),
        operation(
            "GET",
            "/v1/calls",
            "listCalls",
            Who::Roles(&["caller", "admin"]),
            "Lists the calls of a pool, newest first.",
        )
        .query("pool", true, "The pool.", filter.clone())
        .query("state", false, "Only calls in this state.", json!({ "type": "string", "enum": states() }))
        .query("tool", false, "Only calls of this tool.", filter.clone())
        .query("agent", false, "Only calls of this agent.", filter)
        .pages()
        .gives::<CallPage>(200, "A page.")
        .of_pool(),
        operation("GET", "/v1/calls/{call}", "getCall", READERS, "Reads a call.")
            .waits()
            .gives::<CallView>(200, "The call.")
            .of_pool(),
        operation("GET", "/v1/calls/{call}/events", "callEvents", READERS, "Reads a call's timeline.")
            .gives::<CallEvents>(200, "The timeline.")
            .of_pool(),
        operation("POST", "/v1/calls/{call}/cancel", "cancelCall", OWNERS, "Takes a call back that has not started.")
            .gives::<CallView>(200, "The call.")
            .of_pool()
            .refuses(&[p::ALREADY_ENDED, p::ALREADY_RUNNING]),
        operation(
            "POST",
            "/v1/calls/{call}/resolution",
            "resolveCall",
            Who::Roles(&["admin", "approver"]),
            "Says what an unknown outcome was.",
        )
        .takes::<ResolutionRequest>()
        .gives::<CallView>(200, "The call.")
        .of_pool()
        .refuses(&[p::NOT_UNKNOWN]),
    ]
}

pub fn approvals() -> Vec<Operation> {
    let states = json!(["pending", "approved", "rejected", "expired", "cancelled", "invalidated"]);
    vec![
        operation("GET", "/v1/approvals", "listApprovals", APPROVER, "Lists approvals.")
            .query("state", false, "Only approvals in this state.", json!({ "type": "string", "enum": states }))
            .query(
                "order",
                false,
                "Which come first; `oldest` where absent.",
                json!({ "type": "string", "enum": ["oldest", "newest"] }),
            )
            .pages()
            .gives::<ApprovalPage>(200, "A page."),
        operation(
            "GET",
            "/v1/approvals/{id}",
            "getApproval",
            APPROVER,
            "Reads an approval: exactly what was asked for.",
        )
        .gives::<ApprovalView>(200, "The approval.")
        .gives_nothing(303, "To its page, for who has no key and accepts HTML: a browser that opens the link.")
        .of_pool(),
        operation(
            "POST",
            "/v1/approvals/{id}/decision",
            "decide",
            APPROVER,
            "Approves what the digest names, or rejects.",
        )
        .takes::<DecisionRequest>()
        .gives::<ApprovalView>(200, "The approval as it stands now.")
        .of_pool()
        .refuses(&[p::REQUESTER_MAY_NOT_APPROVE, p::ALREADY_DECIDED, p::APPROVAL_EXPIRED, p::APPROVAL_WITHDRAWN])
        .refuses(&[p::DIGEST_MISMATCH, p::INVALID_ARGUMENTS]),
    ]
}

//! Runs, and the door of the Model Context Protocol.

use serde_json::json;
use toolgate_protocol::answers::ResourceMetadata;
use toolgate_protocol::problems as p;
use toolgate_protocol::runs::{RunAnswer, RunRequest, RunView, TokenAnswer, TokenRequest, TurnAnswer, TurnRequest};

use crate::operation::{Operation, Who, operation};

const CALLER: Who = Who::Roles(&["caller"]);
const AGENT: Who = Who::Roles(&["agent"]);

pub fn operations() -> Vec<Operation> {
    vec![
        operation(
            "POST",
            "/v1/runs",
            "createRun",
            CALLER,
            "Begins a run of an agent: a token for it, and its first offer.",
        )
        .takes::<RunRequest>()
        .gives::<RunAnswer>(201, "The run; its token is shown once.")
        .refuses(&[p::AGENT_NOT_IN_SCOPE]),
        operation(
            "GET",
            "/v1/runs/{run}",
            "getRun",
            Who::Roles(&["admin", "approver", "caller"]),
            "Reads a run: what it was last offered, and why.",
        )
        .gives::<RunView>(200, "The run.")
        .refuses(&[p::NOT_FOUND]),
        operation(
            "POST",
            "/v1/runs/{run}/turns",
            "takeTurn",
            AGENT,
            "Takes a turn with the run's own token: the offer for its text.",
        )
        .takes::<TurnRequest>()
        .gives::<TurnAnswer>(200, "The offer.")
        .refuses(&[p::NOT_FOUND]),
        operation("POST", "/v1/runs/{run}/tokens", "renewToken", CALLER, "Makes another token for a run.")
            .may_take::<TokenRequest>()
            .gives::<TokenAnswer>(200, "The token, shown once.")
            .refuses(&[p::NOT_FOUND]),
        operation(
            "GET",
            "/.well-known/oauth-protected-resource/mcp/{agent}",
            "resourceMetadata",
            Who::Anybody,
            "Where an MCP client gets a key, where an authorization server is configured (RFC 9728).",
        )
        .gives::<ResourceMetadata>(200, "The metadata.")
        .refuses(&[p::NOT_FOUND]),
        operation(
            "POST",
            "/mcp/{agent}",
            "mcp",
            AGENT,
            "The Model Context Protocol, revisions 2026-07-28 and 2025-11-25: one JSON-RPC message.",
        )
        .takes_as(|_| json!({ "type": "object", "description": "A JSON-RPC 2.0 message of the protocol." }), true)
        .gives_as(200, "The answer to the message, or its stream.", |_| rpc("An answer of the protocol."))
        .streams("", |_| rpc("A message of the protocol, in one `data:` line."))
        .gives_nothing(202, "A notification was taken.")
        .gives_as(400, "", |_| rpc("An error of the protocol."))
        .gives_as(404, "", |_| rpc("An error of the protocol: there is no such method or thing."))
        .refuses(&[p::AGENT_NOT_IN_SCOPE, p::NOT_FOUND]),
    ]
}

fn rpc(description: &str) -> serde_json::Value {
    json!({ "type": "object", "required": ["jsonrpc"], "properties": { "jsonrpc": { "const": "2.0" } }, "description": description })
}

//! The chat: the AG-UI door and its threads.

use serde_json::{Value, json};
use toolgate_protocol::agui::Event;
use toolgate_protocol::chat::{ChatCapabilities, ThreadAnswer, ThreadDeleted, ThreadHead, ThreadPage, ThreadRequest};
use toolgate_protocol::limits::CHAT_ID_CHARS_MAX;
use toolgate_protocol::problems as p;

use crate::operation::{Operation, Who, operation};
use crate::schemas::Schemas;

const AGENT: Who = Who::Roles(&["agent"]);

pub fn operations() -> Vec<Operation> {
    vec![
        operation(
            "GET",
            "/v1/agents/{agent}/agui",
            "chatCapabilities",
            AGENT,
            "What an agent can do in a chat (AG-UI 1.0).",
        )
        .gives::<ChatCapabilities>(200, "The capabilities.")
        .refuses(&[p::AGENT_NOT_IN_SCOPE, p::NOT_FOUND]),
        operation("POST", "/v1/agents/{agent}/agui", "chat", AGENT, "One run of a thread, by AG-UI 1.0.")
            .takes_as(run_input, true)
            .streams("The run's events, one `data:` line of JSON each.", |schemas| schemas.given::<Event>())
            .refuses(&[
                p::INVALID_RUN_INPUT,
                p::FORGED_TOOL_RESULT,
                p::TOOL_NAME_CLASH,
                p::AGENT_NOT_IN_SCOPE,
                p::NOT_FOUND,
                p::THREAD_BUSY,
                p::THREAD_FULL,
                p::TOO_MANY_THREADS,
            ]),
        operation("GET", "/v1/threads", "listThreads", AGENT, "The person's threads with the agent, newest first.")
            .pages()
            .gives::<ThreadPage>(200, "A page of them."),
        operation(
            "GET",
            "/v1/threads/{thread}",
            "getThread",
            AGENT,
            "A thread with its messages and what waits in it.",
        )
        .gives::<ThreadAnswer>(200, "The thread.")
        .refuses(&[p::NOT_FOUND]),
        operation("PUT", "/v1/threads/{thread}", "putThread", AGENT, "Gives a thread another title.")
            .takes::<ThreadRequest>()
            .gives::<ThreadHead>(200, "The thread.")
            .refuses(&[p::NOT_FOUND]),
        operation("DELETE", "/v1/threads/{thread}", "deleteThread", AGENT, "Forgets a thread.")
            .gives::<ThreadDeleted>(200, "It is gone.")
            .refuses(&[p::NOT_FOUND]),
    ]
}

/// What of `RunAgentInput` must be there; the protocol says the rest, and what it does not say is ignored.
fn run_input(_: &mut Schemas) -> Value {
    let id =
        json!({ "type": "string", "minLength": 1, "maxLength": CHAT_ID_CHARS_MAX, "pattern": "^[A-Za-z0-9_.:-]+$" });
    json!({
        "type": "object",
        "description": "`RunAgentInput` of AG-UI 1.0.",
        "required": ["threadId", "runId", "messages"],
        "properties": { "threadId": id, "runId": id, "messages": { "type": "array", "items": { "type": "object" } } },
    })
}

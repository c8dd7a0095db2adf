//! Threads: a person's conversations with an agent, as the key says.

use serde_json::value::to_raw_value;
use toolgate_core::chat::input::is_thread_id;
use toolgate_core::chat::threads::{Command, Head, Kept, Reply};
use toolgate_core::chat::transcript::{Standing, Transcript, interrupt};
use toolgate_core::problem::Problem;
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use toolgate_protocol::chat::{
    ClientCall, ThreadAnswer, ThreadCall, ThreadDeleted, ThreadHead, ThreadPage, ThreadPending, ThreadRequest,
    ThreadState,
};
use toolgate_protocol::limits::{BODY_BYTES_MAX, CHAT_TITLE_CHARS_MAX};

use super::Handled;
use crate::chat::Person;
use crate::edge::Edge;
use crate::http::{self, internal};

/// `GET /v1/threads`
pub async fn list(edge: Edge) -> Handled {
    let person = match Person::of(&edge).await? {
        Ok(person) => person,
        Err(refusal) => return Ok(refusal),
    };
    edge.only_query(&["limit", "cursor"])?;
    let page = edge.page()?;
    let command = Command::List { limit: page.limit, cursor: page.cursor };
    match person.ask(&edge, &command).await? {
        Reply::Threads { heads, next } => {
            let threads = heads.iter().map(|head| shown(head, now())).collect();
            http::json_answer(200, &ThreadPage { threads, next_cursor: next })
        }
        other => Err(refused(other)),
    }
}

/// `GET /v1/threads/{thread}`
pub async fn get(edge: Edge, thread: String) -> Handled {
    let person = match Person::of(&edge).await? {
        Ok(person) => person,
        Err(refusal) => return Ok(refusal),
    };
    match person.ask(&edge, &Command::Read(named(thread)?)).await? {
        Reply::Thread(kept) => http::json_answer(200, &whole(&person, *kept)),
        other => Err(refused(other)),
    }
}

/// `PUT /v1/threads/{thread}`
pub async fn put(mut edge: Edge, thread: String) -> Handled {
    let person = match Person::of(&edge).await? {
        Ok(person) => person,
        Err(refusal) => return Ok(refusal),
    };
    let ThreadRequest { title } = edge.json(BODY_BYTES_MAX).await?;
    let characters = title.chars().count();
    if !(1..=CHAT_TITLE_CHARS_MAX).contains(&characters) || title.chars().any(char::is_control) {
        let what = format!("has {characters} characters; it needs 1 to {CHAT_TITLE_CHARS_MAX} printable ones.");
        return Err(Problem::invalid("title", what));
    }
    match person.ask(&edge, &Command::Rename { thread: named(thread)?, title }).await? {
        Reply::Head(head) => http::json_answer(200, &shown(&head, now())),
        other => Err(refused(other)),
    }
}

/// `DELETE /v1/threads/{thread}`
pub async fn delete(edge: Edge, thread: String) -> Handled {
    let person = match Person::of(&edge).await? {
        Ok(person) => person,
        Err(refusal) => return Ok(refusal),
    };
    let thread = named(thread)?;
    match person.ask(&edge, &Command::Delete(thread.clone())).await? {
        Reply::Done => http::json_answer(200, &ThreadDeleted { thread, deleted: true }),
        other => Err(refused(other)),
    }
}

/// What is no name of a thread is absent like one that is not there. Of the characters of a name a browser's
/// `encodeURIComponent` writes one otherwise.
fn named(thread: String) -> Result<String, Problem> {
    let thread = thread.replace("%3A", ":").replace("%3a", ":");
    if is_thread_id(&thread) { Ok(thread) } else { Err(Problem::not_found()) }
}

fn refused(reply: Reply) -> Problem {
    match reply {
        Reply::Absent => Problem::not_found(),
        Reply::Refused(problem) => problem,
        _ => internal("asking for threads", "their object said something else"),
    }
}

fn state(head: &Head, now: UnixMillis) -> ThreadState {
    if head.is_held(now) {
        ThreadState::Running
    } else if head.summary.parked > 0 {
        ThreadState::WaitingApproval
    } else if head.summary.client > 0 {
        ThreadState::WaitingClient
    } else {
        ThreadState::Idle
    }
}

fn shown(head: &Head, now: UnixMillis) -> ThreadHead {
    ThreadHead {
        thread: head.thread.clone(),
        title: head.title.clone(),
        created_at: head.created_at.rfc3339(),
        updated_at: head.updated_at.rfc3339(),
        messages: head.summary.messages,
        state: state(head, now),
    }
}

fn whole(person: &Person, kept: Kept) -> ThreadAnswer {
    let Kept { head, items, offer } = kept;
    let transcript = Transcript::new(items);
    let (mut client_calls, mut interrupts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    let tools = &person.offers.catalogue.policy.tools;
    for call in transcript.calls() {
        if call.at_gateway().is_some() || call.end.is_some() {
            calls.push(ThreadCall {
                tool_call_id: call.id.clone(),
                call: call.at_gateway().map(str::to_owned),
                tool: call.name.clone(),
                side_effect: tools.get(&call.name).map(|tool| tool.definition.side_effect),
                state: call.end,
            });
        }
        match &call.standing {
            Standing::Client => client_calls.push(ClientCall {
                tool_call_id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            }),
            Standing::Parked(parked) => {
                interrupts.extend(to_raw_value(&interrupt(call, parked)).ok());
            }
            _ => {}
        }
    }
    ThreadAnswer {
        thread: head.thread.clone(),
        title: head.title.clone(),
        created_at: head.created_at.rfc3339(),
        updated_at: head.updated_at.rfc3339(),
        state: state(&head, now()),
        messages: transcript.messages(),
        pending: ThreadPending { client_calls, interrupts },
        rounds: head.rounds,
        calls,
        offer_message: offer.as_ref().and_then(|offer| offer.message(transcript.items())).map(str::to_owned),
        offer: offer.map(|kept| kept.offer),
    }
}

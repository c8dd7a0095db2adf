//! The edge: authenticate, read the body under a cap, route, and send on what the objects answer.
//!
//! The edge decides nothing about a call: it takes the org from the key and nowhere else, finds the object, and asks.
//! Requests share no state here but two bounded caches, which decide nothing either: which pool has which tool (a pool
//! refuses a tool that is not its own), and catalogues for offers (an offer grants nothing).

mod access;
mod browsers;
mod catalogue;
mod chat;
mod deliver;
mod edge;
mod egress;
mod endpoint;
mod grounding;
mod handlers;
mod http;
mod mcp_rules;
mod notices;
mod objects;
mod tool_pools;

use toolgate_core::route::route;
use worker::{Context, Env, Request, Response, Result, event};

pub use toolgate_durable::{OrgRegistry, PoolQueue, Thread};

/// Every request.
#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    console_error_panic_hook::set_once();
    if let Some(answer) = browsers::preflight(&request) {
        return answer;
    }
    let from_page = http::header(&request, "origin").is_some();
    let found = http::refuse_loop(&request).and_then(|()| route(request.method().as_ref(), &request.path()));
    let answer = match found {
        Ok(found) => match edge::Edge::new(request, env, context) {
            Ok(edge) => handlers::handle(edge, found).await,
            Err(problem) => Err(problem),
        },
        Err(problem) => Err(problem),
    };
    let answer = answer.or_else(|problem| toolgate_durable::refusal(&problem))?;
    if from_page { browsers::readable(answer) } else { Ok(answer) }
}

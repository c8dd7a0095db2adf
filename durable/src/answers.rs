//! Replies as responses. What the objects answer is the body that the client gets; the edge sends it on as it is.

use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{self, INTERNAL_HEADER, Reply};
use toolgate_core::registry;
use worker::{Headers, Response, ResponseBuilder, Result};

fn json(status: u16, body: String, problem: bool) -> Result<Response> {
    let kind = if problem { "application/problem+json" } else { "application/json" };
    let headers = Headers::new();
    headers.set("content-type", kind)?;
    Ok(ResponseBuilder::new().with_status(status).with_headers(headers).fixed(body.into_bytes()))
}

/// A queue's reply.
pub fn queue(reply: &Reply) -> Result<Response> {
    let http = messages::http(reply);
    let mut response = match http.body {
        Some(body) => json(http.status, body, reply.is_err())?,
        None => Response::empty()?.with_status(http.status),
    };
    if let Some(internal) = http.internal {
        response.headers_mut().set(INTERNAL_HEADER, internal)?;
    }
    Ok(response)
}

/// The registry's reply; pools that lag behind a change are named (202).
pub fn registry(reply: registry::Reply, lagging: &[String]) -> Result<Response> {
    let encoded = |value: std::result::Result<String, serde_json::Error>| {
        value.map_err(|error| worker::Error::RustError(error.to_string()))
    };
    match reply {
        Err(problem) => refusal(&problem),
        Ok(registry::Answer::Body(status, mut body)) => {
            let members = body.as_object_mut().filter(|_| !lagging.is_empty());
            let status = if lagging.is_empty() { status } else { 202 };
            if let Some(members) = members {
                members.insert("lagging".into(), lagging.into());
            }
            json(status, body.to_string(), false)
        }
        Ok(registry::Answer::Text(status, body)) => json(status, body, false),
        Ok(registry::Answer::Policy(push)) => json(200, encoded(serde_json::to_string(&push))?, false),
        Ok(registry::Answer::Registered(result)) => json(200, encoded(serde_json::to_string(&result))?, false),
        Ok(registry::Answer::Pool(pool)) => json(200, serde_json::json!({ "pool": pool }).to_string(), false),
        Ok(registry::Answer::Done) => json(200, "{}".into(), false),
    }
}

/// A refusal.
pub fn refusal(problem: &Problem) -> Result<Response> {
    json(problem.kind.status, problem.body().to_string(), true)
}

//! Replies as responses. What the objects answer is the body that the client gets; the edge sends it on as it is.

use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{self, INTERNAL_HEADER, Reply};
use toolgate_core::registry;
use toolgate_protocol::limits::RETRY_AFTER_SECONDS;
use toolgate_protocol::problems;
use worker::{Headers, Response, ResponseBuilder, Result};

/// Headers of every answer, so that the edge need not touch what an object answers.
///
/// # Errors
/// When the platform refuses a header.
pub fn headers(status: u16, content_type: Option<&str>) -> Result<Headers> {
    let headers = Headers::new();
    if let Some(content_type) = content_type {
        headers.set("content-type", content_type)?;
    }
    headers.set("cache-control", "no-store")?;
    headers.set("x-content-type-options", "nosniff")?;
    if status == 503 {
        headers.set("retry-after", &RETRY_AFTER_SECONDS.to_string())?;
    }
    Ok(headers)
}

fn json(status: u16, body: String) -> Result<Response> {
    let headers = headers(status, Some("application/json"))?;
    Ok(ResponseBuilder::new().with_status(status).with_headers(headers).fixed(body.into_bytes()))
}

/// A queue's reply.
pub fn queue(reply: &Reply) -> Result<Response> {
    let http = messages::http(reply);
    let mut response = match (reply, http.body) {
        (Err(problem), _) => refusal(problem)?,
        (_, Some(body)) => json(http.status, body)?,
        (_, None) => ResponseBuilder::new().with_status(http.status).with_headers(headers(http.status, None)?).empty(),
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
            json(status, body.to_string())
        }
        Ok(registry::Answer::Text(status, body)) => json(status, body),
        Ok(registry::Answer::Policy(push)) => json(200, encoded(serde_json::to_string(&push))?),
        Ok(registry::Answer::Registered(result)) => json(200, encoded(serde_json::to_string(&result))?),
        Ok(registry::Answer::Pool(found)) => json(200, encoded(serde_json::to_string(&found))?),
        Ok(registry::Answer::Catalogue(catalogue)) => json(200, encoded(serde_json::to_string(&catalogue))?),
        Ok(registry::Answer::Endpoint(endpoint)) => json(200, encoded(serde_json::to_string(&endpoint))?),
        Ok(registry::Answer::Done) => json(200, "{}".into()),
    }
}

/// The reply of a conversation's object, for the edge.
pub fn thread<T: serde::Serialize>(reply: &T) -> Result<Response> {
    json(200, serde_json::to_string(reply).map_err(|error| worker::Error::RustError(error.to_string()))?)
}

/// A problem as an answer (RFC 9457): the one place that makes them.
///
/// # Errors
/// When the platform refuses a header.
pub fn refusal(problem: &Problem) -> Result<Response> {
    let status = problem.kind.status;
    let headers = headers(status, Some("application/problem+json"))?;
    if let Some(allow) = problem.members.get("allow").and_then(|allow| allow.as_str()) {
        headers.set("allow", allow)?;
    }
    if problem.kind == problems::INVALID_KEY {
        headers.set("www-authenticate", "Bearer")?;
    }
    let body = problem.body().to_string().into_bytes();
    Ok(ResponseBuilder::new().with_status(status).with_headers(headers).fixed(body))
}

//! HTTP in and out: bodies under a cap, headers, and the one place that makes problem answers.

use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::INTERNAL_HEADER;
use toolgate_protocol::limits::RETRY_AFTER_SECONDS;
use toolgate_protocol::problems;
use worker::{Headers, Request, Response, ResponseBuilder, Result, console_error};

/// Something of the platform failed: logged with a reference, answered with the reference alone.
pub fn internal(what: &str, error: impl std::fmt::Display) -> Problem {
    let reference = toolgate_durable::entropy().map(|bytes| toolgate_core::hash::hex(&bytes)).unwrap_or_default();
    console_error!("{reference}: {what}: {error}");
    Problem::new(problems::INTERNAL, format!("Something failed here. Reference: {reference}"))
}

/// The body as text, never more than `limit` bytes of it.
pub async fn text(request: &mut Request, limit: usize) -> std::result::Result<String, Problem> {
    let announced = header(request, "content-length").and_then(|length| length.parse::<usize>().ok());
    if let Some(bytes) = announced.filter(|bytes| *bytes > limit) {
        return Err(Problem::too_large("body", bytes, limit));
    }
    if request.inner().body().is_none() {
        return Ok(String::new());
    }
    let mut stream = request.stream().map_err(|error| internal("reading a body", error))?;
    let mut body = Vec::with_capacity(announced.unwrap_or(0));
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| internal("reading a body", error))?;
        let bytes = body.len().saturating_add(chunk.len());
        if bytes > limit {
            return Err(Problem::too_large("body", bytes, limit));
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| Problem::new(problems::INVALID_JSON, "The body is not UTF-8."))
}

/// The body as a message of ours: `application/json`, no unknown members, no member twice.
pub async fn json<T: DeserializeOwned>(request: &mut Request, limit: usize) -> std::result::Result<T, Problem> {
    let kind = header(request, "content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let detail = format!("Send `content-type: application/json`, not {kind:?}.");
        return Err(Problem::new(problems::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    read(&text(request, limit).await?)
}

fn read<T: DeserializeOwned>(text: &str) -> std::result::Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_data() { problems::INVALID_REQUEST } else { problems::INVALID_JSON };
        Problem::new(kind, format!("{error}."))
    })
}

/// A header's value.
pub fn header(request: &Request, name: &str) -> Option<String> {
    request.headers().get(name).ok().flatten()
}

/// A problem as an answer (RFC 9457).
pub fn refusal(problem: &Problem) -> Result<Response> {
    let headers = Headers::new();
    headers.set("content-type", "application/problem+json")?;
    if let Some(allow) = problem.members.get("allow").and_then(|allow| allow.as_str()) {
        headers.set("allow", allow)?;
    }
    if problem.kind == problems::INVALID_KEY {
        headers.set("www-authenticate", "Bearer")?;
    }
    let body = problem.body().to_string().into_bytes();
    Ok(ResponseBuilder::new().with_status(problem.kind.status).with_headers(headers).fixed(body))
}

/// What every answer carries. Answers of objects have headers that cannot be changed, so they are laid anew.
pub fn finish(response: Response) -> Result<Response> {
    let headers = Headers::new();
    for (name, value) in response.headers() {
        if name != INTERNAL_HEADER {
            headers.set(&name, &value)?;
        }
    }
    headers.set("cache-control", "no-store")?;
    headers.set("x-content-type-options", "nosniff")?;
    let status = response.status_code();
    if status == 503 {
        headers.set("retry-after", &RETRY_AFTER_SECONDS.to_string())?;
    }
    let (_, body) = response.into_parts();
    Ok(ResponseBuilder::new().with_status(status).with_headers(headers).body(body))
}

//! HTTP in: bodies under a cap, headers, and what is said when the platform fails.

use futures_util::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_core::problem::Problem;
use toolgate_protocol::problems;
use worker::{Request, Response, ResponseBuilder, console_error};

use crate::egress::LOOP_HEADER;

/// Something of the platform failed: logged with a reference, answered with the reference alone.
pub fn internal(what: &str, error: impl std::fmt::Display) -> Problem {
    let reference = toolgate_durable::entropy().map(|bytes| toolgate_core::hash::hex(&bytes)).unwrap_or_default();
    console_error!("{reference}: {what}: {error}");
    Problem::new(problems::INTERNAL, format!("Something failed here. Reference: {reference}"))
}

/// A body over its limit is read to its end, and thrown away, up to this.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The body as text, never more than `limit` bytes of it.
pub async fn text(request: &mut Request, limit: usize) -> Result<String, Problem> {
    let announced = header(request, "content-length").and_then(|length| length.parse::<usize>().ok());
    if let Some(bytes) = announced.filter(|bytes| *bytes > limit) {
        if bytes <= DISCARDED_BYTES_MAX {
            // A client that is still sending would see a broken connection instead of the answer.
            discard(request).await;
        }
        return Err(Problem::too_large("body", bytes, limit));
    }
    if request.inner().body().is_none() {
        return Ok(String::new());
    }
    let body = match announced {
        // A body never has more bytes than its length says: HTTP ends it there.
        #[expect(clippy::disallowed_methods, reason = "capped by the announced length")]
        Some(_) => request.bytes().await.map_err(|error| internal("reading a body", error))?,
        None => stream(request, limit).await?,
    };
    String::from_utf8(body).map_err(|_| Problem::new(problems::INVALID_JSON, "The body is not UTF-8."))
}

async fn discard(request: &mut Request) {
    let Ok(mut stream) = request.stream() else { return };
    while let Some(Ok(_)) = stream.next().await {}
}

async fn stream(request: &mut Request, limit: usize) -> Result<Vec<u8>, Problem> {
    let mut stream = request.stream().map_err(|error| internal("reading a body", error))?;
    let mut body = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| internal("reading a body", error))?;
        let bytes = body.len().saturating_add(chunk.len());
        if bytes > limit {
            return Err(Problem::too_large("body", bytes, limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The body as a message of ours: `application/json`, no unknown members, no member twice.
pub async fn json<T: DeserializeOwned>(request: &mut Request, limit: usize) -> Result<T, Problem> {
    read(&json_text(request, limit).await?)
}

/// The body as a message of ours, or the empty message where there is none.
pub async fn optional_json<T: DeserializeOwned + Default>(request: &mut Request, limit: usize) -> Result<T, Problem> {
    if request.inner().body().is_none() {
        return Ok(T::default());
    }
    json(request, limit).await
}

/// The text of a body that says it is `application/json`.
pub async fn json_text(request: &mut Request, limit: usize) -> Result<String, Problem> {
    let kind = header(request, "content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let detail = format!("Send `content-type: application/json`, not {kind:?}.");
        return Err(Problem::new(problems::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    text(request, limit).await
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    // Members could be read from a list as well, by their order, which nobody means.
    if text.trim_ascii_start().starts_with('[') {
        return Err(Problem::new(problems::INVALID_REQUEST, "The body must be a JSON object."));
    }
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_data() { problems::INVALID_REQUEST } else { problems::INVALID_JSON };
        Problem::new(kind, format!("{error}."))
    })
}

/// What the gateway sends must not come back to it: a call would go round until something gives way.
pub fn refuse_loop(request: &Request) -> Result<(), Problem> {
    match header(request, LOOP_HEADER) {
        None => Ok(()),
        Some(_) => {
            Err(Problem::new(problems::LOOP_DETECTED, "An endpoint leads back to a gateway; give it another URL."))
        }
    }
}

/// An answer of the edge's own.
pub fn json_answer<T: Serialize>(status: u16, body: &T) -> Result<Response, Problem> {
    let headers =
        toolgate_durable::headers(status, Some("application/json")).map_err(|error| internal("answering", error))?;
    let body = serde_json::to_string(body).map_err(|error| internal("answering", error))?;
    Ok(ResponseBuilder::new().with_status(status).with_headers(headers).fixed(body.into_bytes()))
}

/// A header's value.
pub fn header(request: &Request, name: &str) -> Option<String> {
    request.headers().get(name).ok().flatten()
}

//! An edge handler for Cloudflare Workers.

use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::StreamExt as _;
use toolgate_protocol::limits::CALL_BODY_BYTES_MAX;
use worker::{Context, Headers, Method, Request, Response, console_warn};

use crate::answer::Answer;
use crate::endpoint::Endpoint;
use crate::memory::Memory;

/// Answers a request of the gateway: POST only, at the endpoint's path, the raw body read under a cap, the reply signed.
/// What was not as it should be is written to the Worker's log.
///
/// A handler runs on when the gateway has hung up, as far as `waitUntil` goes: a write must not be cut in half.
///
/// # Errors
/// When the platform fails to read the request or to make the response.
pub async fn mount_tools<M: Memory + 'static>(
    mut request: Request,
    context: &Context,
    endpoint: Rc<Endpoint<M>>,
) -> worker::Result<Response> {
    let answer = if !endpoint.is_at(&request.path()) {
        Answer::unsigned(404, "refused: the request is for another path than the endpoint's")
    } else if request.method() != Method::Post {
        Answer::unsigned(405, "refused: the gateway sends POST only").with_header("allow", "POST")
    } else {
        match body(&mut request).await? {
            Some(body) => {
                let (sender, receiver) = oneshot::channel();
                context.wait_until(async move {
                    let answer = endpoint.handle_with_clock(request.headers(), &body, now_seconds).await;
                    let _ = sender.send(answer);
                });
                receiver.await.map_err(|_| worker::Error::RustError("the handler was cut off".into()))?
            }
            None => Answer::unsigned(413, format!("refused: the body has more than {CALL_BODY_BYTES_MAX} bytes")),
        }
    };
    if let Some(log) = &answer.log {
        console_warn!("toolgate: {log}");
    }
    response(answer)
}

/// The body byte for byte, or `None` when it is over the cap; never more than the cap of it is held.
async fn body(request: &mut Request) -> worker::Result<Option<Vec<u8>>> {
    let announced = request.headers().get("content-length")?.and_then(|length| length.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > CALL_BODY_BYTES_MAX) {
        return Ok(None);
    }
    let mut body = Vec::new();
    if request.inner().body().is_none() {
        return Ok(Some(body));
    }
    let mut stream = request.stream()?;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        if body.len().saturating_add(chunk.len()) > CALL_BODY_BYTES_MAX {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the clock, in whole seconds")]
fn now_seconds() -> u64 {
    worker::Date::now().as_millis().div_euclid(1_000)
}

fn response(answer: Answer) -> worker::Result<Response> {
    let headers = Headers::new();
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    // With a status that allows no body the platform takes none, not even an empty one.
    let response =
        if answer.body.is_empty() { Response::empty()? } else { Response::from_bytes(answer.body.into_bytes())? };
    Ok(response.with_status(answer.status).with_headers(headers))
}

//! One request out and its answer: fixed headers, no redirect followed, one deadline over all of it, the answer capped
//! while it streams. What a stranger answers is never looked at: only a body that the endpoint signed gets out of here.

use futures_util::StreamExt as _;
use toolgate_core::delivery::{Incoming, Lost, Message, Outgoing, TIMEOUT, TOO_LARGE, UNREACHABLE, UNSIGNED};
use toolgate_core::delivery::{REDIRECTED, outgoing, retry_after, signed};
use toolgate_core::egress::Destination;
use toolgate_core::time::UnixMillis;
use toolgate_durable::{before, entropy, now};
use toolgate_protocol::limits::REPLY_BYTES_MAX;
use toolgate_signing::Secret;
use worker::wasm_bindgen::JsValue;
use worker::{
    AbortController, AbortSignal, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, ResponseBody,
};

/// Marks what the gateway sends: a request that has it is refused, so that no call goes round.
pub const LOOP_HEADER: &str = "toolgate-loop";

/// What came of a message.
pub struct Sent {
    /// The message, as it was sent.
    pub outgoing: Outgoing,
    /// The body that the endpoint signed, or why there is none.
    pub reply: Result<Vec<u8>, Lost>,
    /// The endpoint asked for this pause.
    pub retry_after_seconds: Option<u64>,
}

/// Builds and signs a message. `None` when it cannot be built, which only a fault of ours explains.
pub fn prepare(secrets: &[Secret], message: &Message<'_>) -> Option<Outgoing> {
    outgoing(secrets, message, now(), &entropy().ok()?)
}

/// Sends a message to a destination that was judged just now.
pub async fn exchange(destination: &Destination, secrets: &[Secret], outgoing: Outgoing, deadline: UnixMillis) -> Sent {
    let headers = with_fixed(&outgoing.headers);
    let body = JsValue::from_str(&outgoing.body);
    let answer = post_capped(&destination.url, &headers, body, deadline, REPLY_BYTES_MAX).await;
    let (reply, retry_after_seconds) = match answer {
        Err(lost) => (Err(lost), None),
        Ok(Capped { status, incoming }) => {
            let body = signed(secrets, &outgoing, &incoming, now()).map(<[u8]>::to_vec);
            let redirected = (300..400).contains(&status);
            let body = body.map_err(|lost| if redirected && lost == UNSIGNED { REDIRECTED } else { lost });
            (body, retry_after(&incoming.headers, now()))
        }
    };
    Sent { outgoing, reply, retry_after_seconds }
}

/// The headers of a message: the same for every endpoint, and its signature.
fn with_fixed<'a>(signature: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    let fixed = [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("accept-encoding", "identity"),
        ("user-agent", concat!("Toolgate/", env!("CARGO_PKG_VERSION"))),
        (LOOP_HEADER, "1"),
    ];
    fixed.into_iter().chain(signature.iter().map(|(name, value)| (*name, value.as_str()))).collect()
}

/// Posts a body to a destination that was judged just now, for the status alone: what follows it is left unread, and
/// the connection given up.
pub async fn post_unread(
    destination: &Destination,
    signature: &[(&'static str, String)],
    body: &str,
    deadline: UnixMillis,
) -> Result<u16, Lost> {
    let controller = AbortController::default();
    let signal = controller.signal();
    let request =
        request(&destination.url, &with_fixed(signature), JsValue::from_str(body)).map_err(|_| UNREACHABLE)?;
    let fetch = Fetch::Request(request);
    let answered = before(deadline, Box::pin(fetch.send_with_signal(&signal))).await;
    controller.abort();
    match answered {
        Some(Ok(response)) => Ok(response.status_code()),
        Some(Err(_)) => Err(UNREACHABLE),
        None => Err(TIMEOUT),
    }
}

/// An answer that kept within its cap and its time.
pub struct Capped {
    /// The HTTP status.
    pub status: u16,
    /// Headers and body.
    pub incoming: Incoming,
}

/// Posts and reads the answer. At the deadline, or when the answer grows over its cap, the connection is given up.
pub(super) async fn post_capped(
    url: &str,
    headers: &[(&str, &str)],
    body: JsValue,
    deadline: UnixMillis,
    bytes_max: usize,
) -> Result<Capped, Lost> {
    capped(request(url, headers, body).map_err(|_| UNREACHABLE)?, deadline, bytes_max).await
}

/// Gets what one of the fixed hosts publishes, likewise. Never for a URL of a customer's.
pub async fn get_capped(
    url: &str,
    headers: &[(&str, &str)],
    deadline: UnixMillis,
    bytes_max: usize,
) -> Result<Capped, Lost> {
    let init = init(Method::Get, headers).map_err(|_| UNREACHABLE)?;
    capped(Request::new_with_init(url, &init).map_err(|_| UNREACHABLE)?, deadline, bytes_max).await
}

async fn capped(request: Request, deadline: UnixMillis, bytes_max: usize) -> Result<Capped, Lost> {
    let controller = AbortController::default();
    let signal = controller.signal();
    let done = before(deadline, Box::pin(read(request, &signal, bytes_max))).await.unwrap_or(Err(TIMEOUT));
    if done.is_err() {
        controller.abort();
    }
    done
}

pub(super) fn request(url: &str, headers: &[(&str, &str)], body: JsValue) -> worker::Result<Request> {
    let mut init = init(Method::Post, headers)?;
    init.with_body(Some(body));
    Request::new_with_init(url, &init)
}

fn init(method: Method, headers: &[(&str, &str)]) -> worker::Result<RequestInit> {
    let fixed = Headers::new();
    for (name, value) in headers {
        fixed.set(name, value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(method).with_headers(fixed).with_redirect(RequestRedirect::Manual);
    Ok(init)
}

async fn read(request: Request, signal: &AbortSignal, bytes_max: usize) -> Result<Capped, Lost> {
    let mut response = Fetch::Request(request).send_with_signal(signal).await.map_err(|_| UNREACHABLE)?;
    let headers = response.headers().entries().collect();
    let mut body = Vec::new();
    if matches!(response.body(), ResponseBody::Stream(_)) {
        let mut stream = response.stream().map_err(|_| UNREACHABLE)?;
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|_| UNREACHABLE)?;
            if body.len().saturating_add(chunk.len()) > bytes_max {
                return Err(TOO_LARGE);
            }
            body.extend_from_slice(&chunk);
        }
    }
    Ok(Capped { status: response.status_code(), incoming: Incoming { headers, body } })
}

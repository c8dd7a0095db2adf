//! One request out whose answer is read as it comes. No redirect is followed; each piece has a deadline; what is dropped
//! is given up, with its connection.

use futures_util::StreamExt as _;
use toolgate_core::delivery::{Lost, TIMEOUT, UNREACHABLE};
use toolgate_core::time::UnixMillis;
use toolgate_durable::before;
use worker::wasm_bindgen::JsValue;
use worker::{AbortController, ByteStream, Fetch, Response, ResponseBody};

use super::exchange::request;

/// An answer under way.
pub struct Answering {
    /// The HTTP status.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    body: Option<ByteStream>,
    controller: Option<AbortController>,
}

/// Posts a text; the deadline is for the head of the answer.
pub async fn post_streaming(
    url: &str,
    headers: &[(&str, &str)],
    body: &str,
    deadline: UnixMillis,
) -> Result<Answering, Lost> {
    let request = request(url, headers, JsValue::from_str(body)).map_err(|_| UNREACHABLE)?;
    let controller = AbortController::default();
    let signal = controller.signal();
    // Dropped on every way out, it ends the exchange.
    let mut answering = Answering { status: 0, headers: Vec::new(), body: None, controller: Some(controller) };
    let sent = before(deadline, Box::pin(Fetch::Request(request).send_with_signal(&signal))).await;
    answering.take(sent.ok_or(TIMEOUT)?.map_err(|_| UNREACHABLE)?)?;
    Ok(answering)
}

impl Answering {
    /// An answer that comes some other way; dropped, it gives up its connection by this.
    pub fn of(response: Response, controller: AbortController) -> Result<Answering, Lost> {
        let mut answering = Answering { status: 0, headers: Vec::new(), body: None, controller: Some(controller) };
        answering.take(response)?;
        Ok(answering)
    }

    fn take(&mut self, mut response: Response) -> Result<(), Lost> {
        self.status = response.status_code();
        self.headers = response.headers().entries().collect();
        if matches!(response.body(), ResponseBody::Stream(_)) {
            self.body = Some(response.stream().map_err(|_| UNREACHABLE)?);
        }
        Ok(())
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The next bytes; nothing at the end.
    pub async fn next(&mut self, deadline: UnixMillis) -> Result<Option<Vec<u8>>, Lost> {
        let Some(body) = &mut self.body else { return Ok(None) };
        match before(deadline, body.next()).await {
            None => Err(TIMEOUT),
            Some(None) => Ok(None),
            Some(Some(bytes)) => bytes.map(Some).map_err(|_| UNREACHABLE),
        }
    }

    /// The first of the bytes, as far as they come in time.
    pub async fn beginning(&mut self, deadline: UnixMillis, bytes_max: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < bytes_max
            && let Ok(Some(bytes)) = self.next(deadline).await
        {
            body.extend_from_slice(&bytes);
        }
        body.truncate(bytes_max);
        body
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(controller) = self.controller.take() {
            controller.abort();
        }
    }
}

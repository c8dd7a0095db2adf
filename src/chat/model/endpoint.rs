//! An endpoint that speaks as OpenAI's chat completions do: one POST, its answer a stream.
//!
//! Two kinds. The deployment's own is the operator's word and called as it stands. An agent's own goes through the rules
//! of egress like a webhook: its text and where its name leads, before the request, and once more before a byte of the
//! answer is read. Neither gets the other's key. No redirect is followed.

use toolgate_core::chat::model::{ModelError, Prompt, REFUSED_ADDRESS, UNAVAILABLE, completions_body, completions_url};
use toolgate_core::delivery::{Lost, TIMEOUT, retry_after};
use toolgate_core::egress::{Destination, Verdict};
use toolgate_core::time::UnixMillis;
use toolgate_durable::names::MODEL_KEY;
use toolgate_durable::{now, pause};
use toolgate_protocol::limits::{
    MODEL_ERROR_BYTES_MAX, MODEL_FIRST_BYTE_SECONDS, MODEL_IDLE_SECONDS, MODEL_RETRY_AFTER_SECONDS_MAX,
};
use worker::{Env, console_error};

use super::read;
use crate::egress::{Answering, Egress, LOOP_HEADER, post_streaming};

/// Such an endpoint, and a model there.
pub struct Endpoint {
    /// The model's name.
    pub name: String,
    /// The base.
    url: String,
    /// Empty where there is none.
    key: String,
    /// It is an agent's own: what an admin wrote, not the operator.
    is_own: bool,
}

impl Endpoint {
    /// The deployment's own.
    pub fn of_deployment(env: &Env, url: &str, name: &str) -> Endpoint {
        Endpoint { name: name.to_owned(), url: url.to_owned(), key: read(env, MODEL_KEY), is_own: false }
    }

    /// An agent's own.
    pub fn of_agent(url: &str, name: &str, key: String) -> Endpoint {
        Endpoint { name: name.to_owned(), url: url.to_owned(), key, is_own: true }
    }

    /// The key that it is asked with.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Asks for a turn; answers once a good status is there.
    pub async fn ask(&self, env: &Env, prompt: &Prompt, opened: UnixMillis) -> Result<Answering, ModelError> {
        let guard = self.guard(env).await?;
        let url = completions_url(&self.url)
            .ok_or_else(|| ModelError::new(UNAVAILABLE, "The URL of the deployment's models is none."))?;
        let body = completions_body(prompt, &self.name);
        let mut answering = self.send(&url, &body, opened).await?;
        if let Some(seconds) = pause_before_another(&answering) {
            drop(answering);
            pause(seconds.saturating_mul(1_000)).await;
            answering = self.send(&url, &body, now()).await?;
        }
        if let Some((egress, destination)) = guard {
            // The platform has looked the name up again: where it leads now it may have led then, and nobody there is heard.
            judge(&egress, &destination).await?;
        }
        if answering.status == 200 {
            return Ok(answering);
        }
        let status = answering.status;
        let body = answering.beginning(now().plus_seconds(MODEL_IDLE_SECONDS), MODEL_ERROR_BYTES_MAX).await;
        Err(ModelError::refused(status, &body, Some(&self.key)))
    }

    /// What an agent's own endpoint is judged by.
    async fn guard(&self, env: &Env) -> Result<Option<(Egress, Destination)>, ModelError> {
        if !self.is_own {
            return Ok(None);
        }
        let egress = Egress::for_models(env, None);
        let destination = egress.check(&self.url).map_err(|refused| refused_address(&refused.reason))?;
        judge(&egress, &destination).await?;
        Ok(Some((egress, destination)))
    }

    async fn send(&self, url: &str, body: &str, from: UnixMillis) -> Result<Answering, ModelError> {
        let bearer = format!("Bearer {}", self.key);
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "text/event-stream"),
            ("accept-encoding", "identity"),
            ("user-agent", concat!("Toolgate/", env!("CARGO_PKG_VERSION"))),
            (LOOP_HEADER, "1"),
        ];
        if !self.key.is_empty() {
            headers.push(("authorization", &bearer));
        }
        let deadline = from.plus_seconds(MODEL_FIRST_BYTE_SECONDS);
        post_streaming(url, &headers, body, deadline).await.map_err(unreached)
    }
}

/// Seconds after which a busy endpoint wants to be asked once more, where they are few.
fn pause_before_another(answering: &Answering) -> Option<u64> {
    let is_busy = matches!(answering.status, 429 | 503);
    let seconds = retry_after(&answering.headers, now()).filter(|_| is_busy)?;
    (seconds <= MODEL_RETRY_AFTER_SECONDS_MAX).then_some(seconds)
}

async fn judge(egress: &Egress, destination: &Destination) -> Result<(), ModelError> {
    match egress.judge(destination).await {
        Verdict::Allowed => Ok(()),
        Verdict::Refused(refused) => Err(refused_address(&refused.reason)),
        Verdict::Unreachable => Err(ModelError::new(UNAVAILABLE, "The model's address could not be looked up.")),
    }
}

/// Who chats is told nothing of where a name leads.
fn refused_address(reason: &str) -> ModelError {
    console_error!("the address of an agent's model is refused: {reason}");
    ModelError::new(REFUSED_ADDRESS, "The address of this agent's model may not be called; an admin writes it again.")
}

fn unreached(lost: Lost) -> ModelError {
    match lost {
        TIMEOUT => ModelError::new(UNAVAILABLE, "The model did not begin to answer in time."),
        _ => ModelError::new(UNAVAILABLE, "The model could not be reached."),
    }
}

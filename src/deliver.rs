//! The webhook deliverer: an executor that lives at the edge. It claims with a lease, resolves and checks, has a write
//! accepted, sends once, and reports. It runs on when the caller leaves; when it dies, its lease lapses.
//!
//! Only the object decides what an end means. What is refused or not tried is reported as that; everything after the
//! first byte may have been sent is `Lost`.

use toolgate_core::delivery::{Message, call_reply};
use toolgate_core::egress::Verdict;
use toolgate_core::queue::delivery::{Delivery, DeliveryEnvelope, Report};
use toolgate_core::queue::messages::VERSION;
use toolgate_core::registry::Command;
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use worker::{Env, Response, console_error};

use crate::egress::{Egress, exchange};
use crate::endpoint::{Endpoint, NotAnswered, announced, seal};
use crate::objects::{ask_registry, report};

/// A call, delivered: what its object answers to the report, and what is left to be done after it.
pub struct Delivered {
    /// The call as it stands; `None` when there was nothing to report or the object could not be told.
    pub answer: Option<Response>,
    /// The work after the answer.
    pub after: Option<After>,
}

/// What follows an answer, in the background.
pub struct After {
    endpoint: Endpoint,
    egress: Egress,
    /// The endpoint's name for its present manifest, when it said another than the pool knows.
    manifest: Option<String>,
}

/// Delivers a call.
pub async fn deliver(env: &Env, delivery: &Delivery, base_url: &str) -> Delivered {
    let deadline = now().plus_seconds(delivery.timeout_seconds);
    let say = |said: Report| tell(env, delivery, base_url, said);
    let (egress, endpoint) = match ready(env, delivery).await {
        Ok(ready) => ready,
        Err(said) => return Delivered { answer: say(said).await, after: None },
    };
    // The look-up took all the time there was: nothing was sent, and nothing will be by this hand-over.
    if now() >= deadline {
        return Delivered { answer: say(Report::NotTried).await, after: None };
    }
    if delivery.side_effect.is_write() && !may_send(say(Report::Accept).await).await {
        return Delivered { answer: None, after: None };
    }
    let (said, manifest) = send(delivery, &endpoint, deadline).await;
    let manifest = manifest.filter(|hash| delivery.endpoint.manifest.as_ref() != Some(hash));
    Delivered { answer: say(said).await, after: Some(After { endpoint, egress, manifest }) }
}

/// The endpoint, judged just now; else what to report: nothing was sent.
async fn ready(env: &Env, delivery: &Delivery) -> Result<(Egress, Endpoint), Report> {
    let (org, pool) = (&delivery.place.org, &delivery.place.pool);
    let seal = seal(env).map_err(|_| Report::NotTried)?;
    let egress = Egress::new(env, None);
    let Some(endpoint) = Endpoint::open(&seal, org, pool, &egress, &delivery.endpoint) else {
        console_error!("no signing secret of {org}/{pool} opens: was it sealed under another master key?");
        return Err(Report::NotTried);
    };
    let endpoint = match endpoint {
        Ok(endpoint) => endpoint.judge(&egress).await.map(|()| endpoint),
        Err(refused) => Err(refused),
    };
    match endpoint {
        Ok(endpoint) => Ok((egress, endpoint)),
        Err(NotAnswered::Refused(reason)) => Err(Report::Refused { reason }),
        Err(NotAnswered::Unresolved | NotAnswered::Lost(_)) => Err(Report::NotTried),
    }
}

/// Sends once. With the endpoint's name for its manifest, when its reply had one.
async fn send(delivery: &Delivery, endpoint: &Endpoint, deadline: UnixMillis) -> (Report, Option<String>) {
    let left_seconds = deadline.0.saturating_sub(now().0).div_euclid(1_000).max(1);
    let message = Message::Call(delivery, left_seconds);
    let Some(sent) = exchange(&endpoint.destination, &endpoint.secrets, &message, deadline).await else {
        return (Report::NotTried, None);
    };
    match sent.reply.and_then(|body| call_reply(&body)) {
        Ok(reply) => {
            let manifest = reply.manifest.clone();
            (Report::Replied(Box::new(reply)), manifest)
        }
        Err(code) => (Report::Lost { code: code.to_owned(), retry_after_seconds: sent.retry_after_seconds }, None),
    }
}

async fn tell(env: &Env, delivery: &Delivery, base_url: &str, said: Report) -> Option<Response> {
    let envelope = DeliveryEnvelope {
        v: VERSION,
        place: delivery.place.clone(),
        base_url: base_url.to_owned(),
        claim: delivery.claim.clone(),
        report: said,
    };
    match report(env, &envelope).await {
        Ok(response) => Some(response),
        Err(error) => {
            console_error!("a pool could not be told of a delivery: {error}");
            None
        }
    }
}

/// Whatever is not a clear yes is a no: it has not been sent, and will not be by us.
async fn may_send(answer: Option<Response>) -> bool {
    match answer {
        Some(mut answer) if answer.status_code() == 200 => answer.json().await.unwrap_or(false),
        _ => false,
    }
}

impl After {
    /// Resolves again: the platform did so inside `fetch`, and where the name leads now it may have led then. Then
    /// fetches the manifest, if the endpoint has another one and it is time.
    pub async fn run(self, env: &Env, delivery: &Delivery) {
        let (org, pool, revision) = (&delivery.place.org, &delivery.place.pool, delivery.endpoint.revision);
        match self.egress.judge(&self.endpoint.destination).await {
            Verdict::Allowed => {}
            Verdict::Refused(refused) if refused.is_forbidden() => {
                let suspend = Command::Suspend { pool: pool.clone(), revision, reason: refused.reason };
                if let Err(error) = ask_registry(env, org, None, suspend).await {
                    console_error!("the endpoint of {org}/{pool} could not be suspended: {error}");
                }
                return;
            }
            Verdict::Refused(_) | Verdict::Unreachable => return,
        }
        if let Some(hash) = self.manifest {
            let begin = Command::BeginSync { pool: pool.clone(), revision, hash };
            if let Ok(mut answer) = ask_registry(env, org, None, begin).await
                && matches!(answer.json().await, Ok(serde_json::Value::Object(_)))
                && let Ok(reply) = self.endpoint.manifest().await
                && let Ok(manifest) = announced(pool, revision, reply)
            {
                let _ = ask_registry(env, org, None, Command::SyncManifest(Box::new(manifest))).await;
            }
        }
    }
}

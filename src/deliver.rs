//! The deliverer: an executor that lives at the edge. It claims with a lease, runs the call, and reports. A call of a
//! webhook pool goes to its endpoint: resolve and check, have a write accepted, send once. A call of a builtin pool is the
//! gateway's own code. It runs on when the caller leaves; when it dies, its lease lapses.
//!
//! Only the object decides what an end means. What is refused or not tried is reported as that; everything after the
//! first byte may have been sent is `Lost`.

use toolgate_core::delivery::{Message, TIMEOUT, call_reply};
use toolgate_core::keys::Identity;
use toolgate_core::policy::PolicyEndpoint;
use toolgate_core::queue::delivery::{Delivery, DeliveryEnvelope, Report};
use toolgate_core::queue::messages::VERSION;
use toolgate_core::queue::target::Target;
use toolgate_core::registry::Command;
use toolgate_durable::now;
use worker::{Env, Response, console_error};

use crate::builtin;
use crate::egress::{Egress, exchange, prepare};
use crate::endpoint::{Endpoint, NotAnswered, announced, judge_after, seal, was_sent};
use crate::objects::{self, ask_registry, tell};

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
    /// Which endpoint it was.
    revision: u64,
    /// The endpoint's name for its present manifest, when it said another than the pool knows.
    manifest: Option<String>,
}

/// Delivers a call. `waits` is the key of a caller who is answered with what the object says.
pub async fn deliver(env: &Env, delivery: &Delivery, base_url: &str, waits: Option<&Identity>) -> Delivered {
    let teller = Teller { env, delivery, base_url, waits };
    match &delivery.target {
        Target::Endpoint(known) => send(teller, known).await,
        // Nothing that ships writes, so there is nothing to have accepted first.
        Target::Builtin(target) => {
            let said = builtin::run(env, delivery, target).await;
            Delivered { answer: teller.ended(said).await, after: None }
        }
    }
}

/// Sends a call to its endpoint.
async fn send(teller: Teller<'_>, known: &PolicyEndpoint) -> Delivered {
    let (env, delivery) = (teller.env, teller.delivery);
    let deadline = now().plus_seconds(delivery.timeout_seconds);
    let (egress, endpoint) = match ready(env, delivery, known).await {
        Ok(ready) => ready,
        Err(said) => return Delivered { answer: teller.ended(said).await, after: None },
    };
    // The look-up took all the time there was, or the message cannot be built: nothing was sent, and nothing will be.
    let left_seconds = deadline.0.saturating_sub(now().0).div_euclid(1_000).max(1);
    let message = prepare(&endpoint.secrets, &Message::Call(delivery, left_seconds)).filter(|_| now() < deadline);
    let Some(message) = message else { return Delivered { answer: teller.ended(Report::NotTried).await, after: None } };
    if delivery.side_effect.is_write() {
        if !teller.may_send(known).await {
            return Delivered { answer: None, after: None };
        }
        // The object took its time. It counts as sent already, so all that can be said is that no reply came in time.
        if now() >= deadline {
            let late = Report::Lost { code: TIMEOUT.to_owned(), retry_after_seconds: None };
            return Delivered { answer: teller.ended(late).await, after: None };
        }
    }
    let sent = exchange(&endpoint.destination, &endpoint.secrets, message, deadline).await;
    let (said, manifest) = match sent.reply.and_then(|body| call_reply(&body)) {
        Ok(reply) => {
            let manifest = reply.manifest.clone();
            (Report::Replied(Box::new(reply)), manifest)
        }
        Err(code) => (Report::Lost { code: code.to_owned(), retry_after_seconds: sent.retry_after_seconds }, None),
    };
    let manifest = manifest.filter(|hash| known.manifest.as_ref() != Some(hash));
    Delivered {
        answer: teller.ended(said).await,
        after: Some(After { endpoint, egress, revision: known.revision, manifest }),
    }
}

/// The endpoint, judged just now; else what to report: nothing was sent.
async fn ready(env: &Env, delivery: &Delivery, known: &PolicyEndpoint) -> Result<(Egress, Endpoint), Report> {
    let (org, pool) = (&delivery.place.org, &delivery.place.pool);
    let seal = seal(env).map_err(|_| Report::NotTried)?;
    let egress = Egress::new(env, None);
    let Some(endpoint) = Endpoint::open(&seal, org, pool, &egress, known) else {
        console_error!("no signing secret of {org}/{pool} opens: was it sealed under another master key?");
        return Err(Report::Refused { reason: "no signing secret of the pool opens".to_owned() });
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

/// Tells the pool's object how it goes.
struct Teller<'a> {
    env: &'a Env,
    delivery: &'a Delivery,
    base_url: &'a str,
    waits: Option<&'a Identity>,
}

impl Teller<'_> {
    /// May this write be sent? Asked once: whatever is not a clear yes is a no.
    async fn may_send(&self, known: &PolicyEndpoint) -> bool {
        let PolicyEndpoint { revision, secrets, .. } = known;
        let secret = secrets.first().map(|newest| newest.sealed.clone()).unwrap_or_default();
        match self.say(Report::Accept { revision: *revision, secret }).await {
            Ok(mut answer) if answer.status_code() == 200 => answer.json().await.unwrap_or(false),
            Ok(_) => false,
            Err(error) => {
                console_error!("a pool could not be asked whether to send: {error}");
                false
            }
        }
    }

    /// How it ended. Told again while the object restarts or is too busy: a second time it changes nothing.
    async fn ended(&self, said: Report) -> Option<Response> {
        tell("a pool of a delivery", async || self.say(said.clone()).await).await
    }

    async fn say(&self, report: Report) -> worker::Result<Response> {
        let envelope = DeliveryEnvelope {
            v: VERSION,
            place: self.delivery.place.clone(),
            base_url: self.base_url.to_owned(),
            claim: self.delivery.claim.clone(),
            waits: self.waits.map(|who| (who.key_id.clone(), who.sha256.clone())),
            report,
        };
        objects::report(self.env, &envelope).await
    }
}

impl After {
    /// Resolves again; then fetches the manifest, if the endpoint has another one and it is time.
    pub async fn run(self, env: &Env, delivery: &Delivery) {
        let (org, pool, revision) = (&delivery.place.org, &delivery.place.pool, self.revision);
        if !judge_after(env, (org, pool, revision), &self.egress, &self.endpoint.destination).await {
            return;
        }
        let Some(hash) = self.manifest else { return };
        let begin = Command::BeginSync { pool: pool.clone(), revision, hash };
        if let Ok(mut answer) = ask_registry(env, org, None, begin).await
            && matches!(answer.json().await, Ok(serde_json::Value::Object(_)))
        {
            let answered = self.endpoint.manifest(&self.egress).await;
            let looks_again = was_sent(&answered);
            if let Ok(reply) = answered
                && let Ok(manifest) = announced(pool, revision, reply)
            {
                let _ = ask_registry(env, org, None, Command::SyncManifest(Box::new(manifest))).await;
            }
            if looks_again {
                judge_after(env, (org, pool, revision), &self.egress, &self.endpoint.destination).await;
            }
        }
    }
}

//! Talking to one endpoint: its secrets opened, its address judged, a message sent, the signed reply read.

use toolgate_core::delivery::{self, INVALID, Lost, Message};
use toolgate_core::egress::{Destination, Verdict};
use toolgate_core::policy::PolicyEndpoint;
use toolgate_core::problem::Problem;
use toolgate_core::registration::canonical_manifest;
use toolgate_core::registry::{Command, EndpointManifest, NewSecret};
use toolgate_core::seal::Seal;
use toolgate_durable::now;
use toolgate_protocol::definitions::Manifest;
use toolgate_protocol::problems;
use toolgate_protocol::webhooks::ManifestReply;
use toolgate_signing::Secret;
use worker::Env;

use crate::egress::{Egress, Sent, exchange, prepare};
use crate::http::internal;
use crate::objects::{ask_registry, tell};

/// An endpoint that may be called, as far as its text goes.
pub struct Endpoint {
    /// Where it is.
    pub destination: Destination,
    /// What it signs with and is signed to with, newest first.
    pub secrets: Vec<Secret>,
    /// The deadline of an exchange.
    pub timeout_seconds: u64,
}

/// Why nothing was sent, or no answer came.
pub enum NotAnswered {
    /// The destination may not be called; the reason, for the admin's view.
    Refused(String),
    /// No resolver answered, or they took all the time there was.
    Unresolved,
    /// Something was sent, perhaps.
    Lost(Lost),
}

impl NotAnswered {
    /// A sentence for the admin's view. It says nothing of what was answered.
    pub fn reason(&self) -> String {
        match self {
            NotAnswered::Refused(reason) => format!("Refused before sending: {reason}."),
            NotAnswered::Unresolved => "No name server answered in time, so nothing was sent.".to_owned(),
            NotAnswered::Lost(code) => format!("The endpoint gave no valid reply ({code})."),
        }
    }
}

impl Endpoint {
    /// Opens the endpoint of a policy. `None` when no secret opens, which another master key would explain.
    pub fn open(
        seal: &Seal,
        org: &str,
        pool: &str,
        egress: &Egress,
        known: &PolicyEndpoint,
    ) -> Option<Result<Endpoint, NotAnswered>> {
        let secrets = open_secrets(seal, org, pool, known);
        if secrets.is_empty() {
            return None;
        }
        let checked = egress.check(&known.url).map_err(|refused| NotAnswered::Refused(refused.reason));
        Some(checked.map(|destination| Endpoint { destination, secrets, timeout_seconds: known.timeout_seconds }))
    }

    /// Judges where its name leads now.
    pub async fn judge(&self, egress: &Egress) -> Result<(), NotAnswered> {
        match egress.judge(&self.destination).await {
            Verdict::Allowed => Ok(()),
            Verdict::Refused(refused) => Err(NotAnswered::Refused(refused.reason)),
            Verdict::Unreachable => Err(NotAnswered::Unresolved),
        }
    }

    /// Is it there, and does it hold the secret?
    pub async fn challenge(&self, egress: &Egress) -> Result<(), NotAnswered> {
        let sent = self.ask(egress, &Message::Challenge).await?;
        let body = sent.reply.map_err(NotAnswered::Lost)?;
        delivery::challenge_reply(&sent.outgoing, &body).map_err(NotAnswered::Lost)
    }

    /// What tools does it have?
    pub async fn manifest(&self, egress: &Egress) -> Result<ManifestReply, NotAnswered> {
        let body = self.ask(egress, &Message::Manifest).await?.reply.map_err(NotAnswered::Lost)?;
        delivery::manifest_reply(&body).map_err(NotAnswered::Lost)
    }

    /// Each message is preceded by a look at where the name leads, within the same deadline.
    async fn ask(&self, egress: &Egress, message: &Message<'_>) -> Result<Sent, NotAnswered> {
        let deadline = now().plus_seconds(self.timeout_seconds);
        self.judge(egress).await?;
        if now() >= deadline {
            return Err(NotAnswered::Unresolved);
        }
        let message = prepare(&self.secrets, message).ok_or(NotAnswered::Lost(INVALID))?;
        Ok(exchange(&self.destination, &self.secrets, message, deadline).await)
    }
}

/// Whether anything of an exchange may have left: then a look at the name follows it.
pub fn was_sent<T>(answered: &Result<T, NotAnswered>) -> bool {
    matches!(answered, Ok(_) | Err(NotAnswered::Lost(_)))
}

/// After an answer: the platform resolved the name itself inside `fetch`, and where it leads now it may have led then.
/// What must not be reached suspends the endpoint; whether the name is allowed.
pub async fn judge_after(env: &Env, place: (&str, &str, u64), egress: &Egress, destination: &Destination) -> bool {
    let (org, pool, revision) = place;
    match egress.judge(destination).await {
        Verdict::Allowed => true,
        Verdict::Refused(refused) if refused.is_forbidden() => {
            let suspend = Command::Suspend { pool: pool.to_owned(), revision, reason: refused.reason };
            tell("a registry to suspend an endpoint", async || ask_registry(env, org, None, suspend.clone()).await)
                .await;
            false
        }
        Verdict::Refused(_) | Verdict::Unreachable => false,
    }
}

/// What the registry is told of a manifest.
pub fn announced(pool: &str, revision: u64, reply: ManifestReply) -> Result<EndpointManifest, Problem> {
    let (text, _) = canonical_manifest(&Manifest { tools: reply.tools, contexts: reply.contexts })?;
    let manifest =
        serde_json::value::RawValue::from_string(text).map_err(|error| internal("carrying a manifest", error))?;
    Ok(EndpointManifest { pool: pool.to_owned(), revision, manifest, hash: reply.hash })
}

/// The secrets of an endpoint that have not ended, newest first.
pub fn open_secrets(seal: &Seal, org: &str, pool: &str, known: &PolicyEndpoint) -> Vec<Secret> {
    let valid = known.secrets.iter().filter(|secret| secret.until.is_none_or(|until| now() < until));
    valid.filter_map(|secret| opened(seal, &[org, pool], &secret.sealed)).collect()
}

/// The cipher of this deployment.
pub fn seal(env: &Env) -> Result<Seal, Problem> {
    toolgate_durable::master_key(env).map(|key| Seal::new(&key)).map_err(|why| internal("the configuration", why))
}

/// Sixteen bytes by chance.
pub fn random() -> Result<[u8; 16], Problem> {
    toolgate_durable::entropy().map_err(|error| internal("chance", error))
}

/// A new secret of 32 bytes.
pub fn new_secret() -> Result<Secret, Problem> {
    let bytes = [random()?, random()?].concat();
    Secret::from_bytes(&bytes).map_err(|fault| internal("making a secret", fault))
}

/// A customer's own secret, or what is wrong with it.
pub fn read_secret(text: &str) -> Result<Secret, Problem> {
    Secret::parse(text).map_err(|fault| {
        Problem::new(problems::SECRET_REFUSED, format!("secret: {fault} (leave the member out to be given one)."))
    })
}

/// A pool's secret as the registry keeps it.
pub fn sealed(seal: &Seal, org: &str, pool: &str, secret: &Secret) -> Result<NewSecret, Problem> {
    sealed_at(seal, org, &[org, pool], secret)
}

/// A secret as the registry keeps it, bound to its place.
pub fn sealed_at(seal: &Seal, org: &str, place: &[&str], secret: &Secret) -> Result<NewSecret, Problem> {
    let text = secret.to_text();
    let sealed = seal.seal(place, text.as_bytes(), &random()?);
    let sealed = sealed.ok_or_else(|| internal("sealing a secret", "the cipher failed"))?;
    Ok(NewSecret { sealed, fingerprint: seal.fingerprint(org, text.as_bytes()) })
}

/// A secret that was sealed for this place.
pub fn opened(seal: &Seal, place: &[&str], sealed: &str) -> Option<Secret> {
    let text = String::from_utf8(seal.open(place, sealed)?).ok()?;
    Secret::parse(&text).ok()
}

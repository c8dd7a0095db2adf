//! Webhook pools: the address judged, the secret sealed, the endpoint challenged and its manifest taken. What that
//! means is the registry's to decide.

use toolgate_core::keys::Identity;
use toolgate_core::names;
use toolgate_core::policy::PolicyEndpoint;
use toolgate_core::problem::Problem;
use toolgate_core::registry::{Challenged, Command, EndpointSpec, timeout_seconds};
use toolgate_protocol::answers::{ChallengeAnswer, EndpointView, ManifestTaken, PoolSaved, RotationAnswer};
use toolgate_protocol::control::{EndpointState, PoolRequest, Transport};
use toolgate_protocol::limits::BODY_BYTES_MAX;
use toolgate_protocol::problems;
use toolgate_signing::Secret;
use worker::Response;

use super::Handled;
use super::control::ADMIN;
use crate::edge::Edge;
use crate::egress::Egress;
use crate::endpoint::{
    Endpoint, NotAnswered, announced, judge_after, new_secret, open_secrets, read_secret, seal, sealed, was_sent,
};
use crate::http::{self, internal};

/// `PUT /v1/pools/{pool}`
pub async fn put_pool(mut edge: Edge, pool: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    let request: PoolRequest = edge.json(BODY_BYTES_MAX).await?;
    if request.transport == Transport::Webhook {
        return put_endpoint(&edge, &who, &pool, request).await;
    }
    edge.ask_registry(&who.org, Some(&who), Command::PutPool(pool, request)).await
}

/// Judge the text, ask the registry, judge the name, challenge, save, take the manifest. A failed challenge saves too;
/// an address that may not be called does not.
async fn put_endpoint(edge: &Edge, who: &Identity, pool: &str, request: PoolRequest) -> Handled {
    names::plain("pool", pool)?;
    let url = request.url.ok_or_else(|| Problem::invalid("url", "is required for the transport webhook."))?;
    let timeout_seconds = timeout_seconds(request.timeout_seconds)?;
    let egress = Egress::new(&edge.env, edge.host().as_deref());
    let destination = egress.check(&url).map_err(|refused| refused_destination(&refused.reason))?;
    let (seal, given) = (seal(&edge.env)?, request.secret.as_deref().map(read_secret).transpose()?);
    let mut new = given.map(|secret| sealed(&seal, &who.org, pool, &secret).map(|kept| (secret, kept))).transpose()?;
    let fingerprint = new.as_ref().map(|(_, kept)| kept.fingerprint.clone());
    let known = match endpoint_for(edge, who, pool, fingerprint).await? {
        Ok(known) => known,
        Err(refusal) => return Ok(refusal),
    };
    // The secret stays also when the URL that was there would not pass any more.
    let kept = known.as_ref().map(|known| open_secrets(&seal, &who.org, pool, known)).unwrap_or_default();
    let shown = if new.is_none() && kept.is_empty() { Some(new_secret()?) } else { None };
    if let Some(secret) = &shown {
        new = Some((secret.clone(), sealed(&seal, &who.org, pool, secret)?));
    }
    let secrets = new.as_ref().map_or(kept, |(secret, _)| vec![secret.clone()]);
    let endpoint = Endpoint { destination, secrets, timeout_seconds };
    let challenged = match &shown {
        // The customer does not know the secret yet.
        Some(_) => endpoint.judge(&egress).await.map(|()| Challenged::NotTried),
        None => endpoint.challenge(&egress).await.map(|()| Challenged::Passed),
    };
    let looks = shown.is_none() && was_sent(&challenged);
    let challenged = match challenged {
        Ok(challenged) => challenged,
        Err(NotAnswered::Refused(reason)) => return Err(refused_destination(&reason)),
        Err(NotAnswered::Unresolved) => return Err(unresolved()),
        Err(why) => Challenged::Failed(why.reason()),
    };
    let spec = EndpointSpec {
        url: endpoint.destination.url.clone(),
        timeout_seconds: request.timeout_seconds,
        secret: new.map(|(_, kept)| kept),
        kept: known.as_ref().and_then(newest_secret),
        challenged,
    };
    let saved = edge.ask_registry(&who.org, Some(who), Command::PutEndpoint(pool.to_owned(), Box::new(spec))).await?;
    finish_put(edge, who, pool, &endpoint, saved, (shown, looks)).await
}

/// The answer of a PUT: what was saved, the secret that is shown once, and what became of the manifest. A look at the name
/// follows where something was sent.
async fn finish_put(
    edge: &Edge,
    who: &Identity,
    pool: &str,
    endpoint: &Endpoint,
    mut saved: Response,
    (shown, looks): (Option<Secret>, bool),
) -> Handled {
    let status = saved.status_code();
    if status >= 300 {
        return Ok(saved);
    }
    let mut body: PoolSaved = saved.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    body.secret = shown.map(|secret| secret.to_text());
    let Some(EndpointView { state, revision, .. }) = body.endpoint.clone() else {
        return Err(internal("reading a registry's answer", "no endpoint"));
    };
    if state == EndpointState::Active {
        body.registration = Some(take_manifest(edge, who, pool, revision, endpoint).await);
    }
    if looks {
        judge_in_background(edge, who, pool, revision, endpoint);
    }
    http::json_answer(status, &body)
}

/// `POST /v1/pools/{pool}/challenges`
pub async fn challenge(edge: Edge, pool: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    let (known, egress, endpoint) = match known_endpoint(&edge, &who, &pool).await? {
        Ok(known) => known,
        Err(refusal) => return Ok(refusal),
    };
    let (looks, failed) = match &endpoint {
        Ok(endpoint) => {
            let answered = endpoint.challenge(&egress).await;
            (was_sent(&answered), answered.err().map(|why| why.reason()))
        }
        Err(why) => (false, Some(why.reason())),
    };
    let succeeded = failed.is_none();
    let secret = newest_secret(&known).unwrap_or_default();
    let command = Command::Challenged { pool: pool.clone(), revision: known.revision, secret, failed };
    let mut answered = edge.ask_registry(&who.org, Some(&who), command).await?;
    let status = answered.status_code();
    let Ok(endpoint) = endpoint else { return Ok(answered) };
    if status >= 300 || !succeeded {
        if looks {
            judge_in_background(&edge, &who, &pool, known.revision, &endpoint);
        }
        return Ok(answered);
    }
    let mut body: ChallengeAnswer =
        answered.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    body.registration = Some(take_manifest(&edge, &who, &pool, known.revision, &endpoint).await);
    judge_in_background(&edge, &who, &pool, known.revision, &endpoint);
    http::json_answer(status, &body)
}

/// `POST /v1/pools/{pool}/secret-rotations`
pub async fn rotate_secret(edge: Edge, pool: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    names::plain("pool", &pool).map_err(|_| Problem::not_found())?;
    let secret = new_secret()?;
    let kept = sealed(&seal(&edge.env)?, &who.org, &pool, &secret)?;
    let mut answered = edge.ask_registry(&who.org, Some(&who), Command::RotateSecret(pool, kept)).await?;
    let status = answered.status_code();
    if status >= 300 {
        return Ok(answered);
    }
    let mut body: RotationAnswer =
        answered.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    body.secret = secret.to_text();
    http::json_answer(status, &body)
}

/// `POST /v1/pools/{pool}/manifest-syncs`
pub async fn sync_manifest(edge: Edge, pool: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    let (known, egress, endpoint) = match known_endpoint(&edge, &who, &pool).await? {
        Ok(known) => known,
        Err(refusal) => return Ok(refusal),
    };
    if known.state != EndpointState::Active {
        let detail = "The endpoint is not active; challenge it first.";
        return Err(Problem::new(problems::ENDPOINT_SUSPENDED, detail));
    }
    let unavailable = |why: NotAnswered| Problem::new(problems::MANIFEST_UNAVAILABLE, why.reason());
    let endpoint = endpoint.map_err(unavailable)?;
    let answered = endpoint.manifest(&egress).await;
    if was_sent(&answered) {
        judge_in_background(&edge, &who, &pool, known.revision, &endpoint);
    }
    let manifest = announced(&pool, known.revision, answered.map_err(unavailable)?)?;
    edge.ask_registry(&who.org, Some(&who), Command::SyncManifest(Box::new(manifest))).await
}

type Known = (PolicyEndpoint, Egress, Result<Endpoint, NotAnswered>);

/// The endpoint of a pool that has one; else the refusal.
async fn known_endpoint(edge: &Edge, who: &Identity, pool: &str) -> Result<Result<Known, Response>, Problem> {
    names::plain("pool", pool).map_err(|_| Problem::not_found())?;
    let known = match endpoint_for(edge, who, pool, None).await? {
        Ok(known) => known.ok_or_else(Problem::not_found)?,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let egress = Egress::new(&edge.env, edge.host().as_deref());
    let endpoint = Endpoint::open(&seal(&edge.env)?, &who.org, pool, &egress, &known);
    let endpoint = endpoint.ok_or_else(|| internal("opening a secret", "sealed under another master key?"))?;
    Ok(Ok((known, egress, endpoint)))
}

async fn endpoint_for(
    edge: &Edge,
    who: &Identity,
    pool: &str,
    fingerprint: Option<String>,
) -> Result<Result<Option<PolicyEndpoint>, Response>, Problem> {
    let command = Command::EndpointFor { pool: pool.to_owned(), fingerprint };
    let mut answered = edge.ask_registry(&who.org, Some(who), command).await?;
    if answered.status_code() != 200 {
        return Ok(Err(answered));
    }
    answered.json().await.map(Ok).map_err(|error| internal("reading a registry's answer", error))
}

/// What became of the manifest of an endpoint that has just proved itself; an endpoint need not answer one.
async fn take_manifest(edge: &Edge, who: &Identity, pool: &str, revision: u64, endpoint: &Endpoint) -> ManifestTaken {
    let failed = |failed: String| ManifestTaken::Failed { failed };
    let unstored = || failed("The manifest could not be stored; sync it again.".to_owned());
    let egress = Egress::new(&edge.env, edge.host().as_deref());
    let manifest = match endpoint.manifest(&egress).await {
        Ok(reply) => announced(pool, revision, reply),
        Err(why) => return failed(why.reason()),
    };
    let manifest = match manifest {
        Ok(manifest) => manifest,
        Err(problem) => return failed(problem.detail),
    };
    let taken = edge.ask_registry(&who.org, Some(who), Command::SyncManifest(Box::new(manifest))).await;
    match taken {
        Ok(mut taken) if taken.status_code() < 300 => {
            taken.json().await.map_or_else(|_| unstored(), ManifestTaken::Taken)
        }
        Ok(_) | Err(_) => unstored(),
    }
}

/// Which secret is meant: a challenge proves one, and another may have come meanwhile.
fn newest_secret(known: &PolicyEndpoint) -> Option<String> {
    known.secrets.first().map(|secret| secret.sealed.clone())
}

/// The look after an answer, which the admin need not wait for.
fn judge_in_background(edge: &Edge, who: &Identity, pool: &str, revision: u64, endpoint: &Endpoint) {
    let egress = Egress::new(&edge.env, edge.host().as_deref());
    let (env, org, pool) = (edge.env.clone(), who.org.clone(), pool.to_owned());
    let destination = endpoint.destination.clone();
    edge.context.wait_until(async move {
        judge_after(&env, (&org, &pool, revision), &egress, &destination).await;
    });
}

pub(super) fn refused_destination(reason: &str) -> Problem {
    Problem::new(problems::DESTINATION_REFUSED, format!("url: {reason}."))
}

pub(super) fn unresolved() -> Problem {
    Problem::new(
        problems::RESOLVER_UNAVAILABLE,
        "The name could not be looked up in time, so nothing was saved. Try again.",
    )
}

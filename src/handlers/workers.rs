//! The worker transport by long poll. A worker key and its scope are checked here, sessions and claims in the pool.

use toolgate_core::ids::Place;
use toolgate_core::queue::messages::{Ask, INTERNAL_HEADER, NEW_MANIFEST, Register};
use toolgate_core::registration::{canonical_manifest, read_manifest};
use toolgate_core::registry::{Announcement, Command};
use toolgate_protocol::limits::{BODY_BYTES_MAX, RESULTS_BODY_BYTES_MAX};
use toolgate_protocol::workers::{ClaimsRequest, GoodbyeRequest, PollRequest, RegisterRequest, ResultsRequest};

use super::Handled;
use crate::edge::Edge;
use crate::http::internal;

/// `POST /v1/pools/{pool}/workers`: the pool alone, unless the manifest is news; then the registry, then the pool.
pub async fn register(mut edge: Edge, pool: String) -> Handled {
    let who = edge.worker(&pool)?;
    let request: RegisterRequest = edge.json(BODY_BYTES_MAX).await?;
    let (text, hash) = canonical_manifest(&request.manifest)?;
    let place = Place::of(&who.org, &pool);
    let contracts = read_manifest(&text).contracts();
    let worker = request.worker;
    let mut register = Register { worker: worker.clone(), manifest: hash.clone(), contracts, result: None };
    let mut first = edge.ask_pool(place.clone(), &who, Ask::Register(register.clone())).await?;
    if first.headers().get(INTERNAL_HEADER).ok().flatten().as_deref() != Some(NEW_MANIFEST) {
        return Ok(first);
    }
    let manifests = first.json().await.map_err(|error| internal("reading a pool's answer", error))?;
    let manifest =
        serde_json::value::RawValue::from_string(text).map_err(|error| internal("carrying a manifest", error))?;
    let announcement = Announcement { pool, worker, manifest, hash, manifests };
    let mut announced = edge.ask_registry(&who.org, Some(&who), Command::Announce(announcement)).await?;
    if announced.status_code() != 200 {
        return Ok(announced);
    }
    register.result = Some(announced.json().await.map_err(|error| internal("reading a registry's answer", error))?);
    edge.ask_pool(place, &who, Ask::Register(register)).await
}

/// `POST /v1/pools/{pool}/goodbyes`
pub async fn goodbye(mut edge: Edge, pool: String) -> Handled {
    let who = edge.worker(&pool)?;
    let request: GoodbyeRequest = edge.json(BODY_BYTES_MAX).await?;
    edge.ask_pool(Place::of(&who.org, &pool), &who, Ask::Goodbye(request)).await
}

/// `POST /v1/pools/{pool}/claims`
pub async fn poll(mut edge: Edge, pool: String) -> Handled {
    let who = edge.worker(&pool)?;
    let request: PollRequest = edge.json(RESULTS_BODY_BYTES_MAX).await?;
    edge.ask_pool(Place::of(&who.org, &pool), &who, Ask::Poll(request)).await
}

/// `POST /v1/pools/{pool}/accepts`
pub async fn accept(edge: Edge, pool: String) -> Handled {
    claims(edge, pool, Ask::Accept).await
}

/// `POST /v1/pools/{pool}/renewals`
pub async fn renew(edge: Edge, pool: String) -> Handled {
    claims(edge, pool, Ask::Renew).await
}

/// `POST /v1/pools/{pool}/returns`
pub async fn give_back(edge: Edge, pool: String) -> Handled {
    claims(edge, pool, Ask::Return).await
}

async fn claims(mut edge: Edge, pool: String, ask: fn(ClaimsRequest) -> Ask) -> Handled {
    let who = edge.worker(&pool)?;
    let request: ClaimsRequest = edge.json(BODY_BYTES_MAX).await?;
    edge.ask_pool(Place::of(&who.org, &pool), &who, ask(request)).await
}

/// `POST /v1/pools/{pool}/results`
pub async fn results(mut edge: Edge, pool: String) -> Handled {
    let who = edge.worker(&pool)?;
    let request: ResultsRequest = edge.json(RESULTS_BODY_BYTES_MAX).await?;
    edge.ask_pool(Place::of(&who.org, &pool), &who, Ask::Results(request)).await
}

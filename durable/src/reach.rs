//! Objects calling objects: a new stub per attempt, JSON both ways, never an outside address.

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_core::ids::Place;
use toolgate_core::internal_route::{self, InternalRoute};
use toolgate_core::queue::delivery::Delivery;
use toolgate_core::queue::messages::{PoolBatch, Push, VERSION};
use toolgate_core::registry::{Command, Envelope, Notice};
use worker::wasm_bindgen::JsValue;
use worker::{Env, Headers, Method, Request, RequestInit, Response, Result, Stub};

use crate::clock::now;
use crate::names::{ORG_REGISTRY, POOL_QUEUE, SELF};

/// Sends JSON to an object.
///
/// # Errors
/// When the object cannot be reached.
pub async fn post<T: Serialize>(stub: &Stub, path: &str, message: &T) -> Result<Response> {
    let body = serde_json::to_string(message).map_err(|error| worker::Error::RustError(error.to_string()))?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_body(Some(JsValue::from_str(&body)));
    stub.fetch_with_request(Request::new_with_init(&format!("http://object{path}"), &init)?).await
}

async fn command(env: &Env, org: &str, command: Command) -> Result<Response> {
    let stub = env.durable_object(ORG_REGISTRY)?.get_by_name(org)?;
    post(&stub, "/", &Envelope { v: VERSION, org: org.to_owned(), who: None, command }).await
}

/// What the registry said when asked for a policy.
pub enum Policy {
    /// The policy.
    Given(Box<Push>),
    /// A refusal: there is no such pool. Its response.
    Refused(Response),
}

/// Asks for a pool's policy.
pub async fn policy(env: &Env, place: &Place) -> Result<Policy> {
    let mut response = command(env, &place.org, Command::Policy(place.clone())).await?;
    if response.status_code() != 200 {
        return Ok(Policy::Refused(response));
    }
    read(&mut response).await.map(|push| Policy::Given(Box::new(push)))
}

/// Says which version of its policy a pool has stored.
pub async fn stored(env: &Env, place: &Place, version: u64) -> Result<()> {
    let stored = Command::Stored { pool: place.pool.clone(), version };
    command(env, &place.org, stored).await.map(|_| ())
}

/// Tells the registry what happened in a pool.
pub async fn tell(env: &Env, batch: PoolBatch) -> Result<bool> {
    let org = batch.place.org.clone();
    Ok(command(env, &org, Command::Batch(batch)).await?.status_code() == 200)
}

/// Gives a pool its policy.
pub async fn push(env: &Env, push: &Push) -> Result<bool> {
    let stub = env.durable_object(POOL_QUEUE)?.get_by_name(&push.place.object_name())?;
    Ok(post(&stub, "/policy", push).await?.status_code() == 200)
}

/// Gives the edge a delivery.
pub async fn deliver(env: &Env, delivery: &Delivery) -> Result<()> {
    ask_edge(env, internal_route::DELIVERIES, delivery).await
}

/// Gives the edge a message about approvals.
pub async fn notify(env: &Env, notice: &Notice) -> Result<()> {
    ask_edge(env, internal_route::NOTICES, notice).await
}

/// Asks the edge by one of its own signed routes: it answers at once and works on.
async fn ask_edge<T: Serialize>(env: &Env, path: &str, message: &T) -> Result<()> {
    let text = |error: serde_json::Error| worker::Error::RustError(error.to_string());
    let body = serde_json::to_string(message).map_err(text)?;
    let key = crate::master_key(env).map_err(worker::Error::RustError)?;
    let headers = Headers::new();
    headers.set(internal_route::HEADER, &InternalRoute::new(&key).sign(now(), path, &body))?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers).with_body(Some(JsValue::from_str(&body)));
    let address = format!("https://toolgate.internal{path}");
    let response = env.service(SELF)?.fetch(address, Some(init)).await?;
    match response.status_code() {
        202 => Ok(()),
        status => Err(worker::Error::RustError(format!("the edge answered {status}"))),
    }
}

async fn read<T: DeserializeOwned>(response: &mut Response) -> Result<T> {
    let text = response.text().await?;
    serde_json::from_str(&text).map_err(|error| worker::Error::RustError(error.to_string()))
}

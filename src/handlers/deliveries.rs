//! The gateway's own routes: an object gives a delivery to the edge, which answers at once and delivers in the
//! background. Without a signature of this deployment there is nothing here.

use serde::de::DeserializeOwned;
use toolgate_core::internal_route::{DELIVERIES, HEADER, InternalRoute};
use toolgate_core::problem::Problem;
use toolgate_core::queue::delivery::Delivery;
use toolgate_protocol::limits::CALL_BODY_BYTES_MAX;
use worker::Response;

use super::Handled;
use crate::deliver;
use crate::edge::Edge;
use crate::http::{self, internal};

/// Arguments, principal, and the endpoint with its sealed secrets.
const DELIVERY_BYTES_MAX: usize = 2 * CALL_BODY_BYTES_MAX;

/// `POST /internal/deliveries`
pub async fn deliver(mut edge: Edge) -> Handled {
    let delivery: Delivery = from_object(&mut edge, DELIVERIES, DELIVERY_BYTES_MAX).await?;
    let env = edge.env.clone();
    edge.context.wait_until(async move {
        // Nobody waits here: the object answers those who do when it is told.
        if let Some(after) = deliver::deliver(&env, &delivery, "", None).await.after {
            after.run(&env, &delivery).await;
        }
    });
    accepted()
}

/// What an object of this deployment has signed for this path; anything else finds nothing here.
pub(super) async fn from_object<T: DeserializeOwned>(edge: &mut Edge, path: &str, limit: usize) -> Result<T, Problem> {
    let signature = http::header(&edge.request, HEADER).ok_or_else(Problem::not_found)?;
    let announced = http::header(&edge.request, "content-length").and_then(|length| length.parse::<usize>().ok());
    let plausible = InternalRoute::is_near(toolgate_durable::now(), &signature);
    if !plausible || announced.is_some_and(|bytes| bytes > limit) {
        return Err(Problem::not_found());
    }
    let body = http::text(&mut edge.request, limit).await.map_err(|_| Problem::not_found())?;
    let key = toolgate_durable::master_key(&edge.env).map_err(|why| internal("the configuration", why))?;
    if !InternalRoute::new(&key).verify(toolgate_durable::now(), path, &signature, &body) {
        return Err(Problem::not_found());
    }
    serde_json::from_str(&body).map_err(|error| internal("reading a message of an object", error))
}

/// It is taken; the work goes on.
pub(super) fn accepted() -> Handled {
    Response::empty().map(|response| response.with_status(202)).map_err(|error| internal("answering", error))
}

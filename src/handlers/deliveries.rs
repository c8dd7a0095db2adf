//! The gateway's own route: an object gives a delivery to the edge, which answers at once and delivers in the
//! background. Without a signature of this deployment there is nothing here.

use toolgate_core::internal_route::{HEADER, InternalRoute};
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
    let signature = http::header(&edge.request, HEADER).ok_or_else(Problem::not_found)?;
    let body = http::text(&mut edge.request, DELIVERY_BYTES_MAX).await?;
    let key = toolgate_durable::master_key(&edge.env).map_err(|why| internal("the configuration", why))?;
    if !InternalRoute::new(&key).verify(toolgate_durable::now(), &signature, &body) {
        return Err(Problem::not_found());
    }
    let delivery: Delivery =
        serde_json::from_str(&body).map_err(|error| internal("reading a delivery of an object", error))?;
    let env = edge.env.clone();
    edge.context.wait_until(async move {
        // Nobody waits here: the object answers those who do when it is told.
        if let Some(after) = deliver::deliver(&env, &delivery, "").await.after {
            after.run(&env, &delivery).await;
        }
    });
    Response::empty().map(|response| response.with_status(202)).map_err(|error| internal("answering", error))
}

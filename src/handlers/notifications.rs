//! Notifications of approvals: the address judged and the secret sealed at the edge; what is told to whom is the
//! registry's to decide.

use toolgate_core::egress::Verdict;
use toolgate_core::internal_route::NOTICES;
use toolgate_core::names;
use toolgate_core::registry::{Command, Notice, NotificationSpec, check_events, notification_place};
use toolgate_protocol::answers::NotificationView;
use toolgate_protocol::limits::{BODY_BYTES_MAX, NOTICE_BYTES_MAX};
use toolgate_protocol::notifications::NotificationRequest;

use super::Handled;
use super::control::{ADMIN, as_admin};
use super::deliveries::{accepted, from_object};
use super::endpoints::{refused_destination, unresolved};
use crate::edge::Edge;
use crate::egress::Egress;
use crate::endpoint::{new_secret, read_secret, seal, sealed_at};
use crate::http::{self, internal};
use crate::notices;

/// A message as a string of JSON, with what is around it.
const NOTICE_ENVELOPE_BYTES_MAX: usize = 4 * NOTICE_BYTES_MAX;

/// `PUT /v1/notifications/{name}`
pub async fn put(mut edge: Edge, name: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    let request: NotificationRequest = edge.json(BODY_BYTES_MAX).await?;
    names::plain("name", &name)?;
    check_events(&request.events)?;
    let egress = Egress::new(&edge.env, edge.host().as_deref());
    let destination = egress.check(&request.url).map_err(|refused| refused_destination(&refused.reason))?;
    let given = request.secret.as_deref().map(read_secret).transpose()?;
    match egress.judge(&destination).await {
        Verdict::Allowed => {}
        Verdict::Refused(refused) => return Err(refused_destination(&refused.reason)),
        Verdict::Unreachable => return Err(unresolved()),
    }
    let is_given = given.is_some();
    // Whether one is needed is known where it is kept, in the step that saves.
    let secret = given.map_or_else(new_secret, Ok)?;
    let kept = sealed_at(&seal(&edge.env)?, &who.org, &notification_place(&who.org, &name), &secret)?;
    let spec = NotificationSpec {
        url: destination.url,
        base_url: edge.base_url.clone(),
        events: request.events,
        secret: kept,
        is_given,
    };
    let mut saved = edge.ask_registry(&who.org, Some(&who), Command::PutNotification(name, Box::new(spec))).await?;
    if saved.status_code() != 201 || is_given {
        return Ok(saved);
    }
    let mut body: NotificationView =
        saved.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    body.secret = Some(secret.to_text());
    http::json_answer(201, &body)
}

/// `GET /v1/notifications/{name}`
pub async fn get(edge: Edge, name: String) -> Handled {
    as_admin(&edge, Command::GetNotification(name)).await
}

/// `GET /v1/notifications`
pub async fn list(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    as_admin(&edge, Command::ListNotifications(edge.page()?)).await
}

/// `DELETE /v1/notifications/{name}`
pub async fn delete(edge: Edge, name: String) -> Handled {
    as_admin(&edge, Command::DeleteNotification(name)).await
}

/// `POST /internal/notices`
pub async fn notify(mut edge: Edge) -> Handled {
    let notice: Notice = from_object(&mut edge, NOTICES, NOTICE_ENVELOPE_BYTES_MAX).await?;
    let env = edge.env.clone();
    edge.context.wait_until(async move { notices::send(&env, notice).await });
    accepted()
}

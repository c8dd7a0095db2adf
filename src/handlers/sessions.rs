//! `POST /v1/sessions`: who signed in by Cloudflare Access gets a key of their own for as long as the sign-in lasts.
//!
//! This is the one request that a browser's own authority could make: Access adds its token to whatever the browser sends.
//! So only the gateway's own page may, and it must say so in a header that no form and no other page can set. What is
//! written with the key later is asked the same (`browsers`).

use toolgate_core::access::Token;
use toolgate_core::problem::Problem;
use toolgate_core::registry::Command;
use toolgate_protocol::control::{Role, SessionRequest};
use toolgate_protocol::limits::BODY_BYTES_MAX;
use toolgate_protocol::problems;

use super::Handled;
use crate::edge::Edge;
use crate::{access, browsers, http};

const TOKEN: &str = "cf-access-jwt-assertion";

/// `POST /v1/sessions`
pub async fn create(mut edge: Edge) -> Handled {
    let Some(settings) = access::settings(&edge.env) else { return Err(Problem::not_found()) };
    browsers::require_own_page(&edge.request, &edge.env)?;
    let text = http::header(&edge.request, TOKEN).ok_or_else(|| refused("the request has no token of Access"))?;
    let request: SessionRequest = edge.json(BODY_BYTES_MAX).await?;
    let token = Token::read(&text).map_err(refused)?;
    if !access::is_signed(&settings, &token).await? {
        return Err(refused("no key of the team signed the token"));
    }
    let person = token.person(&settings, toolgate_durable::now()).map_err(refused)?;
    let may = match request.role {
        Role::Approver => true,
        Role::Admin => settings.admins.contains(&person.email),
        Role::Caller | Role::Worker | Role::Agent => false,
    };
    if !may {
        let detail = "Who signs in gets an approver's key; the operator names who gets an admin's.";
        return Err(Problem::new(problems::ROLE_NOT_ALLOWED, detail));
    }
    let command = Command::CreateSession { role: request.role, person };
    edge.ask_registry(&settings.org, None, command).await
}

fn refused(why: &str) -> Problem {
    Problem::new(problems::ACCESS_REFUSED, format!("The sign-in was not accepted: {why}."))
}

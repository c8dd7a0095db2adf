//! Agents: what needs the outside of it (the address of a model) and what needs the master key (its key) is done here;
//! the rest is the registry's to decide.

use toolgate_core::chat::model::{KeyChange, ModelSpec, check_setting, model_place};
use toolgate_core::egress::Verdict;
use toolgate_core::names;
use toolgate_core::problem::Problem;
use toolgate_core::registry::Command;
use toolgate_protocol::control::Agent;
use toolgate_protocol::limits::BODY_BYTES_MAX;
use toolgate_protocol::models::{ModelEndpoint, ModelSetting};
use toolgate_protocol::problems;

use super::Handled;
use super::control::{ADMIN, as_admin};
use super::endpoints::unresolved;
use crate::chat::model::deployment;
use crate::edge::Edge;
use crate::egress::Egress;
use crate::endpoint::{random, seal};
use crate::http::internal;

/// `PUT /v1/agents/{name}`
pub async fn put(mut edge: Edge, name: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    let mut agent: Agent = edge.json(BODY_BYTES_MAX).await?;
    names::plain("name", &name)?;
    let model = match agent.model.take() {
        None => None,
        Some(setting) => Some(model(&edge, &who.org, &name, setting).await?),
    };
    as_admin(&edge, Command::PutAgent(name, Box::new(agent.with_model(model)))).await
}

/// `GET /v1/agents/{name}`
pub async fn get(edge: Edge, name: String) -> Handled {
    as_admin(&edge, Command::GetAgent(name)).await
}

/// The address judged, the key sealed for it.
async fn model(edge: &Edge, org: &str, agent: &str, setting: ModelSetting) -> Result<ModelSpec, Problem> {
    check_setting(&setting, &deployment(&edge.env))?;
    let ModelEndpoint { url, name, api_key } = match setting {
        ModelSetting::Name(name) => return Ok(ModelSpec::Name(name)),
        ModelSetting::Endpoint(endpoint) => endpoint,
    };
    let egress = Egress::for_models(&edge.env, edge.host().as_deref());
    let destination = egress.check(&url).map_err(|refused| refused_model(&refused.reason))?;
    match egress.judge(&destination).await {
        Verdict::Allowed => {}
        Verdict::Refused(refused) => return Err(refused_model(&refused.reason)),
        Verdict::Unreachable => return Err(unresolved()),
    }
    let url = destination.url;
    let api_key = match api_key.as_deref() {
        None => KeyChange::Keep,
        Some("") => KeyChange::Drop,
        Some(key) => {
            let sealed = seal(&edge.env)?.seal(&model_place(org, agent, &url), key.as_bytes(), &random()?);
            KeyChange::New(sealed.ok_or_else(|| internal("sealing a key", "the cipher failed"))?)
        }
    };
    Ok(ModelSpec::Endpoint { url, name, api_key })
}

fn refused_model(reason: &str) -> Problem {
    Problem::new(problems::DESTINATION_REFUSED, format!("model.url: {reason}."))
}

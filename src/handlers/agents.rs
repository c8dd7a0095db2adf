//! Agents: what needs the outside of it (the address of a model) and what needs the master key (its key) is done here;
//! the rest is the registry's to decide.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toolgate_core::builtin::no_dataset;
use toolgate_core::chat::model::{Deployment, KeyChange, ModelSpec, check_setting, model_place, tell_model};
use toolgate_core::egress::Verdict;
use toolgate_core::names;
use toolgate_core::problem::Problem;
use toolgate_core::registry::Command;
use toolgate_protocol::answers::AgentView;
use toolgate_protocol::control::Agent;
use toolgate_protocol::limits::BODY_BYTES_MAX;
use toolgate_protocol::lists::AgentPage;
use toolgate_protocol::models::{ModelEndpoint, ModelSetting};
use toolgate_protocol::problems;

use super::Handled;
use super::control::{ADMIN, as_admin};
use super::endpoints::unresolved;
use crate::chat::model::deployment;
use crate::data;
use crate::edge::Edge;
use crate::egress::Egress;
use crate::endpoint::{random, seal};
use crate::http::{self, internal};

/// `PUT /v1/agents/{name}`
pub async fn put(mut edge: Edge, name: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    let mut agent: Agent = edge.json(BODY_BYTES_MAX).await?;
    names::plain("name", &name)?;
    // Whether a database is bound is known here alone. One that goes later is told of by the call that misses it.
    if let Some(dataset) = &agent.dataset
        && (!names::is_plain(dataset) || !data::exists(&edge.env, &who.org, dataset))
    {
        return Err(Problem::invalid("dataset", no_dataset(dataset).message));
    }
    let model = match agent.model.take() {
        None => None,
        Some(setting) => Some(model(&edge, &who.org, &name, setting).await?),
    };
    let command = Command::PutAgent(name, Box::new(agent.with_model(model)));
    with_models(&edge, command, |answer: &mut Told, here| tell_model(&mut answer.agent, here)).await
}

/// `GET /v1/agents/{name}`
pub async fn get(edge: Edge, name: String) -> Handled {
    with_models(&edge, Command::GetAgent(name), |answer: &mut Told, here| tell_model(&mut answer.agent, here)).await
}

/// `GET /v1/agents`
pub async fn list(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    let tell = |page: &mut AgentPage, here: &Deployment| page.agents.iter_mut().for_each(|view| tell_model(view, here));
    with_models(&edge, Command::ListAgents(edge.page()?), tell).await
}

/// One agent, and the pools that do not know of it yet.
#[derive(Serialize, Deserialize)]
struct Told {
    #[serde(flatten)]
    agent: AgentView,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lagging: Vec<String>,
}

/// The registry's answer with the models of the chat in it: what the deployment has is known here alone.
async fn with_models<T: Serialize + DeserializeOwned>(
    edge: &Edge,
    command: Command,
    tell: impl FnOnce(&mut T, &Deployment),
) -> Handled {
    let mut answered = as_admin(edge, command).await?;
    let status = answered.status_code();
    if status >= 300 {
        return Ok(answered);
    }
    let mut body: T = answered.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    tell(&mut body, &deployment(&edge.env));
    http::json_answer(status, &body)
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

//! Reaching the model of an agent, and its answer piece by piece.
//!
//! What is asked and what an answer means is `toolgate_core::chat::model`; here are the address, the key, the deadlines
//! and the connection. A turn that is dropped gives up its connection.

mod endpoint;
mod workers_ai;

use std::collections::VecDeque;

use toolgate_core::chat::model::{
    Choice, Delta, Deployment, ModelError, ModelRecord, Prompt, STREAM_CUT, TurnReader, UNAVAILABLE, choose, demo,
    model_place,
};
use toolgate_core::delivery::{Lost, TIMEOUT};
use toolgate_core::time::UnixMillis;
use toolgate_durable::names::{MODEL_NAME, MODEL_URL, WORKERS_AI};
use toolgate_durable::{entropy, now};
use toolgate_protocol::limits::{MODEL_FIRST_BYTE_SECONDS, MODEL_IDLE_SECONDS, MODEL_SECONDS_MAX};
use worker::{Env, console_error};

use crate::egress::Answering;
use crate::endpoint::seal;
use endpoint::Endpoint;

/// The model that an agent's chat is driven by.
pub enum Model {
    /// The demo model: no network, no model.
    Demo,
    /// An endpoint that speaks as OpenAI's chat completions do.
    Endpoint(Endpoint),
    /// A model of Workers AI, by its name.
    WorkersAi(String),
    /// What is set leads nowhere; why.
    Unusable(String),
}

/// What this deployment has for models.
pub fn deployment(env: &Env) -> Deployment {
    Deployment { url: read(env, MODEL_URL), name: read(env, MODEL_NAME), has_workers_ai: env.ai(WORKERS_AI).is_ok() }
}

fn read(env: &Env, name: &str) -> String {
    let secret = env.secret(name).map(|secret| secret.to_string());
    secret.or_else(|_| env.var(name).map(|value| value.to_string())).unwrap_or_default().trim().to_owned()
}

impl Model {
    /// The model of an agent of this org, by what the catalogue says of it.
    pub fn of(env: &Env, org: &str, agent: &str, setting: Option<&ModelRecord>) -> Model {
        let deployment = deployment(env);
        match choose(setting, &deployment) {
            Choice::Demo => Model::Demo,
            Choice::WorkersAi { name } => Model::WorkersAi(name.to_owned()),
            Choice::Unusable(why) => Model::Unusable(format!("This agent's model {why}")),
            Choice::Deployment { name } => Model::Endpoint(Endpoint::of_deployment(env, &deployment.url, name)),
            Choice::Own { url, name, api_key } => match opened(env, &model_place(org, agent, url), api_key) {
                Some(key) => Model::Endpoint(Endpoint::of_agent(url, name, key)),
                None => {
                    Model::Unusable("The key of this agent's model cannot be read; an admin writes it again.".into())
                }
            },
        }
    }

    /// What people call it.
    pub fn label(&self) -> &str {
        match self {
            Model::Demo => demo::LABEL,
            Model::Endpoint(endpoint) => &endpoint.name,
            Model::WorkersAi(name) => name,
            Model::Unusable(_) => "",
        }
    }

    /// Whether what it says is made up here.
    pub fn is_demo(&self) -> bool {
        matches!(self, Model::Demo)
    }

    /// Asks for one turn.
    ///
    /// # Errors
    /// When no answer begins.
    pub async fn open(&self, env: &Env, prompt: &Prompt) -> Result<ModelTurn, ModelError> {
        let entropy = entropy().map_err(|error| {
            console_error!("chance for a model's turn: {error}");
            ModelError::new("internal", "Something failed here; try again.")
        })?;
        let opened = now();
        let offered = || prompt.tools.iter().map(|tool| tool.name.clone()).collect();
        match self {
            Model::Demo => Ok(ModelTurn::told(demo::turn(prompt, entropy))),
            Model::Endpoint(endpoint) => {
                let answering = endpoint.ask(env, prompt, opened).await?;
                let media_type = answering.header("content-type").unwrap_or_default();
                let reader = TurnReader::new(media_type, offered(), entropy)?;
                let key = Some(endpoint.key().to_owned());
                Ok(ModelTurn { key, ..ModelTurn::reading(answering, reader, opened) })
            }
            Model::WorkersAi(name) => {
                let answering = workers_ai::ask(env, name, prompt, opened).await?;
                let media_type = answering.header("content-type").unwrap_or_default();
                let reader = TurnReader::new(media_type, offered(), entropy)?;
                Ok(ModelTurn::reading(answering, reader, opened))
            }
            Model::Unusable(why) => Err(ModelError::new(UNAVAILABLE, why.clone())),
        }
    }
}

/// A sealed key in clear; an empty one where there is none.
fn opened(env: &Env, place: &[&str], sealed: Option<&str>) -> Option<String> {
    let Some(sealed) = sealed else { return Some(String::new()) };
    let key = seal(env).ok().and_then(|seal| seal.open(place, sealed)).and_then(|key| String::from_utf8(key).ok());
    if key.is_none() {
        console_error!("the key of a model does not open: another master key?");
    }
    key
}

/// One turn of a model, under way.
pub struct ModelTurn {
    /// Nothing once the answer is over, or failed.
    under_way: Option<(Answering, TurnReader)>,
    waiting: VecDeque<Delta>,
    opened: UnixMillis,
    is_heard: bool,
    /// What no error may repeat.
    key: Option<String>,
}

impl ModelTurn {
    fn told(deltas: Vec<Delta>) -> ModelTurn {
        ModelTurn { under_way: None, waiting: deltas.into(), opened: now(), is_heard: true, key: None }
    }

    fn reading(answering: Answering, reader: TurnReader, opened: UnixMillis) -> ModelTurn {
        let under_way = Some((answering, reader));
        ModelTurn { under_way, waiting: VecDeque::new(), opened, is_heard: false, key: None }
    }

    /// The next piece. The last one is `Finished` or an error; nothing follows them.
    pub async fn next(&mut self) -> Option<Result<Delta, ModelError>> {
        loop {
            if let Some(delta) = self.waiting.pop_front() {
                return Some(Ok(delta));
            }
            let (answering, reader) = self.under_way.as_mut()?;
            let deadline = deadline(self.opened, self.is_heard);
            let more = match answering.next(deadline).await {
                Ok(Some(bytes)) => {
                    self.is_heard = true;
                    reader.push(&bytes)
                }
                Ok(None) => reader.end(),
                Err(lost) => Err(broken(lost, self.is_heard)),
            };
            match more {
                Ok(deltas) => {
                    self.waiting.extend(deltas);
                    if reader.is_finished() {
                        self.under_way = None;
                    }
                }
                Err(error) => {
                    self.under_way = None;
                    return Some(Err(error.without(self.key.as_deref())));
                }
            }
        }
    }
}

/// Until when the next bytes must be there.
fn deadline(opened: UnixMillis, is_heard: bool) -> UnixMillis {
    let silence =
        if is_heard { now().plus_seconds(MODEL_IDLE_SECONDS) } else { opened.plus_seconds(MODEL_FIRST_BYTE_SECONDS) };
    silence.min(opened.plus_seconds(MODEL_SECONDS_MAX))
}

fn broken(lost: Lost, is_heard: bool) -> ModelError {
    match (is_heard, lost) {
        (false, TIMEOUT) => ModelError::new(UNAVAILABLE, "The model did not begin to answer in time."),
        (false, _) => ModelError::new(UNAVAILABLE, "The model could not be reached."),
        (true, TIMEOUT) => ModelError::new(STREAM_CUT, "The model's answer was cut: it took too long."),
        (true, _) => ModelError::new(STREAM_CUT, "The model's answer was cut: the connection broke."),
    }
}

//! Asking the objects.

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_core::chat::threads;
use toolgate_core::ids::{IdKind, Ids, LocalId, Place};
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{LevelCommand, LogLevel, levels_object};
use toolgate_core::principal::Principal;
use toolgate_core::problem::Problem;
use toolgate_core::queue::delivery::DeliveryEnvelope;
use toolgate_core::queue::messages::{self, Ask, VERSION};
use toolgate_core::registry::{self, Command};
use toolgate_core::run;
use toolgate_durable::names::{ORG_REGISTRY, POOL_QUEUE, THREAD};
use toolgate_durable::{CHAT, MCP, post};
use toolgate_protocol::problems;
use worker::{Env, Response, Stub, console_error};

use crate::edge::Edge;
use crate::http::internal;

impl Edge {
    /// What a public id leads to; anything else is not there.
    pub fn find(&self, kind: IdKind, who: &Identity, id: &str) -> Result<(Place, LocalId), Problem> {
        self.ids()?.read(kind, &who.org, id).ok_or_else(Problem::not_found)
    }

    /// The run that an id names.
    pub fn find_run(&self, org: &str, id: &str) -> Result<LocalId, Problem> {
        self.ids()?.read_run(org, id).ok_or_else(Problem::not_found)
    }

    /// Makes and reads ids.
    pub fn ids(&self) -> Result<Ids, Problem> {
        let master = toolgate_durable::master_key(&self.env).map_err(|why| internal("the configuration", why))?;
        Ok(Ids::new(&master))
    }

    /// Asks a pool's object. Its answer is the client's, but for the internal header.
    pub async fn ask_pool(&self, place: Place, who: &Identity, ask: Ask) -> Result<Response, Problem> {
        let stub = self.pool_stub(&place).map_err(|error| internal("finding a pool's object", error))?;
        let envelope = messages::Envelope { v: VERSION, place, who: who.clone(), base_url: self.base_url.clone(), ask };
        post(&stub, "/ask", &envelope).await.map_err(|error| unreachable("a pool's object", &error))
    }

    /// Asks the org's registry, for a key or for the operator.
    pub async fn ask_registry(&self, org: &str, who: Option<&Identity>, command: Command) -> Result<Response, Problem> {
        ask_registry(&self.env, org, who, command).await.map_err(|error| unreachable("an org's object", &error))
    }

    /// Asks a run's object.
    pub async fn ask_thread(&self, org: &str, run: &LocalId, command: run::Command) -> Result<run::Reply, Problem> {
        self.ask_conversation(&format!("{org}/{}", run.as_str()), "/", &command).await
    }

    /// Asks the object of a person's threads, by its name.
    pub async fn ask_threads(&self, name: &str, command: &threads::Command) -> Result<threads::Reply, Problem> {
        self.ask_conversation(name, CHAT, command).await
    }

    /// Asks the object that keeps which log messages the sessions of a principal with an agent want.
    pub async fn ask_level(
        &self,
        who: &Identity,
        principal: &Principal,
        command: &LevelCommand,
    ) -> Result<Option<LogLevel>, Problem> {
        let agent = who.scope.agent.as_deref().unwrap_or_default();
        self.ask_conversation(&levels_object(&who.org, agent, principal), MCP, command).await
    }

    async fn ask_conversation<C: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        path: &str,
        command: &C,
    ) -> Result<R, Problem> {
        let asked = async {
            let objects = self.env.durable_object(THREAD)?;
            let stub = match self.location_hint() {
                Some(hint) => objects.get_by_name_with_location_hint(name, hint)?,
                None => objects.get_by_name(name)?,
            };
            let mut answer = post(&stub, path, command).await?;
            match answer.status_code() {
                200 => answer.json().await,
                status => Err(worker::Error::RustError(format!("it answered {status}"))),
            }
        };
        asked.await.map_err(|error| unreachable("a conversation's object", &error))
    }

    /// An object is made where its first request comes from, and stays there.
    fn pool_stub(&self, place: &Place) -> worker::Result<Stub> {
        let objects = self.env.durable_object(POOL_QUEUE)?;
        match self.location_hint() {
            Some(hint) => objects.get_by_name_with_location_hint(&place.object_name(), hint),
            None => objects.get_by_name(&place.object_name()),
        }
    }

    fn location_hint(&self) -> Option<&'static str> {
        let cf = self.request.cf()?;
        let west = cf.coordinates().is_some_and(|(_, longitude)| longitude < -95.0);
        Some(match cf.continent()?.as_str() {
            "AF" => "afr",
            "AS" => "apac",
            "EU" => "weur",
            "NA" if west => "wnam",
            "NA" => "enam",
            "OC" => "oc",
            "SA" => "sam",
            _ => return None,
        })
    }
}

/// Asks the org's registry.
pub async fn ask_registry(env: &Env, org: &str, who: Option<&Identity>, command: Command) -> worker::Result<Response> {
    let stub = env.durable_object(ORG_REGISTRY)?.get_by_name(org)?;
    post(&stub, "/", &registry::Envelope { v: VERSION, org: org.to_owned(), who: who.cloned(), command }).await
}

/// Pauses between the tries to tell something; together less than what runs on after an answer may take.
pub const TELL_AGAIN_MILLIS: [u64; 5] = [100, 300, 1_000, 2_000, 4_000];

/// Tells an object what nobody else will, again while it restarts or is too busy: so a second time it must change nothing.
pub async fn tell(what: &str, say: impl AsyncFn() -> worker::Result<Response>) -> Option<Response> {
    for pause_millis in TELL_AGAIN_MILLIS {
        match say().await {
            Ok(answer) if answer.status_code() < 500 => return Some(answer),
            Ok(answer) => console_error!("telling {what} was answered {}", answer.status_code()),
            Err(error) => console_error!("telling {what} failed: {error}"),
        }
        toolgate_durable::pause(pause_millis).await;
    }
    say().await.ok()
}

/// Tells a pool's object how a delivery goes.
pub async fn report(env: &Env, envelope: &DeliveryEnvelope) -> worker::Result<Response> {
    let stub = env.durable_object(POOL_QUEUE)?.get_by_name(&envelope.place.object_name())?;
    post(&stub, "/report", envelope).await
}

/// An object that restarts, moves or is overloaded. Whether it took the request is not known, so nothing is repeated
/// here: a caller repeats with the same idempotency key, a worker with the same claim.
fn unreachable(what: &str, error: &worker::Error) -> Problem {
    console_error!("{what} could not be reached: {error}");
    let detail =
        "It is not known whether the request was taken. Repeat it: with the same Idempotency-Key it is the same call.";
    Problem::new(problems::OBJECT_UNAVAILABLE, detail)
}

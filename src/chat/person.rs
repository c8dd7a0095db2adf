//! Who chats: a person with an agent, as the key says, and what the registry knows of both.

use std::rc::Rc;

use serde_json::value::RawValue;
use toolgate_core::chat::model::AgentRecord;
use toolgate_core::chat::threads::{self, object_name};
use toolgate_core::keys::{Identity, Scope};
use toolgate_core::principal::Principal;
use toolgate_core::problem::Problem;
use toolgate_core::run::Offers;
use toolgate_protocol::control::Role;
use toolgate_protocol::problems;
use toolgate_protocol::runs::Door;
use worker::Response;

use super::model::Model;
use crate::catalogue;
use crate::edge::Edge;

/// A person with an agent.
pub struct Person {
    /// The key.
    pub who: Identity,
    /// The same for looking at calls: a thread is the person's, whichever run's token its calls were made with.
    pub reader: Identity,
    /// The agent.
    pub agent: String,
    /// The person.
    pub principal: Principal,
    /// The org's catalogue.
    pub offers: Rc<Offers>,
    /// The object of the person's threads.
    pub object: String,
}

impl Person {
    /// Reads the key, and asks the registry whether it is live; its refusal otherwise.
    pub async fn of(edge: &Edge) -> Result<Result<Person, Response>, Problem> {
        let who = edge.identity_at(Door::Agui, &[Role::Agent])?;
        let missing = || Problem::new(problems::INVALID_KEY, "The key names no agent and principal; make a new one.");
        let agent = who.scope.agent.clone().ok_or_else(missing)?;
        let principal = Principal::parse(who.scope.principal.as_deref().map_or("null", RawValue::get))?;
        let offers = match catalogue::current(edge, &who).await? {
            Ok(offers) => offers,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let reader = Identity { scope: Scope { run: None, ..who.scope.clone() }, ..who.clone() };
        let object = object_name(&who.org, &agent, &principal);
        Ok(Ok(Person { who, reader, agent, principal, offers, object }))
    }

    /// The agent as it is set up.
    ///
    /// # Errors
    /// A refusal when the path names another one, or there is none.
    pub fn at(&self, agent: &str) -> Result<&AgentRecord, Problem> {
        if self.agent != agent {
            return Err(Problem::new(problems::AGENT_NOT_IN_SCOPE, "The key is another agent's."));
        }
        self.offers.catalogue.agents.get(agent).ok_or_else(Problem::not_found)
    }

    /// The model of the agent.
    pub fn model(&self, edge: &Edge) -> Model {
        let setting = self.offers.catalogue.agents.get(&self.agent).and_then(|agent| agent.model.as_ref());
        Model::of(&edge.env, &self.who.org, &self.agent, setting)
    }

    /// Asks the object of the person's threads.
    pub async fn ask(&self, edge: &Edge, command: &threads::Command) -> Result<threads::Reply, Problem> {
        edge.ask_threads(&self.object, command).await
    }
}

//! Runs: made by a caller for an agent and a principal, continued with the run's own token.

use toolgate_core::ids::LocalId;
use toolgate_core::keys::{Identity, KeyRing, RunScope, Scope};
use toolgate_core::names;
use toolgate_core::principal::Principal;
use toolgate_core::problem::Problem;
use toolgate_core::run::{Command, Reply, Run, Turn, check_message, kept, new_run, token_end};
use toolgate_protocol::chat::ShownOffer;
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::{PURPOSE_CHARS_MAX, RUN_BODY_BYTES_MAX};
use toolgate_protocol::problems;
use toolgate_protocol::runs::{
    Offer, RunAnswer, RunRequest, RunView, TokenAnswer, TokenRequest, TurnAnswer, TurnRequest,
};

use super::Handled;
use crate::edge::Edge;
use crate::http::{self, internal};
use crate::{catalogue, grounding};

/// Turns of one run at the same time: each sees what the one before it added.
const TURN_TRIES: usize = 4;

/// `POST /v1/runs`
pub async fn create(mut edge: Edge) -> Handled {
    let who = edge.identity(&[Role::Caller])?;
    let request: RunRequest = edge.json(RUN_BODY_BYTES_MAX).await?;
    names::plain("agent", &request.agent)?;
    if who.scope.agents.as_ref().is_some_and(|agents| !agents.contains(&request.agent)) {
        return Err(Problem::new(problems::AGENT_NOT_IN_SCOPE, "The key's scope does not hold this agent."));
    }
    let principal = Principal::parse(request.principal.get())?;
    let offers = match catalogue::current(&edge, &who).await? {
        Ok(offers) => offers,
        Err(refusal) => return Ok(refusal),
    };
    let Some(agent) = offers.catalogue.agents.get(&request.agent) else {
        return Err(Problem::invalid("agent", format!("there is no agent {:?}; an admin makes it.", request.agent)));
    };
    let now = toolgate_durable::now();
    let mut run = new_run(&request, agent, &principal, now)?;
    let entropy = toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?;
    let local = LocalId::new(now, &entropy);
    let id = edge.ids()?.run(&who.org, &local);
    let text = request.message.as_deref().unwrap_or_default();
    let screen = grounding::screen(&offers, request.context.as_ref())?;
    let grounding = grounding::ground(&edge, &who, &offers, &run, Some(&id), screen).await;
    let turn = offers.turn(&run, &principal.permissions, text, screen.and_then(|screen| screen.definition));
    run.turns = 1;
    run.text = purpose(text);
    run.offered = turn.added;
    let (token, expires_at) = mint(&edge, &who, &id, &run)?;
    let explained = explained(&turn.offer);
    match edge.ask_thread(&who.org, &local, Command::Create(Box::new(run), explained)).await? {
        Reply::Run(_) => {
            http::json_answer(201, &RunAnswer { run: id, token, expires_at, offer: turn.offer, grounding })
        }
        _ => Err(internal("making a run", "its object has one")),
    }
}

/// `POST /v1/runs/{run}/turns`
pub async fn turn(mut edge: Edge, id: String) -> Handled {
    // Whatever door the run's calls come through, its turns are taken here.
    let who = edge.identity_anywhere(&[Role::Agent])?;
    let request: TurnRequest = edge.json(RUN_BODY_BYTES_MAX).await?;
    check_message(&request.message)?;
    if who.scope.run.as_ref().is_none_or(|scope| scope.run != id) {
        return Err(Problem::not_found());
    }
    let local = edge.find_run(&who.org, &id)?;
    let offers = match catalogue::current(&edge, &who).await? {
        Ok(offers) => offers,
        Err(refusal) => return Ok(refusal),
    };
    let screen = grounding::screen(&offers, request.context.as_ref())?;
    let mut run = found(edge.ask_thread(&who.org, &local, Command::Read).await?)?;
    let grounding = grounding::ground(&edge, &who, &offers, &run, Some(&id), screen).await;
    let permissions = Principal::parse(run.principal.get())?.permissions;
    for _ in 0..TURN_TRIES {
        let turn = offers.turn(&run, &permissions, &request.message, screen.and_then(|screen| screen.definition));
        let command = Turn {
            after: run.turns,
            text: purpose(&request.message),
            added: turn.added,
            offer: explained(&turn.offer),
        };
        match edge.ask_thread(&who.org, &local, Command::Turn(command)).await? {
            Reply::Run(_) => return http::json_answer(200, &TurnAnswer { offer: turn.offer, grounding }),
            Reply::Overtaken(now) => run = *now,
            Reply::Absent | Reply::Explained(..) => return Err(Problem::not_found()),
        }
    }
    Err(Problem::new(problems::BUSY, "Other turns of this run are being taken; take one after the other."))
}

/// `GET /v1/runs/{run}`
pub async fn read(edge: Edge, id: String) -> Handled {
    let who = edge.identity(&[Role::Admin, Role::Approver, Role::Caller])?;
    let local = edge.find_run(&who.org, &id)?;
    // The registry says whether the key is live.
    if let Err(refusal) = catalogue::current(&edge, &who).await? {
        return Ok(refusal);
    }
    let Reply::Explained(run, offer) = edge.ask_thread(&who.org, &local, Command::Explain).await? else {
        return Err(Problem::not_found());
    };
    if who.scope.agents.as_ref().is_some_and(|agents| !agents.contains(&run.agent)) {
        return Err(Problem::not_found());
    }
    let Run { agent, profile, created_at, turned_at, turns, text, .. } = *run;
    let (created_at, turned_at) = (created_at.rfc3339(), turned_at.rfc3339());
    let offer = offer.map(|offer| *offer);
    http::json_answer(200, &RunView { run: id, agent, profile, created_at, turned_at, turns, text, offer })
}

/// `POST /v1/runs/{run}/tokens`
pub async fn token(mut edge: Edge, id: String) -> Handled {
    let who = edge.identity(&[Role::Caller])?;
    let TokenRequest {} = edge.optional_json(RUN_BODY_BYTES_MAX).await?;
    let local = edge.find_run(&who.org, &id)?;
    // The registry says whether the key is live.
    if let Err(refusal) = catalogue::current(&edge, &who).await? {
        return Ok(refusal);
    }
    let run = found(edge.ask_thread(&who.org, &local, Command::Read).await?)?;
    if who.scope.agents.as_ref().is_some_and(|agents| !agents.contains(&run.agent)) {
        return Err(Problem::not_found());
    }
    let (token, expires_at) = mint(&edge, &who, &id, &run)?;
    http::json_answer(200, &TokenAnswer { token, expires_at })
}

fn found(reply: Reply) -> Result<Run, Problem> {
    match reply {
        Reply::Run(run) => Ok(*run),
        _ => Err(Problem::not_found()),
    }
}

/// The offer as the run keeps it.
fn explained(offer: &Offer) -> Option<Box<ShownOffer>> {
    kept(ShownOffer::from(offer)).map(Box::new)
}

fn purpose(text: &str) -> String {
    text.chars().take(PURPOSE_CHARS_MAX).collect()
}

/// A token of the run and when it ends, as RFC 3339. It lives by the key that it is made with.
fn mint(edge: &Edge, parent: &Identity, id: &str, run: &Run) -> Result<(String, String), Problem> {
    let master = toolgate_durable::master_key(&edge.env).map_err(|why| internal("the configuration", why))?;
    let scope = Scope {
        agent: Some(run.agent.clone()),
        principal: Some(run.principal.clone()),
        run: Some(Box::new(RunScope {
            run: id.to_owned(),
            profile: run.profile,
            doors: run.doors.clone(),
            origins: run.origins.clone(),
            parent_id: parent.key_id.clone(),
            parent_sha256: parent.sha256.clone(),
        })),
        ..Scope::default()
    };
    let expires = token_end(parent.expires, toolgate_durable::now());
    let name = format!("run of {}", parent.name);
    let (token, _) = KeyRing::new(&master).mint(&parent.org, Role::Agent, &parent.key_id, &name, scope, Some(expires));
    Ok((token, expires.rfc3339()))
}

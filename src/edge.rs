//! One request at the edge: who asks, and what the request says.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use toolgate_core::keys::{Identity, KeyRing, same_secret};
use toolgate_core::problem::Problem;
use toolgate_core::registry::Page;
use toolgate_core::route::prefer_wait;
use toolgate_durable::names::ROOT_TOKEN;
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::{LIST_MAX, WAIT_SECONDS_MAX};
use toolgate_protocol::problems;
use toolgate_protocol::runs::Door;
use worker::{Context, Env, Request};

use crate::{browsers, http};

/// A request with what it needs to be answered.
pub struct Edge {
    /// The request; its body is read once.
    pub request: Request,
    /// Bindings.
    pub env: Env,
    /// For work that goes on after the answer.
    pub context: Context,
    /// What links in answers begin with.
    pub base_url: String,
    query: BTreeMap<String, String>,
}

impl Edge {
    /// Reads the address.
    pub fn new(request: Request, env: Env, context: Context) -> Result<Edge, Problem> {
        let url = request.url().map_err(|error| http::internal("reading an address", error))?;
        let base_url = url.origin().ascii_serialization();
        let query = url.query_pairs().into_owned().collect();
        Ok(Edge { request, env, context, base_url, query })
    }

    /// The key of a request to `/v1`.
    pub fn identity(&self, roles: &[Role]) -> Result<Identity, Problem> {
        self.identity_at(Door::Rest, roles)
    }

    /// The key of a request, at whichever door it may be used.
    pub fn identity_anywhere(&self, roles: &[Role]) -> Result<Identity, Problem> {
        self.checked(None, roles)
    }

    /// The key of the request, verified without a look-up; whether it is live is decided in the object.
    pub fn identity_at(&self, door: Door, roles: &[Role]) -> Result<Identity, Problem> {
        self.checked(Some(door), roles)
    }

    fn checked(&self, door: Option<Door>, roles: &[Role]) -> Result<Identity, Problem> {
        let key = self.bearer()?;
        let master = toolgate_durable::master_key(&self.env).map_err(|why| http::internal("the configuration", why))?;
        let who = KeyRing::new(&master).verify(&key, toolgate_durable::now())?;
        if !roles.contains(&who.role) {
            let allowed = serde_json::to_value(roles).unwrap_or_default();
            let detail = format!("This needs a key with one of the roles {allowed}.");
            return Err(Problem::new(problems::ROLE_NOT_ALLOWED, detail).with("roles", allowed));
        }
        if let Some(run) = who.scope.run.as_ref().filter(|run| door.is_some_and(|door| !run.doors.contains(&door))) {
            let allowed = serde_json::to_value(&run.doors).unwrap_or_default();
            let detail = format!("This run token may be used at {allowed}; give `doors` to POST /v1/runs.");
            return Err(Problem::new(problems::DOOR_NOT_ALLOWED, detail).with("doors", allowed));
        }
        browsers::check_origin(&self.request, &self.env, Some(&who))?;
        browsers::check_write(&self.request, &self.env, &who)?;
        Ok(who)
    }

    /// A worker key for this pool. Its scope is what it says: whether the pool exists makes no difference.
    pub fn worker(&self, pool: &str) -> Result<Identity, Problem> {
        let who = self.identity(&[Role::Worker])?;
        if who.scope.pools.iter().flatten().any(|own| own == pool) {
            return Ok(who);
        }
        Err(Problem::new(problems::POOL_NOT_IN_SCOPE, "The key's scope does not hold this pool."))
    }

    /// Refuses who is not the operator.
    pub fn root(&self) -> Result<(), Problem> {
        browsers::check_origin(&self.request, &self.env, None)?;
        let given = self.bearer()?;
        let known = self.env.secret(ROOT_TOKEN).map(|secret| secret.to_string());
        let known = known.or_else(|_| self.env.var(ROOT_TOKEN).map(|var| var.to_string())).unwrap_or_default();
        if known.len() >= 16 && same_secret(&given, &known) {
            return Ok(());
        }
        Err(Problem::new(
            problems::INVALID_KEY,
            format!("This needs the token in {ROOT_TOKEN} (at least 16 characters)."),
        ))
    }

    fn bearer(&self) -> Result<String, Problem> {
        let value = http::header(&self.request, "authorization").unwrap_or_default();
        match value.split_once(' ') {
            Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") && !key.trim().is_empty() => {
                Ok(key.trim().to_owned())
            }
            _ => Err(Problem::new(problems::INVALID_KEY, "Send the key as `Authorization: Bearer tg_…`.")),
        }
    }

    /// The name under which this request reached the gateway.
    pub fn host(&self) -> Option<String> {
        self.request.url().ok().and_then(|url| url.host_str().map(str::to_owned))
    }

    /// The body as a message of ours.
    pub async fn json<T: DeserializeOwned>(&mut self, limit: usize) -> Result<T, Problem> {
        http::json(&mut self.request, limit).await
    }

    /// The same, where a body may be left out.
    pub async fn optional_json<T: DeserializeOwned + Default>(&mut self, limit: usize) -> Result<T, Problem> {
        http::optional_json(&mut self.request, limit).await
    }

    /// `Prefer: wait=N`.
    pub fn wait_seconds(&self) -> u64 {
        prefer_wait(http::header(&self.request, "prefer").as_deref(), WAIT_SECONDS_MAX)
    }

    /// A parameter of the query.
    pub fn query(&self, name: &str) -> Option<String> {
        self.query.get(name).cloned()
    }

    /// Refuses parameters that the path does not have: a filter with a typo must not show everything.
    pub fn only_query(&self, known: &[&str]) -> Result<(), Problem> {
        match self.query.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => {
                Err(Problem::invalid(unknown, format!("is no parameter of this path; it has {}.", known.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// `limit` and `cursor` of a list.
    pub fn page(&self) -> Result<Page, Problem> {
        let limit = match self.query("limit") {
            None => LIST_MAX,
            Some(text) => match text.parse() {
                Ok(limit) if (1..=LIST_MAX).contains(&limit) => limit,
                _ => return Err(Problem::invalid("limit", format!("needs 1 to {LIST_MAX}."))),
            },
        };
        Ok(Page { limit, cursor: self.query("cursor") })
    }
}

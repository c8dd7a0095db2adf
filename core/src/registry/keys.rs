//! Keys: made, listed, revoked. Only their hash is kept.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate_protocol::answers::{KeyView, NewKey, SessionView};
use toolgate_protocol::control::{KeyRequest, Role};
use toolgate_protocol::limits::{KEY_DAYS_MAX, KEY_PRINCIPAL_BYTES_MAX, KEYS_MAX, SIGN_IN_SECONDS_MAX, SIGN_INS_MAX};
use toolgate_protocol::lists::KeyPage;
use toolgate_protocol::notifications::PrincipalSummary;
use toolgate_protocol::problems;

use super::{Page, Step, Stepped, body};
use crate::access::Person;
use crate::hash::hex;
use crate::keys::{Identity, Scope};
use crate::names;
use crate::principal::Principal;
use crate::problem::Problem;
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

/// A key as the registry keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeyRecord {
    pub role: Role,
    pub name: String,
    pub scope: Scope,
    pub sha256: String,
    pub created_at: UnixMillis,
    pub expires_at: Option<UnixMillis>,
    pub revoked_at: Option<UnixMillis>,
    /// It was given to somebody who signed in, and is forgotten after its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_sign_in: bool,
}

impl Step<'_> {
    /// Is this the key that is known under its id, and not revoked?
    pub(super) fn key_is_live(&self, who: &Identity) -> Result<bool, StoreError> {
        let known: Option<KeyRecord> = self.docs.get("key", &who.key_id)?;
        Ok(known.is_some_and(|key| key.sha256 == who.sha256 && key.revoked_at.is_none()))
    }

    /// The admin key that a new org begins with.
    pub(super) fn first_key(&mut self) -> Result<String, StoreError> {
        self.mint(Role::Admin, "first admin", Scope::default(), None).map(|(_, key)| key)
    }

    pub(super) fn create_key(&mut self, spec: KeyRequest) -> Stepped {
        if let Err(problem) = check(&spec) {
            return Ok(Err(problem));
        }
        if self.docs.count("key")? >= KEYS_MAX {
            return Ok(Err(Problem::invalid("role", format!("the org has {KEYS_MAX} keys, which is the limit."))));
        }
        let principal = spec.principal.as_ref().map(|raw| Principal::parse(raw.get())).transpose();
        let principal = match principal {
            Ok(principal) => {
                principal.and_then(|principal| serde_json::value::RawValue::from_string(principal.text).ok())
            }
            Err(problem) => return Ok(Err(problem)),
        };
        let scope = Scope {
            pools: spec.pools,
            agents: spec.agents,
            agent: spec.agent,
            principal,
            principal_id: spec.principal_id,
            run: None,
            signed_in: false,
        };
        let expires = spec.expires_in_days.map(|days| self.now.plus_seconds(u64::from(days).saturating_mul(86_400)));
        let (id, key) = self.mint(spec.role, &spec.name, scope, expires)?;
        self.audit("key.created", &id, json!({ "role": spec.role, "name": spec.name }))?;
        body(201, &NewKey { id, key })
    }

    /// A key for who signed in by Cloudflare Access: it ends with the sign-in.
    pub(super) fn create_session(&mut self, role: Role, person: &Person) -> Stepped {
        self.forget_sign_ins(role, &person.email)?;
        if self.docs.count("key")? >= KEYS_MAX {
            return Ok(Err(Problem::invalid("role", format!("the org has {KEYS_MAX} keys, which is the limit."))));
        }
        let principal_id = person.principal_id.clone().filter(|_| role == Role::Approver);
        let scope = Scope { principal_id, signed_in: true, ..Scope::default() };
        let until = person.until.min(self.now.plus_seconds(SIGN_IN_SECONDS_MAX));
        let (id, key, mut record) = self.new_key(role, &person.email, scope, Some(until));
        record.is_sign_in = true;
        self.docs.put("key", &id, &record)?;
        self.audit("key.signed_in", &id, json!({ "role": role, "name": person.email }))?;
        body(201, &NewKey { id, key })
    }

    /// Otherwise sign-ins would count against the limit for ever, or one person's against everybody's. What has ended goes, and
    /// of this person's the oldest, as if it had been revoked. The audit record keeps them.
    fn forget_sign_ins(&mut self, role: Role, name: &str) -> Result<(), StoreError> {
        let all = self.docs.find_all::<KeyRecord>("key")?.into_iter().filter(|(_, key)| key.is_sign_in);
        let (ended, live): (Vec<_>, Vec<_>) =
            all.partition(|(_, key)| key.expires_at.is_some_and(|end| end <= self.now));
        let mut own: Vec<_> = live.into_iter().filter(|(_, key)| key.role == role && key.name == name).collect();
        own.sort_by_key(|(_, key)| std::cmp::Reverse(key.created_at));
        for (id, _) in ended.iter().chain(own.iter().skip(SIGN_INS_MAX.saturating_sub(1))) {
            self.docs.delete("key", id)?;
        }
        Ok(())
    }

    fn mint(
        &mut self,
        role: Role,
        name: &str,
        scope: Scope,
        expires_at: Option<UnixMillis>,
    ) -> Result<(String, String), StoreError> {
        let (id, key, record) = self.new_key(role, name, scope, expires_at);
        self.docs.put("key", &id, &record)?;
        Ok((id, key))
    }

    fn new_key(
        &self,
        role: Role,
        name: &str,
        scope: Scope,
        expires_at: Option<UnixMillis>,
    ) -> (String, String, KeyRecord) {
        let id = format!("key_{}", hex(&self.entropy));
        let (key, identity) = self.ring.mint(&self.org, role, &id, name, scope.clone(), expires_at);
        let record = KeyRecord {
            role,
            name: name.to_owned(),
            scope,
            sha256: identity.sha256,
            created_at: self.now,
            expires_at,
            revoked_at: None,
            is_sign_in: false,
        };
        (id, key, record)
    }

    pub(super) fn list_keys(&mut self, page: &Page) -> Stepped {
        let (keys, next_cursor) = self.docs.listed("key", page)?;
        let keys = keys.iter().map(|(id, key)| view(id, key)).collect();
        body(200, &KeyPage { keys, next_cursor })
    }

    /// The key that asks. A run token has no record of its own: it is shown by what it says of itself.
    pub(super) fn session(&mut self) -> Stepped {
        let Some(who) = self.who.clone() else { return Ok(Err(Problem::not_found())) };
        let Some(mut key) = self.docs.get::<KeyRecord>("key", &who.key_id)? else {
            return Ok(Err(Problem::not_found()));
        };
        let run = who.scope.run.as_ref().map(|scope| scope.run.clone());
        if run.is_some() {
            (key.role, key.name, key.scope, key.expires_at) = (who.role, who.name, who.scope, who.expires);
        }
        body(200, &SessionView { org: self.org.clone(), run, key: view(&who.key_id, &key) })
    }

    pub(super) fn revoke_key(&mut self, id: &str) -> Stepped {
        let Some(mut key) = self.docs.get::<KeyRecord>("key", id)? else { return Ok(Err(Problem::not_found())) };
        if key.revoked_at.is_none() {
            key.revoked_at = Some(self.now);
            self.docs.put("key", id, &key)?;
            self.audit("key.revoked", id, json!({ "role": key.role, "name": key.name }))?;
        }
        body(200, &view(id, &key))
    }
}

/// A key without its text, which is not kept. Of an agent key's principal only who it is: the rest is carried text.
fn view(id: &str, key: &KeyRecord) -> KeyView {
    let scope = &key.scope;
    let principal = scope.principal.as_ref().and_then(|raw| Principal::parse(raw.get()).ok());
    KeyView {
        id: id.to_owned(),
        role: key.role,
        name: key.name.clone(),
        created_at: key.created_at.rfc3339(),
        pools: scope.pools.clone(),
        agents: scope.agents.clone(),
        agent: scope.agent.clone(),
        principal: principal.map(|principal| PrincipalSummary { id: principal.id, tenant_id: principal.tenant_id }),
        principal_id: scope.principal_id.clone(),
        expires_at: key.expires_at.map(UnixMillis::rfc3339),
        revoked_at: key.revoked_at.map(UnixMillis::rfc3339),
    }
}

fn check(spec: &KeyRequest) -> Result<(), Problem> {
    names::label("name", &spec.name)?;
    let only = |present: bool, field: &str, role: Role| {
        if present && spec.role != role {
            return Err(Problem::invalid(field, "does not belong to a key of this role."));
        }
        Ok(())
    };
    only(spec.pools.is_some(), "pools", Role::Worker)?;
    only(spec.agents.is_some(), "agents", Role::Caller)?;
    only(spec.agent.is_some(), "agent", Role::Agent)?;
    only(spec.principal.is_some(), "principal", Role::Agent)?;
    only(spec.principal_id.is_some(), "principal_id", Role::Approver)?;
    let required = |present: bool, field: &str, role: Role| {
        if spec.role == role && !present {
            return Err(Problem::invalid(field, "is required for a key of this role."));
        }
        Ok(())
    };
    required(spec.pools.as_ref().is_some_and(|pools| !pools.is_empty()), "pools", Role::Worker)?;
    required(spec.agent.is_some(), "agent", Role::Agent)?;
    required(spec.principal.is_some(), "principal", Role::Agent)?;
    for pool in spec.pools.iter().flatten() {
        names::plain("pools", pool)?;
    }
    for agent in spec.agents.iter().flatten() {
        names::plain("agents", agent)?;
    }
    if let Some(agent) = &spec.agent {
        names::plain("agent", agent)?;
    }
    if let Some(principal) = spec.principal.as_ref().filter(|raw| raw.get().len() > KEY_PRINCIPAL_BYTES_MAX) {
        return Err(Problem::too_large("principal of a key", principal.get().len(), KEY_PRINCIPAL_BYTES_MAX));
    }
    match spec.expires_in_days {
        Some(days) if days == 0 || days > KEY_DAYS_MAX => Err(Problem::new(
            problems::INVALID_REQUEST,
            format!("expires_in_days: is {days}; it needs 1 to {KEY_DAYS_MAX} days."),
        )),
        _ => Ok(()),
    }
}

//! Webhook pools: the endpoint, its states and its secrets.
//!
//! The edge resolves, challenges and fetches; here it is decided what that means. Secrets come sealed and leave
//! sealed. A report names the revision it is about: one on an endpoint that was replaced meanwhile changes nothing.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate_protocol::answers::{ChallengeAnswer, EndpointView, PoolSaved, RotationAnswer};
use toolgate_protocol::control::{EndpointState, Transport};
use toolgate_protocol::limits::{
    DELIVERY_SECONDS, DELIVERY_SECONDS_MAX, MANIFEST_SYNC_SECONDS, ROTATION_SECONDS, SECRETS_MAX,
};
use toolgate_protocol::problems;

use super::builtin_pool::builtin_stays;
use super::notifications::NotificationRecord;
use super::policies::PoolRecord;
use super::{Answer, Step, Stepped, body};
use crate::names;
use crate::policy::{PolicyEndpoint, SealedSecret};
use crate::problem::Problem;
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

/// An endpoint as the registry keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EndpointRecord {
    pub url: String,
    pub state: EndpointState,
    /// Why it is not active; for the admin's view alone.
    pub reason: Option<String>,
    pub timeout_seconds: u64,
    /// Newest first.
    pub secrets: Vec<KeptSecret>,
    /// The endpoint's name for the manifest that was taken last; none while another sync is wanted.
    pub manifest: Option<String>,
    /// When the last sync began.
    pub synced_at: UnixMillis,
    /// Tools that the last sync did not find; a second one that agrees disables them.
    pub missing: Vec<String>,
}

/// A secret as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptSecret {
    #[serde(flatten)]
    pub secret: SealedSecret,
    pub fingerprint: String,
}

/// A secret on its way in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewSecret {
    /// Bound to org and pool.
    pub sealed: String,
    /// The same for the same secret.
    pub fingerprint: String,
}

/// What a secret serves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Served<'a> {
    Pool(&'a str),
    Notification(&'a str),
}

/// What became of a challenge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Challenged {
    /// None was made: the customer does not know the secret yet.
    NotTried,
    /// It was answered.
    Passed,
    /// It was not, and why.
    Failed(String),
}

/// A webhook pool on its way in; the edge has judged the address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EndpointSpec {
    /// The canonical text.
    pub url: String,
    /// 1 to 25.
    pub timeout_seconds: Option<u64>,
    /// None keeps the secret that is there.
    pub secret: Option<NewSecret>,
    /// The secret that was there, sealed: what was challenged when it is kept.
    pub kept: Option<String>,
    /// What came of the challenge.
    pub challenged: Challenged,
}

impl EndpointRecord {
    /// Sealed, which tells it from any other.
    fn newest_secret(&self) -> Option<&str> {
        self.secrets.first().map(|kept| kept.secret.sealed.as_str())
    }
}

impl PoolRecord {
    /// As the policy and the edge know it.
    pub(super) fn policy_endpoint(&self) -> Option<PolicyEndpoint> {
        self.endpoint.as_ref().map(|endpoint| PolicyEndpoint {
            url: endpoint.url.clone(),
            state: endpoint.state,
            revision: self.revision,
            timeout_seconds: endpoint.timeout_seconds,
            secrets: endpoint.secrets.iter().map(|kept| kept.secret.clone()).collect(),
            manifest: endpoint.manifest.clone(),
        })
    }

    /// As an admin sees it; never a secret.
    pub(super) fn endpoint_view(&self, now: UnixMillis) -> Option<EndpointView> {
        self.endpoint.as_ref().map(|endpoint| {
            let rotating =
                endpoint.secrets.iter().filter_map(|kept| kept.secret.until).max().filter(|until| now < *until);
            EndpointView {
                state: endpoint.state,
                revision: self.revision,
                url: endpoint.url.clone(),
                timeout_seconds: endpoint.timeout_seconds,
                reason: endpoint.reason.clone(),
                old_secret_until: rotating.map(UnixMillis::rfc3339),
            }
        })
    }
}

impl Step<'_> {
    /// What the edge needs before it calls anything: the endpoint as it is. A secret that serves something else
    /// is refused here, before it signs anything.
    pub(super) fn endpoint_for(&mut self, pool: &str, fingerprint: Option<&str>) -> Stepped {
        if let Err(problem) = names::plain("pool", pool) {
            return Ok(Err(problem));
        }
        if let Some(problem) = self.used_elsewhere(Served::Pool(pool), fingerprint)? {
            return Ok(Err(problem));
        }
        let known = self.docs.get::<PoolRecord>("pool", pool)?;
        Ok(Ok(Answer::Endpoint(known.and_then(|pool| pool.policy_endpoint()).map(Box::new))))
    }

    /// A secret that serves another pool or notification: what one signs would be valid for the other.
    pub(super) fn used_elsewhere(
        &self,
        by: Served<'_>,
        fingerprint: Option<&str>,
    ) -> Result<Option<Problem>, StoreError> {
        let Some(fingerprint) = fingerprint else { return Ok(None) };
        let open = |kept: &KeptSecret| kept.secret.until.is_none_or(|until| self.now < until);
        let same = |kept: &KeptSecret| open(kept) && kept.fingerprint == fingerprint;
        let pools = self.docs.all::<PoolRecord>("pool")?;
        let secrets = |pool: &PoolRecord| pool.endpoint.iter().flat_map(|endpoint| &endpoint.secrets).any(same);
        let notifications = self.docs.find_all::<NotificationRecord>("notification")?;
        let is_used = pools.iter().any(|(name, pool)| by != Served::Pool(name) && secrets(pool))
            || notifications.iter().any(|(name, each)| by != Served::Notification(name) && same(&each.secret));
        let detail = "The secret serves another pool or notification of the org; each needs its own. Leave it out to be given one.";
        Ok(is_used.then(|| Problem::new(problems::SECRET_IN_USE, detail)))
    }

    pub(super) fn put_endpoint(&mut self, name: &str, spec: EndpointSpec) -> Stepped {
        let timeout_seconds = match timeout_seconds(spec.timeout_seconds) {
            Ok(seconds) => seconds,
            Err(problem) => return Ok(Err(problem)),
        };
        let fingerprint = spec.secret.as_ref().map(|secret| secret.fingerprint.as_str());
        if let Some(problem) = self.used_elsewhere(Served::Pool(name), fingerprint)? {
            return Ok(Err(problem));
        }
        let known = self.docs.get::<PoolRecord>("pool", name)?;
        if known.as_ref().is_some_and(|pool| pool.transport == Transport::Builtin) {
            return Ok(Err(builtin_stays()));
        }
        let status = if known.is_some() { 200 } else { 201 };
        let mut pool = known.unwrap_or_else(|| PoolRecord::new(Transport::Webhook));
        let before = pool.endpoint.take();
        let secrets = match (spec.secret, &before) {
            (Some(NewSecret { sealed, fingerprint }), _) => {
                vec![KeptSecret { secret: SealedSecret { sealed, until: None }, fingerprint }]
            }
            (None, Some(before)) if before.newest_secret() != spec.kept.as_deref() => return Ok(Err(replaced())),
            (None, Some(before)) => before.secrets.clone(),
            (None, None) => {
                let detail = "A webhook pool needs a signing secret.";
                return Ok(Err(Problem::new(problems::SECRET_REFUSED, detail)));
            }
        };
        let moved = before.as_ref().is_none_or(|before| before.url != spec.url);
        if moved {
            pool.revision = pool.revision.saturating_add(1);
        }
        if pool.transport != Transport::Webhook {
            pool.transport = Transport::Webhook;
            self.manage_by(name, "webhook")?;
        }
        let (state, reason) = match spec.challenged {
            Challenged::Passed => (EndpointState::Active, None),
            Challenged::Failed(why) => (EndpointState::Pending, Some(why)),
            Challenged::NotTried => (EndpointState::Pending, Some("It was not challenged yet.".to_owned())),
        };
        let kept = before.filter(|_| !moved);
        pool.endpoint = Some(EndpointRecord {
            url: spec.url,
            state,
            reason,
            timeout_seconds,
            secrets,
            manifest: kept.as_ref().and_then(|before| before.manifest.clone()),
            synced_at: kept.as_ref().map_or_else(UnixMillis::default, |before| before.synced_at),
            missing: kept.map(|before| before.missing).unwrap_or_default(),
        });
        self.docs.put("pool", name, &pool)?;
        self.audit(
            "pool.written",
            name,
            json!({ "transport": pool.transport, "revision": pool.revision, "state": state }),
        )?;
        body(status, &PoolSaved::new(name, pool.transport, pool.endpoint_view(self.now)))
    }

    /// What manifests manage goes with the pool to its new transport; what a person made stays hers.
    pub(super) fn manage_by(&mut self, pool: &str, manager: &str) -> Result<(), StoreError> {
        for (name, mut tool) in self.docs.all::<crate::registration::CatalogueTool>("tool")? {
            if tool.pool == pool && tool.managed_by != "console" && tool.managed_by != manager {
                tool.managed_by = manager.to_owned();
                self.docs.put("tool", &name, &tool)?;
            }
        }
        Ok(())
    }

    /// A challenge of the endpoint that is there. A failure takes nothing away: what is active stays so.
    pub(super) fn challenged(&mut self, name: &str, revision: u64, secret: &str, failed: Option<String>) -> Stepped {
        let Some((mut pool, mut endpoint)) = self.webhook_pool(name)? else { return Ok(Err(Problem::not_found())) };
        if pool.revision != revision || endpoint.newest_secret() != Some(secret) {
            return Ok(Err(replaced()));
        }
        match failed {
            None => (endpoint.state, endpoint.reason) = (EndpointState::Active, None),
            Some(why) if endpoint.state != EndpointState::Active => endpoint.reason = Some(why),
            Some(why) => {
                return body(200, &ChallengeAnswer::new(endpoint.state, None, Some(why)));
            }
        }
        let view = ChallengeAnswer::new(endpoint.state, endpoint.reason.clone(), None);
        self.audit("endpoint.challenged", name, json!(view))?;
        pool.endpoint = Some(endpoint);
        self.docs.put("pool", name, &pool)?;
        body(200, &view)
    }

    /// The new secret signs from now on, those before it for a day more. Several rotations within a day keep what
    /// customers may have deployed; the oldest go first.
    pub(super) fn rotate_secret(&mut self, name: &str, NewSecret { sealed, fingerprint }: NewSecret) -> Stepped {
        let Some((mut pool, mut endpoint)) = self.webhook_pool(name)? else { return Ok(Err(Problem::not_found())) };
        let until = self.now.plus_seconds(ROTATION_SECONDS);
        endpoint.secrets.retain(|old| old.secret.until.is_none_or(|until| self.now < until));
        endpoint.secrets.iter_mut().for_each(|old| old.secret.until = Some(old.secret.until.unwrap_or(until)));
        endpoint.secrets.truncate(SECRETS_MAX.saturating_sub(1));
        endpoint.secrets.insert(0, KeptSecret { secret: SealedSecret { sealed, until: None }, fingerprint });
        pool.endpoint = Some(endpoint);
        self.docs.put("pool", name, &pool)?;
        self.audit("endpoint.secret_rotated", name, json!({ "old_secret_until": until.rfc3339() }))?;
        // The edge knows the secret in clear, and adds it.
        body(200, &RotationAnswer { secret: String::new(), old_secret_until: until.rfc3339(), lagging: Vec::new() })
    }

    /// Its name led to a forbidden address.
    pub(super) fn suspend(&mut self, name: &str, revision: u64, reason: String) -> Stepped {
        if let Some((mut pool, mut endpoint)) = self.webhook_pool(name)?
            && pool.revision == revision
            && endpoint.state != EndpointState::Suspended
        {
            self.audit("endpoint.suspended", name, json!({ "revision": revision, "reason": reason }))?;
            (endpoint.state, endpoint.reason) = (EndpointState::Suspended, Some(reason));
            pool.endpoint = Some(endpoint);
            self.docs.put("pool", name, &pool)?;
        }
        Ok(Ok(Answer::Done))
    }

    /// A reply named another manifest: is it time to fetch it? The endpoint, if so.
    pub(super) fn begin_sync(&mut self, name: &str, revision: u64, hash: &str) -> Stepped {
        let Some((mut pool, mut endpoint)) = self.webhook_pool(name)? else { return Ok(Ok(Answer::Endpoint(None))) };
        let news = endpoint.manifest.as_deref() != Some(hash) && pool.revision == revision;
        let due = endpoint.synced_at.plus_seconds(MANIFEST_SYNC_SECONDS) <= self.now;
        if !news || !due || endpoint.state != EndpointState::Active {
            return Ok(Ok(Answer::Endpoint(None)));
        }
        endpoint.synced_at = self.now;
        pool.endpoint = Some(endpoint);
        self.docs.put("pool", name, &pool)?;
        Ok(Ok(Answer::Endpoint(pool.policy_endpoint().map(Box::new))))
    }

    /// A webhook pool with its endpoint.
    pub(super) fn webhook_pool(&self, name: &str) -> Result<Option<(PoolRecord, EndpointRecord)>, StoreError> {
        let pool = self.docs.get::<PoolRecord>("pool", name)?;
        Ok(pool.filter(|pool| pool.transport == Transport::Webhook).and_then(|mut pool| {
            let endpoint = pool.endpoint.take()?;
            Some((pool, endpoint))
        }))
    }
}

/// The deadline of a delivery, as asked for or as it is by default.
///
/// # Errors
/// 422 beyond 1 to 25 seconds.
pub fn timeout_seconds(asked: Option<u64>) -> Result<u64, Problem> {
    let seconds = asked.unwrap_or(DELIVERY_SECONDS);
    if (1..=DELIVERY_SECONDS_MAX).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(Problem::invalid("timeout_seconds", format!("needs 1 to {DELIVERY_SECONDS_MAX}.")))
    }
}

pub(super) fn replaced() -> Problem {
    Problem::new(problems::ENDPOINT_SUSPENDED, "The endpoint was replaced meanwhile; try again.")
}

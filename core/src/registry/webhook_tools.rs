//! The tools of webhook pools: manifests that endpoints answer, and definitions made by hand for those that answer
//! none. Both meet the same fences as a worker's announcement.

use std::collections::BTreeSet;

use toolgate_protocol::answers::ToolView;
use toolgate_protocol::control::{ToolRequest, Transport};
use toolgate_protocol::definitions::ToolDefinition;
use toolgate_protocol::limits::MANIFEST_HASH_CHARS_MAX;
use toolgate_protocol::problems;
use toolgate_protocol::workers::{RegistrationResult, RegistrationStatus};

use super::endpoints::replaced;
use super::policies::PoolRecord;
use super::{Answer, EndpointManifest, Step, Stepped, body, catalogue};
use crate::contract::check_tool;
use crate::names;
use crate::problem::Problem;
use crate::registration::{CatalogueTool, read_manifest};
use crate::sql_port::StoreError;

impl Step<'_> {
    /// What an endpoint has now. A tool that it lacks stays enabled until a second sync agrees: one reply of a
    /// half-deployed endpoint takes nothing away.
    pub(super) fn sync_manifest(&mut self, sync: EndpointManifest) -> Stepped {
        let EndpointManifest { pool: name, revision, manifest, hash } = sync;
        let Some((mut pool, mut endpoint)) = self.webhook_pool(&name)? else { return Ok(Err(Problem::not_found())) };
        if pool.revision != revision {
            return Ok(Err(replaced()));
        }
        let read = read_manifest(manifest.get());
        let tools = self.apply_tools(&name, "webhook", &read)?;
        let announced: BTreeSet<&String> = read.tools.iter().map(|(name, _)| name).collect();
        let absent = self.enabled_but(&name, &announced)?;
        let first_time: Vec<String> = absent.into_iter().filter(|tool| !endpoint.missing.contains(tool)).collect();
        let kept = announced.iter().copied().chain(&first_time).collect();
        let disabled = self.enable_announced(&name, "webhook", &kept)?;
        let contexts = self.apply_contexts(&name, &read)?;
        self.enable_contexts(&name, &read.contexts.iter().map(|(name, _)| name).collect())?;
        endpoint.synced_at = self.now;
        let hash = hash.filter(|hash| hash.chars().count() <= MANIFEST_HASH_CHARS_MAX);
        endpoint.manifest = hash.filter(|_| first_time.is_empty());
        endpoint.missing = first_time;
        pool.endpoint = Some(endpoint);
        self.docs.put("pool", &name, &pool)?;
        Ok(Ok(Answer::Registered(RegistrationResult { tools, contexts, disabled })))
    }

    /// Enabled tools of the endpoint's that are not among these.
    fn enabled_but(&self, pool: &str, announced: &BTreeSet<&String>) -> Result<Vec<String>, StoreError> {
        let tools = self.docs.all::<CatalogueTool>("tool")?.into_iter();
        let gone = tools.filter(|(name, tool)| {
            tool.pool == pool && tool.managed_by == "webhook" && tool.enabled && !announced.contains(name)
        });
        Ok(gone.map(|(name, _)| name).collect())
    }

    /// A definition made by hand. It is read-only elsewhere, as what a manifest manages is read-only here.
    pub(super) fn put_tool(&mut self, name: &str, request: ToolRequest) -> Stepped {
        let ToolRequest { pool, description, side_effect, input, permissions, routing, .. } = request;
        let definition = ToolDefinition {
            name: name.to_owned(),
            description,
            side_effect,
            input,
            permissions,
            routing,
            queue_deadline_seconds: request.queue_deadline_seconds,
            execution_deadline_seconds: request.execution_deadline_seconds,
        };
        if let Err(problem) = names::plain("pool", &pool) {
            return Ok(Err(problem));
        }
        if let Err(fault) = check_tool(&definition) {
            return Ok(Err(Problem::invalid(&fault.field, format!("{}.", fault.what))));
        }
        match self.docs.get::<PoolRecord>("pool", &pool)?.map(|pool| pool.transport) {
            Some(Transport::Webhook) => {}
            Some(_) => {
                let detail = "pool: its workers announce their tools; only a webhook pool has tools made by hand.";
                return Ok(Err(Problem::new(problems::TRANSPORT_IN_USE, detail)));
            }
            None => return Ok(Err(Problem::invalid("pool", "there is no such pool; make it first."))),
        }
        let mut bytes = self.definitions_bytes(&pool)?;
        let verdict = self.apply_tool(&pool, "console", &definition, &mut bytes)?;
        if verdict.status == RegistrationStatus::Refused {
            let fence = verdict.code.unwrap_or_default();
            let kind = match fence {
                "managed_elsewhere" => problems::MANAGED_ELSEWHERE,
                _ => problems::DEFINITION_REFUSED,
            };
            return Ok(Err(Problem::new(kind, verdict.detail.unwrap_or_default()).with("fence", fence)));
        }
        let Some(tool) = self.docs.get::<CatalogueTool>("tool", name)? else { return Ok(Err(Problem::not_found())) };
        let status = if verdict.status == RegistrationStatus::Added { 201 } else { 200 };
        body(status, &ToolView { status: Some(verdict.status), ..catalogue::view(name, &tool) })
    }
}

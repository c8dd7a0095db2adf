//! The catalogue: announcements through the fences, rolling deploys, versions with their diffs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate_protocol::answers::{DefinitionChange, RefusedView, ToolView, VersionView};
use toolgate_protocol::control::Transport;
use toolgate_protocol::definitions::{ContextDefinition, ToolDefinition};
use toolgate_protocol::limits::{HISTORY_BYTES_MAX, POOL_DEFINITIONS_BYTES_MAX, SESSION_SEEN_SECONDS};
use toolgate_protocol::lists::ToolPage;
use toolgate_protocol::problems;
use toolgate_protocol::workers::{ContextStatus, RegistrationResult, RegistrationStatus, ToolStatus};

use super::policies::PoolRecord;
use super::{Announcement, Answer, Page, PoolOf, Step, Stepped, body};
use crate::contract::version;
use crate::policy::unknown_tool;
use crate::problem::Problem;
use crate::queue::messages::Manifests;
use crate::registration::{
    CatalogueTool, ReadManifest, RefusedDefinition, Verdict, judge, judge_context, read_manifest,
};
use crate::sql_port::StoreError;
use crate::time::UnixMillis;

/// A manifest that was seen: its rank is the order of first sight.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ManifestRecord {
    rank: u64,
    /// Canonical text, kept while a live session announces it.
    text: Option<String>,
    /// When it was last announced.
    announced_at: UnixMillis,
    /// Its pool has seen a session with it. Until then a list of live manifests may be older than the announcement, and
    /// says nothing about it.
    confirmed: bool,
}

/// A context in the catalogue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ContextRecord {
    pub pool: String,
    pub enabled: bool,
    pub definition: ContextDefinition,
}

/// One version of a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct VersionRecord {
    version: String,
    at: String,
    by: String,
    definition: ToolDefinition,
}

impl Step<'_> {
    /// A manifest that is news to its pool.
    pub(super) fn announce(&mut self, announcement: Announcement) -> Stepped {
        let Announcement { pool: name, worker, manifest, hash, manifests: Manifests { live, seen } } = announcement;
        let Some(mut pool) = self.docs.get::<PoolRecord>("pool", &name)? else { return Ok(Err(Problem::not_found())) };
        if pool.transport != Transport::Worker {
            return Ok(Err(Problem::new(problems::TRANSPORT_IN_USE, "The pool is not served by workers.")));
        }
        let key = format!("{name}/{hash}");
        let known = self.docs.get::<ManifestRecord>("manifest", &key)?;
        self.confirm(&name, &seen)?;
        let rank = known.as_ref().map_or(pool.next_rank, |known| known.rank);
        if known.is_none() {
            pool.next_rank = pool.next_rank.saturating_add(1);
            self.audit("manifest.seen", &key, json!({ "worker": worker }))?;
        }
        let text = Some(manifest.get().to_owned());
        let record = ManifestRecord { rank, text, announced_at: self.now, confirmed: false };
        self.docs.put("manifest", &key, &record)?;
        // The announced one counts as live by being new; it joins the list when the pool says so.
        pool.live = live;
        self.docs.put("pool", &name, &pool)?;
        let result = self.reconcile(&name, &pool.live, Some(&hash))?;
        Ok(Ok(Answer::Registered(result)))
    }

    /// Makes the catalogue agree with what live sessions announce: the manifest that was first seen last governs, a
    /// tool that no live session announces is disabled. Without a live session nothing changes.
    pub(super) fn reconcile(
        &mut self,
        pool: &str,
        live: &[String],
        asked: Option<&str>,
    ) -> Result<RegistrationResult, StoreError> {
        // What workers announced says nothing any more about a pool that an endpoint serves.
        let served = self.docs.get::<PoolRecord>("pool", pool)?;
        if served.is_none_or(|pool| pool.transport != Transport::Worker) {
            return Ok(RegistrationResult::default());
        }
        let mut live = self.with_unconfirmed(pool, live)?;
        if let Some(asked) = asked.filter(|asked| !live.iter().any(|hash| hash == asked)) {
            live.push(asked.to_owned());
        }
        let mut manifests: Vec<(u64, &str, ReadManifest)> = Vec::new();
        for hash in &live {
            let record = self.docs.get::<ManifestRecord>("manifest", &format!("{pool}/{hash}"))?;
            if let Some(ManifestRecord { rank, text: Some(text), .. }) = record {
                manifests.push((rank, hash, read_manifest(&text)));
            }
        }
        let Some((_, governing, newest)) = manifests.iter().max_by_key(|(rank, ..)| *rank).cloned() else {
            return Ok(RegistrationResult::default());
        };
        let mut result =
            RegistrationResult { tools: self.apply_tools(pool, "worker", &newest)?, ..RegistrationResult::default() };
        let announced: BTreeSet<&String> =
            manifests.iter().flat_map(|(.., read)| read.tools.iter().map(|(name, _)| name)).collect();
        result.disabled = self.enable_announced(pool, "worker", &announced)?;
        result.contexts = self.apply_contexts(pool, &newest)?;
        let contexts = manifests.iter().flat_map(|(.., read)| read.contexts.iter().map(|(name, _)| name));
        self.enable_contexts(pool, &contexts.collect())?;
        self.forget_texts(pool, &live)?;
        match manifests.iter().find(|(_, hash, _)| Some(*hash) == asked) {
            Some((_, hash, older)) if *hash != governing => self.statuses_of_older(older, result.disabled),
            _ => Ok(result),
        }
    }

    /// The pool has seen sessions with these manifests: whether they live is for its list to say.
    pub(super) fn confirm(&mut self, pool: &str, seen: &[String]) -> Result<(), StoreError> {
        for hash in seen {
            let key = format!("{pool}/{hash}");
            if let Some(mut record) =
                self.docs.get::<ManifestRecord>("manifest", &key)?.filter(|record| !record.confirmed)
            {
                record.confirmed = true;
                self.docs.put("manifest", &key, &record)?;
            }
        }
        Ok(())
    }

    /// Live manifests, and those announced so lately that the list may not know them yet.
    fn with_unconfirmed(&self, pool: &str, live: &[String]) -> Result<Vec<String>, StoreError> {
        let (mut all, prefix) = (live.to_vec(), format!("{pool}/"));
        for (key, record) in self.docs.all::<ManifestRecord>("manifest")? {
            let young = !record.confirmed && self.now < record.announced_at.plus_seconds(SESSION_SEEN_SECONDS);
            if let Some(hash) = key.strip_prefix(&prefix).filter(|_| young)
                && !live.iter().any(|known| known == hash)
            {
                all.push(hash.to_owned());
            }
        }
        Ok(all)
    }

    /// When the next announcement without a session stops counting.
    pub(super) fn next_unconfirmed(&self) -> Result<Option<UnixMillis>, StoreError> {
        let open = self
            .docs
            .all::<ManifestRecord>("manifest")?
            .into_iter()
            .filter(|(_, record)| !record.confirmed && record.text.is_some());
        Ok(open
            .map(|(_, record)| record.announced_at.plus_seconds(SESSION_SEEN_SECONDS).max(self.now.plus_seconds(1)))
            .min())
    }

    /// Announcements whose worker never got a session count no more.
    pub(super) fn reconcile_unconfirmed(&mut self) -> Stepped {
        for (name, pool) in self.docs.all::<PoolRecord>("pool")? {
            self.reconcile(&name, &pool.live, None)?;
            self.forget_texts(&name, &self.with_unconfirmed(&name, &pool.live)?)?;
        }
        Ok(Ok(Answer::Done))
    }

    pub(super) fn apply_tools(
        &mut self,
        pool: &str,
        manager: &str,
        manifest: &ReadManifest,
    ) -> Result<Vec<ToolStatus>, StoreError> {
        let (mut statuses, mut bytes) = (Vec::new(), self.definitions_bytes(pool)?);
        for (name, tool) in &manifest.tools {
            let verdict = match tool {
                Ok(definition) => self.apply_tool(pool, manager, definition, &mut bytes)?,
                Err(fault) => Verdict::refused("invalid_definition", fault.clone()),
            };
            let Verdict { status, code, detail } = verdict;
            statuses.push(ToolStatus { name: name.clone(), status, code: code.map(str::to_owned), detail });
        }
        Ok(statuses)
    }

    pub(super) fn apply_tool(
        &mut self,
        pool: &str,
        manager: &str,
        announced: &ToolDefinition,
        bytes: &mut usize,
    ) -> Result<Verdict, StoreError> {
        let name = &announced.name;
        let known = self.docs.get::<CatalogueTool>("tool", name)?;
        let mut verdict = judge(announced, pool, manager, known.as_ref());
        if verdict.status != RegistrationStatus::Refused && verdict.status != RegistrationStatus::Unchanged {
            let own = known.as_ref().filter(|known| known.pool == pool);
            let before = own.map_or(0, |known| size(&known.definition));
            let after = bytes.saturating_sub(before).saturating_add(size(announced));
            if after > POOL_DEFINITIONS_BYTES_MAX {
                let limit = POOL_DEFINITIONS_BYTES_MAX;
                let detail = format!("The pool's definitions would have {after} bytes; the limit is {limit}.");
                verdict = Verdict::refused("pool_full", detail);
            } else {
                *bytes = after;
            }
        }
        match (verdict.status, known) {
            (RegistrationStatus::Refused, Some(known)) if known.pool == pool || known.is_released() => {
                self.keep_refused(known, announced, &verdict)?
            }
            (RegistrationStatus::Added | RegistrationStatus::Updated, known) => {
                let enabled = known.as_ref().is_none_or(|known| known.enabled || known.is_released());
                let tool = CatalogueTool {
                    pool: pool.to_owned(),
                    former_pools: known.map(|known| known.former_pools).unwrap_or_default(),
                    managed_by: manager.to_owned(),
                    enabled,
                    definition: announced.clone(),
                    refused: None,
                };
                self.docs.put("tool", name, &tool)?;
                self.add_version(announced)?;
                let event = if verdict.status == RegistrationStatus::Added { "tool.added" } else { "tool.updated" };
                self.audit(
                    event,
                    name,
                    json!({ "pool": pool, "version": version(announced), "side_effect": announced.side_effect }),
                )?;
            }
            _ => {}
        }
        Ok(verdict)
    }

    /// What the pool's definitions take, disabled ones included: they travel as one row.
    pub(super) fn definitions_bytes(&self, pool: &str) -> Result<usize, StoreError> {
        let tools = self.docs.all::<CatalogueTool>("tool")?;
        let own = tools.iter().filter(|(_, tool)| tool.pool == pool);
        Ok(own.map(|(_, tool)| size(&tool.definition)).fold(0, usize::saturating_add))
    }

    /// The last accepted definition stays; the refused one is shown beside it.
    fn keep_refused(
        &mut self,
        mut known: CatalogueTool,
        announced: &ToolDefinition,
        verdict: &Verdict,
    ) -> Result<(), StoreError> {
        let refused_before = known.refused.as_ref().is_some_and(|refused| refused.definition == *announced);
        if refused_before {
            return Ok(());
        }
        let (code, detail) = (verdict.code.unwrap_or_default(), verdict.detail.clone().unwrap_or_default());
        known.refused = Some(RefusedDefinition {
            definition: announced.clone(),
            version: version(announced),
            code: code.to_owned(),
            detail: detail.clone(),
            at: self.now.rfc3339(),
        });
        self.docs.put("tool", &announced.name, &known)?;
        self.audit(
            "tool.refused",
            &announced.name,
            json!({ "code": code, "detail": detail, "version": version(announced) }),
        )
    }

    pub(super) fn add_version(&mut self, definition: &ToolDefinition) -> Result<(), StoreError> {
        let name = &definition.name;
        let mut history: Vec<VersionRecord> = self.docs.get("tool_history", name)?.unwrap_or_default();
        let by = self.who.as_ref().map_or_else(|| "gateway".to_owned(), |who| who.name.clone());
        history.push(VersionRecord {
            version: version(definition),
            at: self.now.rfc3339(),
            by,
            definition: definition.clone(),
        });
        // A row is bounded; what a tool was long ago is in the customer's own history.
        while history.len() > 1 && serde_json::to_string(&history).map_or(0, |text| text.len()) > HISTORY_BYTES_MAX {
            history.remove(0);
        }
        self.docs.put("tool_history", name, &history)
    }

    /// Enables what is announced and disables the rest; the names that are disabled now.
    pub(super) fn enable_announced(
        &mut self,
        pool: &str,
        manager: &str,
        announced: &BTreeSet<&String>,
    ) -> Result<Vec<String>, StoreError> {
        let mut disabled = Vec::new();
        for (name, mut tool) in self.docs.all::<CatalogueTool>("tool")? {
            if tool.pool != pool || tool.managed_by != manager {
                continue;
            }
            let enabled = announced.contains(&name);
            if tool.enabled != enabled {
                tool.enabled = enabled;
                self.docs.put("tool", &name, &tool)?;
                self.audit(if enabled { "tool.enabled" } else { "tool.disabled" }, &name, json!({ "pool": pool }))?;
            }
            if !enabled {
                disabled.push(name);
            }
        }
        Ok(disabled)
    }

    pub(super) fn apply_contexts(
        &mut self,
        pool: &str,
        manifest: &ReadManifest,
    ) -> Result<Vec<ContextStatus>, StoreError> {
        let tools: BTreeMap<String, CatalogueTool> = self.docs.all("tool")?.into_iter().collect();
        let mut statuses = Vec::new();
        for (context_type, context) in &manifest.contexts {
            let verdict = match context {
                Err(fault) => Verdict::refused("invalid_definition", fault.clone()),
                Ok(definition) => {
                    let known = self.docs.get::<ContextRecord>("context", context_type)?;
                    match &known {
                        Some(known) if known.pool != pool => {
                            Verdict::refused("name_taken", "context_type: another pool of the org owns this type.")
                        }
                        _ => judge_context(definition, known.as_ref().map(|known| &known.definition), pool, &tools),
                    }
                }
            };
            if let (Ok(definition), RegistrationStatus::Added | RegistrationStatus::Updated) = (context, verdict.status)
            {
                let record = ContextRecord { pool: pool.to_owned(), enabled: true, definition: definition.clone() };
                self.docs.put("context", context_type, &record)?;
                self.audit("context.written", context_type, json!({ "pool": pool }))?;
            }
            let Verdict { status, code, detail } = verdict;
            statuses.push(ContextStatus {
                context_type: context_type.clone(),
                status,
                code: code.map(str::to_owned),
                detail,
            });
        }
        Ok(statuses)
    }

    /// A context stands while some live session announces it and its prefetch tool still only reads.
    pub(super) fn enable_contexts(&mut self, pool: &str, live: &BTreeSet<&String>) -> Result<(), StoreError> {
        for (context_type, mut context) in self.docs.all::<ContextRecord>("context")? {
            let announced = live.contains(&context_type);
            let prefetch = match &context.definition.prefetch_tool {
                Some(name) => self.docs.get::<CatalogueTool>("tool", name)?,
                None => None,
            };
            let writes = prefetch.is_some_and(|tool| tool.definition.side_effect.is_write());
            let enabled = announced && !writes;
            if context.pool == pool && context.enabled != enabled {
                context.enabled = enabled;
                self.docs.put("context", &context_type, &context)?;
                self.audit(
                    if enabled { "context.enabled" } else { "context.disabled" },
                    &context_type,
                    json!({ "pool": pool }),
                )?;
            }
        }
        Ok(())
    }

    /// Texts of manifests that no live session announces are dropped; their ranks stay.
    fn forget_texts(&mut self, pool: &str, live: &[String]) -> Result<(), StoreError> {
        let prefix = format!("{pool}/");
        for (key, record) in self.docs.all::<ManifestRecord>("manifest")? {
            let Some(hash) = key.strip_prefix(&prefix) else { continue };
            if record.text.is_some() && !live.iter().any(|known| known == hash) {
                self.docs.put("manifest", &key, &ManifestRecord { text: None, ..record })?;
            }
        }
        Ok(())
    }

    /// A worker of an older deploy: what agrees with the catalogue is served, the rest is not taken from it.
    fn statuses_of_older(&self, older: &ReadManifest, disabled: Vec<String>) -> Result<RegistrationResult, StoreError> {
        let mut result = RegistrationResult { disabled, ..RegistrationResult::default() };
        let stale = || {
            (
                Some("older_manifest".to_owned()),
                Some("A live session announces a newer manifest, which counts.".to_owned()),
            )
        };
        for (name, _) in &older.tools {
            let known = self.docs.get::<CatalogueTool>("tool", name)?.map(|tool| version(&tool.definition));
            let same = known.is_some() && known == older.version_of(name);
            let (code, detail) = if same { (None, None) } else { stale() };
            let status = if same { RegistrationStatus::Unchanged } else { RegistrationStatus::Refused };
            result.tools.push(ToolStatus { name: name.clone(), status, code, detail });
        }
        for (context_type, context) in &older.contexts {
            let known = self.docs.get::<ContextRecord>("context", context_type)?.map(|known| known.definition);
            let same = known.is_some() && known.as_ref() == context.as_ref().ok();
            let (code, detail) = if same { (None, None) } else { stale() };
            let status = if same { RegistrationStatus::Unchanged } else { RegistrationStatus::Refused };
            result.contexts.push(ContextStatus { context_type: context_type.clone(), status, code, detail });
        }
        Ok(result)
    }

    pub(super) fn list_tools(&mut self, page: &Page) -> Stepped {
        let tools: Vec<(String, CatalogueTool)> = self.docs.page("tool", page)?;
        let next = tools.last().filter(|_| tools.len() >= page.limit).map(|(name, _)| name.clone());
        let tools = tools.iter().map(|(name, tool)| view(name, tool)).collect();
        body(200, &ToolPage { tools, next_cursor: next })
    }

    pub(super) fn get_tool(&mut self, name: &str) -> Stepped {
        let Some(tool) = self.docs.get::<CatalogueTool>("tool", name)? else { return Ok(Err(unknown_tool(name))) };
        let history: Vec<VersionRecord> = self.docs.get("tool_history", name)?.unwrap_or_default();
        let mut versions = Vec::new();
        let mut before: Option<&VersionRecord> = None;
        for record in &history {
            let changes = before.map(|before| diff(&before.definition, &record.definition)).unwrap_or_default();
            let (version, at, by) = (record.version.clone(), record.at.clone(), record.by.clone());
            versions.push(VersionView { version, at, by, changes });
            before = Some(record);
        }
        versions.reverse();
        body(200, &ToolView { versions: Some(versions), ..view(name, &tool) })
    }

    pub(super) fn find_tool(&mut self, tool: &str, agent: &str) -> Stepped {
        match self.docs.get::<CatalogueTool>("tool", tool)? {
            Some(found) if !found.is_released() => {
                let (moves, side_effect) = (found.moves(), found.definition.side_effect);
                let former: BTreeSet<String> = found.former_pools.into_iter().collect();
                let former = former.into_iter().filter(|former| *former != found.pool).collect();
                Ok(Ok(Answer::Pool(PoolOf { pool: found.pool, side_effect, former, moves })))
            }
            _ => {
                self.audit("call.refused", tool, json!({ "agent": agent, "code": "unknown_tool" }))?;
                Ok(Err(unknown_tool(tool)))
            }
        }
    }
}

pub(super) fn view(name: &str, tool: &CatalogueTool) -> ToolView {
    let refused = tool.refused.as_ref().map(|refused| RefusedView {
        definition: refused.definition.clone(),
        version: refused.version.clone(),
        code: refused.code.clone(),
        detail: refused.detail.clone(),
        at: refused.at.clone(),
        changes: diff(&tool.definition, &refused.definition),
    });
    ToolView {
        name: name.to_owned(),
        pool: (!tool.is_released()).then(|| tool.pool.clone()),
        released: tool.is_released(),
        managed_by: tool.managed_by.clone(),
        enabled: tool.enabled,
        version: version(&tool.definition),
        definition: tool.definition.clone(),
        refused,
        versions: None,
        status: None,
        granted_by: None,
    }
}

fn size(definition: &ToolDefinition) -> usize {
    serde_json::to_string(definition).map_or(0, |text| text.len())
}

/// Which members differ, with both values.
fn diff(from: &ToolDefinition, to: &ToolDefinition) -> Vec<DefinitionChange> {
    let (Value::Object(from), Value::Object(to)) = (json!(from), json!(to)) else { return Vec::new() };
    let fields: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    let changed = fields.into_iter().filter(|field| from.get(*field) != to.get(*field));
    let value = |of: &serde_json::Map<String, Value>, field: &String| of.get(field).cloned().unwrap_or_default();
    changed
        .map(|field| DefinitionChange { field: field.clone(), from: value(&from, field), to: value(&to, field) })
        .collect()
}

//! The offer of a turn, worked out from a catalogue and the run as it stands. Nothing here knows a model or a network: the
//! same catalogue, run and text give the same offer, byte for byte.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::value::RawValue;
use toolgate_protocol::definitions::{ContextDefinition, Profile};
use toolgate_protocol::runs::{LeftOut, NoTools, Offer, OfferReason, OfferedTool};

use super::Run;
use super::selection::{Candidate, Selection, select, share};
use crate::contract::schema::{compile, compile_mirrored, tokens};
use crate::mcp::mirrors;
use crate::offer::{Index, Ranked, Scored, Searchable};
use crate::policy::Grant;
use crate::registry::{BUILTIN, OfferCatalogue};

/// A catalogue with what offers need of it, made once for each version: an index for each agent, and definitions in the
/// forms that were asked for.
pub struct Offers {
    /// The catalogue.
    pub catalogue: OfferCatalogue,
    indexes: RefCell<BTreeMap<String, Rc<AgentIndex>>>,
    compiled: RefCell<BTreeMap<(Profile, String), Rc<Compiled>>>,
}

/// Agents whose indexes are kept with a catalogue: each may be as large as all of it.
const AGENTS_MAX: usize = 4;

/// The tools that an agent is granted, in order of their names, and what speaks for them.
struct AgentIndex {
    names: Vec<String>,
    grants: Vec<Option<Grant>>,
    index: Index,
    /// What each one's definition takes, in the forms that were asked for.
    tokens: RefCell<BTreeMap<Profile, Rc<[u32]>>>,
}

impl AgentIndex {
    fn place(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|own| own.as_str().cmp(name)).ok()
    }

    /// Which of the agent's tools these are.
    fn among<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<bool> {
        marked(self.names.len(), names.filter_map(|name| self.place(name)))
    }
}

/// One word for each place.
fn marked(count: usize, places: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut all = vec![false; count];
    for place in places {
        if let Some(one) = all.get_mut(place) {
            *one = true;
        }
    }
    all
}

struct Compiled {
    definition: Box<RawValue>,
    tokens: u32,
}

/// What a turn offers, and by what the run's set grows.
pub struct OfferedTurn {
    /// For the answer.
    pub offer: Offer,
    /// For the run.
    pub added: Vec<String>,
}

/// A granted tool in this turn.
struct Granted<'a> {
    name: &'a str,
    /// Why it could not be called now.
    barred: Option<&'static str>,
    score: u32,
    tokens: u32,
}

impl Offers {
    /// Nothing is worked out before it is asked for.
    pub fn new(catalogue: OfferCatalogue) -> Offers {
        Offers { catalogue, indexes: RefCell::default(), compiled: RefCell::default() }
    }

    /// The offer of a turn. `permissions` are the principal's; `context` is the screen in view.
    pub fn turn(
        &self,
        run: &Run,
        permissions: &[String],
        text: &str,
        context: Option<&ContextDefinition>,
    ) -> OfferedTurn {
        let agent = self.agent_index(&run.agent);
        let ranking = agent.index.rank(text);
        let granted = self.granted(run, &agent, permissions, &ranking);
        let first = run.turns == 0;
        let share = share(run.budget_tokens, first);
        let used = run
            .offered
            .iter()
            .filter_map(|name| self.compiled(run.profile, name))
            .fold(0, |sum: u32, one| sum.saturating_add(one.tokens));
        let open = || granted.iter().filter(|tool| tool.barred.is_none());
        let all_fit = open().fold(0, |sum: u32, tool| sum.saturating_add(tool.tokens)) <= share;
        let pins = self.pins(&run.agent, &agent.names, context);
        let candidates = candidates(run, &granted, &ranking, &agent, &pins, all_fit);
        let Selection { added, over_budget } = select(&candidates, used, share);
        let added: Vec<&str> = added.iter().filter_map(|at| granted.get(*at)).map(|tool| tool.name).collect();
        let offered: Vec<&str> = run.offered.iter().map(String::as_str).chain(added.iter().copied()).collect();
        let mut explained = explain(&agent, text, &offered);
        let tools: Vec<OfferedTool> =
            offered.iter().filter_map(|name| self.offered_tool(run, name, explained.remove(*name), &pins)).collect();
        let left_out = left_out(&granted, &agent.among(offered.iter().copied()), &over_budget);
        let no_tools = tools.is_empty().then(|| causes(&left_out));
        let used_tokens = tools.iter().fold(0, |sum: u32, tool| sum.saturating_add(tool.tokens));
        let added = added.into_iter().map(str::to_owned).collect();
        OfferedTurn { offer: Offer { tools, left_out, budget_tokens: run.budget_tokens, used_tokens, no_tools }, added }
    }

    /// The agent's tools in this turn, by name.
    fn granted<'a>(
        &self,
        run: &Run,
        agent: &'a AgentIndex,
        permissions: &[String],
        ranking: &[Scored],
    ) -> Vec<Granted<'a>> {
        let mut scores = vec![0; agent.names.len()];
        for scored in ranking {
            if let Some(score) = scores.get_mut(scored.tool) {
                *score = scored.score;
            }
        }
        let tokens = self.tokens(agent, run.profile);
        let tools = agent.names.iter().zip(&agent.grants).zip(scores).zip(tokens.iter());
        tools
            .map(|(((name, grant), score), tokens)| {
                let refused = self.catalogue.policy.permit_granted(name, &run.agent, *grant, permissions).err();
                Granted { name, barred: refused.map(|problem| problem.kind.code), score, tokens: *tokens }
            })
            .collect()
    }

    /// What the definitions of an agent's tools take, in the order of their names.
    fn tokens(&self, agent: &AgentIndex, profile: Profile) -> Rc<[u32]> {
        let known = agent.tokens.borrow().get(&profile).map(Rc::clone);
        known.unwrap_or_else(|| {
            let tokens = |name: &String| self.compiled(profile, name).map_or(0, |compiled| compiled.tokens);
            let made: Rc<[u32]> = agent.names.iter().map(tokens).collect();
            agent.tokens.borrow_mut().insert(profile, Rc::clone(&made));
            made
        })
    }

    /// The tools that a list may show: what was offered in its order, or all that is granted by name; in either case only
    /// what may be called now.
    pub fn listed(&self, agent: &str, permissions: &[String], offered: Option<Vec<String>>) -> Vec<String> {
        let names = offered.unwrap_or_else(|| self.agent_index(agent).names.clone());
        let own = self.agent_index(agent);
        let granted = |name: &String| own.place(name).and_then(|at| own.grants.get(at).copied().flatten());
        let open =
            |name: &String| self.catalogue.policy.permit_granted(name, agent, granted(name), permissions).is_ok();
        names.into_iter().filter(open).collect()
    }

    /// A definition in a profile's form.
    pub fn definition(&self, profile: Profile, name: &str) -> Option<Box<RawValue>> {
        self.compiled(profile, name).map(|compiled| compiled.definition.clone())
    }

    /// A definition as a client of the MCP door is told it: with the headers that this agent's clients mirror arguments
    /// into, where they know of such (`mirrored`).
    pub fn mcp_definition(&self, agent: &str, name: &str, mirrored: bool) -> Option<Box<RawValue>> {
        let tool = &self.catalogue.policy.tools.get(name)?.definition;
        let headers = mirrors(self.catalogue.agents.get(agent).and_then(|agent| agent.mcp.as_ref()), tool);
        if !mirrored || headers.is_empty() {
            return self.definition(Profile::Mcp, name);
        }
        RawValue::from_string(compile_mirrored(tool, Profile::Mcp, &headers)).ok()
    }

    /// What is advertised in any case, and by whom: the screen's tools, the agent's, then what ships of those it is granted.
    fn pins(&self, agent: &str, granted: &[String], context: Option<&ContextDefinition>) -> Vec<(String, String)> {
        let screen = context.iter().flat_map(|context| {
            context.pinned_tools.iter().map(|tool| (tool.clone(), format!("screen {}", context.context_type)))
        });
        let agent = self.catalogue.agents.get(agent);
        let own =
            agent.iter().flat_map(|agent| agent.pinned_tools.iter().map(|tool| (tool.clone(), "agent".to_owned())));
        let managers = &self.catalogue.managers;
        let ships = |tool: &&String| managers.get(*tool).is_some_and(|manager| manager == BUILTIN);
        let shipped = granted.iter().filter(ships).map(|tool| (tool.clone(), BUILTIN.to_owned()));
        screen.chain(own).chain(shipped).collect()
    }

    fn offered_tool(
        &self,
        run: &Run,
        name: &str,
        ranked: Option<Ranked>,
        pins: &[(String, String)],
    ) -> Option<OfferedTool> {
        let compiled = self.compiled(run.profile, name)?;
        let plain =
            |part: &str, what: Option<String>| OfferReason { part: part.to_owned(), what, said: None, points: 0 };
        let mut reasons: Vec<OfferReason> = ranked.as_ref().map(reasons).unwrap_or_default();
        let pin = pins.iter().find(|(pinned, _)| pinned == name).map(|(_, by)| plain("pinned", Some(by.clone())));
        let before = run.offered.iter().any(|known| known == name);
        if pin.is_none() && reasons.is_empty() {
            reasons.push(plain(if before { "offered_before" } else { "all_fit" }, None));
        }
        reasons.extend(pin);
        Some(OfferedTool {
            name: name.to_owned(),
            score: ranked.map_or(0, |ranked| ranked.score),
            reasons,
            tokens: compiled.tokens,
            added: !before,
            definition: compiled.definition.clone(),
        })
    }

    fn agent_index(&self, agent: &str) -> Rc<AgentIndex> {
        if let Some(known) = self.indexes.borrow().get(agent) {
            return Rc::clone(known);
        }
        let policy = &self.catalogue.policy;
        let held = policy.agents.get(agent).into_iter().flatten().filter_map(|name| policy.capabilities.get(name));
        let names: BTreeSet<&String> = held.flat_map(|capability| &capability.tools).collect();
        let definitions: Vec<_> =
            names.into_iter().filter_map(|name| policy.tools.get(name)).map(|tool| &tool.definition).collect();
        let fields: Vec<Vec<&str>> =
            definitions.iter().map(|tool| tool.input.keys().map(String::as_str).collect()).collect();
        let searchable = definitions.iter().zip(&fields).map(|(tool, fields)| Searchable {
            name: &tool.name,
            description: &tool.description,
            keywords: &tool.routing.keywords,
            patterns: &tool.routing.patterns,
            fields,
        });
        let index = Index::new(searchable);
        let mut indexes = self.indexes.borrow_mut();
        if indexes.len() >= AGENTS_MAX {
            indexes.clear();
        }
        let names: Vec<String> = definitions.iter().map(|tool| tool.name.clone()).collect();
        let grants = names.iter().map(|name| policy.grant(agent, name)).collect();
        let made = Rc::new(AgentIndex { names, grants, index, tokens: RefCell::default() });
        indexes.insert(agent.to_owned(), Rc::clone(&made));
        made
    }

    fn compiled(&self, profile: Profile, name: &str) -> Option<Rc<Compiled>> {
        let key = (profile, name.to_owned());
        if let Some(known) = self.compiled.borrow().get(&key) {
            return Some(Rc::clone(known));
        }
        let text = compile(&self.catalogue.policy.tools.get(name)?.definition, profile);
        let made = Rc::new(Compiled { tokens: tokens(&text), definition: RawValue::from_string(text).ok()? });
        self.compiled.borrow_mut().insert(key, Rc::clone(&made));
        Some(made)
    }
}

/// What is new and may be called: the pinned, then by rank; the rest too when everything fits.
fn candidates(
    run: &Run,
    granted: &[Granted<'_>],
    ranking: &[Scored],
    agent: &AgentIndex,
    pins: &[(String, String)],
    all_fit: bool,
) -> Vec<Candidate> {
    let pinned: Vec<usize> = pins.iter().filter_map(|(name, _)| agent.place(name)).collect();
    let ranked = ranking.iter().map(|ranked| ranked.tool);
    let rest = (0..granted.len()).filter(|_| all_fit);
    let mut seen = agent.among(run.offered.iter().map(String::as_str));
    let mut is_fresh = |at: &usize| seen.get_mut(*at).is_some_and(|seen| !std::mem::replace(seen, true));
    let fresh: Vec<usize> = pinned.iter().copied().chain(ranked).chain(rest).filter(|at| is_fresh(at)).collect();
    let candidate = |at: usize| {
        let tool = granted.get(at).filter(|tool| tool.barred.is_none())?;
        Some(Candidate { tool: at, tokens: tool.tokens, pinned: pinned.contains(&at) })
    };
    fresh.into_iter().filter_map(candidate).collect()
}

/// Scores with their reasons, of what is offered alone: for a whole catalogue they take longer than the ranking.
fn explain(agent: &AgentIndex, text: &str, offered: &[&str]) -> BTreeMap<String, Ranked> {
    let places: Vec<usize> = offered.iter().filter_map(|name| agent.place(name)).collect();
    let explained = agent.index.explain(text, &places).into_iter();
    explained.filter_map(|ranked| Some((agent.names.get(ranked.tool)?.clone(), ranked))).collect()
}

/// The granted tools that are not offered, best first.
fn left_out(granted: &[Granted<'_>], offered: &[bool], over_budget: &[usize]) -> Vec<LeftOut> {
    let over = marked(granted.len(), over_budget.iter().copied());
    let all = granted.iter().zip(offered).zip(over);
    let mut left: Vec<_> = all.filter(|((_, offered), _)| !**offered).map(|((tool, _), over)| (tool, over)).collect();
    // Stable: of the same score they stay in the order of their names.
    left.sort_by_key(|(tool, _)| Reverse(tool.score));
    left.into_iter()
        .map(|(tool, over)| {
            let reason = tool.barred.unwrap_or(if over { "budget" } else { "no_match" });
            LeftOut { name: tool.name.to_owned(), score: tool.score, reason: reason.to_owned() }
        })
        .collect()
}

fn causes(left_out: &[LeftOut]) -> NoTools {
    let mut causes: BTreeSet<&str> = left_out.iter().map(|left| left.reason.as_str()).collect();
    if causes.is_empty() {
        causes.insert("nothing_granted");
    }
    NoTools { causes: causes.into_iter().map(str::to_owned).collect() }
}

fn reasons(ranked: &Ranked) -> Vec<OfferReason> {
    ranked
        .reasons
        .iter()
        .map(|reason| OfferReason {
            part: reason.part.as_str().to_owned(),
            what: Some(reason.what.clone()),
            said: reason.said.clone(),
            points: reason.points,
        })
        .collect()
}

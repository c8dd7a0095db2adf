//! What admins say of agents' tools at the MCP door: kept by an isolate for some seconds, so that a call does not ask the
//! registry for it. An older answer serves where the registry cannot be asked just now, but not for ever.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use toolgate_core::keys::Identity;
use toolgate_core::mcp::{Age, Rules, age};
use toolgate_core::problem::Problem;
use toolgate_core::registry::Command;
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use worker::Response;

use crate::edge::Edge;
use crate::http::internal;

/// Entries after which the cache begins anew.
const ENTRIES_MAX: usize = 10_000;

type Known = HashMap<(String, String), (Rc<Rules>, UnixMillis)>;

thread_local! {
    static RULES: RefCell<Known> = RefCell::new(HashMap::new());
}

/// An agent's rules; or the registry's refusal, for a key that is not live.
pub async fn of(edge: &Edge, who: &Identity, agent: &str) -> Result<Result<Rc<Rules>, Response>, Problem> {
    let name = (who.org.clone(), agent.to_owned());
    let known = RULES.with(|all| all.borrow().get(&name).cloned());
    let known = known.map(|(rules, asked)| (rules, age(asked, now())));
    if let Some((rules, Age::Fresh)) = known {
        return Ok(Ok(rules));
    }
    let mut answer = match (edge.ask_registry(&who.org, Some(who), Command::McpRules(agent.to_owned())).await, known) {
        (Ok(answer), Some((rules, Age::Old))) if answer.status_code() >= 500 => return Ok(Ok(rules)),
        (Ok(answer), _) => answer,
        (Err(_), Some((rules, Age::Old))) => return Ok(Ok(rules)),
        (Err(problem), _) => return Err(problem),
    };
    if answer.status_code() != 200 {
        return Ok(Err(answer));
    }
    let rules: Rules = answer.json().await.map_err(|error| internal("reading a registry's answer", error))?;
    let rules = Rc::new(rules);
    RULES.with(|all| {
        let mut all = all.borrow_mut();
        if all.len() >= ENTRIES_MAX {
            all.clear();
        }
        all.insert(name, (Rc::clone(&rules), now()));
    });
    Ok(Ok(rules))
}

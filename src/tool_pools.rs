//! Which pool has which tool: a cache per isolate. It decides nothing: a pool refuses a tool that is not its own, and
//! then the registry is asked once more. A miss is not remembered.

use std::cell::RefCell;
use std::collections::HashMap;

use toolgate_core::registry::OfferCatalogue;
use toolgate_protocol::definitions::SideEffect;

/// Entries after which the cache begins anew.
const ENTRIES_MAX: usize = 10_000;

thread_local! {
    static POOLS: RefCell<HashMap<(String, String), (String, SideEffect)>> = RefCell::new(HashMap::new());
}

/// The pool of a tool and the tool's class, as last seen.
pub fn known(org: &str, tool: &str) -> Option<(String, SideEffect)> {
    POOLS.with(|pools| pools.borrow().get(&(org.to_owned(), tool.to_owned())).cloned())
}

/// Takes what is known of the org's tools from a newer catalogue: a tool may be of another class now.
pub fn refresh(org: &str, catalogue: &OfferCatalogue) {
    POOLS.with(|pools| {
        for ((_, tool), known) in pools.borrow_mut().iter_mut().filter(|((of, _), _)| of == org) {
            if let (Some(pool), Some(found)) = (catalogue.pools.get(tool), catalogue.policy.tools.get(tool)) {
                *known = (pool.clone(), found.definition.side_effect);
            }
        }
    });
}

/// Remembers the pool of a tool and the tool's class.
pub fn remember(org: &str, tool: &str, pool: &str, side_effect: SideEffect) {
    POOLS.with(|pools| {
        let mut pools = pools.borrow_mut();
        if pools.len() >= ENTRIES_MAX {
            pools.clear();
        }
        pools.insert((org.to_owned(), tool.to_owned()), (pool.to_owned(), side_effect));
    });
}

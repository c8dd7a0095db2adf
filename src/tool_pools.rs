//! Which pool has which tool: a cache per isolate. It decides nothing: a pool refuses a tool that is not its own, and
//! then the registry is asked once more. A miss is not remembered.

use std::cell::RefCell;
use std::collections::HashMap;

use toolgate_core::registry::{OfferCatalogue, PoolOf};

/// Entries after which the cache begins anew.
const ENTRIES_MAX: usize = 10_000;

thread_local! {
    static POOLS: RefCell<HashMap<(String, String), PoolOf>> = RefCell::new(HashMap::new());
}

/// Where calls of a tool go, as last seen.
pub fn known(org: &str, tool: &str) -> Option<PoolOf> {
    POOLS.with(|pools| pools.borrow().get(&(org.to_owned(), tool.to_owned())).cloned())
}

/// Takes what is known of the org's tools from a newer catalogue: a tool may be of another class now. One that has moved is
/// asked for again, since the catalogue does not say where it was.
pub fn refresh(org: &str, catalogue: &OfferCatalogue) {
    POOLS.with(|pools| {
        pools.borrow_mut().retain(|(of, tool), known| {
            let (Some(pool), Some(found)) = (catalogue.pools.get(tool), catalogue.policy.tools.get(tool)) else {
                return true;
            };
            if of != org {
                return true;
            }
            known.side_effect = found.definition.side_effect;
            known.pool == *pool && known.moves == found.moves
        });
    });
}

/// Remembers where calls of a tool go.
pub fn remember(org: &str, tool: &str, found: PoolOf) {
    POOLS.with(|pools| {
        let mut pools = pools.borrow_mut();
        if pools.len() >= ENTRIES_MAX {
            pools.clear();
        }
        pools.insert((org.to_owned(), tool.to_owned()), found);
    });
}

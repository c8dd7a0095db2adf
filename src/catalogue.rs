//! Catalogues for offers: one for each org, kept by an isolate until the registry names another version. An old one would
//! harm nobody, because an offer decides nothing; asked for in each turn, it is not old.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use toolgate_core::keys::Identity;
use toolgate_core::problem::Problem;
use toolgate_core::registry::{Command, OfferCatalogue};
use toolgate_core::run::Offers;
use toolgate_protocol::limits::CATALOGUES_BYTES_MAX;
use worker::Response;

use crate::edge::Edge;
use crate::http::internal;
use crate::tool_pools;

thread_local! {
    static CATALOGUES: RefCell<HashMap<String, Kept>> = RefCell::new(HashMap::new());
}

/// A catalogue, and what its text takes; what is made of it takes some times that.
struct Kept {
    offers: Rc<Offers>,
    bytes: usize,
}

/// Keeps a catalogue in place of the org's older one. Others go when all together take too much; one that takes too much by
/// itself is made again in each turn.
fn keep(org: &str, offers: &Rc<Offers>, bytes: usize) {
    CATALOGUES.with(|all| {
        let mut all = all.borrow_mut();
        all.remove(org);
        while all.values().fold(bytes, |sum, kept| sum.saturating_add(kept.bytes)) > CATALOGUES_BYTES_MAX {
            let Some(other) = all.keys().next().cloned() else { return };
            all.remove(&other);
        }
        all.insert(org.to_owned(), Kept { offers: Rc::clone(offers), bytes });
    });
}

/// The org's catalogue as of now; or the registry's refusal, for a key that is not live.
pub async fn current(edge: &Edge, who: &Identity) -> Result<Result<Rc<Offers>, Response>, Problem> {
    let known = CATALOGUES.with(|all| all.borrow().get(&who.org).map(|kept| Rc::clone(&kept.offers)));
    let version = known.as_ref().map(|offers| offers.catalogue.version.clone());
    let mut answer = edge.ask_registry(&who.org, Some(who), Command::OfferCatalogue(version)).await?;
    if answer.status_code() != 200 {
        return Ok(Err(answer));
    }
    let text = answer.text().await.map_err(|error| internal("reading a registry's answer", error))?;
    let news: Option<OfferCatalogue> =
        serde_json::from_str(&text).map_err(|error| internal("reading a registry's answer", error))?;
    match (news, known) {
        (None, Some(known)) => Ok(Ok(known)),
        (None, None) => Err(internal("reading a registry's answer", "no catalogue")),
        (Some(news), _) => {
            let offers = Rc::new(Offers::new(news));
            tool_pools::refresh(&who.org, &offers.catalogue);
            keep(&who.org, &offers, text.len());
            Ok(Ok(offers))
        }
    }
}

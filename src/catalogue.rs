//! Catalogues for offers: one for each org, kept by an isolate until the registry names another version. An old one would
//! harm nobody, because an offer decides nothing; asked for in each turn, it is not old.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use toolgate_core::keys::Identity;
use toolgate_core::problem::Problem;
use toolgate_core::registry::{Command, OfferCatalogue};
use toolgate_core::run::Offers;
use worker::Response;

use crate::edge::Edge;
use crate::http::internal;

/// Orgs after which the cache begins anew: a large catalogue has some megabytes.
const ORGS_MAX: usize = 16;

thread_local! {
    static CATALOGUES: RefCell<HashMap<String, Rc<Offers>>> = RefCell::new(HashMap::new());
}

/// The org's catalogue as of now; or the registry's refusal, for a key that is not live.
pub async fn current(edge: &Edge, who: &Identity) -> Result<Result<Rc<Offers>, Response>, Problem> {
    let known = CATALOGUES.with(|all| all.borrow().get(&who.org).cloned());
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
            CATALOGUES.with(|all| {
                let mut all = all.borrow_mut();
                if all.len() >= ORGS_MAX {
                    all.clear();
                }
                all.insert(who.org.clone(), Rc::clone(&offers));
            });
            Ok(Ok(offers))
        }
    }
}

//! `subscriptions/listen`: a stream that says when the list of tools is another one. It looks for a change from time to
//! time, because nothing outside an object may hold an object open, and ends by itself: the client asks anew.

use std::rc::Rc;

use futures_util::stream::unfold;
use toolgate_core::hash::sha256_hex;
use toolgate_core::keys::Identity;
use toolgate_core::mcp::{self, Listen};
use toolgate_core::problem::Problem;
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use toolgate_protocol::limits::{MCP_LISTEN_PAUSES_MILLIS, MCP_LISTEN_SECONDS};
use worker::Response;

use super::{Handled, mcp as door};
use crate::catalogue;
use crate::edge::Edge;
use crate::http::internal;

struct Subscription {
    edge: Edge,
    who: Identity,
    id: String,
    asked: Listen,
    ends: UnixMillis,
    /// How many looks there were.
    looks: usize,
    /// Of the list as it was last told, once it was looked at.
    told: Option<String>,
    over: bool,
}

/// Opens the stream.
pub async fn listen(edge: Edge, who: Identity, id: String, asked: Listen) -> Handled {
    // The registry says whether the key is live, before anything is streamed.
    let told = match catalogue::current(&edge, &who).await? {
        Ok(offers) => Some(fingerprint(&edge, &who, &offers).await?),
        Err(refusal) => return Ok(refusal),
    };
    let headers =
        toolgate_durable::headers(200, Some("text/event-stream")).map_err(|error| internal("answering", error))?;
    headers.set("x-accel-buffering", "no").map_err(|error| internal("answering", error))?;
    let ends = now().plus_seconds(MCP_LISTEN_SECONDS);
    let first = Subscription { edge, who, id, asked, ends, looks: 0, told, over: false };
    let stream = unfold(first, |subscription| async move {
        subscription.next().await.map(|(text, rest)| (Ok::<_, worker::Error>(text.into_bytes()), rest))
    });
    Response::from_stream(Box::pin(stream))
        .map(|response| response.with_headers(headers))
        .map_err(|error| internal("answering", error))
}

impl Subscription {
    /// The next piece of the stream; nothing after its end.
    async fn next(mut self) -> Option<(String, Subscription)> {
        if self.over {
            return None;
        }
        let look = self.looks;
        self.looks = look.saturating_add(1);
        if look == 0 {
            return Some((event(&mcp::acknowledged(&self.id, self.asked.tools)), self));
        }
        let last = MCP_LISTEN_PAUSES_MILLIS.last().copied().unwrap_or(0);
        toolgate_durable::pause(MCP_LISTEN_PAUSES_MILLIS.get(look.saturating_sub(1)).copied().unwrap_or(last)).await;
        let changed = self.asked.tools && self.look().await;
        if now() >= self.ends || self.over {
            self.over = true;
            return Some((event(&mcp::listened(&self.id)), self));
        }
        // A comment keeps the connection open (HTML standard, section 9.2.6).
        let text = if changed { event(&mcp::list_changed(&self.id)) } else { ":\n\n".to_owned() };
        Some((text, self))
    }

    /// Is the list another one? A key that is not live any more ends the stream.
    async fn look(&mut self) -> bool {
        let seen = match catalogue::current(&self.edge, &self.who).await {
            Ok(Ok(offers)) => fingerprint(&self.edge, &self.who, &offers).await.ok(),
            Ok(Err(_)) => {
                self.over = true;
                None
            }
            // The registry restarts: looked at again later.
            Err(_) => None,
        };
        let changed = seen.is_some() && seen != self.told;
        if changed {
            self.told = seen;
        }
        changed
    }
}

/// Of the list that this key sees, definitions included.
async fn fingerprint(edge: &Edge, who: &Identity, offers: &Rc<toolgate_core::run::Offers>) -> Result<String, Problem> {
    let names = door::listed(edge, who, offers).await?;
    let agent = who.scope.agent.as_deref().unwrap_or_default();
    let definitions = names.iter().filter_map(|name| offers.mcp_definition(agent, name, true));
    let text: Vec<String> = definitions.map(|definition| definition.get().to_owned()).collect();
    Ok(sha256_hex(text.join("\n").as_bytes()))
}

/// A message as an event. A line break in it stands between members, where a blank says the same.
pub(super) fn event(message: &str) -> String {
    format!("data: {}\n\n", message.replace(['\n', '\r'], " "))
}

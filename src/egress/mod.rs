//! Requests to customers' endpoints and to the resolvers: the only place from which anything leaves the deployment.
//!
//! The rules stand in `toolgate_core::egress`; here they are asked at the right times. An address is judged right
//! before each request, and no answer of a resolver is remembered. What the platform resolves again inside `fetch` is
//! its own look-up: SECURITY.md says what that leaves open, and why nothing can be read through it.

mod exchange;
mod resolve;
mod stream;

use toolgate_core::egress::{Destination, DevDestinations, Refused, Verdict, check_url};
use toolgate_durable::names::{DEV_DESTINATIONS, ENVIRONMENT, MODEL_HOSTS, OWN_HOSTS};
use worker::Env;

pub use exchange::{Capped, LOOP_HEADER, Sent, exchange, get_capped, post_unread, prepare};
pub use stream::{Answering, post_streaming};

fn read(env: &Env, name: &str) -> String {
    env.var(name).map(|value| value.to_string()).unwrap_or_default()
}

/// The names under which the gateway is reached, as configured.
pub fn own_hosts(env: &Env) -> Vec<String> {
    read(env, OWN_HOSTS).split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect()
}

/// Where this deployment may send.
pub struct Egress {
    own_hosts: Vec<String>,
    dev: DevDestinations,
}

impl Egress {
    /// Reads the settings. What is set wrongly, or not for this environment, opens nothing.
    pub fn new(env: &Env, request_host: Option<&str>) -> Egress {
        let mut own_hosts = own_hosts(env);
        own_hosts.extend(request_host.filter(|host| !host.is_empty()).map(str::to_owned));
        let listed = if read(env, ENVIRONMENT) == "production" { String::new() } else { read(env, DEV_DESTINATIONS) };
        Egress { own_hosts, dev: DevDestinations::parse(&listed).unwrap_or_default() }
    }

    /// Where agents' models may be: also at the hosts that the operator vouches for, which is a matter of production too.
    pub fn for_models(env: &Env, request_host: Option<&str>) -> Egress {
        let Egress { own_hosts, dev } = Egress::new(env, request_host);
        let vouched = DevDestinations::parse(&read(env, MODEL_HOSTS)).unwrap_or_default();
        Egress { own_hosts, dev: dev.and(vouched) }
    }

    /// Judges the text of a URL.
    pub fn check(&self, url: &str) -> Result<Destination, Refused> {
        check_url(url, &self.own_hosts, &self.dev)
    }

    /// Judges where its name leads now; at most [`RESOLVE_SECONDS`](toolgate_protocol::limits::RESOLVE_SECONDS).
    pub async fn judge(&self, destination: &Destination) -> Verdict {
        if destination.is_dev { Verdict::Allowed } else { resolve::judge_name(&destination.host).await }
    }
}

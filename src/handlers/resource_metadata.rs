//! Where an MCP client gets a key, told only where somebody hands them out: an authorization server whose access tokens are
//! this gateway's agent keys or run tokens. Without one the answer to a missing key is a plain `Bearer`.

use toolgate_core::names;
use toolgate_core::problem::Problem;
use toolgate_durable::names::AUTHORIZATION_SERVERS;
use toolgate_protocol::answers::ResourceMetadata;
use toolgate_protocol::problems;
use worker::{Env, Response};

use super::Handled;
use crate::edge::Edge;
use crate::http::{self, internal};

fn authorization_servers(env: &Env) -> Vec<String> {
    let listed = env.var(AUTHORIZATION_SERVERS).map(|value| value.to_string()).unwrap_or_default();
    listed.split(',').map(str::trim).filter(|server| !server.is_empty()).map(str::to_owned).collect()
}

/// `GET /.well-known/oauth-protected-resource/mcp/{agent}` (RFC 9728, section 3.1: the path goes behind the well-known name)
pub fn get(edge: &Edge, agent: &str) -> Handled {
    let servers = authorization_servers(&edge.env);
    if servers.is_empty() || !names::is_plain(agent) {
        return Err(Problem::not_found());
    }
    let resource = format!("{}/mcp/{agent}", edge.base_url);
    let bearer_methods_supported = vec!["header".to_owned()];
    http::json_answer(200, &ResourceMetadata { resource, authorization_servers: servers, bearer_methods_supported })
}

/// Adds where that document is to a 401 (RFC 9728, section 5.1).
pub fn named(env: &Env, base_url: &str, agent: &str, handled: Handled) -> Handled {
    match handled {
        Err(problem) if problem.kind == problems::INVALID_KEY && !authorization_servers(env).is_empty() => {
            let refusal = toolgate_durable::refusal(&problem).map_err(|error| internal("answering", error))?;
            with_challenge(refusal, base_url, agent).map_err(|error| internal("answering", error))
        }
        other => other,
    }
}

fn with_challenge(refusal: Response, base_url: &str, agent: &str) -> worker::Result<Response> {
    let headers = refusal.headers().clone();
    let metadata = format!("{base_url}/.well-known/oauth-protected-resource/mcp/{agent}");
    headers.set("www-authenticate", &format!("Bearer resource_metadata=\"{metadata}\""))?;
    Ok(refusal.with_headers(headers))
}

//! Bindings and secrets of the deployment.

use worker::Env;

/// Bindings and variables, by name.
pub mod names {
    /// Namespace of the orgs' objects.
    pub const ORG_REGISTRY: &str = "ORG_REGISTRY";
    /// Namespace of the pools' objects.
    pub const POOL_QUEUE: &str = "POOL_QUEUE";
    /// Namespace of the runs' objects.
    pub const THREAD: &str = "THREAD";
    /// Namespace of the data sets' objects.
    pub const DATASET: &str = "DATASET";
    /// Any 32 bytes or more.
    pub const MASTER_KEY: &str = "TOOLGATE_MASTER_KEY";
    /// The built pages.
    pub const ASSETS: &str = "ASSETS";
    /// `https://…/{z}/{x}/{y}.png`: where the chat's maps get their tiles; none by default.
    pub const TILES_URL: &str = "TOOLGATE_TILES_URL";
    /// Whom maps with those tiles name.
    pub const TILES_ATTRIBUTION: &str = "TOOLGATE_TILES_ATTRIBUTION";
    /// The gateway's own front, for signed requests from its objects.
    pub const SELF: &str = "SELF";
    /// Names under which the gateway is reached, separated by commas: no endpoint may have one.
    pub const OWN_HOSTS: &str = "TOOLGATE_OWN_HOSTS";
    /// Cloudflare Access: the team's name.
    pub const ACCESS_TEAM: &str = "TOOLGATE_ACCESS_TEAM";
    /// Cloudflare Access: the application's audience tag.
    pub const ACCESS_AUDIENCE: &str = "TOOLGATE_ACCESS_AUD";
    /// Cloudflare Access: the org whose console it opens.
    pub const ACCESS_ORG: &str = "TOOLGATE_ACCESS_ORG";
    /// Cloudflare Access: addresses that may have an admin's key, separated by commas.
    pub const ACCESS_ADMINS: &str = "TOOLGATE_ACCESS_ADMINS";
    /// Cloudflare Access: `email` where the ids of principals are the addresses of people; otherwise who signs in counts as
    /// whoever asked, where a capability forbids that they approve.
    pub const ACCESS_PRINCIPALS: &str = "TOOLGATE_ACCESS_PRINCIPALS";
    /// Issuers that hand out agent keys as access tokens, separated by commas: named to MCP clients that have none.
    pub const AUTHORIZATION_SERVERS: &str = "TOOLGATE_AUTHORIZATION_SERVERS";
    /// `host:port` of endpoints for local development, separated by commas.
    pub const DEV_DESTINATIONS: &str = "TOOLGATE_DEV_DESTINATIONS";
    /// `development`, `staging` or `production`.
    pub const ENVIRONMENT: &str = "TOOLGATE_ENV";
    /// Base of the deployment's own endpoint for models, to which `/chat/completions` is added.
    pub const MODEL_URL: &str = "TOOLGATE_MODEL_URL";
    /// The model there of agents that name none.
    pub const MODEL_NAME: &str = "TOOLGATE_MODEL_NAME";
    /// Its key, a variable or a secret.
    pub const MODEL_KEY: &str = "TOOLGATE_MODEL_KEY";
    /// `host:port` of endpoints for models that the operator vouches for, separated by commas.
    pub const MODEL_HOSTS: &str = "TOOLGATE_MODEL_HOSTS";
    /// The binding of Workers AI.
    pub const WORKERS_AI: &str = "AI";
    /// Makes orgs.
    pub const ROOT_TOKEN: &str = "TOOLGATE_ROOT_TOKEN";
}

/// The master key, or why there is none that can be used.
///
/// # Errors
/// A text for the log when the variable is missing or shorter than 32 bytes.
pub fn master_key(env: &Env) -> Result<Vec<u8>, String> {
    let read =
        |name| env.secret(name).map(|secret| secret.to_string()).or_else(|_| env.var(name).map(|var| var.to_string()));
    let key = read(names::MASTER_KEY).map_err(|_| format!("{} is not set", names::MASTER_KEY))?;
    if key.len() < 32 {
        return Err(format!("{} has {} bytes; it needs at least 32", names::MASTER_KEY, key.len()));
    }
    Ok(key.into_bytes())
}

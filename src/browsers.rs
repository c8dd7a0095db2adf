//! Browsers: pages of other origins may use run tokens that name them, and nothing else. No cookie is ever read, so
//! nothing rides on a browser's own authority; a preflight is answered for any origin, because it has no key to judge by.
//! A key of a sign-in is a page's: nothing is written with it but by a page of the gateway's own.

use toolgate_core::keys::Identity;
use toolgate_core::mcp::is_header_name;
use toolgate_core::problem::Problem;
use toolgate_protocol::problems;
use worker::{Env, Headers, Method, Request, Response, ResponseBuilder, Result};

use crate::egress::own_hosts;
use crate::http::header;

const METHODS: &str = "GET, POST, PUT, DELETE";
const HEADERS: &str = "authorization, content-type, idempotency-key, prefer, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, last-event-id";
const PREFLIGHT_SECONDS: &str = "600";
/// Says that a page of the gateway's own sends this. No form can set it, and no preflight allows it to another page.
const OWN_PAGE: &str = "x-toolgate-console";

/// The answer to a preflight (Fetch standard, section 3.3); `None` for any other request.
pub fn preflight(request: &Request) -> Option<Result<Response>> {
    let asks = request.method() == Method::Options && header(request, "access-control-request-method").is_some();
    asks.then(|| {
        let headers = Headers::new();
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", METHODS),
            ("access-control-allow-headers", allowed_headers(request).as_str()),
            ("access-control-max-age", PREFLIGHT_SECONDS),
        ] {
            headers.set(name, value)?;
        }
        Ok(ResponseBuilder::new().with_status(204).with_headers(headers).empty())
    })
}

/// Headers that mirror arguments of MCP tools have names that admins give: those that the page wants to send.
fn allowed_headers(request: &Request) -> String {
    let asked = header(request, "access-control-request-headers").unwrap_or_default().to_ascii_lowercase();
    let mirrors = |name: &&str| name.strip_prefix("mcp-param-").is_some_and(is_header_name);
    std::iter::once(HEADERS).chain(asked.split(',').map(str::trim).filter(mirrors)).collect::<Vec<_>>().join(", ")
}

/// Refuses a page of an origin that the key does not name; without a key, any but the gateway's own pages.
pub fn check_origin(request: &Request, env: &Env, who: Option<&Identity>) -> std::result::Result<(), Problem> {
    let Some(origin) = header(request, "origin") else { return Ok(()) };
    if own_origin(request, env).is_some_and(|own| own == origin) {
        return Ok(());
    }
    let run = who.and_then(|who| who.scope.run.as_ref());
    if run.is_some_and(|run| run.origins.contains(&origin)) {
        return Ok(());
    }
    let detail =
        "The request comes from a page, and the key names no such web origin; give `origins` to POST /v1/runs.";
    Err(Problem::new(problems::ORIGIN_NOT_ALLOWED, detail))
}

/// Refuses whatever does not come from a page of the gateway's own.
pub fn require_own_page(request: &Request, env: &Env) -> std::result::Result<(), Problem> {
    let origin = header(request, "origin");
    if origin.is_none() || own_origin(request, env) != origin {
        return Err(Problem::new(problems::ORIGIN_NOT_ALLOWED, "Only a page of the gateway's own may do this."));
    }
    if header(request, OWN_PAGE).is_none() {
        let detail = format!("Only the gateway's own page may do this, with the header {OWN_PAGE}.");
        return Err(Problem::new(problems::ORIGIN_NOT_ALLOWED, detail));
    }
    Ok(())
}

/// The same for whatever may change something, with a key of a sign-in. A key that somebody made is not a page's.
pub fn check_write(request: &Request, env: &Env, who: &Identity) -> std::result::Result<(), Problem> {
    let reads = matches!(request.method(), Method::Get | Method::Head);
    if reads || !who.scope.signed_in { Ok(()) } else { require_own_page(request, env) }
}

/// The origin under which this request reached the gateway, if its name is one of the gateway's. Anybody's name may be made
/// to lead to this machine: only a name that was configured, or a loopback one, counts.
fn own_origin(request: &Request, env: &Env) -> Option<String> {
    let url = request.url().ok()?;
    let host = url.host_str()?;
    let loopback = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    let own = loopback || own_hosts(env).iter().any(|known| known == host);
    own.then(|| url.origin().ascii_serialization())
}

/// Lets a page read the answer: whether its origin may ask was decided before, by the key.
pub fn readable(answer: Response) -> Result<Response> {
    // An object's answer has headers that cannot be changed.
    let headers = answer.headers().clone();
    headers.set("access-control-allow-origin", "*")?;
    headers.set("access-control-expose-headers", "retry-after, www-authenticate, mcp-session-id")?;
    Ok(answer.with_headers(headers))
}

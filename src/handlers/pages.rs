//! The gateway's own pages, and what they are told before anybody has a key. The files are static assets on Cloudflare and
//! a folder on plain workerd, under one binding; every header is set here, so that both serve the same.

use toolgate_core::pages::{self, Page, content_security_policy};
use toolgate_core::problem::Problem;
use toolgate_durable::names::{ASSETS, TILES_ATTRIBUTION, TILES_URL};
use toolgate_protocol::answers::{Site, Tiles};
use worker::{Env, Headers, Method, Response, ResponseBuilder, Url};

use super::Handled;
use crate::access;
use crate::edge::Edge;
use crate::http::{self, internal};

/// A file of the pages.
pub async fn page(edge: Edge, page: Page) -> Handled {
    let Ok(files) = edge.env.assets(ASSETS) else { return Err(Problem::not_found()) };
    let address = format!("{}{}", edge.base_url, page.file);
    let found = files.fetch(address, None).await.map_err(|error| internal("reading a page", error))?;
    if found.status_code() != 200 {
        return Err(Problem::not_found());
    }
    let headers = headers(&edge.env, &page).map_err(|error| internal("answering", error))?;
    if edge.request.method() == Method::Head {
        return Ok(ResponseBuilder::new().with_headers(headers).empty());
    }
    Ok(found.with_headers(headers))
}

fn headers(env: &Env, page: &Page) -> worker::Result<Headers> {
    let headers = Headers::new();
    let tiles = tiles(env).map(|(url, _)| url.origin().ascii_serialization());
    for (name, value) in [
        ("content-type", page.content_type),
        ("cache-control", page.cache_control),
        ("content-security-policy", content_security_policy(tiles.as_deref()).as_str()),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "geolocation=(self), camera=(), microphone=(), payment=(), usb=()"),
    ] {
        headers.set(name, value)?;
    }
    Ok(headers)
}

/// `GET /v1/approvals/{id}` in a browser that has no key: to the page that asks for one. Nothing is looked up.
pub fn approval(edge: &Edge, id: &str) -> Option<Handled> {
    let anonymous = http::header(&edge.request, "authorization").is_none();
    let wants = pages::wants_page(http::header(&edge.request, "accept").as_deref());
    let page = pages::approval_page(&edge.base_url, id).filter(|_| anonymous && wants)?;
    Some(redirect(&page).map_err(|error| internal("answering", error)))
}

fn redirect(page: &str) -> worker::Result<Response> {
    let headers = toolgate_durable::headers(303, None)?;
    headers.set("location", page)?;
    headers.set("vary", "accept, authorization")?;
    Ok(ResponseBuilder::new().with_status(303).with_headers(headers).empty())
}

/// `GET /v1/site`
pub fn site(edge: &Edge) -> Handled {
    let version = toolgate_protocol::VERSION.to_owned();
    let tiles = tiles(&edge.env).map(|(url, attribution)| Tiles { url: url_text(&url), attribution });
    http::json_answer(200, &Site { version, access: access::settings(&edge.env).is_some(), tiles })
}

/// Map tiles come from nowhere unless the operator names a server.
fn tiles(env: &Env) -> Option<(Url, String)> {
    let read = |name: &str| env.var(name).map(|value| value.to_string()).unwrap_or_default();
    let url = Url::parse(&read(TILES_URL)).ok().filter(|url| url.scheme() == "https" && url.host_str().is_some())?;
    Some((url, read(TILES_ATTRIBUTION)))
}

/// The braces of `{z}/{x}/{y}` are no characters of a URL's path: they come back as they were written.
fn url_text(url: &Url) -> String {
    url.as_str().replace("%7B", "{").replace("%7D", "}")
}

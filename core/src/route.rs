//! Paths and methods: a plain function, tested as one.

use toolgate_protocol::problems;

use crate::internal_route;
use crate::pages::{Page, page};
use crate::problem::Problem;

use Route as R;

/// Where a request goes. Names are as they stand in the path; whether they exist is decided later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// `GET /healthz`
    Health,
    /// `GET /openapi.json`
    OpenApi,
    /// `GET` and `HEAD` of the gateway's own pages.
    Page(Page),
    /// `GET /v1/site`
    Site,
    /// `POST /v1/orgs`
    CreateOrg,
    /// `POST /v1/keys`
    CreateKey,
    /// `GET /v1/keys`
    ListKeys,
    /// `DELETE /v1/keys/{id}`
    RevokeKey(String),
    /// `GET /v1/session`
    Session,
    /// `POST /v1/sessions`
    CreateSession,
    /// `GET /v1/capabilities`
    ListCapabilities,
    /// `PUT /v1/capabilities/{name}`
    PutCapability(String),
    /// `GET /v1/capabilities/{name}`
    GetCapability(String),
    /// `GET /v1/agents`
    ListAgents,
    /// `PUT /v1/agents/{name}`
    PutAgent(String),
    /// `GET /v1/agents/{name}`
    GetAgent(String),
    /// `GET /v1/pools`
    ListPools,
    /// `PUT /v1/pools/{pool}`
    PutPool(String),
    /// `GET /v1/pools/{pool}`
    GetPool(String),
    /// `GET /v1/pools/{pool}/stats`
    PoolStats(String),
    /// `POST /v1/pools/{pool}/challenges`
    Challenge(String),
    /// `POST /v1/pools/{pool}/secret-rotations`
    RotateSecret(String),
    /// `POST /v1/pools/{pool}/manifest-syncs`
    SyncManifest(String),
    /// A delivery from an object, by the gateway's own signed route.
    Deliver,
    /// A message about approvals from an object, likewise.
    Notify,
    /// `GET /v1/notifications`
    ListNotifications,
    /// `GET /v1/notifications/{name}`
    GetNotification(String),
    /// `PUT /v1/notifications/{name}`
    PutNotification(String),
    /// `DELETE /v1/notifications/{name}`
    DeleteNotification(String),
    /// `GET /v1/tools`
    ListTools,
    /// `GET /v1/tools/{tool}`
    GetTool(String),
    /// `PUT /v1/tools/{tool}`
    PutTool(String),
    /// `POST /v1/tools/{tool}/acceptances`
    AcceptRefused(String),
    /// `POST /v1/tools/{tool}/releases`
    Release(String),
    /// `POST /v1/pools/{pool}/workers`
    Register(String),
    /// `POST /v1/pools/{pool}/goodbyes`
    Goodbye(String),
    /// `POST /v1/pools/{pool}/claims`
    Poll(String),
    /// `POST /v1/pools/{pool}/accepts`
    Accept(String),
    /// `POST /v1/pools/{pool}/renewals`
    Renew(String),
    /// `POST /v1/pools/{pool}/returns`
    Return(String),
    /// `POST /v1/pools/{pool}/results`
    Results(String),
    /// `POST /v1/agents/{agent}/agui`
    Chat(String),
    /// `GET /v1/agents/{agent}/agui`
    ChatCapabilities(String),
    /// `GET /v1/threads`
    ListThreads,
    /// `GET /v1/threads/{thread}`
    GetThread(String),
    /// `PUT /v1/threads/{thread}`
    PutThread(String),
    /// `DELETE /v1/threads/{thread}`
    DeleteThread(String),
    /// `POST /mcp/{agent}`
    Mcp(String),
    /// `GET /.well-known/oauth-protected-resource/mcp/{agent}`
    ResourceMetadata(String),
    /// `POST /v1/runs`
    CreateRun,
    /// `GET /v1/runs/{run}`
    GetRun(String),
    /// `POST /v1/runs/{run}/turns`
    TakeTurn(String),
    /// `POST /v1/runs/{run}/tokens`
    RenewToken(String),
    /// `POST /v1/calls`
    Submit,
    /// `GET /v1/calls`
    ListCalls,
    /// `GET /v1/calls/{call}`
    GetCall(String),
    /// `GET /v1/calls/{call}/events`
    CallEvents(String),
    /// `POST /v1/calls/{call}/cancel`
    Cancel(String),
    /// `POST /v1/calls/{call}/resolution`
    Resolve(String),
    /// `GET /v1/approvals`
    ListApprovals,
    /// `GET /v1/approvals/{id}`
    GetApproval(String),
    /// `POST /v1/approvals/{id}/decision`
    Decide(String),
    /// `GET /v1/audit`
    ListAudit,
}

/// The route of a request: 404 when no path fits, 405 with the methods that do when the method does not.
pub fn route(method: &str, path: &str) -> Result<Route, Problem> {
    // In no table: to other methods, as to anybody without its signature, it is not there.
    match (method, path) {
        ("POST", internal_route::DELIVERIES) => return Ok(Route::Deliver),
        ("POST", internal_route::NOTICES) => return Ok(Route::Notify),
        // Files, no part of the API.
        ("GET" | "HEAD", path) => {
            if let Some(page) = page(path) {
                return Ok(Route::Page(page));
            }
        }
        _ => {}
    }
    let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    let fitting =
        || TABLE.iter().filter_map(|(method, template, make)| Some((*method, make(fit(template, &segments)?))));
    if let Some((_, found)) = fitting().find(|(offered, _)| *offered == method) {
        return Ok(found);
    }
    let allow = fitting().map(|(method, _)| method).collect::<Vec<_>>().join(", ");
    if allow.is_empty() {
        return Err(Problem::not_found());
    }
    Err(Problem::new(problems::METHOD_NOT_ALLOWED, format!("This path takes {allow}.")).with("allow", allow))
}

/// Every method and path that is open to the outside, with parameters as `{name}`: what the OpenAPI document describes.
pub fn paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.iter().map(|(method, template, _)| (*method, *template))
}

/// What a path has at the parameter of a template, or nothing where it has none; `None` when they do not fit.
fn fit(template: &str, segments: &[&str]) -> Option<String> {
    let mut parameter = String::new();
    let wanted = template.strip_prefix('/').unwrap_or(template).split('/');
    if wanted.clone().count() != segments.len() {
        return None;
    }
    for (wanted, given) in wanted.zip(segments) {
        if wanted.starts_with('{') {
            (*given).clone_into(&mut parameter);
        } else if wanted != *given {
            return None;
        }
    }
    Some(parameter)
}

/// A method, a path with at most one parameter, and what it makes of that.
type Entry = (&'static str, &'static str, fn(String) -> Route);

const TABLE: &[Entry] = &[
    ("GET", "/healthz", |_| R::Health),
    ("GET", "/openapi.json", |_| R::OpenApi),
    ("GET", "/v1/site", |_| R::Site),
    ("GET", "/.well-known/oauth-protected-resource/mcp/{agent}", R::ResourceMetadata),
    ("POST", "/mcp/{agent}", R::Mcp),
    ("POST", "/v1/orgs", |_| R::CreateOrg),
    ("GET", "/v1/keys", |_| R::ListKeys),
    ("POST", "/v1/keys", |_| R::CreateKey),
    ("DELETE", "/v1/keys/{id}", R::RevokeKey),
    ("GET", "/v1/session", |_| R::Session),
    ("POST", "/v1/sessions", |_| R::CreateSession),
    ("GET", "/v1/capabilities", |_| R::ListCapabilities),
    ("GET", "/v1/capabilities/{name}", R::GetCapability),
    ("PUT", "/v1/capabilities/{name}", R::PutCapability),
    ("GET", "/v1/agents", |_| R::ListAgents),
    ("GET", "/v1/agents/{name}", R::GetAgent),
    ("PUT", "/v1/agents/{name}", R::PutAgent),
    ("GET", "/v1/pools", |_| R::ListPools),
    ("POST", "/v1/agents/{agent}/agui", R::Chat),
    ("GET", "/v1/agents/{agent}/agui", R::ChatCapabilities),
    ("GET", "/v1/threads", |_| R::ListThreads),
    ("GET", "/v1/threads/{thread}", R::GetThread),
    ("PUT", "/v1/threads/{thread}", R::PutThread),
    ("DELETE", "/v1/threads/{thread}", R::DeleteThread),
    ("GET", "/v1/pools/{pool}", R::GetPool),
    ("PUT", "/v1/pools/{pool}", R::PutPool),
    ("GET", "/v1/pools/{pool}/stats", R::PoolStats),
    ("POST", "/v1/pools/{pool}/challenges", R::Challenge),
    ("POST", "/v1/pools/{pool}/secret-rotations", R::RotateSecret),
    ("POST", "/v1/pools/{pool}/manifest-syncs", R::SyncManifest),
    ("POST", "/v1/pools/{pool}/workers", R::Register),
    ("POST", "/v1/pools/{pool}/goodbyes", R::Goodbye),
    ("POST", "/v1/pools/{pool}/claims", R::Poll),
    ("POST", "/v1/pools/{pool}/accepts", R::Accept),
    ("POST", "/v1/pools/{pool}/renewals", R::Renew),
    ("POST", "/v1/pools/{pool}/returns", R::Return),
    ("POST", "/v1/pools/{pool}/results", R::Results),
    ("GET", "/v1/tools", |_| R::ListTools),
    ("GET", "/v1/tools/{tool}", R::GetTool),
    ("PUT", "/v1/tools/{tool}", R::PutTool),
    ("POST", "/v1/tools/{tool}/acceptances", R::AcceptRefused),
    ("POST", "/v1/tools/{tool}/releases", R::Release),
    ("POST", "/v1/runs", |_| R::CreateRun),
    ("GET", "/v1/runs/{run}", R::GetRun),
    ("POST", "/v1/runs/{run}/turns", R::TakeTurn),
    ("POST", "/v1/runs/{run}/tokens", R::RenewToken),
    ("GET", "/v1/calls", |_| R::ListCalls),
    ("POST", "/v1/calls", |_| R::Submit),
    ("GET", "/v1/calls/{call}", R::GetCall),
    ("GET", "/v1/calls/{call}/events", R::CallEvents),
    ("POST", "/v1/calls/{call}/cancel", R::Cancel),
    ("POST", "/v1/calls/{call}/resolution", R::Resolve),
    ("GET", "/v1/approvals", |_| R::ListApprovals),
    ("GET", "/v1/approvals/{id}", R::GetApproval),
    ("POST", "/v1/approvals/{id}/decision", R::Decide),
    ("GET", "/v1/notifications", |_| R::ListNotifications),
    ("GET", "/v1/notifications/{name}", R::GetNotification),
    ("PUT", "/v1/notifications/{name}", R::PutNotification),
    ("DELETE", "/v1/notifications/{name}", R::DeleteNotification),
    ("GET", "/v1/audit", |_| R::ListAudit),
];

/// Seconds of `Prefer: wait=N` (RFC 7240, section 4.3), capped; other preferences are ignored, as that RFC says.
pub fn prefer_wait(header: Option<&str>, most: u64) -> u64 {
    let wait = |part: &str| part.trim().strip_prefix("wait=").and_then(|seconds| seconds.trim().parse::<u64>().ok());
    header.and_then(|header| header.split([',', ';']).find_map(wait)).unwrap_or(0).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_they_should() {
        assert_eq!(route("GET", "/healthz"), Ok(Route::Health));
        assert_eq!(route("POST", "/v1/pools/shop/claims"), Ok(Route::Poll("shop".into())));
        assert_eq!(route("GET", "/v1/calls/call_x/events"), Ok(Route::CallEvents("call_x".into())));
        for path in
            ["", "/v1", "/v1/calls/", "/v1/calls/a/b", "//healthz", "/healthz/", "/v2/calls", "/v1/pools/x/claims/y"]
        {
            let code = route("GET", path).map_or_else(|problem| problem.kind.code, |_| "found");
            assert!(code == "not_found" || path == "/v1/calls/", "{path}: {code}");
        }
        assert_eq!(route("POST", "/internal/deliveries"), Ok(Route::Deliver));
        assert_eq!(route("POST", "/internal/notices"), Ok(Route::Notify));
        for path in ["/internal/deliveries", "/internal/notices"] {
            assert_eq!(route("GET", path).unwrap_err().kind.status, 404, "{path}");
        }
        assert_eq!(route("DELETE", "/v1/notifications/ops"), Ok(Route::DeleteNotification("ops".into())));
        let problem = route("PATCH", "/v1/keys").unwrap_err();
        assert_eq!((problem.kind.status, problem.members["allow"].as_str()), (405, Some("GET, POST")));
    }

    #[test]
    fn preferences() {
        for (header, seconds) in [
            (None, 0),
            (Some("wait=5"), 5),
            (Some("respond-async, wait=10"), 10),
            (Some("wait=100"), 25),
            (Some("wait=-1"), 0),
            (Some("wait=x"), 0),
            (Some("respond-async; wait=3"), 3),
        ] {
            assert_eq!(prefer_wait(header, 25), seconds, "{header:?}");
        }
    }
}

//! Paths and methods: a plain function, tested as one.

use toolgate_protocol::problems;

use crate::internal_route;
use crate::problem::Problem;

/// Where a request goes. Names are as they stand in the path; whether they exist is decided later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// `GET /healthz`
    Health,
    /// `POST /v1/orgs`
    CreateOrg,
    /// `POST /v1/keys`
    CreateKey,
    /// `GET /v1/keys`
    ListKeys,
    /// `DELETE /v1/keys/{id}`
    RevokeKey(String),
    /// `PUT /v1/capabilities/{name}`
    PutCapability(String),
    /// `GET /v1/capabilities/{name}`
    GetCapability(String),
    /// `PUT /v1/agents/{name}`
    PutAgent(String),
    /// `GET /v1/agents/{name}`
    GetAgent(String),
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
    /// `POST /mcp/{agent}`
    Mcp(String),
    /// `GET /.well-known/oauth-protected-resource/mcp/{agent}`
    ResourceMetadata(String),
    /// `POST /v1/runs`
    CreateRun,
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
        _ => {}
    }
    let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    let offered = routes(&segments);
    if let Some((_, found)) = offered.iter().find(|(offered, _)| *offered == method) {
        return Ok(found.clone());
    }
    if offered.is_empty() {
        return Err(Problem::not_found());
    }
    let allow = offered.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ");
    Err(Problem::new(problems::METHOD_NOT_ALLOWED, format!("This path takes {allow}.")).with("allow", allow))
}

/// The methods that a path takes.
fn routes(segments: &[&str]) -> Vec<(&'static str, Route)> {
    use Route as R;
    let (get, post, put, delete) = ("GET", "POST", "PUT", "DELETE");
    let own = |name: &&str| (*name).to_owned();
    match segments {
        ["healthz"] => vec![(get, R::Health)],
        [".well-known", "oauth-protected-resource", "mcp", agent] => vec![(get, R::ResourceMetadata(own(agent)))],
        ["mcp", agent] => vec![(post, R::Mcp(own(agent)))],
        ["v1", "orgs"] => vec![(post, R::CreateOrg)],
        ["v1", "keys"] => vec![(get, R::ListKeys), (post, R::CreateKey)],
        ["v1", "keys", id] => vec![(delete, R::RevokeKey(own(id)))],
        ["v1", "capabilities", name] => vec![(get, R::GetCapability(own(name))), (put, R::PutCapability(own(name)))],
        ["v1", "agents", name] => vec![(get, R::GetAgent(own(name))), (put, R::PutAgent(own(name)))],
        ["v1", "pools", pool] => vec![(get, R::GetPool(own(pool))), (put, R::PutPool(own(pool)))],
        ["v1", "pools", pool, "stats"] => vec![(get, R::PoolStats(own(pool)))],
        ["v1", "pools", pool, "challenges"] => vec![(post, R::Challenge(own(pool)))],
        ["v1", "pools", pool, "secret-rotations"] => vec![(post, R::RotateSecret(own(pool)))],
        ["v1", "pools", pool, "manifest-syncs"] => vec![(post, R::SyncManifest(own(pool)))],
        ["v1", "pools", pool, "workers"] => vec![(post, R::Register(own(pool)))],
        ["v1", "pools", pool, "goodbyes"] => vec![(post, R::Goodbye(own(pool)))],
        ["v1", "pools", pool, "claims"] => vec![(post, R::Poll(own(pool)))],
        ["v1", "pools", pool, "accepts"] => vec![(post, R::Accept(own(pool)))],
        ["v1", "pools", pool, "renewals"] => vec![(post, R::Renew(own(pool)))],
        ["v1", "pools", pool, "returns"] => vec![(post, R::Return(own(pool)))],
        ["v1", "pools", pool, "results"] => vec![(post, R::Results(own(pool)))],
        ["v1", "tools"] => vec![(get, R::ListTools)],
        ["v1", "tools", tool] => vec![(get, R::GetTool(own(tool))), (put, R::PutTool(own(tool)))],
        ["v1", "tools", tool, "acceptances"] => vec![(post, R::AcceptRefused(own(tool)))],
        ["v1", "tools", tool, "releases"] => vec![(post, R::Release(own(tool)))],
        ["v1", "runs"] => vec![(post, R::CreateRun)],
        ["v1", "runs", run, "turns"] => vec![(post, R::TakeTurn(own(run)))],
        ["v1", "runs", run, "tokens"] => vec![(post, R::RenewToken(own(run)))],
        ["v1", "calls"] => vec![(get, R::ListCalls), (post, R::Submit)],
        ["v1", "calls", call] => vec![(get, R::GetCall(own(call)))],
        ["v1", "calls", call, "events"] => vec![(get, R::CallEvents(own(call)))],
        ["v1", "calls", call, "cancel"] => vec![(post, R::Cancel(own(call)))],
        ["v1", "calls", call, "resolution"] => vec![(post, R::Resolve(own(call)))],
        ["v1", "approvals"] => vec![(get, R::ListApprovals)],
        ["v1", "approvals", id] => vec![(get, R::GetApproval(own(id)))],
        ["v1", "approvals", id, "decision"] => vec![(post, R::Decide(own(id)))],
        ["v1", "notifications"] => vec![(get, R::ListNotifications)],
        ["v1", "notifications", name] => vec![
            (get, R::GetNotification(own(name))),
            (put, R::PutNotification(own(name))),
            (delete, R::DeleteNotification(own(name))),
        ],
        ["v1", "audit"] => vec![(get, R::ListAudit)],
        _ => Vec::new(),
    }
}

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
        for path in [
            "",
            "/",
            "/v1",
            "/v1/calls/",
            "/v1/calls/a/b",
            "//healthz",
            "/healthz/",
            "/v2/calls",
            "/v1/pools/x/claims/y",
        ] {
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

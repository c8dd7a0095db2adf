//! One handler per endpoint, or per few that differ in one word.

mod agents;
mod agui;
mod approvals;
mod calls;
mod control;
mod deliveries;
mod endpoints;
mod listen;
mod mcp;
mod mcp_calls;
mod mcp_questions;
mod mcp_stream;
mod mcp_tasks;
mod notifications;
mod pages;
mod resource_metadata;
mod runs;
mod sessions;
mod submit;
mod threads;
mod workers;

use toolgate_core::problem::Problem;
use toolgate_core::route::Route;
use toolgate_protocol::answers::Health;
use worker::{Response, ResponseBuilder};

use crate::edge::Edge;
use crate::http;

pub use submit::carry;
use submit::deliver_if_asked;

/// An answer or a refusal.
pub type Handled = Result<Response, Problem>;

/// Hands a request to its handler.
pub async fn handle(edge: Edge, route: Route) -> Handled {
    match route {
        Route::Health => health(),
        Route::OpenApi => openapi(),
        Route::Page(page) => pages::page(edge, page).await,
        Route::Site => pages::site(&edge),
        Route::CreateOrg => control::create_org(edge).await,
        Route::CreateKey => control::create_key(edge).await,
        Route::ListKeys => control::list_keys(edge).await,
        Route::RevokeKey(id) => control::revoke_key(edge, id).await,
        Route::Session => control::session(edge).await,
        Route::CreateSession => sessions::create(edge).await,
        Route::ListCapabilities => control::list_capabilities(edge).await,
        Route::ListAgents => agents::list(edge).await,
        Route::ListPools => control::list_pools(edge).await,
        Route::PutCapability(name) => control::put_capability(edge, name).await,
        Route::GetCapability(name) => control::get_capability(edge, name).await,
        Route::PutAgent(name) => agents::put(edge, name).await,
        Route::GetAgent(name) => agents::get(edge, name).await,
        Route::PutPool(pool) => endpoints::put_pool(edge, pool).await,
        Route::Challenge(pool) => endpoints::challenge(edge, pool).await,
        Route::RotateSecret(pool) => endpoints::rotate_secret(edge, pool).await,
        Route::SyncManifest(pool) => endpoints::sync_manifest(edge, pool).await,
        Route::Deliver => deliveries::deliver(edge).await,
        Route::Notify => notifications::notify(edge).await,
        Route::Chat(agent) => agui::run(edge, agent).await,
        Route::ChatCapabilities(agent) => agui::capabilities(edge, agent).await,
        Route::ListThreads => threads::list(edge).await,
        Route::GetThread(thread) => threads::get(edge, thread).await,
        Route::PutThread(thread) => threads::put(edge, thread).await,
        Route::DeleteThread(thread) => threads::delete(edge, thread).await,
        Route::Mcp(agent) => {
            let (env, base_url) = (edge.env.clone(), edge.base_url.clone());
            resource_metadata::named(&env, &base_url, &agent.clone(), mcp::mcp(edge, agent).await)
        }
        Route::ResourceMetadata(agent) => resource_metadata::get(&edge, &agent),
        Route::ListNotifications => notifications::list(edge).await,
        Route::GetNotification(name) => notifications::get(edge, name).await,
        Route::PutNotification(name) => notifications::put(edge, name).await,
        Route::DeleteNotification(name) => notifications::delete(edge, name).await,
        Route::GetPool(pool) => control::get_pool(edge, pool).await,
        Route::PoolStats(pool) => control::pool_stats(edge, pool).await,
        Route::ListTools => control::list_tools(edge).await,
        Route::GetTool(tool) => control::get_tool(edge, tool).await,
        Route::PutTool(tool) => control::put_tool(edge, tool).await,
        Route::AcceptRefused(tool) => control::accept_refused(edge, tool).await,
        Route::Release(tool) => control::release(edge, tool).await,
        Route::ListAudit => control::list_audit(edge).await,
        Route::Register(pool) => workers::register(edge, pool).await,
        Route::Goodbye(pool) => workers::goodbye(edge, pool).await,
        Route::Poll(pool) => workers::poll(edge, pool).await,
        Route::Accept(pool) => workers::accept(edge, pool).await,
        Route::Renew(pool) => workers::renew(edge, pool).await,
        Route::Return(pool) => workers::give_back(edge, pool).await,
        Route::Results(pool) => workers::results(edge, pool).await,
        Route::CreateRun => runs::create(edge).await,
        Route::GetRun(run) => runs::read(edge, run).await,
        Route::TakeTurn(run) => runs::turn(edge, run).await,
        Route::RenewToken(run) => runs::token(edge, run).await,
        Route::Submit => submit::submit(edge).await,
        Route::ListCalls => calls::list(edge).await,
        Route::GetCall(id) => calls::get(edge, id).await,
        Route::CallEvents(id) => calls::events(edge, id).await,
        Route::Cancel(id) => calls::cancel(edge, id).await,
        Route::Resolve(id) => calls::resolve(edge, id).await,
        Route::ListApprovals => approvals::list(edge).await,
        Route::GetApproval(id) => approvals::get(edge, id).await,
        Route::Decide(id) => approvals::decide(edge, id).await,
    }
}

fn health() -> Handled {
    let (status, version) = ("ok".to_owned(), toolgate_protocol::VERSION.to_owned());
    http::json_answer(200, &Health { status, version })
}

/// The description of this API, as it was made from the types with this commit.
fn openapi() -> Handled {
    let headers =
        toolgate_durable::headers(200, Some("application/json")).map_err(|error| http::internal("answering", error))?;
    // The same for everybody, and another one only with another release.
    headers.set("cache-control", "public, max-age=300").map_err(|error| http::internal("answering", error))?;
    Ok(ResponseBuilder::new().with_headers(headers).fixed(toolgate_protocol::OPENAPI.as_bytes().to_vec()))
}

//! The control plane: everything here is the registry's to decide.

use toolgate_core::ids::Place;
use toolgate_core::names;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::Ask;
use toolgate_core::registry::Command;
use toolgate_protocol::control::{AcceptanceRequest, Capability, KeyRequest, OrgRequest, Role, ToolRequest};
use toolgate_protocol::limits::BODY_BYTES_MAX;
use toolgate_protocol::problems;

use super::Handled;
use crate::edge::Edge;

pub const ADMIN: &[Role] = &[Role::Admin];

pub async fn as_admin(edge: &Edge, command: Command) -> Handled {
    let who = edge.identity(ADMIN)?;
    edge.ask_registry(&who.org, Some(&who), command).await
}

/// `POST /v1/orgs`
pub async fn create_org(mut edge: Edge) -> Handled {
    edge.root()?;
    let request: OrgRequest = edge.json(BODY_BYTES_MAX).await?;
    names::plain("id", &request.id)?;
    if request.jurisdiction.is_some() {
        let detail = "This runtime cannot pin an org's objects to a jurisdiction; leave the member out.";
        return Err(Problem::new(problems::JURISDICTION_UNSUPPORTED, detail));
    }
    edge.ask_registry(&request.id, None, Command::CreateOrg).await
}

/// `POST /v1/keys`
pub async fn create_key(mut edge: Edge) -> Handled {
    edge.identity(ADMIN)?;
    let request: KeyRequest = edge.json(BODY_BYTES_MAX).await?;
    as_admin(&edge, Command::CreateKey(Box::new(request))).await
}

/// `GET /v1/keys`
pub async fn list_keys(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    as_admin(&edge, Command::ListKeys(edge.page()?)).await
}

/// `DELETE /v1/keys/{id}`
pub async fn revoke_key(edge: Edge, id: String) -> Handled {
    as_admin(&edge, Command::RevokeKey(id)).await
}

/// `GET /v1/session`: any key may ask what it is.
pub async fn session(edge: Edge) -> Handled {
    let who = edge.identity_anywhere(&[Role::Admin, Role::Caller, Role::Worker, Role::Approver, Role::Agent])?;
    edge.ask_registry(&who.org, Some(&who), Command::Session).await
}

/// `GET /v1/capabilities`
pub async fn list_capabilities(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    as_admin(&edge, Command::ListCapabilities(edge.page()?)).await
}

/// `GET /v1/pools`
pub async fn list_pools(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    as_admin(&edge, Command::ListPools(edge.page()?)).await
}

/// `PUT /v1/capabilities/{name}`
pub async fn put_capability(mut edge: Edge, name: String) -> Handled {
    edge.identity(ADMIN)?;
    let capability: Capability = edge.json(BODY_BYTES_MAX).await?;
    as_admin(&edge, Command::PutCapability(name, capability)).await
}

/// `GET /v1/capabilities/{name}`
pub async fn get_capability(edge: Edge, name: String) -> Handled {
    as_admin(&edge, Command::GetCapability(name)).await
}

/// `GET /v1/pools/{pool}`
pub async fn get_pool(edge: Edge, pool: String) -> Handled {
    as_admin(&edge, Command::GetPool(pool)).await
}

/// `GET /v1/pools/{pool}/stats`
pub async fn pool_stats(edge: Edge, pool: String) -> Handled {
    let who = edge.identity(ADMIN)?;
    names::plain("pool", &pool).map_err(|_| Problem::not_found())?;
    edge.ask_pool(Place::of(&who.org, &pool), &who, Ask::Stats).await
}

/// `GET /v1/tools`
pub async fn list_tools(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    as_admin(&edge, Command::ListTools(edge.page()?)).await
}

/// `GET /v1/tools/{tool}`
pub async fn get_tool(edge: Edge, tool: String) -> Handled {
    as_admin(&edge, Command::GetTool(tool)).await
}

/// `PUT /v1/tools/{tool}`
pub async fn put_tool(mut edge: Edge, tool: String) -> Handled {
    edge.identity(ADMIN)?;
    let request: ToolRequest = edge.json(BODY_BYTES_MAX).await?;
    as_admin(&edge, Command::PutTool(tool, Box::new(request))).await
}

/// `POST /v1/tools/{tool}/acceptances`
pub async fn accept_refused(mut edge: Edge, tool: String) -> Handled {
    edge.identity(ADMIN)?;
    let request: AcceptanceRequest = edge.json(BODY_BYTES_MAX).await?;
    as_admin(&edge, Command::AcceptRefused(tool, request)).await
}

/// `POST /v1/tools/{tool}/releases`
pub async fn release(edge: Edge, tool: String) -> Handled {
    as_admin(&edge, Command::Release(tool)).await
}

/// `GET /v1/audit`
pub async fn list_audit(edge: Edge) -> Handled {
    edge.only_query(&["limit", "cursor"])?;
    as_admin(&edge, Command::ListAudit(edge.page()?)).await
}

//! Orgs, keys, grants, the catalogue, notifications, the audit record.

use toolgate_protocol::answers::{
    AgentView, CapabilityView, KeyView, NewKey, NotificationView, OrgAnswer, SessionView, ToolView,
};
use toolgate_protocol::control::{
    AcceptanceRequest, Agent, Capability, KeyRequest, OrgRequest, SessionRequest, ToolRequest,
};
use toolgate_protocol::lists::{AgentPage, AuditPage, CapabilityPage, KeyPage, NotificationPage, ToolPage};
use toolgate_protocol::notifications::NotificationRequest;
use toolgate_protocol::problems as p;

use super::{ADMIN, ANY_KEY};
use crate::operation::{Operation, Who, operation};

pub fn operations() -> Vec<Operation> {
    vec![
        operation("POST", "/v1/orgs", "createOrg", Who::Root, "Makes an org with its first admin key.")
            .takes::<OrgRequest>()
            .gives::<OrgAnswer>(201, "The org; its key is shown once.")
            .refuses(&[p::ORG_EXISTS, p::JURISDICTION_UNSUPPORTED]),
        operation("POST", "/v1/keys", "createKey", ADMIN, "Makes a key.")
            .takes::<KeyRequest>()
            .gives::<NewKey>(201, "The key, shown once.")
            .lags::<NewKey>(),
        operation("GET", "/v1/keys", "listKeys", ADMIN, "Lists keys, revoked ones too, without their text.")
            .pages()
            .gives::<KeyPage>(200, "A page."),
        operation("DELETE", "/v1/keys/{id}", "revokeKey", ADMIN, "Revokes a key. Again is the same.")
            .gives::<KeyView>(200, "The key.")
            .lags::<KeyView>()
            .refuses(&[p::NOT_FOUND]),
        operation("GET", "/v1/session", "session", ANY_KEY, "Says what the key is that asks.")
            .gives::<SessionView>(200, "The key."),
        operation(
            "POST",
            "/v1/sessions",
            "createSession",
            Who::Anybody,
            "Gives a key to who signed in by Cloudflare Access; for the gateway's own page.",
        )
        .takes::<SessionRequest>()
        .gives::<NewKey>(201, "The key, shown once.")
        .lags::<NewKey>()
        .refuses(&[p::ACCESS_REFUSED, p::ORIGIN_NOT_ALLOWED, p::ROLE_NOT_ALLOWED, p::NOT_FOUND, p::ACCESS_UNAVAILABLE])
        .refuses(&[p::BUSY, p::OBJECT_UNAVAILABLE, p::STORAGE_UNAVAILABLE]),
        operation("GET", "/v1/capabilities", "listCapabilities", ADMIN, "Lists capabilities.")
            .pages()
            .gives::<CapabilityPage>(200, "A page."),
        operation(
            "PUT",
            "/v1/capabilities/{name}",
            "putCapability",
            ADMIN,
            "Writes a capability: tools that are granted together.",
        )
        .takes::<Capability>()
        .gives::<CapabilityView>(200, "As it was written.")
        .lags::<CapabilityView>()
        .refuses(&[p::UNKNOWN_GRANTED_TOOL]),
        operation("GET", "/v1/capabilities/{name}", "getCapability", ADMIN, "Reads a capability.")
            .gives::<CapabilityView>(200, "As it was written.")
            .refuses(&[p::NOT_FOUND]),
        operation("GET", "/v1/agents", "listAgents", ADMIN, "Lists agents.").pages().gives::<AgentPage>(200, "A page."),
        operation(
            "PUT",
            "/v1/agents/{name}",
            "putAgent",
            ADMIN,
            "Writes an agent: what it holds, how tools are offered to it, and its model.",
        )
        .takes::<Agent>()
        .gives::<AgentView>(200, "As it was written.")
        .lags::<AgentView>()
        .refuses(&[
            p::UNKNOWN_CAPABILITY,
            p::UNKNOWN_GRANTED_TOOL,
            p::DESTINATION_REFUSED,
            p::RESOLVER_UNAVAILABLE,
        ]),
        operation("GET", "/v1/agents/{name}", "getAgent", ADMIN, "Reads an agent.")
            .gives::<AgentView>(200, "As it was written.")
            .refuses(&[p::NOT_FOUND]),
        operation("GET", "/v1/audit", "listAudit", ADMIN, "Lists the audit record, newest first.")
            .pages()
            .gives::<AuditPage>(200, "A page."),
    ]
}

pub fn tools() -> Vec<Operation> {
    vec![
        operation("GET", "/v1/tools", "listTools", ADMIN, "Lists the catalogue.")
            .pages()
            .gives::<ToolPage>(200, "A page."),
        operation("GET", "/v1/tools/{tool}", "getTool", ADMIN, "Reads a tool with its versions and what was refused.")
            .gives::<ToolView>(200, "The tool.")
            .refuses(&[p::UNKNOWN_TOOL]),
        operation(
            "PUT",
            "/v1/tools/{tool}",
            "putTool",
            ADMIN,
            "Writes a tool of a webhook pool whose endpoint answers no manifest.",
        )
        .takes::<ToolRequest>()
        .gives::<ToolView>(200, "The tool.")
        .gives::<ToolView>(201, "The tool, which is new.")
        .lags::<ToolView>()
        .refuses(&[p::TRANSPORT_IN_USE, p::MANAGED_ELSEWHERE, p::DEFINITION_REFUSED, p::NOT_FOUND]),
        operation(
            "POST",
            "/v1/tools/{tool}/acceptances",
            "acceptRefused",
            ADMIN,
            "Accepts the definition that met a fence, named by its hash.",
        )
        .takes::<AcceptanceRequest>()
        .gives::<ToolView>(200, "The tool.")
        .lags::<ToolView>()
        .refuses(&[p::UNKNOWN_TOOL, p::NOTHING_TO_ACCEPT]),
        operation(
            "POST",
            "/v1/tools/{tool}/releases",
            "releaseTool",
            ADMIN,
            "Lets another pool announce the name of a disabled tool.",
        )
        .gives::<ToolView>(200, "The tool.")
        .lags::<ToolView>()
        .refuses(&[p::UNKNOWN_TOOL, p::TOOL_IN_USE]),
    ]
}

pub fn notifications() -> Vec<Operation> {
    vec![
        operation("GET", "/v1/notifications", "listNotifications", ADMIN, "Lists notifications.")
            .pages()
            .gives::<NotificationPage>(200, "A page."),
        operation(
            "GET",
            "/v1/notifications/{name}",
            "getNotification",
            ADMIN,
            "Reads a notification, with what waits for it.",
        )
        .gives::<NotificationView>(200, "The notification.")
        .refuses(&[p::NOT_FOUND]),
        operation(
            "PUT",
            "/v1/notifications/{name}",
            "putNotification",
            ADMIN,
            "Writes a notification: where events of approvals are told.",
        )
        .takes::<NotificationRequest>()
        .gives::<NotificationView>(200, "The notification.")
        .gives::<NotificationView>(201, "The notification, which is new; a secret that was made for it is shown once.")
        .refuses(&[p::DESTINATION_REFUSED, p::RESOLVER_UNAVAILABLE, p::SECRET_REFUSED, p::SECRET_IN_USE]),
        operation(
            "DELETE",
            "/v1/notifications/{name}",
            "deleteNotification",
            ADMIN,
            "Deletes a notification, and what waits for it.",
        )
        .gives::<NotificationView>(200, "What was deleted.")
        .refuses(&[p::NOT_FOUND]),
    ]
}

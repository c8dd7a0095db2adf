//! What the gateway and a webhook endpoint say to each other (design: "Webhook transport").
//!
//! Every message and every reply is signed by Standard Webhooks 1.0. Messages may gain members, which an endpoint
//! ignores; replies are closed: an unknown member refuses the reply.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::calls::{Activity, CallInput};
use crate::definitions::SideEffect;
use crate::workers::HandlerError;

/// Header with the message's id: the call's id, a fresh `msg_…`, or in a reply the message's `reply_id`.
pub const WEBHOOK_ID: &str = "webhook-id";
/// Header with the Unix seconds of the attempt.
pub const WEBHOOK_TIMESTAMP: &str = "webhook-timestamp";
/// Header with `v1,<base64>` per secret, separated by blanks.
pub const WEBHOOK_SIGNATURE: &str = "webhook-signature";
/// Header with the digest of the body (RFC 9530): tells an altered body from a wrong key.
pub const CONTENT_DIGEST: &str = "content-digest";

/// `type` of [`ChallengeMessage`].
pub const CHALLENGE: &str = "endpoint.challenge";
/// `type` of [`ManifestMessage`].
pub const MANIFEST: &str = "tools.manifest";
/// `type` of [`CallMessage`].
pub const CALL: &str = "tool.call";

/// Which message a body is, and what its reply must name.
#[derive(Clone, Debug, Deserialize)]
pub struct MessageHead {
    /// [`CHALLENGE`], [`MANIFEST`] or [`CALL`].
    #[serde(rename = "type")]
    pub kind: String,
    /// `re_…`, fresh per attempt: the `webhook-id` of the reply.
    pub reply_id: String,
}

/// Is the endpoint there, and does it hold the secret?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChallengeMessage {
    /// [`CHALLENGE`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The `webhook-id` of the reply.
    pub reply_id: String,
    /// To be sent back.
    pub nonce: String,
}

/// What tools does it have?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ManifestMessage {
    /// [`MANIFEST`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The `webhook-id` of the reply.
    pub reply_id: String,
}

/// Run a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallMessage {
    /// [`CALL`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The `webhook-id` of the reply.
    pub reply_id: String,
    /// The call's id, the same at every attempt: the idempotency key for the customer's own writes.
    pub call: String,
    /// The tool's name.
    pub tool: String,
    /// The canonical text of the arguments.
    pub arguments: Box<RawValue>,
    /// On whose behalf, verbatim.
    pub principal: Box<RawValue>,
    /// The run, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What the client answered, when the tool had asked it for something (reads only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<CallInput>,
    /// From 1.
    pub attempt: u32,
    /// The declared class.
    pub side_effect: SideEffect,
    /// How long the gateway waits for the reply, from now.
    pub deadline_seconds: u64,
}

/// Reply to a [`ChallengeMessage`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeReply {
    /// The message's nonce.
    pub nonce: String,
}

/// Reply to a [`ManifestMessage`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestReply {
    /// The tools, each raw so that a faulty one never blocks the others.
    pub tools: Vec<Box<RawValue>>,
    /// The screens.
    #[serde(default)]
    pub contexts: Vec<Box<RawValue>>,
    /// The endpoint's own name for this manifest; a reply to a call may carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// Reply to a [`CallMessage`]: exactly one of `result` and `error`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallReply {
    /// What the code returned; `null` counts as a result.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<HandlerError>,
    /// Something for the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// The hash of the endpoint's present manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
}

/// A member that is there, whatever it holds.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

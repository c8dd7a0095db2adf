//! Runs and their turns: what is asked, and the offer that answers it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::chat::ShownOffer;
use crate::definitions::Profile;

/// A way in: where a run token may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// `/v1`
    Rest,
    /// `/mcp/{agent}`
    Mcp,
    /// `/v1/agents/{agent}/agui`
    Agui,
}

/// Body of `POST /v1/runs`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunRequest {
    /// The agent.
    pub agent: String,
    /// On whose behalf: `id`, `tenant_id`, `permissions`; further members are carried.
    pub principal: Box<RawValue>,
    /// The first turn's text.
    pub message: Option<String>,
    /// The screen that is in view.
    pub context: Option<ContextReference>,
    /// Tokens that the run's offers may take; the agent's own budget where absent.
    pub budget_tokens: Option<u32>,
    /// The form of the definitions.
    pub profile: Option<Profile>,
    /// Where the token may be used; `rest` where absent.
    pub doors: Option<Vec<Door>>,
    /// Web origins that may use the token in a browser.
    pub origins: Option<Vec<String>>,
}

/// Body of `POST /v1/runs/{run}/turns`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    /// The turn's text.
    pub message: String,
    /// The screen that is in view.
    pub context: Option<ContextReference>,
}

/// Body of `POST /v1/runs/{run}/tokens`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {}

/// A screen by type and id. It has no label: text of a client never reaches a prompt as fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContextReference {
    /// A registered type.
    pub context_type: String,
    /// 1 to 128 of `[A-Za-z0-9_.:-]`; of a type with the scope `entity` alone.
    pub context_id: Option<String>,
}

/// Answer of `POST /v1/runs`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAnswer {
    /// The run's id.
    pub run: String,
    /// A key for this run alone, shown once.
    pub token: String,
    /// RFC 3339; `POST /v1/runs/{run}/tokens` makes another.
    pub expires_at: String,
    /// What to advertise.
    pub offer: Offer,
    /// What the screen says, when one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Grounding>,
}

/// Answer of `POST /v1/runs/{run}/turns`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnAnswer {
    /// What to advertise.
    pub offer: Offer,
    /// What the screen says, when one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Grounding>,
}

/// Answer of `GET /v1/runs/{run}`: what the run was last offered, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunView {
    /// The run's id.
    pub run: String,
    /// The agent.
    pub agent: String,
    /// The form of the definitions.
    pub profile: Profile,
    /// RFC 3339.
    pub created_at: String,
    /// When its last turn was, RFC 3339. It is kept for a week from then on.
    pub turned_at: String,
    /// Turns so far.
    pub turns: u64,
    /// What the last turn said, its first 1,000 characters.
    pub text: String,
    /// What was offered for it, without the definitions. Absent where the tools alone are too many to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<ShownOffer>,
}

/// Answer of `POST /v1/runs/{run}/tokens`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenAnswer {
    /// A key for this run alone, shown once.
    pub token: String,
    /// RFC 3339.
    pub expires_at: String,
}

/// The tools to advertise in a turn: those of the turns before, in their order, then what this turn adds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offer {
    /// In the order to advertise them in.
    pub tools: Vec<OfferedTool>,
    /// Granted tools that are not offered.
    pub left_out: Vec<LeftOut>,
    /// Tokens that the offer may take.
    pub budget_tokens: u32,
    /// Tokens that it takes, as estimated from the definitions.
    pub used_tokens: u32,
    /// Why there is nothing to advertise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_tools: Option<NoTools>,
}

/// A tool of an offer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedTool {
    /// The tool.
    pub name: String,
    /// What this turn's text said for it; 0 for what an earlier turn brought.
    pub score: u32,
    /// Whose points are the score.
    pub reasons: Vec<OfferReason>,
    /// What the definition takes.
    pub tokens: u32,
    /// New in this turn.
    pub added: bool,
    /// In the form of the run's profile.
    pub definition: Box<RawValue>,
}

/// Why a tool is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferReason {
    /// `name`, `description`, `keyword`, `pattern`, `field`; `pinned`, `all_fit`, `offered_before`.
    pub part: String,
    /// What of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// What of the turn's text it met, where that is another form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Its part of the score.
    pub points: u32,
}

/// A granted tool that is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// The tool.
    pub name: String,
    /// What the turn's text said for it.
    pub score: u32,
    /// `no_match`, `budget`, `tool_disabled`, `permission_missing`, `write_not_enabled`.
    pub reason: String,
}

/// An offer without tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoTools {
    /// `nothing_granted`, or each reason for which a tool was left out.
    pub causes: Vec<String>,
}

/// What a screen's own tool said about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Grounding {
    /// The type.
    pub context_type: String,
    /// The id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// Facts from the tool's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Vec<Fact>>,
    /// The digest as text for a prompt, marked as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why the turn is not grounded: a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// One fact of a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// The manifest's label.
    pub label: String,
    /// What the tool returned, as text.
    pub value: String,
}

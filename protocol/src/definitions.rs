//! Tools and contexts as a manifest announces them (design: "The contract").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a tool does to the world; the order is the order of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SideEffect {
    /// Looks, never touches.
    ReadOnly,
    /// Changes something that can be undone.
    ReversibleWrite,
    /// Always parks for a human.
    Consequential,
}

impl SideEffect {
    /// Both classes but `read_only`.
    pub fn is_write(self) -> bool {
        self != SideEffect::ReadOnly
    }
}

/// The form in which tools are advertised to a model (docs/schemas.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// `tools[]` of OpenAI's Chat Completions, which other providers and local servers speak too.
    #[default]
    Openai,
    /// `tools[]` of Anthropic's Messages.
    Anthropic,
    /// `functionDeclarations[]` of Google's Gemini, on both of its APIs.
    Gemini,
    /// `tools[]` of the Model Context Protocol's `tools/list`.
    Mcp,
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 4] = [Profile::Openai, Profile::Anthropic, Profile::Gemini, Profile::Mcp];
}

/// What steers the offer of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Routing {
    /// Words that speak for the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Regular expressions (linear-time) that speak for the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
}

impl Routing {
    /// Nothing declared.
    pub fn is_empty(&self) -> bool {
        self.keywords.is_empty() && self.patterns.is_empty()
    }
}

/// A tool as announced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolDefinition {
    /// `[a-z][a-z0-9_]{0,47}`.
    pub name: String,
    /// What the model reads.
    pub description: String,
    /// The declared class.
    pub side_effect: SideEffect,
    /// Field name to type text, such as `"string?"`.
    pub input: BTreeMap<String, String>,
    /// What the principal must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<String>,
    /// Words and patterns for the offer.
    #[serde(default, skip_serializing_if = "Routing::is_empty")]
    pub routing: Routing,
    /// 1 to 3,600 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_deadline_seconds: Option<u64>,
    /// 1 to 900 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_deadline_seconds: Option<u64>,
}

/// What a context type is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContextScope {
    /// One record; needs an id.
    Entity,
    /// A screen; has none.
    Screen,
}

/// A fact taken from what the prefetch tool returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DigestField {
    /// Dotted path in the result.
    pub path: String,
    /// The label shown.
    pub label: String,
}

/// A screen type as announced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContextDefinition {
    /// `[a-z][a-z0-9_-]{0,31}`.
    pub context_type: String,
    /// Entity or screen.
    pub scope: ContextScope,
    /// Tools of the same pool, offered first.
    #[serde(default)]
    pub pinned_tools: Vec<String>,
    /// A `read_only` tool of the same pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefetch_tool: Option<String>,
    /// Its arguments, `$context_id` replaced.
    #[serde(default)]
    pub prefetch_args: serde_json::Map<String, serde_json::Value>,
    /// What is taken from its result.
    #[serde(default)]
    pub digest_fields: Vec<DigestField>,
}

/// What a worker announces. Tools stay raw so that a faulty one never blocks the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The tools. One that is none of these is refused by name, and the others stand.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ToolDefinition>"))]
    pub tools: Vec<Box<RawValue>>,
    /// The screens, likewise.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ContextDefinition>"))]
    pub contexts: Vec<Box<RawValue>>,
}

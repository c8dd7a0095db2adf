//! What a run of a chat says, as AG-UI 1.0 writes it. Optional members are left out and never null: a client refuses null.

use serde::Serialize;
use serde_json::value::RawValue;

/// The version of the protocol.
pub const PROTOCOL_VERSION: &str = "1.0";

/// Which model wrote a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChatAuthor"))]
pub struct Author {
    /// Its label.
    pub model: String,
    /// It is the demo model: nobody must take its words for a real one's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub demo: bool,
}

/// An event of a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChatEvent"))]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Event {
    /// First.
    RunStarted {
        /// The thread.
        thread_id: String,
        /// The run.
        run_id: String,
        /// `1.0`.
        protocol_version: &'static str,
    },
    /// Last, when nothing failed.
    RunFinished {
        /// The thread.
        thread_id: String,
        /// The run.
        run_id: String,
        /// How.
        outcome: Outcome,
        /// What each turn of the model took.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<TokenUsage>,
    },
    /// Last, when something failed.
    RunError {
        /// For a person.
        message: String,
        /// Stable.
        code: String,
    },
    /// An answer begins.
    TextMessageStart {
        /// The message.
        message_id: String,
        /// `assistant`.
        role: &'static str,
        /// Who wrote it.
        metadata: Author,
    },
    /// More of it.
    TextMessageContent {
        /// The message.
        message_id: String,
        /// What is appended.
        delta: String,
    },
    /// It is whole.
    TextMessageEnd {
        /// The message.
        message_id: String,
    },
    /// A stretch of reasoning begins.
    ReasoningStart {
        /// The stretch.
        message_id: String,
    },
    /// A message of it begins.
    ReasoningMessageStart {
        /// The message.
        message_id: String,
        /// `reasoning`.
        role: &'static str,
    },
    /// More of it.
    ReasoningMessageContent {
        /// The message.
        message_id: String,
        /// What is appended.
        delta: String,
    },
    /// It is whole.
    ReasoningMessageEnd {
        /// The message.
        message_id: String,
    },
    /// The stretch ends.
    ReasoningEnd {
        /// The stretch.
        message_id: String,
    },
    /// A call begins.
    ToolCallStart {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_call_name: String,
        /// The message that it belongs to.
        parent_message_id: String,
        /// Who asks for it.
        metadata: Author,
    },
    /// More of its arguments.
    ToolCallArgs {
        /// The call.
        tool_call_id: String,
        /// What is appended.
        delta: String,
    },
    /// Its arguments are whole.
    ToolCallEnd {
        /// The call.
        tool_call_id: String,
    },
    /// What it came to.
    ToolCallResult {
        /// The message that holds it.
        message_id: String,
        /// The call.
        tool_call_id: String,
        /// What the model is shown.
        content: String,
        /// `tool`.
        role: &'static str,
    },
    /// Something for the screen.
    ActivitySnapshot {
        /// Its message.
        message_id: String,
        /// Its type.
        activity_type: String,
        /// An object.
        content: Box<RawValue>,
    },
    /// Something of ours.
    Custom {
        /// `toolgate.…`
        name: &'static str,
        /// Its value.
        value: Box<RawValue>,
    },
}

/// How a run ended.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChatOutcome"))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Outcome {
    /// Nothing waits but the calls that are named.
    Success {
        /// Calls for the browser.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pending_tool_call_ids: Vec<String>,
    },
    /// A person must decide.
    Interrupt {
        /// What about.
        interrupts: Vec<Interrupt>,
    },
}

/// A call that waits for a person's decision. It asks for no answer in a form of its own: no answer decides anything, the
/// decision is the gateway's record.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChatInterrupt"))]
#[serde(rename_all = "camelCase")]
pub struct Interrupt {
    /// The approval's id.
    pub id: String,
    /// `tool_call`.
    pub reason: &'static str,
    /// The call.
    pub tool_call_id: String,
    /// For a person.
    pub message: String,
    /// RFC 3339.
    pub expires_at: String,
    /// What a page needs to show and decide it.
    pub metadata: InterruptMetadata,
}

/// What a page needs to show and decide an approval.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChatInterruptMetadata"))]
#[serde(rename_all = "camelCase")]
pub struct InterruptMetadata {
    /// The call at the gateway.
    pub call: String,
    /// The approval.
    pub approval: String,
    /// Where it is decided.
    pub approval_url: String,
    /// `consequential`.
    pub side_effect: &'static str,
    /// What a decision must name.
    pub args_digest: String,
    /// The tool.
    pub tool: String,
}

/// What a turn of the model took. Absent is not zero.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChatUsage"))]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// The model's label.
    pub model: String,
    /// Read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// Of those written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Of those read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
}

impl Event {
    /// One event of a stream (HTML standard, section 9.2): JSON has no line break outside an escape, so one line holds it.
    pub fn frame(&self) -> Option<String> {
        serde_json::to_string(self).ok().map(|json| format!("data: {json}\n\n"))
    }

    /// The message that holds what a call came to.
    pub fn result(call: &str, content: &str) -> Event {
        Event::ToolCallResult {
            message_id: result_id(call),
            tool_call_id: call.to_owned(),
            content: content.to_owned(),
            role: "tool",
        }
    }
}

/// The id of the message that holds what a call came to: the same one however often it is settled.
pub fn result_id(call: &str) -> String {
    format!("result-{call}")
}

/// The id of the message that holds what a call has for the screen.
pub fn activity_id(call: &str) -> String {
    format!("activity-{call}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_protocols_names_and_no_nulls() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let author = Author { model: "m".into(), demo: false };
        for (event, json) in [
            (
                Event::RunStarted { thread_id: "t".into(), run_id: "r".into(), protocol_version: PROTOCOL_VERSION },
                r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.0"}"#,
            ),
            (
                Event::RunFinished {
                    thread_id: "t".into(),
                    run_id: "r".into(),
                    outcome: Outcome::Success { pending_tool_call_ids: Vec::new() },
                    usage: Vec::new(),
                },
                r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}"#,
            ),
            (
                Event::ToolCallStart {
                    tool_call_id: "c".into(),
                    tool_call_name: "n".into(),
                    parent_message_id: "a".into(),
                    metadata: author,
                },
                r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"a","metadata":{"model":"m"}}"#,
            ),
            (
                Event::ActivitySnapshot {
                    message_id: activity_id("c"),
                    activity_type: "x".into(),
                    content: raw(r#"{"n":9007199254740993}"#),
                },
                r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"activity-c","activityType":"x","content":{"n":9007199254740993}}"#,
            ),
            (
                Event::result("c", "a\nb"),
                r#"{"type":"TOOL_CALL_RESULT","messageId":"result-c","toolCallId":"c","content":"a\nb","role":"tool"}"#,
            ),
        ] {
            assert_eq!(event.frame().unwrap(), format!("data: {json}\n\n"));
        }
    }
}

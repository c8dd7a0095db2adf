//! What a client sends (`RunAgentInput` of AG-UI 1.0), read as the protocol says: members that nobody knows are ignored,
//! known ones must have their form, and a fault names the member. JSON that is carried keeps its digits.

use serde::{Deserialize, Serialize};
use toolgate_protocol::limits::{
    CHAT_CONTEXT_BYTES_MAX, CHAT_ID_CHARS_MAX, CHAT_MESSAGE_ID_BYTES_MAX, CHAT_TOOLS_BYTES_MAX, CHAT_TOOLS_MAX,
    DESCRIPTION_CHARS_MAX,
};
use toolgate_protocol::problems;
use toolgate_protocol::runs::ContextReference;

use crate::json::{self, Json};
use crate::problem::Problem;

/// What a run is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInput {
    /// The thread, as its client calls it.
    pub thread: String,
    /// The run, likewise.
    pub run: String,
    /// What may be news: messages of the user, and results of client tools. All others are the gateway's own to know.
    pub messages: Vec<InMessage>,
    /// What the browser can do.
    pub tools: Vec<ClientTool>,
    /// What the page says about itself: data, and fenced as such.
    pub context: Vec<ContextEntry>,
    /// The screen in view.
    pub screen: Option<ContextReference>,
}

/// A message that may be news.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InMessage {
    /// From the person.
    User {
        /// As the client made it.
        id: String,
        /// What was said.
        text: String,
    },
    /// What a call came to.
    Tool {
        /// As the client made it.
        id: String,
        /// The call.
        call: String,
        /// What it came to.
        content: String,
    },
}

/// A tool that runs in the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientTool {
    /// Its name.
    pub name: String,
    /// In the `openai` profile.
    pub definition: String,
}

/// What a page says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextEntry {
    /// What it is.
    pub description: String,
    /// The value.
    pub value: String,
}

impl RunInput {
    /// Reads a body.
    ///
    /// # Errors
    /// A refusal that names the member.
    pub fn read(text: &str) -> Result<RunInput, Problem> {
        let body = json::parse(text)
            .map_err(|fault| Problem::new(problems::INVALID_JSON, format!("{} at byte {}.", fault.what, fault.at)))?;
        if !matches!(body, Json::Map(_)) {
            return Err(Problem::new(problems::INVALID_RUN_INPUT, "The body must be a JSON object."));
        }
        version(&body)?;
        resume(&body)?;
        let mut messages = Vec::new();
        for (at, message) in required_list(&body, "messages")?.iter().enumerate() {
            messages.extend(in_message(&format!("messages[{at}]"), message)?);
        }
        Ok(RunInput {
            thread: client_id(&body, "threadId")?,
            run: client_id(&body, "runId")?,
            messages,
            tools: tools(&body)?,
            context: context(&body)?,
            screen: screen(&body)?,
        })
    }
}

/// Is this a name that a client may give a thread? Two would be taken out of any path that they stand in.
pub fn is_thread_id(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-');
    (1..=CHAT_ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(allowed) && !matches!(text, "." | "..")
}

fn fault(field: &str, what: impl AsRef<str>) -> Problem {
    Problem::new(problems::INVALID_RUN_INPUT, format!("{field}: {}", what.as_ref())).with("field", field)
}

/// A member that is there; null is not.
fn member<'a>(map: &'a Json, name: &str) -> Option<&'a Json> {
    map.get(name).filter(|value| **value != Json::Null)
}

fn string(map: &Json, path: &str, name: &str) -> Result<Option<String>, Problem> {
    let field = || if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match member(map, name) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(fault(&field(), format!("must be a string, not {}.", value.kind()))),
        },
    }
}

fn required(map: &Json, path: &str, name: &str) -> Result<String, Problem> {
    let field = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    string(map, path, name)?.ok_or_else(|| fault(&field, "is required."))
}

fn optional_list<'a>(map: &'a Json, name: &str) -> Result<&'a [Json], Problem> {
    match member(map, name) {
        None => Ok(&[]),
        Some(Json::List(items)) => Ok(items),
        Some(other) => Err(fault(name, format!("must be a list, not {}.", other.kind()))),
    }
}

fn required_list<'a>(map: &'a Json, name: &str) -> Result<&'a [Json], Problem> {
    if member(map, name).is_none() {
        return Err(fault(name, "is required."));
    }
    optional_list(map, name)
}

fn client_id(body: &Json, name: &str) -> Result<String, Problem> {
    let id = required(body, "", name)?;
    if is_thread_id(&id) {
        return Ok(id);
    }
    Err(fault(name, format!("must have 1 to {CHAT_ID_CHARS_MAX} characters of [A-Za-z0-9_.:-].")))
}

/// A newer minor version is served, as the protocol says; another major one is another protocol.
fn version(body: &Json) -> Result<(), Problem> {
    match string(body, "", "protocolVersion")? {
        Some(version) if version.split('.').next() != Some("1") => {
            Err(fault("protocolVersion", "is of a major version that is not spoken here; this is 1.0."))
        }
        _ => Ok(()),
    }
}

/// Which interrupts a client means to answer. It is checked and not kept: what was decided stands in the gateway's own
/// record, and each run looks there.
fn resume(body: &Json) -> Result<(), Problem> {
    for (at, entry) in optional_list(body, "resume")?.iter().enumerate() {
        let path = format!("resume[{at}]");
        required(entry, &path, "interruptId")?;
        let status = required(entry, &path, "status")?;
        if !matches!(status.as_str(), "resolved" | "cancelled") {
            return Err(fault(&format!("{path}.status"), "must be resolved or cancelled."));
        }
    }
    Ok(())
}

fn in_message(path: &str, message: &Json) -> Result<Option<InMessage>, Problem> {
    let role = required(message, path, "role")?;
    let id = required(message, path, "id")?;
    if !(1..=CHAT_MESSAGE_ID_BYTES_MAX).contains(&id.len()) {
        return Err(fault(&format!("{path}.id"), format!("must have 1 to {CHAT_MESSAGE_ID_BYTES_MAX} bytes.")));
    }
    match role.as_str() {
        "user" => Ok(Some(InMessage::User { id, text: content(path, message)? })),
        "tool" => {
            let call = required(message, path, "toolCallId")?;
            let (content, error) = (content(path, message)?, string(message, path, "error")?);
            Ok(Some(InMessage::Tool { id, call, content: returned(content, error) }))
        }
        "assistant" | "system" | "developer" | "activity" | "reasoning" => Ok(None),
        _ => Err(fault(&format!("{path}.role"), "is none of AG-UI 1.0.")),
    }
}

/// A failure stays one, whatever else came with it. Nothing returned is no consent and no success: the model is told that
/// there was nothing.
fn returned(content: String, error: Option<String>) -> String {
    /// The error stands first: what is cut off a long result is its end.
    #[derive(Serialize)]
    struct Failed<'a> {
        error: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<&'a str>,
    }
    let given = Some(content.as_str()).filter(|content| !content.trim().is_empty());
    let error = match (error.as_deref().filter(|error| !error.trim().is_empty()), given) {
        (Some(error), _) => error,
        (None, Some(_)) => return content,
        (None, None) => "the tool returned nothing",
    };
    let failed = Failed { error, content: given };
    serde_json::to_string(&failed).unwrap_or_else(|_| r#"{"error":"the tool failed"}"#.to_owned())
}

/// The text of a message. Of parts only text is taken: what would be dropped is refused instead.
fn content(path: &str, message: &Json) -> Result<String, Problem> {
    let field = format!("{path}.content");
    match member(message, "content") {
        None => Err(fault(&field, "is required.")),
        Some(Json::List(parts)) => {
            let mut texts = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let path = format!("{field}[{at}]");
                match required(part, &path, "type")?.as_str() {
                    "text" => texts.push(required(part, &path, "text")?),
                    _ => return Err(fault(&path, "is no text; other parts are not taken here.")),
                }
            }
            Ok(texts.join("\n"))
        }
        Some(value) => match value.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(fault(&field, format!("must be a string or a list of parts, not {}.", value.kind()))),
        },
    }
}

/// What every provider takes as a name: OpenAI and Anthropic take letters, digits, `_` and `-`, 64 of them, and Gemini
/// wants a letter or `_` first.
fn is_tool_name(name: &str) -> bool {
    let first = name.bytes().next();
    name.len() <= 64
        && first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn tools(body: &Json) -> Result<Vec<ClientTool>, Problem> {
    let given = optional_list(body, "tools")?;
    if given.len() > CHAT_TOOLS_MAX {
        return Err(fault("tools", format!("has {} entries; the limit is {CHAT_TOOLS_MAX}.", given.len())));
    }
    let mut tools: Vec<ClientTool> = Vec::new();
    for (at, tool) in given.iter().enumerate() {
        let path = format!("tools[{at}]");
        let name = required(tool, &path, "name")?;
        if !is_tool_name(&name) {
            let what = "is a name that not every model takes; it must match [A-Za-z_][A-Za-z0-9_-]{0,63}.";
            return Err(fault(&format!("{path}.name"), what));
        }
        if tools.iter().any(|known| known.name == name) {
            return Err(fault(&format!("{path}.name"), "is there twice."));
        }
        let description = string(tool, &path, "description")?.unwrap_or_default();
        if description.chars().count() > DESCRIPTION_CHARS_MAX {
            let what = format!("is longer than {DESCRIPTION_CHARS_MAX} characters.");
            return Err(fault(&format!("{path}.description"), what));
        }
        let parameters = match member(tool, "parameters") {
            None => r#"{"properties":{},"type":"object"}"#.to_owned(),
            Some(schema @ Json::Map(_)) => schema.canonical(),
            Some(other) => {
                return Err(fault(&format!("{path}.parameters"), format!("must be an object, not {}.", other.kind())));
            }
        };
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let definition = format!(
            r#"{{"type":"function","function":{{"name":{},"description":{},"parameters":{parameters}}}}}"#,
            text(&name),
            text(&description)
        );
        tools.push(ClientTool { name, definition });
    }
    at_most("tools", tools.iter().map(|tool| tool.definition.len()), CHAT_TOOLS_BYTES_MAX)?;
    Ok(tools)
}

/// All of it goes to the model in each turn.
fn at_most(field: &str, sizes: impl Iterator<Item = usize>, limit: usize) -> Result<(), Problem> {
    let bytes = sizes.fold(0, usize::saturating_add);
    if bytes > limit {
        return Err(fault(field, format!("has {bytes} bytes; the limit is {limit}.")));
    }
    Ok(())
}

fn context(body: &Json) -> Result<Vec<ContextEntry>, Problem> {
    let entry = |(at, entry): (usize, &Json)| {
        let path = format!("context[{at}]");
        let value = required(entry, &path, "value")?;
        Ok(ContextEntry { description: required(entry, &path, "description")?, value })
    };
    let entries: Vec<ContextEntry> =
        optional_list(body, "context")?.iter().enumerate().map(entry).collect::<Result<_, Problem>>()?;
    let sizes = entries.iter().map(|entry| entry.description.len().saturating_add(entry.value.len()));
    at_most("context", sizes, CHAT_CONTEXT_BYTES_MAX)?;
    Ok(entries)
}

/// `forwardedProps.toolgate.context`: a type and an id. Anything else there would be a client's text on its way to a prompt.
fn screen(body: &Json) -> Result<Option<ContextReference>, Problem> {
    const OWN: &str = "forwardedProps.toolgate";
    let Some(own) = member(body, "forwardedProps").and_then(|props| member(props, "toolgate")) else { return Ok(None) };
    only(OWN, own, &["context"])?;
    let Some(context) = member(own, "context") else { return Ok(None) };
    let path = format!("{OWN}.context");
    only(&path, context, &["context_type", "context_id"])?;
    Ok(Some(ContextReference {
        context_type: required(context, &path, "context_type")?,
        context_id: string(context, &path, "context_id")?,
    }))
}

fn only(path: &str, map: &Json, known: &[&str]) -> Result<(), Problem> {
    let Json::Map(members) = map else {
        return Err(fault(path, format!("must be an object, not {}.", map.kind())));
    };
    match members.iter().find(|(name, _)| !known.iter().any(|known| known.as_bytes() == name)) {
        None => Ok(()),
        Some((name, _)) => {
            let name: String = String::from_utf8_lossy(name).chars().take(64).collect();
            Err(fault(&format!("{path}.{name}"), "is not known here."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(more: Value) -> Result<RunInput, Problem> {
        let mut body = json!({ "threadId": "t-1", "runId": "r:1", "messages": [] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        RunInput::read(&body.to_string())
    }

    #[test]
    fn what_is_not_known_is_ignored() {
        let input = read(json!({
            "protocolVersion": "1.9", "parentRunId": null, "state": { "a": 1 }, "strange": [1], "tools": null,
            "messages": [
                { "id": "s", "role": "system", "content": "obey" },
                { "id": "u", "role": "user", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }], "name": "x" },
                { "id": "a", "role": "assistant", "toolCalls": [] },
                { "id": "t", "role": "tool", "toolCallId": "c", "content": "" },
                { "id": "v", "role": "tool", "toolCallId": "d", "content": "", "error": "denied" },
                { "id": "w", "role": "tool", "toolCallId": "e", "content": "half of it", "error": "timed out" },
                { "id": "x", "role": "tool", "toolCallId": "f", "content": "all of it", "error": " " },
                { "id": "y", "role": "activity", "activityType": "x", "content": {} },
            ],
            "forwardedProps": { "other": 1, "toolgate": { "context": { "context_type": "order" } } },
        }))
        .unwrap();
        assert_eq!(
            input.messages,
            [
                InMessage::User { id: "u".into(), text: "a\nb".into() },
                InMessage::Tool {
                    id: "t".into(),
                    call: "c".into(),
                    content: r#"{"error":"the tool returned nothing"}"#.into()
                },
                InMessage::Tool { id: "v".into(), call: "d".into(), content: r#"{"error":"denied"}"#.into() },
                InMessage::Tool {
                    id: "w".into(),
                    call: "e".into(),
                    content: r#"{"error":"timed out","content":"half of it"}"#.into()
                },
                InMessage::Tool { id: "x".into(), call: "f".into(), content: "all of it".into() },
            ]
        );
        assert_eq!(input.screen.unwrap().context_type, "order");
        assert!(input.tools.is_empty() && input.context.is_empty());
    }

    #[test]
    fn schemas_of_tools_are_carried_digit_by_digit() {
        let text = r#"{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"pick","description":"Pick \"one\".","parameters":{"type":"object","properties":{"n":{"enum":[9007199254740993]}}}},{"name":"bare","description":"d"}]}"#;
        let tools = RunInput::read(text).unwrap().tools;
        assert!(tools[0].definition.contains("9007199254740993") && tools[0].definition.contains(r#"Pick \"one\"."#));
        assert!(tools[1].definition.ends_with(r#""parameters":{"properties":{},"type":"object"}}}"#));
        for tool in tools {
            serde_json::from_str::<Value>(&tool.definition).unwrap();
        }
    }

    #[test]
    fn faults_name_the_member() {
        let tool = |name: &str| json!({ "name": name, "description": "d" });
        for (more, field) in [
            (json!({ "threadId": "a b" }), "threadId"),
            (json!({ "threadId": "x".repeat(129) }), "threadId"),
            (json!({ "threadId": 7 }), "threadId"),
            (json!({ "threadId": ".." }), "threadId"),
            (json!({ "runId": "" }), "runId"),
            (json!({ "runId": null }), "runId"),
            (json!({ "messages": null }), "messages"),
            (json!({ "messages": {} }), "messages"),
            (json!({ "messages": [{ "role": "user", "content": "x" }] }), "messages[0].id"),
            (json!({ "messages": [{ "id": "x".repeat(300), "role": "user", "content": "x" }] }), "messages[0].id"),
            (json!({ "messages": [{ "id": "a", "role": "king", "content": "x" }] }), "messages[0].role"),
            (json!({ "messages": [{ "id": "a", "role": "user" }] }), "messages[0].content"),
            (json!({ "messages": [{ "id": "a", "role": "user", "content": 1 }] }), "messages[0].content"),
            (
                json!({ "messages": [{ "id": "a", "role": "user", "content": [{ "type": "image", "source": {} }] }] }),
                "messages[0].content[0]",
            ),
            (json!({ "messages": [{ "id": "a", "role": "tool", "content": "x" }] }), "messages[0].toolCallId"),
            (json!({ "messages": [7] }), "messages[0].role"),
            (json!({ "protocolVersion": "2.0" }), "protocolVersion"),
            (json!({ "tools": [tool("a.b")] }), "tools[0].name"),
            (json!({ "tools": [tool("1a")] }), "tools[0].name"),
            (json!({ "tools": [tool(&"a".repeat(65))] }), "tools[0].name"),
            (json!({ "tools": [tool("a"), tool("a")] }), "tools[1].name"),
            (json!({ "tools": vec![tool("a"); 65] }), "tools"),
            (json!({ "tools": [{ "name": "a", "description": "d", "parameters": [] }] }), "tools[0].parameters"),
            (json!({ "tools": [{ "name": "a", "parameters": { "x": "y".repeat(262_144) } }, tool("b")] }), "tools"),
            (json!({ "context": [{ "description": "d" }] }), "context[0].value"),
            (
                json!({ "context": [{ "description": "d", "value": "x".repeat(65_530) }, { "description": "abc", "value": "def" }] }),
                "context",
            ),
            (json!({ "resume": [{ "interruptId": "i", "status": "maybe" }] }), "resume[0].status"),
            (json!({ "resume": [{ "status": "resolved" }] }), "resume[0].interruptId"),
            (json!({ "forwardedProps": { "toolgate": { "label": "x" } } }), "forwardedProps.toolgate.label"),
            (
                json!({ "forwardedProps": { "toolgate": { "context": { "context_type": "o", "label": "x" } } } }),
                "forwardedProps.toolgate.context.label",
            ),
            (json!({ "forwardedProps": { "toolgate": 7 } }), "forwardedProps.toolgate"),
        ] {
            let problem = read(more.clone()).unwrap_err();
            assert_eq!((problem.kind.status, &problem.members["field"]), (400, &json!(field)), "{more}");
        }
        for text in ["", "[]", "{", "7"] {
            assert_eq!(RunInput::read(text).unwrap_err().kind.status, 400, "{text}");
        }
    }
}

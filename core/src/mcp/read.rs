//! Reading a message: JSON-RPC, the era, the headers against the body, the parameters.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::mirrors::header_text;
use super::{
    CallTool, Capability, Client, Era, Fault, Initialize, LEGACY, Listen, LogLevel, MODERN, Message, Method, Request,
    Response, TASKS, UpdateTask,
};

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const PROGRESS_TOKEN: &str = "progressToken";

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const SESSION_NOT_FOUND: i32 = -32_001;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;
const HEADER_MISMATCH: i32 = -32_020;
const UNSUPPORTED_VERSION: i32 = -32_022;
const MISSING_CAPABILITY: i32 = -32_021;

/// The headers that mirror the body.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// `MCP-Protocol-Version`
    pub version: Option<String>,
    /// `Mcp-Method`
    pub method: Option<String>,
    /// `Mcp-Name`
    pub name: Option<String>,
    /// `Mcp-Param-…`, by what follows in lower case.
    pub params: BTreeMap<String, String>,
}

type Members = BTreeMap<String, Box<RawValue>>;

impl Fault {
    /// A refusal without an id.
    pub fn new(status: u16, code: i32, message: impl Into<String>) -> Fault {
        Fault { id: None, status, code, message: message.into(), data: None }
    }

    /// Parameters that cannot be understood.
    pub fn params(message: impl Into<String>) -> Fault {
        Fault::new(400, INVALID_PARAMS, message)
    }

    /// A capability that the client does not declare.
    pub fn missing_capability(message: impl Into<String>, required: Value) -> Fault {
        let data = Some(json!({ "requiredCapabilities": required }));
        Fault { data, ..Fault::new(400, MISSING_CAPABILITY, message) }
    }

    /// A message that asks nothing and tells nothing.
    pub fn no_request() -> Fault {
        Fault::new(400, INVALID_REQUEST, "Send a request or a notification: `method` is missing.")
    }

    /// A session that is none of ours, or another's. The code and the words are those that clients know.
    pub fn no_session() -> Fault {
        Fault::new(404, SESSION_NOT_FOUND, "Session not found")
    }

    /// A method that is not there. Before 2026-07-28 a 404 would tell the client that its session is over.
    pub fn no_method(method: &str, era: Era) -> Fault {
        let status = if era == Era::Modern { 404 } else { 200 };
        Fault::new(status, METHOD_NOT_FOUND, format!("There is no method {method:?}."))
    }

    /// A header that does not say what the body says.
    pub(super) fn header_mismatch(why: &str) -> Fault {
        Fault::new(400, HEADER_MISMATCH, format!("Header mismatch: {why}."))
    }
}

/// Reads a message.
///
/// # Errors
/// What the protocol says of it: 400 or 404 with a JSON-RPC error, the request's id in it where it has one.
pub fn read(body: &str, headers: &Headers) -> Result<Message, Fault> {
    let members = members(body)?;
    let id = match members.get("id") {
        None => None,
        Some(raw) => Some(read_id(raw.get())?),
    };
    let named = |mut fault: Fault| {
        fault.id.clone_from(&id);
        fault
    };
    if text(&members, "jsonrpc").as_deref() != Some("2.0") {
        return Err(named(Fault::new(400, INVALID_REQUEST, "jsonrpc must be \"2.0\".")));
    }
    if let Some(response) = response(&members) {
        return Ok(Message::Response(response));
    }
    let Some(method) = text(&members, "method") else { return Err(named(Fault::no_request())) };
    let Some(id) = id.clone() else { return Ok(Message::Notification) };
    let request = request(&id, &method, members.get("params").map(|raw| raw.get()), headers).map_err(named)?;
    Ok(Message::Request(Box::new(request)))
}

/// An answer to a request of ours: those have texts as ids.
fn response(members: &Members) -> Option<Response> {
    let (result, error) = (members.get("result"), members.get("error"));
    if members.contains_key("method") || result.is_some() == error.is_some() {
        return None;
    }
    Some(Response { id: text(members, "id")?, result: result.cloned() })
}

fn members(body: &str) -> Result<Members, Fault> {
    match body.trim_ascii_start().as_bytes().first() {
        Some(b'{') => serde_json::from_str(body)
            .map_err(|error| Fault::new(400, PARSE_ERROR, format!("The body is not JSON: {error}."))),
        Some(b'[') => Err(Fault::new(400, INVALID_REQUEST, "One message to a request; there are no batches.")),
        _ => Err(Fault::new(400, PARSE_ERROR, "The body must be one JSON-RPC message.")),
    }
}

/// A string or a whole number (schema: `RequestId`).
fn read_id(raw: &str) -> Result<String, Fault> {
    let whole = raw.strip_prefix('-').unwrap_or(raw);
    let number = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
    if raw.starts_with('"') || number {
        return Ok(raw.to_owned());
    }
    Err(Fault::new(400, INVALID_REQUEST, "id must be a string or a whole number."))
}

fn text(members: &Members, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn request(id: &str, method: &str, params: Option<&str>, headers: &Headers) -> Result<Request, Fault> {
    let params: Members = match params {
        None => Members::new(),
        Some(raw) => serde_json::from_str(raw).map_err(|_| Fault::params("params must be an object."))?,
    };
    let meta: Value = params.get("_meta").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let era = era(method, &meta, headers);
    let client = if era == Era::Modern { modern(method, &params, &meta, headers)? } else { Client::default() };
    let follows = method.starts_with("tasks/") || listens_to_tasks(method, &params);
    if era == Era::Modern && follows && !client.tasks {
        let message = format!("{method} needs the client capability {TASKS:?}.");
        return Err(Fault::missing_capability(message, json!({ "extensions": { TASKS: {} } })));
    }
    let log_level = if era == Era::Modern { log_level(&meta)? } else { None };
    let mut method = read_method(method, era, &params, headers)?;
    if let Method::CallTool(call) = &mut method {
        call.log_level = log_level;
    }
    Ok(Request { id: id.to_owned(), era, client, session: None, method })
}

/// A request that carries a version in its body is modern, as is one whose header names a version that no client had
/// before there was one in the body.
fn era(method: &str, meta: &Value, headers: &Headers) -> Era {
    let named = headers.version.as_deref().is_some_and(|version| !LEGACY.contains(&version));
    let modern =
        meta.get(PROTOCOL_VERSION).is_some() || method == "server/discover" || (named && method != "initialize");
    if modern { Era::Modern } else { Era::Legacy }
}

/// What every modern request must carry; what the client can do.
fn modern(method: &str, params: &Members, meta: &Value, headers: &Headers) -> Result<Client, Fault> {
    let Some(version) = meta.get(PROTOCOL_VERSION).and_then(Value::as_str) else {
        return Err(Fault::params(format!("params._meta[{PROTOCOL_VERSION:?}] is missing.")));
    };
    let Some(capabilities) = meta.get(CLIENT_CAPABILITIES).filter(|value| value.is_object()) else {
        return Err(Fault::params(format!("params._meta[{CLIENT_CAPABILITIES:?}] is missing.")));
    };
    mirrored("MCP-Protocol-Version", headers.version.as_deref(), version)?;
    if version != MODERN {
        let supported: Vec<&str> = std::iter::once(MODERN).chain(LEGACY).collect();
        let mut fault = Fault::new(400, UNSUPPORTED_VERSION, format!("The version {version:?} is not spoken here."));
        fault.data = Some(json!({ "supported": supported, "requested": version }));
        return Err(fault);
    }
    mirrored("Mcp-Method", headers.method.as_deref(), method)?;
    let name = match method {
        "tools/call" | "prompts/get" => text(params, "name"),
        "resources/read" => text(params, "uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => text(params, "taskId"),
        _ => None,
    };
    if let Some(name) = name {
        mirrored("Mcp-Name", headers.name.as_deref(), &name)?;
    }
    Ok(Client {
        tasks: capabilities.pointer("/extensions").and_then(|all| all.get(TASKS)).is_some(),
        answers: Capability::all_in(capabilities),
    })
}

/// A header that must say what the body says; the body alone is acted upon.
fn mirrored(name: &str, header: Option<&str>, body: &str) -> Result<(), Fault> {
    match header.map(header_text) {
        Some(Some(told)) if told == body => Ok(()),
        Some(Some(told)) => Err(Fault::header_mismatch(&format!("{name} says {told:?}, the body {body:?}"))),
        Some(None) => Err(Fault::header_mismatch(&format!("{name} is neither plain text nor Base64 in =?base64?…?="))),
        None => Err(Fault::header_mismatch(&format!("{name} is missing; the body says {body:?}"))),
    }
}

fn read_method(method: &str, era: Era, params: &Members, headers: &Headers) -> Result<Method, Fault> {
    let required =
        |name: &str| text(params, name).ok_or_else(|| Fault::params(format!("params.{name} must be a string.")));
    Ok(match (method, era) {
        ("server/discover", _) => Method::Discover,
        ("initialize", Era::Legacy) => {
            let capabilities: Value = optional(params, "capabilities")?.unwrap_or_default();
            let answers = Capability::all_in(&capabilities);
            Method::Initialize(Initialize { version: required("protocolVersion")?, answers })
        }
        ("ping", Era::Legacy) => Method::Ping,
        ("logging/setLevel", Era::Legacy) => {
            let level = optional(params, "level")?;
            Method::SetLevel(level.ok_or_else(|| Fault::params("params.level is missing."))?)
        }
        ("tools/list", _) => Method::ListTools(optional(params, "cursor")?),
        ("tools/call", _) => Method::CallTool(CallTool {
            name: required("name")?,
            arguments: params.get("arguments").cloned(),
            input_responses: params.get("inputResponses").filter(|_| era == Era::Modern).cloned(),
            request_state: if era == Era::Modern { optional(params, "requestState")? } else { None },
            progress_token: progress_token(params),
            log_level: None,
            headers: headers.params.clone(),
        }),
        ("tasks/get", Era::Modern) => Method::GetTask(required("taskId")?),
        ("tasks/update", Era::Modern) => Method::UpdateTask(UpdateTask {
            task: required("taskId")?,
            responses: params
                .get("inputResponses")
                .cloned()
                .ok_or_else(|| Fault::params("params.inputResponses is missing."))?,
        }),
        ("tasks/cancel", Era::Modern) => Method::CancelTask(required("taskId")?),
        ("subscriptions/listen", Era::Modern) => Method::Listen(listen(params)?),
        _ => return Err(Fault::no_method(method, era)),
    })
}

/// JSON text of the name under which a client wants to hear how a request gets on; anything else than a string or a whole
/// number is none.
fn progress_token(params: &Members) -> Option<String> {
    let meta: Members = serde_json::from_str(params.get("_meta")?.get()).ok()?;
    read_id(meta.get(PROGRESS_TOKEN)?.get()).ok()
}

/// From which level on the client wants to hear log messages of a request.
fn log_level(meta: &Value) -> Result<Option<LogLevel>, Fault> {
    let Some(level) = meta.get(LOG_LEVEL) else { return Ok(None) };
    let read = serde_json::from_value(level.clone());
    read.map(Some).map_err(|_| Fault::params(format!("params._meta[{LOG_LEVEL:?}] is no level.")))
}

/// Tasks are told of by polling alone; who may not follow any must hear so here, too.
fn listens_to_tasks(method: &str, params: &Members) -> bool {
    let asked = params.get("notifications").and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    let tasks = asked.as_ref().and_then(|asked| asked.get("taskIds")).and_then(Value::as_array);
    method == "subscriptions/listen" && tasks.is_some_and(|tasks| !tasks.is_empty())
}

fn optional<T: DeserializeOwned>(params: &Members, name: &str) -> Result<Option<T>, Fault> {
    match params.get(name) {
        None => Ok(None),
        Some(raw) => {
            serde_json::from_str(raw.get()).map_err(|_| Fault::params(format!("params.{name} is of another type.")))
        }
    }
}

fn listen(params: &Members) -> Result<Listen, Fault> {
    let asked: Option<Value> = optional(params, "notifications")?;
    let asked =
        asked.filter(Value::is_object).ok_or_else(|| Fault::params("params.notifications must be an object."))?;
    Ok(Listen { tools: asked.get("toolsListChanged") == Some(&Value::Bool(true)) })
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn meta(version: &str, capabilities: Value) -> Value {
        json!({ PROTOCOL_VERSION: version, CLIENT_CAPABILITIES: capabilities })
    }

    fn headers(version: &str, method: &str, name: Option<&str>) -> Headers {
        Headers {
            version: Some(version.into()),
            method: Some(method.into()),
            name: name.map(str::to_owned),
            params: BTreeMap::new(),
        }
    }

    fn rpc(method: &str, params: Value) -> String {
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
    }

    fn fault(body: &str, headers: &Headers) -> (u16, i32, Option<String>) {
        let fault = read(body, headers).unwrap_err();
        (fault.status, fault.code, fault.id)
    }

    fn asked(body: &str, headers: &Headers) -> Request {
        match read(body, headers).unwrap() {
            Message::Request(request) => *request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messages_that_are_none() {
        let none = Headers::default();
        for (body, code) in [
            ("", PARSE_ERROR),
            ("{", PARSE_ERROR),
            ("7", PARSE_ERROR),
            ("[]", INVALID_REQUEST),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, INVALID_REQUEST),
            (r#"{"id":1,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":"a","result":{},"error":{}}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","result":{}}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, INVALID_REQUEST),
        ] {
            let found = read(body, &none).unwrap_err();
            assert_eq!((found.status, found.code), (400, code), "{body}");
        }
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &none),
            Ok(Message::Notification)
        ));
    }

    #[test]
    fn modern_requests_are_checked_against_their_headers() {
        let call = |name: &str| rpc("tools/call", json!({ "name": name, "_meta": meta(MODERN, json!({})) }));
        let good = asked(&call("get_order"), &headers(MODERN, "tools/call", Some("get_order")));
        assert!(
            good.era == Era::Modern
                && matches!(&good.method, Method::CallTool(call) if call.name == "get_order")
                && good.id == "7"
        );
        let named = |name: Option<&str>| fault(&call("get_order"), &headers(MODERN, "tools/call", name));
        let mismatch = (400, HEADER_MISMATCH, Some("7".to_owned()));
        assert_eq!(
            (named(Some("refund")), named(None), named(Some("=?base64?!?="))),
            (mismatch.clone(), mismatch.clone(), mismatch.clone())
        );
        let encoded = format!("=?base64?{}?=", STANDARD.encode("prüfen"));
        asked(&call("prüfen"), &headers(MODERN, "tools/call", Some(&encoded)));
        assert_eq!(fault(&call("a"), &headers("2025-11-25", "tools/call", Some("a"))), mismatch);
        assert_eq!(fault(&call("a"), &headers(MODERN, "tools/list", Some("a"))), mismatch);
        assert_eq!(fault(&call("a"), &Headers::default()), mismatch);
        let other = rpc("server/discover", json!({ "_meta": meta("v999", json!({})) }));
        let refused = read(&other, &headers("v999", "server/discover", None)).unwrap_err();
        assert_eq!(
            (refused.status, refused.code, refused.data.unwrap()["requested"].clone()),
            (400, UNSUPPORTED_VERSION, json!("v999"))
        );
        for members in [
            json!({}),
            json!({ PROTOCOL_VERSION: MODERN }),
            json!({ CLIENT_CAPABILITIES: {} }),
            json!({ PROTOCOL_VERSION: MODERN, CLIENT_CAPABILITIES: 1 }),
        ] {
            let body = rpc("tools/list", json!({ "_meta": members }));
            assert_eq!(
                fault(&body, &headers(MODERN, "tools/list", None)),
                (400, INVALID_PARAMS, Some("7".into())),
                "{body}"
            );
        }
        for gone in
            ["initialize", "ping", "logging/setLevel", "prompts/list", "resources/list", "completion/complete", "x"]
        {
            let body = rpc(gone, json!({ "_meta": meta(MODERN, json!({})) }));
            assert_eq!(fault(&body, &headers(MODERN, gone, None)), (404, METHOD_NOT_FOUND, Some("7".into())));
        }
    }

    #[test]
    fn a_header_that_cannot_be_read_says_nothing() {
        let call = rpc("tools/call", json!({ "name": "", "_meta": meta(MODERN, json!({})) }));
        for name in ["=?base64?!?=", "=?base64?SGVsbG8?=", "prüfen", "a\u{1}"] {
            let headers = headers(MODERN, "tools/call", Some(name));
            assert_eq!(fault(&call, &headers), (400, HEADER_MISMATCH, Some("7".into())), "{name}");
        }
        asked(&call, &headers(MODERN, "tools/call", Some(" ")));
    }

    #[test]
    fn how_a_client_wants_to_hear_of_progress() {
        for (token, read) in [
            (json!("a\"b"), Some(r#""a\"b""#)),
            (json!(7), Some("7")),
            (json!(1.5), None),
            (json!(null), None),
            (json!({}), None),
        ] {
            let body = rpc("tools/call", json!({ "name": "t", "_meta": { PROGRESS_TOKEN: token } }));
            let Method::CallTool(call) = asked(&body, &Headers::default()).method else { panic!("{body}") };
            assert_eq!(call.progress_token.as_deref(), read, "{body}");
        }
    }

    #[test]
    fn answers_to_a_task_are_there() {
        let meta = meta(MODERN, json!({ "extensions": { TASKS: {} } }));
        let headers = headers(MODERN, "tasks/update", Some("call_1"));
        let update = |params: Value| read(&rpc("tasks/update", params), &headers);
        assert_eq!(update(json!({ "taskId": "call_1", "_meta": meta })).unwrap_err().code, INVALID_PARAMS);
        let given = update(json!({ "taskId": "call_1", "inputResponses": { "0.a": {} }, "_meta": meta })).unwrap();
        let Message::Request(request) = given else { panic!("{given:?}") };
        let Method::UpdateTask(update) = request.method else { panic!("another method") };
        assert_eq!((update.task.as_str(), update.responses.get()), ("call_1", r#"{"0.a":{}}"#));
    }

    #[test]
    fn who_cannot_follow_tasks_cannot_listen_to_any() {
        let listen = |capabilities: Value, tasks: Value| {
            let params = json!({ "notifications": { "taskIds": tasks }, "_meta": meta(MODERN, capabilities) });
            read(&rpc("subscriptions/listen", params), &headers(MODERN, "subscriptions/listen", None))
                .map_err(|fault| fault.code)
        };
        assert_eq!(listen(json!({}), json!(["call_1"])).err(), Some(MISSING_CAPABILITY));
        assert!(listen(json!({}), json!([])).is_ok());
        assert!(listen(json!({ "extensions": { TASKS: {} } }), json!(["call_1"])).is_ok());
    }

    #[test]
    fn what_a_client_can_do() {
        let ask = |capabilities: Value| {
            let body = rpc("tools/list", json!({ "_meta": meta(MODERN, capabilities) }));
            asked(&body, &headers(MODERN, "tools/list", None)).client
        };
        assert_eq!(ask(json!({})), Client::default());
        assert_eq!(ask(json!({ "extensions": { TASKS: {} } })), Client { tasks: true, answers: vec![] });
        let answers = |capabilities: Value| ask(capabilities).answers;
        assert_eq!(answers(json!({ "elicitation": {} })), [Capability::Form]);
        assert_eq!(answers(json!({ "elicitation": { "url": {} } })), [Capability::Url]);
        assert_eq!(answers(json!({ "elicitation": { "form": {}, "url": {} } })), [Capability::Form, Capability::Url]);
        assert_eq!(answers(json!({ "sampling": {}, "roots": {} })), [Capability::Sampling, Capability::Roots]);
        assert_eq!(answers(json!({ "sampling": { "tools": {} } })), [Capability::Sampling, Capability::SamplingTools]);
        assert_eq!(answers(json!({ "elicitation": 1, "sampling": null, "roots": [] })), []);
    }

    #[test]
    fn legacy_requests_need_no_headers() {
        let none = Headers::default();
        let hello = |capabilities: Value| {
            let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities });
            let request = asked(&rpc("initialize", params), &none);
            let Method::Initialize(hello) = request.method else { panic!("{request:?}") };
            (request.era, hello.version, hello.answers)
        };
        assert_eq!(hello(json!({})), (Era::Legacy, "2025-06-18".to_owned(), vec![]));
        let able = json!({ "elicitation": {}, "roots": { "listChanged": true }, "experimental": {} });
        assert_eq!(hello(able).2, [Capability::Form, Capability::Roots]);
        let later = Headers { version: Some("2025-11-25".into()), ..Headers::default() };
        assert!(matches!(
            asked(&rpc("tools/list", json!({ "cursor": "c" })), &later).method,
            Method::ListTools(Some(_))
        ));
        assert!(matches!(asked(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, &none).method, Method::Ping));
        for gone in ["tasks/get", "subscriptions/listen", "prompts/list", "x"] {
            let body = rpc(gone, json!({ "taskId": "x" }));
            // A 404 would be the end of a session.
            assert_eq!(fault(&body, &later), (200, METHOD_NOT_FOUND, Some("7".into())), "{gone}");
            assert_eq!(fault(&body, &none).0, 200, "{gone}");
        }
        assert_eq!(fault(&rpc("tools/call", json!({})), &later), (400, INVALID_PARAMS, Some("7".into())));
        assert_eq!(fault(&rpc("tools/list", json!({ "cursor": 7 })), &later).1, INVALID_PARAMS);
    }

    #[test]
    fn answers_to_requests_of_ours() {
        let read = |body: &str| match read(body, &Headers::default()) {
            Ok(Message::Response(Response { id, result })) => (id, result.map(|raw| raw.get().to_owned())),
            other => panic!("{other:?}"),
        };
        let text = r#"{"n":9007199254740993}"#;
        assert_eq!(
            read(&format!(r#"{{"jsonrpc":"2.0","id":"a.1","result":{text}}}"#)),
            ("a.1".into(), Some(text.into()))
        );
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}}"#), ("a".into(), None));
    }

    #[test]
    fn which_log_messages_a_client_wants() {
        let set = |level: Value| match asked(&rpc("logging/setLevel", json!({ "level": level })), &Headers::default()) {
            Request { method: Method::SetLevel(level), .. } => level,
            other => panic!("{other:?}"),
        };
        assert_eq!((set(json!("debug")), set(json!("emergency"))), (LogLevel::Debug, LogLevel::Emergency));
        for wrong in [json!({ "level": "loud" }), json!({ "level": 7 }), json!({})] {
            let body = rpc("logging/setLevel", wrong);
            assert_eq!(fault(&body, &Headers::default()).1, INVALID_PARAMS, "{body}");
        }
        let call = |level: Value, meta: Value| {
            let mut meta = meta;
            meta[LOG_LEVEL] = level;
            rpc("tools/call", json!({ "name": "t", "_meta": meta }))
        };
        let read = |body: &str, headers: &Headers| match asked(body, headers).method {
            Method::CallTool(call) => call.log_level,
            other => panic!("{other:?}"),
        };
        let (modern, headers) = (meta(MODERN, json!({})), headers(MODERN, "tools/call", Some("t")));
        assert_eq!(read(&call(json!("warning"), modern.clone()), &headers), Some(LogLevel::Warning));
        assert_eq!(fault(&call(json!("loud"), modern), &headers).1, INVALID_PARAMS);
        assert_eq!(read(&call(json!("debug"), json!({})), &Headers::default()), None, "an older client sets it once");
    }
}

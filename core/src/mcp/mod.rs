//! The Model Context Protocol, both eras on one URL: what a client's message says, and what it is answered. Of a client
//! nothing is remembered between requests but the level of log messages that a session has set ([`LevelCommand`]): what an
//! older client declared once travels with it, under our MAC ([`Sessions`]).
//!
//! Sources: the specification's revisions 2026-07-28 ("modern": version and capabilities in each request) and 2025-11-25
//! ("legacy": an `initialize` first), with its Tasks extension. A message is read from its body; the headers that mirror
//! it are compared with the body and never believed.

mod answers;
mod asking;
mod capabilities;
mod input;
mod interrupted;
mod levels;
mod log;
mod mirrors;
mod progress;
mod read;
mod results;
mod session;
mod state;
mod status;
mod tasks;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

pub use answers::{
    Answer, acknowledged, answer, discover, empty, failure, initialized, list_changed, listened, page, taken, tool_list,
};
pub use asking::{answer_to, not_asked, requests, withdrawn};
pub use capabilities::Capability;
pub use input::{input_of, is_question, no_answer, question_result};
pub use interrupted::{Next, after_failure, last_seen};
pub use levels::{LevelCommand, level_step, levels_end, levels_object};
pub use log::{LogLevel, log_message};
pub use mirrors::{Age, Rules, age, check_mirrors, is_header_name, may_mirror, mirrors};
pub use progress::{ASKED, progress};
pub use read::{Headers, read};
pub use results::{Waits, approval_status, call_result, refused_result, waits_for_input};
pub use session::{Asked, Session, Sessions, Standing, has_session};
pub use state::{Bound, Carried, RequestStates};
pub use status::{asked_of, status_tool};
pub use tasks::{answers, created_task, needs_tasks, task};

/// The revisions that are spoken here, the newest first.
pub const MODERN: &str = "2026-07-28";
/// Those that begin with `initialize`, the newest first.
pub const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// The Tasks extension.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";
/// The tool that every agent has at this door: how a parked call stands.
pub const STATUS_TOOL: &str = "toolgate_approval_status";

/// The era of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28.
    Modern,
    /// Before it.
    Legacy,
}

/// What a client can do, as it says in the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// It follows tasks.
    pub tasks: bool,
    /// What it can be asked for.
    pub answers: Vec<Capability>,
}

impl Client {
    /// Can it be asked for this?
    pub fn can(&self, capability: Capability) -> bool {
        self.answers.contains(&capability)
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// JSON text, repeated in the answer; a string or a whole number.
    pub id: String,
    /// How it is answered.
    pub era: Era,
    /// What the client can do.
    pub client: Client,
    /// The session that it belongs to, once the door has opened it.
    pub session: Option<Session>,
    /// What is asked.
    pub method: Method,
}

/// A message.
#[derive(Clone, Debug)]
pub enum Message {
    /// To be answered.
    Request(Box<Request>),
    /// To be taken: 202.
    Notification,
    /// A client's answer to a request of ours.
    Response(Response),
}

/// What a client answers to a request of ours.
#[derive(Clone, Debug)]
pub struct Response {
    /// The id of that request.
    pub id: String,
    /// Its result; none where the client answered with an error.
    pub result: Option<Box<RawValue>>,
}

impl Request {
    /// The same, in a session: what the client said when that began counts.
    pub fn within(mut self, session: Option<Session>) -> Request {
        if let Some(session) = &session {
            self.client.answers.clone_from(&session.answers);
        }
        self.session = session;
        self
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Method {
    /// `server/discover`
    Discover,
    /// `initialize`
    Initialize(Initialize),
    /// `ping`
    Ping,
    /// `logging/setLevel`
    SetLevel(LogLevel),
    /// `tools/list`, from a cursor.
    ListTools(Option<String>),
    /// `tools/call`
    CallTool(CallTool),
    /// `tasks/get`
    GetTask(String),
    /// `tasks/update`
    UpdateTask(UpdateTask),
    /// `tasks/cancel`
    CancelTask(String),
    /// `subscriptions/listen`
    Listen(Listen),
}

/// How a client before 2026-07-28 begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initialize {
    /// The revision that it would like.
    pub version: String,
    /// What it can be asked for.
    pub answers: Vec<Capability>,
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallTool {
    /// The tool.
    pub name: String,
    /// The arguments, as they were sent.
    pub arguments: Option<Box<RawValue>>,
    /// What the client answers to an `input_required` answer.
    pub input_responses: Option<Box<RawValue>>,
    /// What that had given for the repeat.
    pub request_state: Option<String>,
    /// JSON text of the name under which the client wants to hear how it gets on.
    pub progress_token: Option<String>,
    /// From which level on the client wants to hear log messages of this call.
    pub log_level: Option<LogLevel>,
    /// Arguments that the client mirrors into headers, by what follows `Mcp-Param-` in lower case.
    pub headers: BTreeMap<String, String>,
}

/// A client's answers to what the tool of a task asks.
#[derive(Clone, Debug)]
pub struct UpdateTask {
    /// The task.
    pub task: String,
    /// By the keys that the task gave.
    pub responses: Box<RawValue>,
}

/// What a subscription is to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen {
    /// Changes of the list of tools.
    pub tools: bool,
}

/// A refusal of the protocol: an HTTP status and a JSON-RPC error.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// JSON text of the request's id, where it could be read.
    pub id: Option<String>,
    /// HTTP status.
    pub status: u16,
    /// JSON-RPC code.
    pub code: i32,
    /// What was wrong, and what is right.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

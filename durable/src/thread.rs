//! The shell of the objects that keep conversations: of one run, of one person's threads with an agent, or of one person's
//! sessions with an agent at the MCP door.

use toolgate_core::chat::threads;
use toolgate_core::mcp::{LevelCommand, level_step, levels_end};
use toolgate_core::problem::Problem;
use toolgate_core::run::{Command, Effects, step};
use toolgate_core::sql_port::StoreError;
use worker::{
    DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, console_error,
    durable_object,
};

use crate::sql::{ObjectSql, transaction};
use crate::{alarm, answers, clock};

/// The path of what is asked about threads.
pub const CHAT: &str = "/chat";
/// The path of what is asked about sessions at the MCP door.
pub const MCP: &str = "/mcp";
/// A run that could not be swept is looked at again after this.
const SWEEP_AGAIN_SECONDS: u64 = 3_600;

/// The object of one run, of one person's threads with an agent, or of one person's sessions with an agent at the MCP door.
#[durable_object]
pub struct Thread {
    state: State,
    sql: ObjectSql,
}

impl DurableObject for Thread {
    fn new(state: State, _env: Env) -> Self {
        console_error_panic_hook::set_once();
        let sql = ObjectSql::new(&state.storage());
        Thread { state, sql }
    }

    #[expect(clippy::disallowed_methods, reason = "the edge read it under a cap and wrote it anew")]
    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let text = request.text().await?;
        match request.path().as_str() {
            CHAT => return self.chat(&text),
            MCP => return self.level(&text).await,
            _ => {}
        }
        let reply = match serde_json::from_str::<Command>(&text) {
            Ok(command) => self.step(command).await.map(|effects| effects.reply),
            Err(error) => {
                console_error!("an internal message does not parse: {error}");
                Err(Problem::storage())
            }
        };
        match reply {
            Ok(reply) => answers::thread(&reply),
            Err(problem) => answers::refusal(&problem),
        }
    }

    async fn alarm(&self) -> Result<Response> {
        match (levels_end(&self.sql), self.step(Command::Tick).await) {
            // An alarm that fails is run again by the platform.
            (Ok(Some(end)), _) if clock::now() < end => alarm::arm_at(&self.state.storage(), end).await?,
            (Ok(Some(_)), _) | (_, Ok(Effects { forget: true, .. })) => {
                if let Err(error) = self.state.storage().delete_all().await {
                    console_error!("a conversation could not be forgotten: {error}");
                    self.sweep_again().await;
                }
            }
            (Ok(None), Ok(_)) => {}
            (Err(_), _) | (_, Err(_)) => self.sweep_again().await,
        }
        Response::empty()
    }

    /// No socket is accepted by this version; a stray one is closed rather than left to panic.
    async fn websocket_message(&self, ws: WebSocket, _message: WebSocketIncomingMessage) -> Result<()> {
        ws.close(Some(1003), Some("not supported"))
    }

    async fn websocket_close(&self, _ws: WebSocket, _code: usize, _reason: String, _was_clean: bool) -> Result<()> {
        Ok(())
    }

    async fn websocket_error(&self, _ws: WebSocket, _error: worker::Error) -> Result<()> {
        Ok(())
    }
}

impl Thread {
    fn chat(&self, text: &str) -> Result<Response> {
        let now = clock::now();
        let done = serde_json::from_str::<threads::Command>(text)
            .map_err(|error| StoreError::Failed(format!("an internal message does not parse: {error}")))
            .and_then(|command| transaction(&self.state.storage(), || threads::step(&self.sql, command.clone(), now)));
        match done {
            Ok(reply) => answers::thread(&reply),
            Err(error) => {
                console_error!("a step was undone: {}", error);
                answers::refusal(&Problem::storage())
            }
        }
    }

    async fn level(&self, text: &str) -> Result<Response> {
        let now = clock::now();
        let done = serde_json::from_str::<LevelCommand>(text)
            .map_err(|error| StoreError::Failed(format!("an internal message does not parse: {error}")))
            .and_then(|command| {
                let step = || Ok((level_step(&self.sql, &command, now)?, levels_end(&self.sql)?));
                let (level, end) = transaction(&self.state.storage(), step)?;
                Ok((level, end.filter(|_| matches!(command, LevelCommand::Set(..)))))
            });
        let (level, end) = match done {
            Ok(done) => done,
            Err(error) => {
                console_error!("a step was undone: {}", error);
                return answers::refusal(&Problem::storage());
            }
        };
        if let Some(end) = end
            && let Err(error) = alarm::arm_at(&self.state.storage(), end).await
        {
            console_error!("the alarm could not be set: {error}");
            // The client sets its level again, and with it the end of this object.
            return answers::refusal(&Problem::storage());
        }
        answers::thread(&level)
    }

    async fn sweep_again(&self) {
        drop(alarm::arm_at(&self.state.storage(), clock::now().plus_seconds(SWEEP_AGAIN_SECONDS)).await);
    }

    async fn step(&self, command: Command) -> std::result::Result<Effects, Problem> {
        let (mut command, now) = (Some(command), clock::now());
        let done = transaction(&self.state.storage(), || match command.take() {
            Some(command) => step(&self.sql, command, now),
            None => Err(StoreError::Failed("a step ran twice".into())),
        });
        let effects = done.map_err(|error| {
            console_error!("a step was undone: {}", error);
            Problem::storage()
        })?;
        if let Some(at) = effects.alarm
            && let Err(error) = alarm::arm_at(&self.state.storage(), at).await
        {
            console_error!("the alarm could not be set: {error}");
        }
        Ok(effects)
    }
}

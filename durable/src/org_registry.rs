//! The shell of an org's registry.

use std::rc::Rc;

use futures_util::future::{join, join_all};

use toolgate_core::keys::KeyRing;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::{Push, VERSION};
use toolgate_core::registry::{Command, Effects, Envelope, Notice, Registry, SCHEMA};
use toolgate_core::sql_port::{Sql as _, StoreError};
use toolgate_protocol::limits::PUSH_SECONDS;
use worker::{
    DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, console_error,
    durable_object,
};

use crate::sql::{ObjectSql, transaction};
use crate::{alarm, answers, clock, reach};

/// The object of one org.
#[durable_object]
pub struct OrgRegistry(Rc<Shell>);

struct Shell {
    state: State,
    env: Env,
    sql: ObjectSql,
    /// Or why the object cannot start: answered as 503, never as a panic.
    registry: std::result::Result<Registry, String>,
}

impl DurableObject for OrgRegistry {
    fn new(state: State, env: Env) -> Self {
        console_error_panic_hook::set_once();
        let sql = ObjectSql::new(&state.storage());
        let create = || SCHEMA.iter().try_for_each(|statement| sql.exec(statement, &[]).map(|_| ()));
        let start = crate::master_key(&env).and_then(|key| create().map(|()| key).map_err(|error| error.to_string()));
        let registry = start.map(|key| Registry { ring: KeyRing::new(&key) });
        OrgRegistry(Rc::new(Shell { state, env, sql, registry }))
    }

    #[expect(clippy::disallowed_methods, reason = "the edge read it under a cap and wrote it anew")]
    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let text = request.text().await?;
        let answer = match serde_json::from_str::<Envelope>(&text) {
            Ok(envelope) => self.0.answer(envelope).await,
            Err(error) => {
                console_error!("an internal message does not parse: {error}");
                Err(Problem::storage())
            }
        };
        answer.or_else(|problem| answers::refusal(&problem))
    }

    async fn alarm(&self) -> Result<Response> {
        let tick = Envelope { v: VERSION, org: String::new(), who: None, command: Command::Tick };
        match self.0.step(tick).await {
            Ok(Effects { pushes, notices, .. }) => {
                drop(join(self.0.push_all(pushes), self.0.notify_all(notices)).await)
            }
            Err(_) => drop(alarm::arm_at(&self.0.state.storage(), clock::now().plus_seconds(PUSH_SECONDS)).await),
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

impl Shell {
    async fn answer(self: &Rc<Self>, envelope: Envelope) -> std::result::Result<Response, Problem> {
        // A person's change is everywhere when its answer arrives; what pools tell is pushed on meanwhile.
        let waits = envelope.who.is_some();
        let effects = self.step(envelope).await?;
        let lagging = if waits {
            self.push_all(effects.pushes).await
        } else {
            let shell = Rc::clone(self);
            self.state.wait_until(async move { drop(shell.push_all(effects.pushes).await) });
            Vec::new()
        };
        answers::registry(effects.reply, &lagging).map_err(|_| Problem::storage())
    }

    async fn step(&self, envelope: Envelope) -> std::result::Result<Effects, Problem> {
        let registry = self.registry.as_ref().map_err(|why| {
            console_error!("an org's object cannot start: {why}");
            Problem::storage()
        })?;
        let mut envelope = Some(self.with_org(envelope));
        let (now, entropy) = (clock::now(), clock::entropy().map_err(|_| Problem::storage())?);
        let done = transaction(&self.state.storage(), || match envelope.take() {
            Some(envelope) => registry.step(&self.sql, envelope, now, entropy),
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

    /// The alarm knows no org; storage does.
    fn with_org(&self, mut envelope: Envelope) -> Envelope {
        if envelope.org.is_empty()
            && let Ok(Some(org)) = toolgate_core::registry::org_of(&self.sql)
        {
            envelope.org = org;
        }
        envelope
    }

    /// Pushes to all pools at once; the names of those that have not stored it within five seconds.
    async fn push_all(&self, pushes: Vec<Push>) -> Vec<String> {
        let lagging = join_all(pushes.into_iter().map(|push| self.push(push))).await;
        lagging.into_iter().flatten().collect()
    }

    /// Gives the edge what is to be sent. What does not arrive is tried again when its lease has lapsed.
    async fn notify_all(&self, notices: Vec<Notice>) {
        let sent = notices.iter().map(|notice| async move {
            let sent = Box::pin(reach::notify(&self.env, notice));
            match clock::within(PUSH_SECONDS, sent).await {
                Some(Ok(())) => {}
                Some(Err(error)) => console_error!("the edge could not be given a notice: {error}"),
                None => console_error!("the edge did not take a notice in {PUSH_SECONDS} s"),
            }
        });
        join_all(sent).await;
    }

    async fn push(&self, push: Push) -> Option<String> {
        let (pool, version) = (push.place.pool.clone(), push.snapshot.version);
        let sent = Box::pin(reach::push(&self.env, &push));
        match clock::within(PUSH_SECONDS, sent).await {
            Some(Ok(true)) => {
                let command = Command::Stored { pool, version };
                let stored = Envelope { v: VERSION, org: push.place.org.clone(), who: None, command };
                let _ = self.step(stored).await;
                None
            }
            Some(Ok(false)) | None => Some(pool),
            Some(Err(error)) => {
                console_error!("a pool could not be given its policy: {error}");
                Some(pool)
            }
        }
    }
}

//! The shell of a data set's object: one for each org and data set that ships.
//!
//! Of an org's own, because an object is single-threaded: whoever asks for much stands in nobody else's way. It keeps
//! nothing but the data. That is stored at first use in one transaction, and each question runs in a transaction that is
//! undone whatever it came to, so nothing that is asked can change it.

use toolgate_core::builtin::data::{Answer, Ask, Envelope, Shipped, schema_of, shipped};
use toolgate_core::builtin::sql::ask_all;
use toolgate_core::builtin::{Fault, no_dataset};
use toolgate_core::queue::messages::VERSION;
use worker::{
    DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, console_error,
    durable_object,
};

use crate::sql::{ObjectSql, transaction, undone};

/// The object of one data set of one org.
#[durable_object]
pub struct Dataset {
    state: State,
    sql: ObjectSql,
}

impl DurableObject for Dataset {
    fn new(state: State, _env: Env) -> Self {
        console_error_panic_hook::set_once();
        let sql = ObjectSql::new(&state.storage());
        Dataset { state, sql }
    }

    #[expect(clippy::disallowed_methods, reason = "the edge wrote it, from arguments that were read under a cap")]
    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let text = request.text().await?;
        match serde_json::from_str::<Envelope>(&text) {
            Ok(Envelope { v: VERSION, dataset, ask }) => match self.answer(&dataset, &ask) {
                Ok(answer) => Response::from_json(&answer),
                Err(why) => {
                    console_error!("the data set {dataset} cannot be read: {why}");
                    Response::error("storage", 503)
                }
            },
            // A deploy is under way: the call is tried again.
            _ => Response::error("version", 503),
        }
    }

    async fn alarm(&self) -> Result<Response> {
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

impl Dataset {
    fn answer(&self, name: &str, ask: &Ask) -> std::result::Result<Answer, String> {
        let Some(shipped) = shipped(name) else { return Ok(fault(no_dataset(name))) };
        self.make(&shipped)?;
        let before = self.sql.rows_written();
        let said = undone(&self.state.storage(), || {
            let rows = |statement: &str| self.sql.table(statement);
            match ask {
                Ask::Schema => schema_of(name, shipped.bounds(), rows),
                Ask::Query(query) => ask_all(query, shipped.bounds(), rows),
            }
        })?;
        if self.sql.rows_written() != before {
            return Err("a query wrote rows; they were undone".to_owned());
        }
        Ok(match said {
            Ok(text) => Answer::Text(text),
            Err(why) => fault(why),
        })
    }

    /// Stores the data, unless it is there.
    fn make(&self, shipped: &Shipped) -> std::result::Result<(), String> {
        transaction(&self.state.storage(), || match shipped.is_there(&self.sql)? {
            true => Ok(()),
            false => shipped.store(&self.sql),
        })
        .map_err(|error| error.to_string())
    }
}

fn fault(Fault { code, message }: Fault) -> Answer {
    Answer::Fault { code: code.to_owned(), message }
}

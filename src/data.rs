//! Data sets: where one is, and asking it.
//!
//! Those that ship are objects of the org. Any other is a D1 database that the operator has bound as `DATA_<NAME>`, for the
//! orgs that `DATA_<NAME>_ORGS` lists: a binding alone is nobody's, because a gateway serves many orgs.

use serde::de::DeserializeOwned;
use toolgate_core::builtin::data::{Answer, Ask, Envelope, SchemaRun, shipped};
use toolgate_core::builtin::sql::{Bounds, Next, Run, Table, is_transient, too_slow};
use toolgate_core::builtin::{Fault, no_dataset};
use toolgate_core::queue::messages::VERSION;
use toolgate_durable::names::DATASET;
use toolgate_durable::{Database, post};
use toolgate_protocol::limits::SQL_SECONDS_MAX;
use worker::{Env, Response};

/// Why a data set gave no answer.
pub enum Unread {
    /// What the model is told.
    Fault(Fault),
    /// It could not be asked now.
    Unreachable(String),
}

/// Asks a data set of an org; JSON text.
pub async fn ask(env: &Env, org: &str, name: &str, ask: Ask) -> Result<String, Unread> {
    if shipped(name).is_some() {
        return ask_object(env, org, name, ask).await;
    }
    match database(env, org, name) {
        Some(database) => {
            let answer = Box::pin(ask_database(&database, name, ask));
            let deadline = toolgate_durable::now().plus_seconds(SQL_SECONDS_MAX);
            let answered = toolgate_durable::before(deadline, answer).await;
            answered.unwrap_or_else(|| Err(Unread::Fault(too_slow())))
        }
        None => Err(Unread::Fault(no_dataset(name))),
    }
}

/// Whether an org has a data set of this name.
pub fn exists(env: &Env, org: &str, name: &str) -> bool {
    shipped(name).is_some() || database(env, org, name).is_some()
}

async fn ask_object(env: &Env, org: &str, name: &str, ask: Ask) -> Result<String, Unread> {
    let asked = async {
        let stub = env.durable_object(DATASET)?.get_by_name(&format!("{org}/{name}"))?;
        let mut answer = post(&stub, "/", &Envelope { v: VERSION, dataset: name.to_owned(), ask }).await?;
        match answer.status_code() {
            200 => read::<Answer>(&mut answer).await,
            status => Err(worker::Error::RustError(format!("it answered {status}"))),
        }
    };
    match asked.await {
        Ok(Answer::Text(text)) => Ok(text),
        Ok(Answer::Fault { code, message }) => Err(Unread::Fault(Fault::new(known(&code), message))),
        Err(error) => Err(Unread::Unreachable(error.to_string())),
    }
}

async fn read<T: DeserializeOwned>(answer: &mut Response) -> worker::Result<T> {
    answer.json().await
}

/// The codes that an object answers with.
fn known(code: &str) -> &'static str {
    ["query_refused", "query_failed", "no_dataset"].into_iter().find(|known| *known == code).unwrap_or("query_failed")
}

/// The database of this name, when it is bound for this org.
fn database(env: &Env, org: &str, name: &str) -> Option<Database> {
    let binding = format!("DATA_{}", name.replace('-', "_").to_ascii_uppercase());
    let orgs = env.var(&format!("{binding}_ORGS")).ok()?.to_string();
    let listed = orgs.split([' ', ',']).any(|listed| listed == org);
    listed.then(|| Database::bound(env, &binding)).flatten()
}

/// Asks a database, statement by statement, under the same guard. What it may cost is not known before: it is waited for
/// [`SQL_SECONDS_MAX`], and D1 ends a query of its own accord.
async fn ask_database(database: &Database, name: &str, ask: Ask) -> Result<String, Unread> {
    let bounds = Bounds { known: None };
    let (mut asking, mut statement) = match ask {
        Ask::Schema => {
            let (run, first) = SchemaRun::start(name, bounds);
            (Asking::Schema(run), first)
        }
        Ask::Query(query) => {
            let (run, first) = Run::start(&query, bounds).map_err(Unread::Fault)?;
            (Asking::Query(run), first)
        }
    };
    loop {
        let answer = database.table(&statement).await;
        if let Err(words) = &answer
            && is_transient(words)
        {
            return Err(Unread::Unreachable(words.clone()));
        }
        match asking.take(answer).map_err(Unread::Fault)? {
            Next::Ask(next) => statement = next,
            Next::Done(text) => return Ok(text),
        }
    }
}

enum Asking {
    Schema(SchemaRun),
    Query(Run),
}

impl Asking {
    fn take(&mut self, answer: Result<Table, String>) -> Result<Next, Fault> {
        match self {
            Asking::Schema(run) => run.take(answer),
            Asking::Query(run) => run.take(answer),
        }
    }
}

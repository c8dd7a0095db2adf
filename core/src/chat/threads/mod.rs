//! The threads of one person with one agent, in one object: what is kept, and one step at a time.
//!
//! A run holds its thread by a lease, and writes what it worked out under it. A lease that lapsed means that the run
//! died: the next one takes up what it left.

mod offers;
mod sql;
mod steps;

use serde::{Deserialize, Serialize};

use super::input::InMessage;
use super::transcript::{Item, News, Summary};
use crate::hash::sha256_hex;
use crate::principal::Principal;
use crate::problem::Problem;
use crate::time::UnixMillis;

pub use offers::KeptOffer;
pub use steps::step;

/// The name of the object that keeps a person's threads with an agent.
pub fn object_name(org: &str, agent: &str, principal: &Principal) -> String {
    let person = sha256_hex(serde_json::json!([principal.tenant_id, principal.id]).to_string().as_bytes());
    format!("chat/{org}/{agent}/{person}")
}

/// A thread without its items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Its id.
    pub thread: String,
    /// What a list shows.
    pub title: String,
    /// When it began.
    pub created_at: UnixMillis,
    /// When something last happened in it.
    pub updated_at: UnixMillis,
    /// Client rounds since the person's last message.
    pub rounds: u64,
    /// Offers so far.
    pub turns: u64,
    /// Tools offered so far, in their order.
    pub offered: Vec<String>,
    /// What its items come to.
    pub summary: Summary,
    /// The run that holds it.
    pub lease: Option<Lease>,
}

/// A run's hold of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Fresh for each run.
    pub token: String,
    /// It lapses then.
    pub until: UnixMillis,
}

/// What is asked of the object. The edge has checked the key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Threads, newest first.
    List {
        /// At most so many.
        limit: usize,
        /// Those behind this one.
        cursor: Option<String>,
    },
    /// A thread with its items.
    Read(String),
    /// Another title.
    Rename {
        /// The thread.
        thread: String,
        /// The title.
        title: String,
    },
    /// Forget a thread.
    Delete(String),
    /// A run begins.
    Begin(Begin),
    /// A run writes, and goes on.
    Write(Write),
}

/// A run begins: it takes the thread, and what is new in what its client sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// The thread.
    pub thread: String,
    /// The run's hold of it.
    pub token: String,
    /// What may be new.
    pub messages: Vec<InMessage>,
}

/// What a run changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Write {
    /// The thread.
    pub thread: String,
    /// The run's hold of it.
    pub token: String,
    /// Items by their place.
    pub items: Vec<(usize, Item)>,
    /// What the items come to now; absent when none changed.
    pub summary: Option<Summary>,
    /// Tools offered from now on as well, when an offer was made.
    pub offered: Option<Vec<String>>,
    /// That offer, for who reads the thread.
    #[serde(default)]
    pub offer: Option<KeptOffer>,
    /// The run is over.
    pub release: bool,
}

/// What the object answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// Threads.
    Threads {
        /// Newest first.
        heads: Vec<Head>,
        /// Behind which there are more.
        next: Option<String>,
    },
    /// A thread.
    Thread(Box<Kept>),
    /// A thread without its items.
    Head(Box<Head>),
    /// There is no such thread.
    Absent,
    /// It is as asked.
    Done,
    /// The run does not hold the thread any more.
    LeaseLost,
    /// A run began.
    Begun(Box<Kept>, News),
    /// Nothing was changed.
    Refused(Problem),
}

/// A thread with its items.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The thread.
    pub head: Head,
    /// In order.
    pub items: Vec<Item>,
    /// The last offer; only who reads a thread is told it.
    #[serde(default)]
    pub offer: Option<KeptOffer>,
}

impl Head {
    /// Whether a run holds it.
    pub fn is_held(&self, now: UnixMillis) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.until > now)
    }
}

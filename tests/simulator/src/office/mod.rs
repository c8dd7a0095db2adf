//! The org's registry beside the pool: it is told what stands in the pool's outbox, gathers notices and hands them to
//! the edge. It is the real one over a real SQLite; its shell is evicted and killed between commit and effects, its
//! storage fails, its alarm is late or rings twice, what it is told is lost, repeated or late. `books.rs` knows what
//! must become of each event, `receivers.rs` has the edge, the receivers and the admin.
//!
//! It shares the clock of the world and draws from a generator of its own: what happens here must change nothing in the
//! pool but when its outbox was told, which is what a comparison with a world without notifications shows. The policy of
//! the pool stays the world's own (`truth.rs`).

mod books;
mod ends;
mod receivers;
mod storage;

use serde_json::{Value, json};
use toolgate_core::ids::Place;
use toolgate_core::keys::{Identity, KeyRing};
use toolgate_core::queue::messages::{PoolBatch, PoolMessage, VERSION};
use toolgate_core::registry::{Answer, Command, Effects, Envelope, NoticeReport, Page, Registry};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::ApprovalView;

use crate::bugs::Bug;
use crate::checks::Checked;
use crate::org::MASTER;
use crate::port::Sqlite;
use crate::random::Random;
use books::Books;
use receivers::{ALL, Post, Receivers};
use storage::Rough;

/// A request that is older has ended with whoever sent it.
const REQUEST_SECONDS: u64 = 600;
/// More alarms than it takes to give everything up.
const ALARMS_MAX: usize = 20_000;

pub struct Office {
    /// What must become of each event, and what became of it.
    pub books: Books,
    /// Whether anybody wants to hear of approvals.
    pub notifies: bool,
    /// Nothing goes wrong, nobody does anything by himself, and what is due happens at once.
    is_calm: bool,
    random: Random,
    now: UnixMillis,
    registry: Registry,
    sql: Sqlite,
    admin: Option<Identity>,
    alarm: Option<UnixMillis>,
    receivers: Receivers,
    /// At the edge.
    posts: Vec<Post>,
    /// On their way from the edge.
    reports: Vec<NoticeReport>,
    /// On their way from the pool, which has given up waiting for the answer.
    late: Vec<(UnixMillis, PoolBatch)>,
    bug: Option<Bug>,
}

impl Office {
    pub fn new(seed: u64, now: UnixMillis, bug: Option<Bug>) -> Office {
        let mut office = Office {
            books: Books::default(),
            notifies: true,
            is_calm: false,
            random: Random::new(!seed),
            now,
            registry: Registry { ring: KeyRing::new(MASTER) },
            sql: Sqlite::registry(),
            admin: None,
            alarm: None,
            receivers: Receivers::default(),
            posts: Vec::new(),
            reports: Vec::new(),
            late: Vec::new(),
            bug,
        };
        let made = office.step(Command::CreateOrg, None).expect("storage").expect("no fault").reply;
        let Ok(Answer::Body(201, made)) = made else { panic!("no org: {made:?}") };
        office.admin = KeyRing::new(MASTER).verify(made["admin_key"].as_str().expect("a key"), now).ok();
        let pool = serde_json::from_value(json!({ "transport": "worker" })).expect("json");
        let made = office.step(Command::PutPool("shop".into(), pool), None).expect("storage").expect("no fault").reply;
        assert!(made.is_ok(), "no pool: {made:?}");
        office
    }

    /// On a good day, with one notification of everything.
    pub fn calm(now: UnixMillis) -> Office {
        let mut office = Office { is_calm: true, ..Office::new(0, now, None) };
        office.write("ops".into(), ALL, "https://hooks.example.com/".into()).expect("a notification");
        office
    }

    /// One command in one transaction; `None` when the storage failed at the chosen operation, and all is as before.
    fn step(&mut self, command: Command, fails_after: Option<usize>) -> Result<Option<Effects>, String> {
        let of_a_person = !matches!(
            command,
            Command::Batch(_) | Command::NoticeReport(_) | Command::Tick | Command::CreateOrg | Command::PutPool(..)
        );
        let who = self.admin.clone().filter(|_| of_a_person);
        let is_a_lie =
            self.bug == Some(Bug::TellsBeforeItIsStored) && matches!(command, Command::Batch(_)) && self.chance(100);
        let entropy = self.random.bytes();
        let envelope = Envelope { v: VERSION, org: "acme".into(), who, command };
        self.transaction("BEGIN")?;
        let effects = self.registry.step(&Rough::new(&self.sql, fails_after, self.bug), envelope, self.now, entropy);
        self.transaction(if effects.is_ok() && !is_a_lie { "COMMIT" } else { "ROLLBACK" })?;
        match effects {
            Ok(effects) => {
                let forgets = self.bug == Some(Bug::ForgetsItsAlarm) && self.chance(100);
                self.alarm = effects.alarm.filter(|_| !forgets).or(self.alarm);
                let entries = self.entries()?;
                self.books.audit(&entries, self.now)?;
                Ok(Some(effects))
            }
            Err(_) if fails_after.is_some() => Ok(None),
            Err(error) => Err(format!("the registry's storage failed by itself: {error}")),
        }
    }

    fn transaction(&self, word: &str) -> Checked {
        self.sql.0.execute_batch(word).map_err(|error| error.to_string())
    }

    /// Whether something goes wrong that does so this often in a thousand.
    fn chance(&mut self, in_thousand: usize) -> bool {
        !self.is_calm && self.random.chance(in_thousand)
    }

    /// Where a step's storage fails, now and then.
    fn fault(&mut self) -> Option<usize> {
        self.chance(20).then(|| self.random.below(30))
    }

    /// What the pool tells arrives, and so does the answer; false when the pool is to tell it again.
    pub fn hear(&mut self, messages: Vec<(u64, PoolMessage)>, now: UnixMillis) -> Result<bool, String> {
        self.now = now;
        if self.bug == Some(Bug::NoticesHoldUpTheOutbox) && self.books.is_under_way() {
            return Ok(false);
        }
        self.take(batch(messages), None)
    }

    /// It does not arrive, or its answer does not, or it comes late, or the storage fails: the pool tells it again.
    pub fn hear_in_vain(&mut self, messages: Vec<(u64, PoolMessage)>, now: UnixMillis) -> Checked {
        self.now = now;
        match self.random.below(4) {
            0 => {}
            1 => drop(self.take(batch(messages), None)?),
            2 => {
                let fails_after = Some(self.random.below(40));
                self.take(batch(messages), fails_after)?;
            }
            _ => self.late.push((now, batch(messages))),
        }
        Ok(())
    }

    fn take(&mut self, told: PoolBatch, fails_after: Option<usize>) -> Result<bool, String> {
        let Some(effects) = self.step(Command::Batch(told.clone()), fails_after)? else { return Ok(false) };
        if !matches!(effects.reply, Ok(Answer::Done)) || !effects.notices.is_empty() {
            return Err(format!("1: what a pool told was answered by {:?}", effects.reply));
        }
        self.books.heard(&told, self.now);
        self.check()?;
        Ok(true)
    }

    /// What happens by itself in the time up to now.
    pub fn go_on(&mut self, now: UnixMillis) -> Checked {
        self.now = now;
        if self.is_calm {
            return self.settle();
        }
        if self.alarm.is_some_and(|at| at <= now) && !self.chance(200) {
            self.ring()?;
            if self.chance(30) {
                self.ring()?;
            }
        }
        match self.random.below(1_000) {
            0..400 => self.post_arrives()?,
            400..700 => self.report_arrives()?,
            700..704 => self.admin_acts()?,
            704..706 => self.receivers.change(&mut self.random),
            706..726 if !self.late.is_empty() => {
                let at = self.random.below(self.late.len());
                let (sent, told) = self.late.swap_remove(at);
                if now < sent.plus_seconds(REQUEST_SECONDS) {
                    self.take(told, None)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What is due now, to its end.
    fn settle(&mut self) -> Checked {
        while self.alarm.is_some_and(|at| at <= self.now) {
            self.ring()?;
            self.empty_the_edge()?;
        }
        Ok(())
    }

    /// All that is at the edge, or comes from there, arrives.
    fn empty_the_edge(&mut self) -> Checked {
        while !self.posts.is_empty() {
            self.post_arrives()?;
        }
        while !self.reports.is_empty() {
            self.report_arrives()?;
        }
        Ok(())
    }

    fn ring(&mut self) -> Checked {
        self.alarm = None;
        let fails_after = self.fault();
        let Some(effects) = self.step(Command::Tick, fails_after)? else {
            // As the shell does it.
            self.alarm = Some(self.now.plus_seconds(5));
            return Ok(());
        };
        let mut notices = effects.notices;
        if self.bug == Some(Bug::RepeatsOtherWords) {
            notices.iter_mut().filter(|notice| notice.attempt > 1).for_each(|notice| notice.body.push(' '));
        }
        self.books.handed_over(&notices, self.now)?;
        // Killed between commit and effects, all of them are lost; some do not arrive at the edge.
        if !self.chance(20) {
            for notice in notices {
                if !self.chance(40) {
                    self.posts.push(Post { notice, was_read: false });
                }
            }
        }
        self.check()
    }

    /// What every step leaves is what the books say, and something goes on by itself where something waits.
    fn check(&mut self) -> Checked {
        let rows: i64 = self
            .sql
            .0
            .query_row("SELECT count(*) FROM documents WHERE kind = 'notice'", [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        self.books.rows(usize::try_from(rows).unwrap_or(usize::MAX))?;
        self.books.alarm(self.alarm, self.now)?;
        for name in self.books.names() {
            let shown = self.ask(Command::GetNotification(name.clone()))?;
            self.books.shown(&name, &shown)?;
        }
        Ok(())
    }

    /// A question, which changes nothing.
    fn ask(&mut self, command: Command) -> Result<Value, String> {
        let effects = self.step(command, None)?.ok_or("the registry's storage failed by itself")?;
        match effects.reply {
            Ok(Answer::Body(_, body)) => Ok(body),
            Ok(Answer::Text(_, text)) => serde_json::from_str(&text).map_err(|error| error.to_string()),
            other => Err(format!("the admin was answered by {other:?}")),
        }
    }

    /// The audit entries that are new since the last time.
    fn entries(&mut self) -> Result<Vec<String>, String> {
        let mut prepared = self
            .sql
            .0
            .prepare_cached("SELECT number, entry FROM audit WHERE number > ?1 ORDER BY number")
            .map_err(|error| error.to_string())?;
        let rows =
            prepared.query_map([self.books.audited], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)));
        let found: Vec<(i64, String)> =
            rows.and_then(Iterator::collect).map_err(|error: rusqlite::Error| error.to_string())?;
        self.books.audited = found.last().map_or(self.books.audited, |(number, _)| *number);
        Ok(found.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Nobody does anything any more: alarms alone must bring every message to its end.
    pub fn wind_down(&mut self) -> Checked {
        for _ in 0..ALARMS_MAX {
            self.empty_the_edge()?;
            let Some(at) = self.alarm else {
                return self.books.end(self.rows_left()?);
            };
            self.now = self.now.max(at);
            self.ring()?;
        }
        Err("5: messages of notifications never end".into())
    }

    fn rows_left(&self) -> Result<i64, String> {
        let count = "SELECT count(*) FROM documents WHERE kind IN ('notice', 'notice_batch', 'notice_message')";
        self.sql.0.query_row(count, [], |row| row.get(0)).map_err(|error| error.to_string())
    }

    /// The index of approvals, read page by page.
    pub fn index(&mut self) -> Result<Vec<ApprovalView>, String> {
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let body = self.ask(Command::ListApprovals(None, Page { limit: 100, cursor }))?;
            let page: Vec<ApprovalView> =
                serde_json::from_str(&body["approvals"].to_string()).map_err(|error| error.to_string())?;
            found.extend(page);
            cursor = body["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return Ok(found);
            }
        }
    }
}

fn batch(messages: Vec<(u64, PoolMessage)>) -> PoolBatch {
    PoolBatch { v: VERSION, place: Place::of("acme", "shop"), messages }
}

//! One command, inside one transaction.

use toolgate_protocol::limits::{
    CHAT_ITEMS_MAX, CHAT_LEASE_SECONDS, CHAT_THREAD_BYTES_MAX, CHAT_THREADS_MAX, CHAT_TITLE_CHARS,
};
use toolgate_protocol::problems;

use super::{Begin, Command, Head, Kept, KeptOffer, Lease, Reply, Write, sql};
use crate::chat::transcript::{Item, Summary, Transcript};
use crate::problem::Problem;
use crate::sql_port::{Sql, SqlRow, SqlValue, StoreError};
use crate::time::UnixMillis;

/// One command, inside one transaction.
///
/// # Errors
/// When storage does not serve; the step is to be undone.
pub fn step(sql: &dyn Sql, command: Command, now: UnixMillis) -> Result<Reply, StoreError> {
    let store = Store { sql };
    if !store.has("chat_threads")? && !matches!(command, Command::Begin(_)) {
        return Ok(match command {
            Command::List { .. } => Reply::Threads { heads: Vec::new(), next: None },
            _ => Reply::Absent,
        });
    }
    match command {
        Command::List { limit, cursor } => store.list(limit, cursor.as_deref()),
        Command::Read(thread) => Ok(match store.head(&thread)? {
            Some(head) => {
                let (items, offer) = (store.items(&thread)?.0, store.offer(&thread)?);
                Reply::Thread(Box::new(Kept { head, items, offer }))
            }
            None => Reply::Absent,
        }),
        Command::Rename { thread, title } => Ok(match store.head(&thread)? {
            Some(head) => {
                let head = Head { title, ..head };
                store.put_head(&head)?;
                Reply::Head(Box::new(head))
            }
            None => Reply::Absent,
        }),
        Command::Delete(thread) => Ok(match store.head(&thread)? {
            Some(_) => {
                store.sql.exec(sql::DELETE_ITEMS, &[thread.as_str().into()])?;
                if store.has("chat_offers")? {
                    store.sql.exec(sql::DELETE_OFFER, &[thread.as_str().into()])?;
                }
                store.sql.exec(sql::DELETE_HEAD, &[thread.into()])?;
                Reply::Done
            }
            None => Reply::Absent,
        }),
        Command::Begin(begin) => store.begin(begin, now),
        Command::Write(write) => store.write(write, now),
    }
}

struct Store<'a> {
    sql: &'a dyn Sql,
}

impl Store<'_> {
    fn has(&self, table: &str) -> Result<bool, StoreError> {
        Ok(!self.sql.exec(sql::TABLE, &[table.into()])?.is_empty())
    }

    /// One that does not parse is none: it decides nothing.
    fn offer(&self, thread: &str) -> Result<Option<KeptOffer>, StoreError> {
        if !self.has("chat_offers")? {
            return Ok(None);
        }
        let rows = self.sql.exec(sql::GET_OFFER, &[thread.into()])?;
        Ok(rows.first().and_then(|row| serde_json::from_str(text_of(row)?).ok()))
    }

    fn head(&self, thread: &str) -> Result<Option<Head>, StoreError> {
        self.sql.exec(sql::GET_HEAD, &[thread.into()])?.first().map(read_head).transpose()
    }

    fn put_head(&self, head: &Head) -> Result<(), StoreError> {
        let text = written(head)?;
        self.sql.exec(sql::PUT_HEAD, &[head.thread.as_str().into(), head.updated_at.0.into(), text.into()]).map(drop)
    }

    /// The items, and what their text takes.
    fn items(&self, thread: &str) -> Result<(Vec<Item>, usize), StoreError> {
        let rows = self.sql.exec(sql::ITEMS, &[thread.into()])?;
        let bytes =
            rows.iter().filter_map(|row| text_of(row)).fold(0, |sum: usize, text| sum.saturating_add(text.len()));
        let read = |row: &SqlRow| {
            serde_json::from_str(text_of(row).unwrap_or_default())
                .map_err(|error| StoreError::Corrupt(format!("an item of a thread does not parse: {error}")))
        };
        Ok((rows.iter().map(read).collect::<Result<_, _>>()?, bytes))
    }

    fn put_items(&self, thread: &str, items: Vec<(usize, Item)>) -> Result<(), StoreError> {
        for (place, item) in items {
            let place = u64::try_from(place).unwrap_or(u64::MAX);
            self.sql.exec(sql::PUT_ITEM, &[thread.into(), place.into(), written(&item)?.into()])?;
        }
        Ok(())
    }

    fn list(&self, limit: usize, cursor: Option<&str>) -> Result<Reply, StoreError> {
        let most = SqlValue::from(u64::try_from(limit.saturating_add(1)).unwrap_or(u64::MAX));
        let behind = match cursor {
            None => None,
            Some(cursor) => {
                match cursor.split_once('_').and_then(|(at, thread)| Some((at.parse::<u64>().ok()?, thread))) {
                    Some(behind) => Some(behind),
                    None => return Ok(Reply::Refused(Problem::invalid("cursor", "did not come from a list."))),
                }
            }
        };
        let rows = match behind {
            None => self.sql.exec(sql::FIRST, &[most])?,
            Some((at, thread)) => self.sql.exec(sql::BEHIND, &[at.into(), at.into(), thread.into(), most])?,
        };
        let mut heads: Vec<Head> = rows.iter().map(read_head).collect::<Result<_, _>>()?;
        let more = heads.len() > limit;
        heads.truncate(limit);
        let next = heads.last().filter(|_| more).map(|head| format!("{}_{}", head.updated_at.0, head.thread));
        Ok(Reply::Threads { heads, next })
    }

    fn begin(&self, begin: Begin, now: UnixMillis) -> Result<Reply, StoreError> {
        if !self.has("chat_offers")? {
            for statement in sql::SCHEMA {
                self.sql.exec(statement, &[])?;
            }
        }
        let known = self.head(&begin.thread)?;
        if known.as_ref().is_some_and(|head| head.is_held(now)) {
            let detail = "Another run of this thread is under way; wait for its end.";
            return Ok(Reply::Refused(Problem::new(problems::THREAD_BUSY, detail)));
        }
        let (items, bytes) = match &known {
            Some(_) => self.items(&begin.thread)?,
            None => (Vec::new(), 0),
        };
        if let Some(problem) = self.no_room(known.is_some(), items.len(), bytes)? {
            return Ok(Reply::Refused(problem));
        }
        let mut head = known.unwrap_or_else(|| new_head(begin.thread, now));
        let mut transcript = Transcript::new(items);
        let news = match transcript.merge(&begin.messages, &mut head.rounds) {
            Ok(news) => news,
            Err(problem) => return Ok(Reply::Refused(problem)),
        };
        if transcript.items().is_empty() {
            let what = "messages: a new thread begins with a message of its user.";
            return Ok(Reply::Refused(Problem::new(problems::INVALID_RUN_INPUT, what).with("field", "messages")));
        }
        if head.title.is_empty() {
            head.title = title(transcript.items());
        }
        self.put_items(&head.thread, transcript.take_changed())?;
        head.summary = transcript.summary();
        head.updated_at = now;
        head.lease = Some(Lease { token: begin.token, until: now.plus_seconds(CHAT_LEASE_SECONDS) });
        self.put_head(&head)?;
        Ok(Reply::Begun(Box::new(Kept { head, items: transcript.items().to_vec(), offer: None }), news))
    }

    /// A run may take a thread over its limits, by what one run writes; then no further one begins.
    fn no_room(&self, known: bool, items: usize, bytes: usize) -> Result<Option<Problem>, StoreError> {
        if items >= CHAT_ITEMS_MAX || bytes >= CHAT_THREAD_BYTES_MAX {
            let detail = format!(
                "The thread has {items} entries with {bytes} bytes; the limits are {CHAT_ITEMS_MAX} and {CHAT_THREAD_BYTES_MAX}. Begin another one."
            );
            return Ok(Some(Problem::new(problems::THREAD_FULL, detail)));
        }
        let rows = if known { Vec::new() } else { self.sql.exec(sql::COUNT, &[])? };
        let threads = rows.first().and_then(|row| row.first()).and_then(SqlValue::integer).unwrap_or(0);
        if usize::try_from(threads).is_ok_and(|threads| threads >= CHAT_THREADS_MAX) {
            let detail = format!("There are {threads} threads; the limit is {CHAT_THREADS_MAX}. Delete some.");
            return Ok(Some(Problem::new(problems::TOO_MANY_THREADS, detail)));
        }
        Ok(None)
    }

    fn write(&self, write: Write, now: UnixMillis) -> Result<Reply, StoreError> {
        let Some(mut head) = self.head(&write.thread)? else { return Ok(Reply::LeaseLost) };
        if head.lease.as_ref().is_none_or(|lease| lease.token != write.token) {
            return Ok(Reply::LeaseLost);
        }
        self.put_items(&write.thread, write.items)?;
        if let Some(summary) = write.summary {
            head.summary = summary;
            head.updated_at = now;
        }
        if let Some(offered) = write.offered {
            head.turns = head.turns.saturating_add(1);
            head.offered.extend(offered);
        }
        if let Some(offer) = &write.offer
            && self.has("chat_offers")?
        {
            self.sql.exec(sql::PUT_OFFER, &[write.thread.as_str().into(), written(offer)?.into()])?;
        }
        head.lease =
            (!write.release).then(|| Lease { token: write.token, until: now.plus_seconds(CHAT_LEASE_SECONDS) });
        self.put_head(&head)?;
        Ok(Reply::Done)
    }
}

fn new_head(thread: String, now: UnixMillis) -> Head {
    Head {
        thread,
        title: String::new(),
        created_at: now,
        updated_at: now,
        rounds: 0,
        turns: 0,
        offered: Vec::new(),
        summary: Summary::default(),
        lease: None,
    }
}

/// The first message in one line, cut.
fn title(items: &[Item]) -> String {
    let said = items.iter().find_map(|item| match item {
        Item::User { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let said = said.unwrap_or_default();
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(CHAT_TITLE_CHARS).collect()
}

fn text_of(row: &SqlRow) -> Option<&str> {
    row.first().and_then(SqlValue::text)
}

fn read_head(row: &SqlRow) -> Result<Head, StoreError> {
    serde_json::from_str(text_of(row).unwrap_or_default())
        .map_err(|error| StoreError::Corrupt(format!("a thread does not parse: {error}")))
}

fn written<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed(error.to_string()))
}

//! What was asked before: a write that is asked for again is answered from here and never run again.
//!
//! [`InMemory`] is as far-reaching as the process: another isolate, or one that was restarted, does not share it. The
//! gateway itself never sends a write twice, so what this guards against is a request that is captured and sent again,
//! or doubled by a relay, within the tolerance of its timestamp. Where that must hold across isolates, implement
//! [`Memory`] over one Durable Object (a row per key, `begin` and `finish` each one statement). Workers KV will not do:
//! it is not consistent enough to decide which of two comes first.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// One request as the memory sees it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Names the request: a write by its call id, a read by call id and timestamp.
    pub key: &'a str,
    /// Running it again would do harm.
    pub is_write: bool,
    /// Unix seconds.
    pub now_seconds: u64,
    /// From then on the request's timestamp is refused, so that the entry may go.
    pub forget_at_seconds: u64,
}

/// What is known of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing. A write is now marked as started.
    New,
    /// It was started, and there is no reply: it is running, its process died, or the reply was not kept.
    Started,
    /// It ended with this reply.
    Done(String),
    /// Nothing, and there is no room to mark a write as started: it certainly did not run and is not to. The caller is told
    /// so, signed (`memory_unavailable`).
    NoRoom,
}

/// The memory failed: it cannot tell whether a write ran before. Such a write is not run and not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFault(
    /// Why, for the endpoint's log.
    pub String,
);

/// Remembers replies. The futures need not be `Send`.
pub trait Memory {
    /// What is known of the request; marks a new write as started in the same instant, so that of two only one is new.
    fn begin(&self, entry: Entry<'_>) -> impl Future<Output = Result<Seen, MemoryFault>>;
    /// Keeps the reply.
    fn finish(&self, entry: Entry<'_>, reply: &str) -> impl Future<Output = Result<(), MemoryFault>>;
}

/// A memory inside the process, bounded. That a write was started is never forgotten early: where there is no room for
/// one more, the write is not run. Replies go early when their bytes are needed, those of reads first, oldest first.
#[derive(Debug)]
pub struct InMemory {
    entries_max: usize,
    bytes_max: usize,
    kept: RefCell<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<String, Known>,
    /// Every entry, the first to be forgotten first.
    by_age: BTreeSet<(u64, String)>,
    /// Entries with a reply in the order in which replies go: reads before writes, then by age.
    replies: BTreeSet<(bool, u64, String)>,
    reply_bytes: usize,
}

#[derive(Debug)]
struct Known {
    is_write: bool,
    forget_at_seconds: u64,
    reply: Option<String>,
}

impl InMemory {
    /// A memory of at most so many requests, and so many bytes of replies.
    pub fn with_limits(entries_max: usize, bytes_max: usize) -> InMemory {
        InMemory { entries_max, bytes_max, kept: RefCell::default() }
    }

    fn begin_now(&self, entry: Entry<'_>) -> Seen {
        let mut kept = self.kept.borrow_mut();
        kept.forget_old(entry.now_seconds);
        kept.prolong(entry);
        match kept.entries.get(entry.key) {
            Some(Known { reply: Some(reply), .. }) => return Seen::Done(reply.clone()),
            Some(_) => return Seen::Started,
            None if !entry.is_write => return Seen::New,
            None => {}
        }
        if !kept.has_room(self.entries_max) {
            return Seen::NoRoom;
        }
        kept.insert(entry);
        Seen::New
    }

    fn finish_now(&self, entry: Entry<'_>, reply: &str) {
        let mut kept = self.kept.borrow_mut();
        let is_known = kept.entries.contains_key(entry.key);
        if reply.len() > self.bytes_max || (!is_known && !kept.has_room(self.entries_max)) {
            return;
        }
        while kept.reply_bytes.saturating_add(reply.len()) > self.bytes_max {
            if !kept.drop_a_reply() {
                return;
            }
        }
        if !kept.entries.contains_key(entry.key) {
            kept.insert(entry);
        }
        kept.store(entry.key, reply);
    }
}

impl Default for InMemory {
    /// 50,000 requests and 8 MiB of replies: an isolate has 128 MiB for everything.
    fn default() -> InMemory {
        InMemory::with_limits(50_000, 8 * 1024 * 1024)
    }
}

impl Memory for InMemory {
    async fn begin(&self, entry: Entry<'_>) -> Result<Seen, MemoryFault> {
        Ok(self.begin_now(entry))
    }

    async fn finish(&self, entry: Entry<'_>, reply: &str) -> Result<(), MemoryFault> {
        self.finish_now(entry, reply);
        Ok(())
    }
}

impl<M: Memory> Memory for std::rc::Rc<M> {
    fn begin(&self, entry: Entry<'_>) -> impl Future<Output = Result<Seen, MemoryFault>> {
        (**self).begin(entry)
    }

    fn finish(&self, entry: Entry<'_>, reply: &str) -> impl Future<Output = Result<(), MemoryFault>> {
        (**self).finish(entry, reply)
    }
}

impl Kept {
    fn forget_old(&mut self, now_seconds: u64) {
        while self.by_age.first().is_some_and(|(forget_at, _)| *forget_at <= now_seconds) {
            if let Some((_, key)) = self.by_age.pop_first() {
                self.remove_reply(&key);
                self.entries.remove(&key);
            }
        }
    }

    /// Makes room for one more by forgetting a read.
    fn has_room(&mut self, entries_max: usize) -> bool {
        if self.entries.len() < entries_max {
            return true;
        }
        self.replies.first().is_some_and(|(is_write, ..)| !is_write) && self.drop_a_reply()
    }

    /// Each request for a write can be sent again for as long as its own timestamp is taken.
    fn prolong(&mut self, Entry { key, forget_at_seconds, .. }: Entry<'_>) {
        let Some(known) = self.entries.get_mut(key).filter(|known| known.forget_at_seconds < forget_at_seconds) else {
            return;
        };
        let before = std::mem::replace(&mut known.forget_at_seconds, forget_at_seconds);
        self.by_age.remove(&(before, key.to_owned()));
        self.by_age.insert((forget_at_seconds, key.to_owned()));
        if self.replies.remove(&(known.is_write, before, key.to_owned())) {
            self.replies.insert((known.is_write, forget_at_seconds, key.to_owned()));
        }
    }

    fn insert(&mut self, entry: Entry<'_>) {
        let Entry { key, is_write, forget_at_seconds, .. } = entry;
        self.entries.insert(key.to_owned(), Known { is_write, forget_at_seconds, reply: None });
        self.by_age.insert((forget_at_seconds, key.to_owned()));
    }

    fn store(&mut self, key: &str, reply: &str) {
        self.remove_reply(key);
        if let Some(known) = self.entries.get_mut(key) {
            known.reply = Some(reply.to_owned());
            self.reply_bytes = self.reply_bytes.saturating_add(reply.len());
            self.replies.insert((known.is_write, known.forget_at_seconds, key.to_owned()));
        }
    }

    /// A read goes with its reply; of a write it stays known that it was started.
    fn drop_a_reply(&mut self) -> bool {
        let Some((is_write, forget_at_seconds, key)) = self.replies.first().cloned() else { return false };
        self.remove_reply(&key);
        if !is_write {
            self.entries.remove(&key);
            self.by_age.remove(&(forget_at_seconds, key));
        }
        true
    }

    fn remove_reply(&mut self, key: &str) {
        let Some(known) = self.entries.get_mut(key) else { return };
        if let Some(reply) = known.reply.take() {
            self.reply_bytes = self.reply_bytes.saturating_sub(reply.len());
            self.replies.remove(&(known.is_write, known.forget_at_seconds, key.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, is_write: bool, now: u64) -> Entry<'_> {
        Entry { key, is_write, now_seconds: now, forget_at_seconds: now + 600 }
    }

    fn is_consistent(memory: &InMemory) -> bool {
        let kept = memory.kept.borrow();
        let replies = kept.entries.values().filter_map(|known| known.reply.as_ref());
        kept.entries.len() <= memory.entries_max
            && kept.entries.len() == kept.by_age.len()
            && replies.clone().count() == kept.replies.len()
            && replies.map(String::len).sum::<usize>() == kept.reply_bytes
            && kept.reply_bytes <= memory.bytes_max
    }

    #[test]
    fn a_write_is_new_once() {
        let memory = InMemory::default();
        assert_eq!(memory.begin_now(entry("w", true, 0)), Seen::New);
        assert_eq!(memory.begin_now(entry("w", true, 1)), Seen::Started);
        memory.finish_now(entry("w", true, 0), "reply");
        assert_eq!(memory.begin_now(entry("w", true, 599)), Seen::Done("reply".into()));
        // Asked for again, it is remembered from then on.
        assert_eq!(memory.begin_now(entry("w", true, 1_198)), Seen::Done("reply".into()));
        assert_eq!(memory.begin_now(entry("w", true, 1_798)), Seen::New);
    }

    #[test]
    fn a_read_is_known_once_it_has_ended() {
        let memory = InMemory::default();
        assert_eq!(memory.begin_now(entry("r", false, 0)), Seen::New);
        assert_eq!(memory.begin_now(entry("r", false, 0)), Seen::New);
        memory.finish_now(entry("r", false, 0), "reply");
        assert_eq!(memory.begin_now(entry("r", false, 1)), Seen::Done("reply".into()));
    }

    #[test]
    fn writes_are_not_forgotten_for_want_of_room() {
        let memory = InMemory::with_limits(3, 10);
        for (key, is_write) in [("r1", false), ("w1", true), ("w2", true)] {
            assert_eq!(memory.begin_now(entry(key, is_write, 0)), Seen::New);
            memory.finish_now(entry(key, is_write, 0), "123");
            assert!(is_consistent(&memory));
        }
        // The read makes room for a third write, whose reply takes the place of the oldest.
        assert_eq!(memory.begin_now(entry("w3", true, 1)), Seen::New);
        memory.finish_now(entry("w3", true, 1), "1234567");
        assert!(is_consistent(&memory));
        assert_eq!(memory.begin_now(entry("r1", false, 1)), Seen::New);
        assert_eq!(memory.begin_now(entry("w1", true, 1)), Seen::Started);
        assert_eq!(memory.begin_now(entry("w2", true, 1)), Seen::Done("123".into()));
        // No room for a fourth, and a read is not kept.
        assert_eq!(memory.begin_now(entry("w4", true, 1)), Seen::NoRoom);
        memory.finish_now(entry("r2", false, 1), "1");
        assert_eq!(memory.begin_now(entry("r2", false, 1)), Seen::New);
        // A reply over the limit is not kept, that the write was started is.
        let memory = InMemory::with_limits(3, 10);
        assert_eq!(memory.begin_now(entry("w", true, 0)), Seen::New);
        memory.finish_now(entry("w", true, 0), "12345678901");
        assert_eq!(memory.begin_now(entry("w", true, 0)), Seen::Started);
        assert!(is_consistent(&memory));
    }

    #[test]
    fn whatever_is_asked_it_stays_in_its_bounds() {
        let memory = InMemory::with_limits(20, 200);
        let mut chance: u64 = 1;
        for now in 0..5_000_u64 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (key, is_write, bytes) =
                (format!("{}", (chance >> 33) % 50), (chance >> 40).is_multiple_of(3), (chance >> 45) % 90);
            let entry = Entry { key: &key, is_write, now_seconds: now, forget_at_seconds: now + 40 };
            if memory.begin_now(entry) == Seen::New && !(chance >> 55).is_multiple_of(4) {
                memory.finish_now(entry, &"x".repeat(usize::try_from(bytes).unwrap()));
            }
            assert!(is_consistent(&memory), "{now}");
        }
    }
}

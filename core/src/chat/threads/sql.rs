//! What the object runs on its storage.

/// The tables, made with the first thread.
pub const SCHEMA: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS chat_threads (thread TEXT NOT NULL PRIMARY KEY, updated_at INTEGER NOT NULL, head TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS chat_items (thread TEXT NOT NULL, place INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (thread, place)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS chat_offers (thread TEXT NOT NULL PRIMARY KEY, offer TEXT NOT NULL) WITHOUT ROWID",
];
/// Is this table there? That of offers is younger than the others: an object may have been made without it.
pub const TABLE: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?";
/// The last offer of a thread.
pub const GET_OFFER: &str = "SELECT offer FROM chat_offers WHERE thread = ?";
/// Writes it.
pub const PUT_OFFER: &str =
    "INSERT INTO chat_offers (thread, offer) VALUES (?, ?) ON CONFLICT (thread) DO UPDATE SET offer = excluded.offer";
/// Forgets it.
pub const DELETE_OFFER: &str = "DELETE FROM chat_offers WHERE thread = ?";
/// How many threads.
pub const COUNT: &str = "SELECT COUNT(*) FROM chat_threads";
/// A thread.
pub const GET_HEAD: &str = "SELECT head FROM chat_threads WHERE thread = ?";
/// Writes a thread.
pub const PUT_HEAD: &str = "INSERT INTO chat_threads (thread, updated_at, head) VALUES (?, ?, ?) ON CONFLICT (thread) DO UPDATE SET updated_at = excluded.updated_at, head = excluded.head";
/// The newest threads.
pub const FIRST: &str = "SELECT head FROM chat_threads ORDER BY updated_at DESC, thread LIMIT ?";
/// Those behind one.
pub const BEHIND: &str = "SELECT head FROM chat_threads WHERE updated_at < ? OR (updated_at = ? AND thread > ?) ORDER BY updated_at DESC, thread LIMIT ?";
/// Forgets a thread.
pub const DELETE_HEAD: &str = "DELETE FROM chat_threads WHERE thread = ?";
/// Forgets its items.
pub const DELETE_ITEMS: &str = "DELETE FROM chat_items WHERE thread = ?";
/// Its items.
pub const ITEMS: &str = "SELECT item FROM chat_items WHERE thread = ? ORDER BY place";
/// Writes an item.
pub const PUT_ITEM: &str = "INSERT INTO chat_items (thread, place, item) VALUES (?, ?, ?) ON CONFLICT (thread, place) DO UPDATE SET item = excluded.item";

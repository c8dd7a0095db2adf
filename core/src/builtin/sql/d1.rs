//! What D1 says when it fails: of the query, or of itself
//! (<https://developers.cloudflare.com/d1/observability/debug-d1/#error-list>).

/// Parts of what D1 says when it could not be asked, or lost what it was at: the same query may be served the next time.
const TRANSIENT: [&str; 7] = [
    "Network connection lost",
    "reset because its code was updated",
    "caused object to be reset",
    "Cannot resolve D1 DB due to transient issue",
    "client disconnected",
    "D1 DB is overloaded",
    "Failed to parse body as JSON",
];

/// Whether these words are about the way to D1, and not about the query. What SQLite says of a query may hold anybody's
/// words, and is marked as SQLite's; what does not begin as D1's own was said on the way there.
pub fn is_transient(words: &str) -> bool {
    let of_query = words.contains("SQLITE_");
    !of_query && (!words.starts_with("D1_") || TRANSIENT.iter().any(|part| words.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_about_the_query_is_tried_again() {
        for (words, transient) in [
            ("D1_ERROR: no such column: colour at offset 7: SQLITE_ERROR", false),
            ("D1_ERROR: no such column: \"Network connection lost.\" at offset 7: SQLITE_ERROR", false),
            ("D1_ERROR: too many SQL variables at offset 1: SQLITE_ERROR", false),
            ("D1_ERROR: D1 DB exceeded its CPU time limit and was reset.", false),
            ("D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.", false),
            ("D1_TYPE_ERROR: Type 'undefined' not supported", false),
            ("D1_ERROR: Network connection lost.", true),
            ("D1_ERROR: D1 DB reset because its code was updated.", true),
            ("D1_ERROR: Internal error in D1 DB storage caused object to be reset.", true),
            ("D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.", true),
            ("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.", true),
            ("D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.", true),
            ("D1_ERROR: Can't read from request stream because client disconnected.", true),
            ("D1_ERROR: D1 DB is overloaded. Requests queued for too long.", true),
            ("D1_ERROR: D1 DB is overloaded. Too many requests queued.", true),
            ("D1_ERROR: Failed to parse body as JSON, got: <html>", true),
            ("Network connection lost.", true),
            ("internal error; reference = abc", true),
        ] {
            assert_eq!(is_transient(words), transient, "{words}");
        }
    }
}

//! Where the gate may send (design: "Webhook transport"): rules for the text of a URL, DNS messages, rules for
//! addresses, and the verdict over what the resolvers answered.
//!
//! Promises: total over every text and every message; what was refused has a reason for the admin's view, and the URL
//! that was accepted is exactly the URL to store and to call. Leaves to others (`src/egress`): asking the resolvers,
//! deadlines, the cap while reading a body, and asking at the right times. A name is judged when it is saved and again
//! at each attempt, never from memory: what a name points to is its owner's to change.
//!
//! Why this is safe: each stage fails closed. A text that two parsers could read in two ways is refused before any
//! parser sees it. An answer that is odd in any way refuses; one bad address refuses the whole set, because the
//! platform resolves again and may take any of them. What remains is that second look-up (SECURITY.md).

mod address;
mod answer;
mod blocks;
mod dev;
mod dns;
#[cfg(test)]
mod fuzz;
mod judge;
#[cfg(test)]
mod messages;
mod names;
mod text;

pub use address::forbidden;
pub use answer::{Answer, read_answer};
pub use blocks::{Block, Reach};
pub use dev::DevDestinations;
pub use dns::{Fault, RecordType, query};
pub use judge::{Lookup, Reply, Verdict, judge};
pub use text::{Destination, check_url};

/// Longest URL of a customer, as sent in and as stored.
pub const URL_BYTES_MAX: usize = 2_048;
/// Longest DNS message that is read: the length field of DNS over TCP ends there.
pub const DNS_MESSAGE_BYTES_MAX: usize = 65_535;
/// Most records in an answer.
pub const DNS_RECORDS_MAX: usize = 64;
/// Most aliases between the name asked for and its addresses.
pub const CNAME_CHAIN_MAX: usize = 8;

/// The resolvers (RFC 8484), asked both: one may be out of reach, and neither can hide a bad answer of the other.
pub const RESOLVERS: [&str; 2] = ["https://cloudflare-dns.com/dns-query", "https://dns.google/dns-query"];

/// Why nothing may be sent. Callers answer `destination_refused` whatever is in here; the reason is for the admin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was at fault.
    pub cause: Cause,
    /// A sentence for the admin's view.
    pub reason: String,
}

/// What was at fault, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The name has an address that must not be reached.
    Address,
    /// A name in the chain of aliases must not be reached.
    Name,
    /// The answer of a resolver was no usable answer.
    Answer,
    /// The text of the URL.
    Text,
}

impl Refused {
    fn new(cause: Cause, reason: impl Into<String>) -> Refused {
        Refused { cause, reason: reason.into() }
    }

    /// Whether the name points to what must not be reached, as against an answer that could not be used. Only this
    /// suspends an endpoint.
    pub fn is_forbidden(&self) -> bool {
        matches!(self.cause, Cause::Address | Cause::Name)
    }
}

#[cfg(test)]
mod tests {
    use core::net::IpAddr;

    use serde_json::Value;

    use super::messages::{Draft, rdata_of, type_code};
    use super::*;

    fn cases(kind: &str) -> Vec<Value> {
        let all: Vec<Value> =
            serde_json::from_str(include_str!("../../../tests/vectors/ssrf-cases.json")).expect("the vectors are JSON");
        all.into_iter().filter(|case| case["kind"] == kind).collect()
    }

    fn check(kind: &str, count: usize, is_allowed: impl Fn(&Value) -> bool) {
        let cases = cases(kind);
        assert_eq!(cases.len(), count, "{kind}");
        for case in cases {
            assert_eq!(is_allowed(&case["input"]), case["verdict"] == "allow", "{case}");
        }
    }

    #[test]
    fn urls_of_the_vectors() {
        check("url", 104, |input| check_url(input.as_str().unwrap(), &[], &DevDestinations::default()).is_ok());
    }

    #[test]
    fn addresses_of_the_vectors() {
        check("address", 103, |input| {
            input.as_str().unwrap().parse::<IpAddr>().is_ok_and(|address| forbidden(address).is_none())
        });
    }

    #[test]
    fn answers_of_the_vectors() {
        check("answers", 40, |input| {
            let host = input["name"].as_str().unwrap();
            if let Some(earlier) = input.get("at_save") {
                let saved = Lookup { a: reply(host, RecordType::A, &earlier["A"]), aaaa: Reply::Unreachable };
                assert!(matches!(judge(&[saved]), Verdict::Refused(_)), "{input}");
            }
            let resolvers = input["resolvers"].as_array().unwrap();
            let verdict = judge(&resolvers.iter().map(|resolver| lookup(host, resolver)).collect::<Vec<_>>());
            let silent = resolvers
                .iter()
                .all(|resolver| matches!(&resolver["error"], Value::String(error) if error != OVERSIZED));
            assert_eq!(verdict == Verdict::Unreachable, silent, "{input}");
            verdict == Verdict::Allowed
        });
    }

    const OVERSIZED: &str = "body longer than 65535";

    fn lookup(host: &str, resolver: &Value) -> Lookup {
        match resolver["error"].as_str() {
            Some(OVERSIZED) => {
                let mut body = Draft::answering(host, RecordType::A).bytes();
                body.resize(DNS_MESSAGE_BYTES_MAX + 1, 0);
                Lookup { a: Reply::Message(read_answer(host, RecordType::A, &body)), aaaa: Reply::Unreachable }
            }
            Some("timeout" | "http 502" | "content-type text/html") => Lookup::UNREACHABLE,
            Some(other) => panic!("unknown error {other}"),
            None => Lookup {
                a: reply(host, RecordType::A, &resolver["A"]),
                aaaa: reply(host, RecordType::Aaaa, &resolver["AAAA"]),
            },
        }
    }

    /// Writes the case as a DNS message and reads that.
    fn reply(host: &str, kind: RecordType, case: &Value) -> Reply {
        let mut draft = match case.get("question") {
            Some(question) => {
                Draft::about(question["name"].as_str().unwrap(), type_code(question["type"].as_str().unwrap()))
            }
            None => Draft::answering(host, kind),
        };
        let rcodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
        draft.rcode = rcodes.iter().position(|name| case["rcode"] == *name).expect("a known response code") as u16;
        draft.is_truncated = case["tc"].as_bool().unwrap();
        draft.is_authentic = case["ad"].as_bool().unwrap();
        draft.is_response = case.get("qr").is_none_or(|qr| qr == true);
        draft.opcode = case.get("opcode").map_or(0, |opcode| if opcode == "UPDATE" { 5 } else { 15 });
        for record in case["answer"].as_array().unwrap() {
            let text = |member: &str| record[member].as_str().unwrap();
            let data = rdata_of(text("type"), text("data"));
            draft.add(text("name"), type_code(text("type")), record["ttl"].as_u64().unwrap() as u32, &data);
        }
        Reply::Message(read_answer(host, kind, &draft.bytes()))
    }
}

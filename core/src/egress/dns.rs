//! DNS over HTTPS (RFC 8484): the question as bytes, and what can be wrong with an answer.

use core::fmt;

use domain::base::iana::{Class, OptRcode, Rtype};

use super::{CNAME_CHAIN_MAX, DNS_MESSAGE_BYTES_MAX, DNS_RECORDS_MAX};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordType {
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
}

impl RecordType {
    /// Both, in the order in which they are asked.
    pub const BOTH: [RecordType; 2] = [RecordType::A, RecordType::Aaaa];

    pub(super) fn code(self) -> Rtype {
        match self {
            RecordType::A => Rtype::A,
            RecordType::Aaaa => Rtype::AAAA,
        }
    }
}

/// The query for a name: id 0, so that caches on the way can serve it, recursion desired, nothing else. `None` for what
/// is no name (`check_url` lets no such host pass).
pub fn query(host: &str, kind: RecordType) -> Option<Vec<u8>> {
    const ID_0_RD_ONE_QUESTION: [u8; 12] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let mut message = ID_0_RD_ONE_QUESTION.to_vec();
    let mut name_bytes = 1_usize;
    for label in host.split('.') {
        let length = u8::try_from(label.len()).ok().filter(|length| (1..=63).contains(length))?;
        name_bytes = name_bytes.saturating_add(label.len()).saturating_add(1);
        message.push(length);
        message.extend_from_slice(label.as_bytes());
    }
    message.push(0);
    message.extend_from_slice(&kind.code().to_int().to_be_bytes());
    message.extend_from_slice(&Class::IN.to_int().to_be_bytes());
    (name_bytes <= 255).then_some(message)
}

/// Why a message is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Longer than `DNS_MESSAGE_BYTES_MAX`.
    TooLarge,
    /// Not a whole DNS message.
    Malformed,
    /// Not a response to a query.
    NotAResponse,
    /// Cut by the sender (TC).
    Truncated,
    /// Any other response code than NOERROR: its number.
    ResponseCode(u16),
    /// Not about what was asked.
    OtherQuestion,
    /// More than `DNS_RECORDS_MAX` records.
    TooManyRecords,
    /// More than `CNAME_CHAIN_MAX` aliases, or a circle of them.
    ChainTooLong,
    /// A name with two different aliases.
    TwoAliases,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooLarge => write!(out, "a resolver answered more than {DNS_MESSAGE_BYTES_MAX} bytes"),
            Fault::Malformed => out.write_str("a resolver answered a malformed message"),
            Fault::NotAResponse => out.write_str("a resolver answered something that is no response"),
            Fault::Truncated => out.write_str("a resolver answered a truncated message"),
            Fault::ResponseCode(code) => {
                write!(out, "a resolver answered {}", OptRcode::masked_from_int(*code))
            }
            Fault::OtherQuestion => out.write_str("a resolver answered another question"),
            Fault::TooManyRecords => write!(out, "a resolver answered more than {DNS_RECORDS_MAX} records"),
            Fault::ChainTooLong => write!(out, "the name has more than {CNAME_CHAIN_MAX} aliases, or a circle of them"),
            Fault::TwoAliases => out.write_str("a name of the chain has two different aliases"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::base::Message;

    #[test]
    fn a_query_is_what_the_rfc_shows() {
        // RFC 8484, section 4.1.1: the message of its first example.
        let example = b"\0\0\x01\0\0\x01\0\0\0\0\0\0\x03www\x07example\x03com\0\0\x01\0\x01";
        assert_eq!(query("www.example.com", RecordType::A).unwrap(), example);
        let aaaa = query("www.example.com", RecordType::Aaaa).unwrap();
        let message = Message::from_slice(&aaaa).unwrap();
        assert!(!message.header().qr() && message.header().rd() && !message.header().ad() && !message.header().cd());
        assert_eq!(message.sole_question().unwrap().qtype(), Rtype::AAAA);
        let long = "a".repeat(63);
        let longest = format!("{long}.{long}.{long}.{}", "a".repeat(61));
        assert_eq!(query(&longest, RecordType::A).map(|message| message.len()), Some(12 + 255 + 4));
        for host in ["", ".", "a..b", "a.", ".a", &format!("{long}a.com"), &format!("{longest}a")] {
            assert_eq!(query(host, RecordType::A), None, "{host}");
        }
    }

    #[test]
    fn faults_name_what_was_answered() {
        assert_eq!(Fault::ResponseCode(2).to_string(), "a resolver answered SERVFAIL");
        assert_eq!(Fault::ResponseCode(3).to_string(), "a resolver answered NXDOMAIN");
        assert_eq!(Fault::TooManyRecords.to_string(), "a resolver answered more than 64 records");
    }
}

//! DNS messages for tests, written byte by byte, so that reading is tested against another hand than its own.

use core::net::{Ipv4Addr, Ipv6Addr};

use super::RecordType;

/// A message to be: a response with one question, and records in the answer section.
#[derive(Clone)]
pub(super) struct Draft {
    pub is_response: bool,
    pub opcode: u16,
    pub is_truncated: bool,
    pub is_authentic: bool,
    pub rcode: u16,
    /// Counts of the header: questions, answers, authority, additional.
    pub counts: [u16; 4],
    body: Vec<u8>,
    question: String,
}

impl Draft {
    /// A response to our own question, without records.
    pub fn answering(host: &str, kind: RecordType) -> Draft {
        Draft::about(host, type_code(if kind == RecordType::A { "A" } else { "AAAA" }))
    }

    /// A response to any question, without records.
    pub fn about(host: &str, kind: u16) -> Draft {
        let body = [name(host).as_slice(), &kind.to_be_bytes(), &1_u16.to_be_bytes()].concat();
        Draft {
            is_response: true,
            opcode: 0,
            is_truncated: false,
            is_authentic: false,
            rcode: 0,
            counts: [1, 0, 0, 0],
            body,
            question: host.to_owned(),
        }
    }

    /// Adds a record to the answer section, its owner compressed where it is the question's name.
    pub fn add(&mut self, owner: &str, kind: u16, ttl: u32, data: &[u8]) {
        let owner = if owner == self.question { vec![0xc0, 12] } else { name(owner) };
        self.add_raw(1, &owner, kind, 1, ttl, data);
    }

    /// Adds a record to section 1 (answer), 2 (authority) or 3 (additional), its owner as it is in the message.
    pub fn add_raw(&mut self, section: usize, owner: &[u8], kind: u16, class: u16, ttl: u32, data: &[u8]) {
        self.counts[section] += 1;
        self.body.extend_from_slice(owner);
        self.body.extend_from_slice(&kind.to_be_bytes());
        self.body.extend_from_slice(&class.to_be_bytes());
        self.body.extend_from_slice(&ttl.to_be_bytes());
        self.body.extend_from_slice(&(data.len() as u16).to_be_bytes());
        self.body.extend_from_slice(data);
    }

    /// The message.
    pub fn bytes(&self) -> Vec<u8> {
        let bit = |is_set: bool, at: u16| u16::from(is_set) << at;
        let flags = bit(self.is_response, 15)
            | self.opcode << 11
            | bit(self.is_truncated, 9)
            | bit(true, 8)
            | bit(true, 7)
            | bit(self.is_authentic, 5)
            | self.rcode;
        let mut message = vec![0, 0];
        message.extend_from_slice(&flags.to_be_bytes());
        message.extend(self.counts.iter().flat_map(|count| count.to_be_bytes()));
        message.extend_from_slice(&self.body);
        message
    }
}

/// A name as it stands in a message, uncompressed; `.` is the root.
pub(super) fn name(text: &str) -> Vec<u8> {
    let mut wire = Vec::new();
    for label in text.split('.').filter(|label| !label.is_empty()) {
        wire.push(label.len() as u8);
        wire.extend_from_slice(label.as_bytes());
    }
    wire.push(0);
    wire
}

/// The number of a record type; of an unknown one, of private use.
pub(super) fn type_code(name: &str) -> u16 {
    match name {
        "A" => 1,
        "CNAME" => 5,
        "AAAA" => 28,
        "DNAME" => 39,
        "OPT" => 41,
        "HTTPS" => 65,
        _ => 65_280,
    }
}

/// A record's data from its text. An address that is none becomes the bytes of its parts, however many.
pub(super) fn rdata_of(kind: &str, text: &str) -> Vec<u8> {
    match kind {
        "A" => text.split('.').filter_map(|part| part.parse::<u8>().ok()).collect(),
        "AAAA" => text.parse::<Ipv6Addr>().map_or_else(|_| vec![0], |address| address.octets().to_vec()),
        "HTTPS" => {
            // Priority 1, the owner itself as target, parameter 4 (ipv4hint).
            let hint = text.split("ipv4hint=").nth(1).and_then(|hint| hint.parse::<Ipv4Addr>().ok());
            [&[0, 1, 0, 0, 4, 0, 4], hint.map_or([0; 4], |hint| hint.octets()).as_slice()].concat()
        }
        _ => name(text),
    }
}

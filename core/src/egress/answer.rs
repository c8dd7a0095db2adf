//! What a DNS message answers (RFC 1035).
//!
//! Reading is for judging only, so whatever is not plainly an answer to our question is a fault, and what it holds is
//! not used. The AD bit is not looked at and DNSSEC is not asked for: a signed private address is still private. Times
//! to live are not read, because nothing is cached.

use core::fmt;
use core::net::IpAddr;

use domain::base::iana::{Class, Opcode, OptRcode};
use domain::base::message::RecordSection;
use domain::base::name::ParsedName;
use domain::base::record::ParsedRecord;
use domain::base::wire::ParseError;
use domain::base::{Message, ParseRecordData};
use domain::rdata::{A, Aaaa, Cname};

use super::{CNAME_CHAIN_MAX, DNS_MESSAGE_BYTES_MAX, DNS_RECORDS_MAX, Fault, RecordType};

/// What a message says of the name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The name asked for and then each alias, in lower case without a trailing dot.
    pub names: Vec<String>,
    /// The addresses of all these names, of whichever family.
    pub addresses: Vec<IpAddr>,
}

/// Reads the answer to `query(host, kind)`. Aliases are followed by owner within the answer; records of other owners
/// and other types are ignored. An answer without any address is no fault (the other family may have some).
///
/// # Errors
/// Whatever makes the message no answer to this question.
pub fn read_answer(host: &str, kind: RecordType, message: &[u8]) -> Result<Answer, Fault> {
    if message.len() > DNS_MESSAGE_BYTES_MAX {
        return Err(Fault::TooLarge);
    }
    let message = Message::from_slice(message).map_err(|_| Fault::Malformed)?;
    check_header(message)?;
    let question = message.sole_question()?;
    let ours = (text_of(question.qname()), question.qtype(), question.qclass());
    if ours != (host.to_ascii_lowercase(), kind.code(), Class::IN) {
        return Err(Fault::OtherQuestion);
    }
    let answers = message.answer()?;
    let records = Records::of(answers)?;
    // The rest is not used, but a message that breaks off in it is not whole.
    let authority = answers.next_section()?.ok_or(Fault::Malformed)?;
    let additional = authority.next_section()?.ok_or(Fault::Malformed)?;
    authority.into_iter().chain(additional).try_for_each(|record| record.map(|_| ()))?;
    match message.opt_rcode() {
        OptRcode::NOERROR => records.follow(host),
        extended => Err(Fault::ResponseCode(extended.to_int())),
    }
}

fn check_header(message: &Message<[u8]>) -> Result<(), Fault> {
    let (header, counts) = (message.header(), message.header_counts());
    if !header.qr() || header.opcode() != Opcode::QUERY {
        return Err(Fault::NotAResponse);
    }
    if header.tc() {
        return Err(Fault::Truncated);
    }
    let code = header.rcode().to_int();
    if code != 0 {
        return Err(Fault::ResponseCode(u16::from(code)));
    }
    if counts.qdcount() != 1 {
        return Err(Fault::OtherQuestion);
    }
    let sections = [counts.ancount(), counts.nscount(), counts.arcount()];
    if sections.into_iter().map(usize::from).sum::<usize>() > DNS_RECORDS_MAX {
        return Err(Fault::TooManyRecords);
    }
    Ok(())
}

/// What of an answer section is of use, with owners.
#[derive(Default)]
struct Records {
    aliases: Vec<(String, String)>,
    addresses: Vec<(String, IpAddr)>,
}

impl Records {
    fn of(section: RecordSection<'_, [u8]>) -> Result<Records, Fault> {
        let mut found = Records::default();
        for record in section {
            let record = record?;
            if record.class() != Class::IN {
                continue;
            }
            let owner = text_of(record.owner());
            if let Some(data) = data::<A>(&record)? {
                found.addresses.push((owner, IpAddr::V4(data.addr())));
            } else if let Some(data) = data::<Aaaa>(&record)? {
                found.addresses.push((owner, IpAddr::V6(data.addr())));
            } else if let Some(data) = data::<Cname<ParsedName<&[u8]>>>(&record)? {
                found.aliases.push((owner, text_of(data.cname())));
            }
        }
        Ok(found)
    }

    fn follow(self, host: &str) -> Result<Answer, Fault> {
        let mut answer = Answer::default();
        let mut next = Some(host.to_ascii_lowercase());
        while let Some(name) = next.take() {
            if answer.names.len() > CNAME_CHAIN_MAX || answer.names.contains(&name) {
                return Err(Fault::ChainTooLong);
            }
            let of_name = self.addresses.iter().filter(|(owner, _)| *owner == name);
            answer.addresses.extend(of_name.map(|(_, address)| *address));
            for (_, alias) in self.aliases.iter().filter(|(owner, _)| *owner == name) {
                if next.as_ref().is_some_and(|other| other != alias) {
                    return Err(Fault::TwoAliases);
                }
                next = Some(alias.clone());
            }
            answer.names.push(name);
        }
        Ok(answer)
    }
}

/// The record's data, if it is of that type.
fn data<'a, D: ParseRecordData<'a, [u8]>>(record: &ParsedRecord<'a, [u8]>) -> Result<Option<D>, ParseError> {
    Ok(record.to_record::<D>()?.map(|record| record.into_data()))
}

/// A name as text. Dots and odd bytes inside labels are escaped with a backslash, so different names have different
/// texts, and none of the escaped ones passes for a host.
fn text_of(name: impl fmt::Display) -> String {
    let mut text = name.to_string();
    text.make_ascii_lowercase();
    text
}

impl From<ParseError> for Fault {
    fn from(_: ParseError) -> Fault {
        Fault::Malformed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::messages::{Draft, name, rdata_of, type_code};

    const HOST: &str = "hooks.example.com";
    const PUBLIC: [u8; 4] = [93, 184, 215, 14];

    fn read(draft: &Draft) -> Result<Answer, Fault> {
        read_answer(HOST, RecordType::A, &draft.bytes())
    }

    fn drafted(records: &[(&str, &str, &str)]) -> Draft {
        let mut draft = Draft::answering(HOST, RecordType::A);
        for (owner, kind, data) in records {
            draft.add(owner, type_code(kind), 300, &rdata_of(kind, data));
        }
        draft
    }

    fn answer_of(records: &[(&str, &str, &str)]) -> Result<Answer, Fault> {
        read(&drafted(records))
    }

    #[test]
    fn aliases_are_followed_by_owner_in_any_order_and_case() {
        let records = [
            ("C.Example.ORG", "A", "93.184.215.14"),
            ("b.example.net", "CNAME", "c.example.org"),
            ("hooks.example.com", "CNAME", "B.example.net"),
            ("other.example.net", "A", "10.0.0.1"),
            ("other.example.net", "CNAME", "localhost"),
        ];
        let answer = answer_of(&records).unwrap();
        assert_eq!(answer.names, [HOST, "b.example.net", "c.example.org"]);
        assert_eq!(answer.addresses, [IpAddr::from(PUBLIC)]);
        let mixed = read_answer("Hooks.Example.COM", RecordType::A, &drafted(&records).bytes());
        assert_eq!(mixed, Ok(answer));
    }

    #[test]
    fn every_address_on_the_chain_is_reported() {
        let answer = answer_of(&[
            (HOST, "A", "10.0.0.1"),
            (HOST, "CNAME", "b.example.net"),
            (HOST, "CNAME", "b.example.net"),
            ("b.example.net", "A", "93.184.215.14"),
            ("b.example.net", "AAAA", "::1"),
        ])
        .unwrap();
        assert_eq!(
            answer.addresses.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["10.0.0.1", "93.184.215.14", "::1"]
        );
    }

    #[test]
    fn chains_have_an_end() {
        let step = |at: usize| if at == 0 { HOST.to_owned() } else { format!("n{at}.example.net") };
        let chain = |aliases: usize| {
            let mut draft = Draft::answering(HOST, RecordType::A);
            for at in 0..aliases {
                draft.add(&step(at), type_code("CNAME"), 60, &name(&step(at + 1)));
            }
            draft.add(&step(aliases), type_code("A"), 60, &PUBLIC);
            read(&draft)
        };
        assert_eq!(chain(CNAME_CHAIN_MAX).unwrap().names.len(), CNAME_CHAIN_MAX + 1);
        assert_eq!(chain(CNAME_CHAIN_MAX).unwrap().addresses.len(), 1);
        assert_eq!(chain(CNAME_CHAIN_MAX + 1), Err(Fault::ChainTooLong));
        assert_eq!(answer_of(&[(HOST, "CNAME", HOST)]), Err(Fault::ChainTooLong));
        let circle = [(HOST, "CNAME", "a.example.net"), ("a.example.net", "CNAME", "HOOKS.example.com")];
        assert_eq!(answer_of(&circle), Err(Fault::ChainTooLong));
        let fork = [(HOST, "CNAME", "a.example.net"), (HOST, "CNAME", "b.example.net")];
        assert_eq!(answer_of(&fork), Err(Fault::TwoAliases));
    }

    #[test]
    fn what_is_no_answer_to_the_question_is_a_fault() {
        let good = drafted(&[(HOST, "A", "93.184.215.14")]);
        assert_eq!(read(&good).unwrap().addresses, [IpAddr::from(PUBLIC)]);
        let with = |change: fn(&mut Draft)| {
            let mut draft = good.clone();
            change(&mut draft);
            read(&draft)
        };
        assert_eq!(with(|draft| draft.is_response = false), Err(Fault::NotAResponse));
        assert_eq!(with(|draft| draft.opcode = 5), Err(Fault::NotAResponse));
        assert_eq!(with(|draft| draft.is_truncated = true), Err(Fault::Truncated));
        for code in 1..16 {
            let mut draft = good.clone();
            draft.rcode = code;
            assert_eq!(read(&draft), Err(Fault::ResponseCode(code)));
        }
        assert_eq!(with(|draft| draft.counts[0] = 0), Err(Fault::OtherQuestion));
        assert_eq!(with(|draft| draft.counts[0] = 2), Err(Fault::OtherQuestion));
        assert_eq!(with(|draft| draft.counts[1] = 2), Err(Fault::Malformed));
        assert_eq!(with(|draft| draft.counts[2] = 1), Err(Fault::Malformed));
        assert_eq!(with(|draft| draft.counts[3] = 1), Err(Fault::Malformed));
        assert_eq!(with(|draft| draft.counts[3] = 64), Err(Fault::TooManyRecords));
        assert_eq!(read_answer("other.example.com", RecordType::A, &good.bytes()), Err(Fault::OtherQuestion));
        assert_eq!(read_answer(HOST, RecordType::Aaaa, &good.bytes()), Err(Fault::OtherQuestion));
        let mut chaos = good.bytes();
        chaos[12 + name(HOST).len() + 3] = 3;
        assert_eq!(read_answer(HOST, RecordType::A, &chaos), Err(Fault::OtherQuestion), "class CH");
    }

    #[test]
    fn an_extended_response_code_is_seen() {
        // BADVERS is 16: the header shows NOERROR, the upper bits are in the OPT record's time to live.
        let mut draft = drafted(&[(HOST, "A", "93.184.215.14")]);
        draft.add_raw(3, &[0], type_code("OPT"), 1_232, 0, &[]);
        assert!(read(&draft).is_ok());
        let mut draft = drafted(&[(HOST, "A", "93.184.215.14")]);
        draft.add_raw(3, &[0], type_code("OPT"), 1_232, 1 << 24, &[]);
        assert_eq!(read(&draft), Err(Fault::ResponseCode(16)));
    }

    #[test]
    fn sizes_are_limited() {
        let many = |count: u16| {
            let mut draft = Draft::answering(HOST, RecordType::A);
            (0..count).for_each(|_| draft.add(HOST, type_code("A"), 60, &PUBLIC));
            read(&draft)
        };
        assert_eq!(many(64).unwrap().addresses.len(), DNS_RECORDS_MAX);
        assert_eq!(many(65), Err(Fault::TooManyRecords));
        let padded = |bytes: usize| {
            let mut draft = drafted(&[(HOST, "A", "93.184.215.14")]);
            let room = bytes - draft.bytes().len() - 11;
            draft.add_raw(3, &[0], 65_280, 1, 0, &vec![0; room]);
            read(&draft)
        };
        assert!(padded(DNS_MESSAGE_BYTES_MAX).is_ok());
        assert_eq!(padded(DNS_MESSAGE_BYTES_MAX + 1), Err(Fault::TooLarge));
    }

    #[test]
    fn data_of_the_wrong_length_is_malformed_and_other_classes_are_ignored() {
        for data in [vec![], vec![1], vec![1, 2, 3], vec![1, 2, 3, 4, 5], vec![0; 16]] {
            let mut draft = Draft::answering(HOST, RecordType::A);
            draft.add(HOST, type_code("A"), 60, &data);
            assert_eq!(read(&draft), Err(Fault::Malformed), "{data:?}");
        }
        for (kind, data) in [("AAAA", vec![0; 4]), ("AAAA", vec![0; 17]), ("CNAME", vec![]), ("CNAME", vec![0, 0])] {
            let mut draft = Draft::answering(HOST, RecordType::A);
            draft.add(HOST, type_code(kind), 60, &data);
            assert_eq!(read(&draft), Err(Fault::Malformed), "{kind} {data:?}");
        }
        let mut draft = Draft::answering(HOST, RecordType::A);
        draft.add_raw(1, &[0xc0, 12], type_code("A"), 3, 60, &PUBLIC);
        assert_eq!(read(&draft), Ok(Answer { names: vec![HOST.into()], addresses: vec![] }));
    }

    #[test]
    fn a_message_cut_anywhere_is_malformed() {
        let mut draft = drafted(&[(HOST, "CNAME", "b.example.net"), ("b.example.net", "A", "93.184.215.14")]);
        draft.add_raw(2, &[0xc0, 12], 6, 1, 60, &[0; 22]);
        draft.add_raw(3, &[0], type_code("OPT"), 1_232, 0, &[0, 12, 0, 2, 0, 0]);
        let whole = draft.bytes();
        assert!(read_answer(HOST, RecordType::A, &whole).is_ok());
        for length in 0..whole.len() {
            assert_eq!(read_answer(HOST, RecordType::A, &whole[..length]), Err(Fault::Malformed), "{length}");
        }
    }

    #[test]
    fn compressed_names_are_read_and_bent_ones_are_malformed() {
        let owner_at = 12 + name(HOST).len() + 4;
        let pointer = |to: usize| (0xc000 | to as u16).to_be_bytes();
        let with_owner = |owner: &[u8]| {
            let mut draft = Draft::answering(HOST, RecordType::A);
            draft.add_raw(1, owner, type_code("A"), 1, 60, &PUBLIC);
            read(&draft).map(|answer| answer.addresses.len())
        };
        assert_eq!(with_owner(&pointer(12)), Ok(1));
        assert_eq!(with_owner(&[b"\x05HOOKS".as_slice(), &pointer(18)].concat()), Ok(1), "a suffix");
        assert_eq!(with_owner(&pointer(18)), Ok(0), "another name");
        for (case, owner) in [
            ("points to itself", pointer(owner_at).to_vec()),
            ("points forward", pointer(owner_at + 4).to_vec()),
            ("points out of the message", pointer(0x3fff).to_vec()),
            ("comes back to its own label", [b"\x01a".as_slice(), &pointer(owner_at)].concat()),
            ("label type 01", vec![0x41, 0]),
            ("label type 10", vec![0x81, 0]),
            ("longer than 255", [[&[63; 64][..]; 4].concat().as_slice(), &[0]].concat()),
        ] {
            assert_eq!(with_owner(&owner), Err(Fault::Malformed), "{case}");
        }
        // Two pointers at each other: the first in the data of a record before, which alone may be read backwards.
        let mut draft = Draft::answering(HOST, RecordType::A);
        let data_at = owner_at + 2 + 10;
        draft.add_raw(1, &pointer(12), type_code("CNAME"), 1, 60, &pointer(data_at + 2));
        draft.add_raw(1, &pointer(data_at), type_code("A"), 1, 60, &PUBLIC);
        assert_eq!(read(&draft), Err(Fault::Malformed));
        // A ladder of pointers, each to the one before, is bounded work.
        let with_ladder = |steps: usize| {
            let rungs = (0..steps).flat_map(|rung| pointer(if rung == 0 { 12 } else { data_at + 2 * (rung - 1) }));
            let mut draft = Draft::answering(HOST, RecordType::A);
            draft.add_raw(1, &pointer(12), 65_280, 1, 60, &rungs.collect::<Vec<u8>>());
            draft.add_raw(1, &pointer(data_at + 2 * (steps - 1)), type_code("A"), 1, 60, &PUBLIC);
            read(&draft).map(|answer| answer.addresses.len())
        };
        assert_eq!(with_ladder(200), Ok(1));
        assert_eq!(with_ladder(8_000), Err(Fault::Malformed));
    }

    #[test]
    fn a_dot_inside_a_label_is_no_dot() {
        let mut draft = Draft::answering(HOST, RecordType::A);
        let one_label = [[17].as_slice(), HOST.as_bytes(), &[0]].concat();
        draft.add_raw(1, &one_label, type_code("A"), 1, 60, &PUBLIC);
        assert!(read(&draft).unwrap().addresses.is_empty());
        let mut draft = Draft::answering(HOST, RecordType::A);
        draft.add(HOST, type_code("CNAME"), 60, b"\x0ba.localhost\0");
        assert_eq!(read(&draft).unwrap().names[1], "a\\.localhost");
    }
}

//! The verdict over what the resolvers answered.

use super::{Answer, Cause, Fault, Refused, address, names};

/// What came of one question to one resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// No DNS message came: no connection, no answer in time, another HTTP status than 200, another content type.
    Unreachable,
    /// A DNS message came; read or not.
    Message(Result<Answer, Fault>),
}

/// What came of both questions to one resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// To the question for IPv4 addresses.
    pub a: Reply,
    /// To the question for IPv6 addresses.
    pub aaaa: Reply,
}

/// Whether the name may be called now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// At least one resolver answered both questions, and nothing in any answer speaks against it.
    Allowed,
    /// Something speaks against it.
    Refused(Refused),
    /// No resolver answered both questions: not allowed, and worth another try later.
    Unreachable,
}

/// Judges all look-ups of one name together. A resolver that is out of reach is made up for by another; a bad answer is
/// not, and where several things are bad the gravest is the reason.
pub fn judge(lookups: &[Lookup]) -> Verdict {
    let faults = lookups.iter().flat_map(Lookup::faults);
    if let Some(gravest) = faults.min_by_key(|refused| refused.cause) {
        return Verdict::Refused(gravest);
    }
    if lookups.iter().any(|lookup| lookup.both().is_some()) { Verdict::Allowed } else { Verdict::Unreachable }
}

impl Lookup {
    /// Neither question reached the resolver.
    pub const UNREACHABLE: Lookup = Lookup { a: Reply::Unreachable, aaaa: Reply::Unreachable };

    fn faults(&self) -> impl Iterator<Item = Refused> {
        let empty = self.both().is_some_and(|[a, aaaa]| a.addresses.is_empty() && aaaa.addresses.is_empty());
        let nothing = empty.then(|| Refused::new(Cause::Answer, "the name has no address"));
        [&self.a, &self.aaaa].into_iter().flat_map(Reply::faults).chain(nothing)
    }

    fn both(&self) -> Option<[&Answer; 2]> {
        match (&self.a, &self.aaaa) {
            (Reply::Message(Ok(a)), Reply::Message(Ok(aaaa))) => Some([a, aaaa]),
            _ => None,
        }
    }
}

impl Reply {
    /// All that speaks against this reply.
    fn faults(&self) -> Vec<Refused> {
        match self {
            Reply::Unreachable => Vec::new(),
            Reply::Message(Err(fault)) => vec![Refused::new(Cause::Answer, fault.to_string())],
            Reply::Message(Ok(answer)) => {
                let addresses = answer.addresses.iter().filter_map(|address| {
                    let block = address::forbidden(*address)?;
                    Some(Refused::new(Cause::Address, format!("the name has the address {address}, in {block}")))
                });
                let names = answer.names.iter().filter_map(|name| {
                    let fault = names::alias_fault(name)?;
                    Some(Refused::new(Cause::Name, format!("the name leads to {name}: {fault}")))
                });
                addresses.chain(names).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::RecordType;
    use crate::egress::messages::{Draft, rdata_of, type_code};
    use crate::egress::read_answer;

    const HOST: &str = "hooks.example.com";

    fn reply(kind: RecordType, records: &[(&str, &str, &str)]) -> Reply {
        let mut draft = Draft::answering(HOST, kind);
        for (owner, kind, data) in records {
            draft.add(owner, type_code(kind), 60, &rdata_of(kind, data));
        }
        Reply::Message(read_answer(HOST, kind, &draft.bytes()))
    }

    fn a(address: &str) -> Reply {
        reply(RecordType::A, &[(HOST, "A", address)])
    }

    fn aaaa(address: &str) -> Reply {
        reply(RecordType::Aaaa, &[(HOST, "AAAA", address)])
    }

    fn alias(target: &str) -> Reply {
        reply(RecordType::A, &[(HOST, "CNAME", target), (target, "A", "93.184.215.14")])
    }

    fn fault(fault: Fault) -> Reply {
        Reply::Message(Err(fault))
    }

    fn none(kind: RecordType) -> Reply {
        reply(kind, &[])
    }

    fn good() -> Lookup {
        Lookup { a: a("93.184.215.14"), aaaa: none(RecordType::Aaaa) }
    }

    fn cause(lookups: &[Lookup]) -> Option<Cause> {
        match judge(lookups) {
            Verdict::Refused(refused) => Some(refused.cause),
            _ => None,
        }
    }

    #[test]
    fn one_resolver_may_be_out_of_reach() {
        let half = |a: Reply| Lookup { a, aaaa: Reply::Unreachable };
        assert_eq!(judge(&[good(), good()]), Verdict::Allowed);
        assert_eq!(judge(&[good(), Lookup::UNREACHABLE]), Verdict::Allowed);
        assert_eq!(judge(&[Lookup::UNREACHABLE, good()]), Verdict::Allowed);
        assert_eq!(judge(&[half(a("93.184.215.14")), good()]), Verdict::Allowed);
        assert_eq!(judge(&[Lookup::UNREACHABLE, Lookup::UNREACHABLE]), Verdict::Unreachable);
        assert_eq!(judge(&[half(a("93.184.215.14")), Lookup::UNREACHABLE]), Verdict::Unreachable);
        let other_half = Lookup { a: Reply::Unreachable, aaaa: aaaa("2606:4700::1") };
        assert_eq!(judge(&[half(a("93.184.215.14")), other_half]), Verdict::Unreachable);
        assert_eq!(judge(&[]), Verdict::Unreachable);
        // What came is judged although the rest is missing.
        assert_eq!(cause(&[half(a("10.0.0.1")), Lookup::UNREACHABLE]), Some(Cause::Address));
        assert_eq!(cause(&[half(fault(Fault::Truncated)), good()]), Some(Cause::Answer));
    }

    #[test]
    fn whatever_is_bad_in_either_resolver_refuses() {
        for (bad, expected) in [
            (Lookup { a: a("10.0.0.1"), aaaa: none(RecordType::Aaaa) }, Cause::Address),
            (Lookup { a: a("93.184.215.14"), aaaa: aaaa("fd00::1") }, Cause::Address),
            (Lookup { a: a("93.184.215.14"), aaaa: aaaa("::ffff:93.184.215.14") }, Cause::Address),
            (Lookup { a: alias("db.internal"), aaaa: none(RecordType::Aaaa) }, Cause::Name),
            (Lookup { a: alias("intranet"), aaaa: none(RecordType::Aaaa) }, Cause::Name),
            (Lookup { a: none(RecordType::A), aaaa: none(RecordType::Aaaa) }, Cause::Answer),
            (Lookup { a: fault(Fault::ResponseCode(2)), aaaa: aaaa("2606:4700::1") }, Cause::Answer),
            (Lookup { a: a("93.184.215.14"), aaaa: fault(Fault::Malformed) }, Cause::Answer),
            (Lookup { a: fault(Fault::TooLarge), aaaa: Reply::Unreachable }, Cause::Answer),
        ] {
            assert_eq!(cause(&[good(), bad.clone()]), Some(expected), "{bad:?}");
            assert_eq!(cause(&[bad.clone(), good()]), Some(expected), "{bad:?}");
            assert_eq!(cause(&[bad.clone(), Lookup::UNREACHABLE]), Some(expected), "{bad:?}");
        }
    }

    #[test]
    fn the_gravest_fault_is_the_reason() {
        let servfail = Lookup { a: fault(Fault::ResponseCode(2)), aaaa: fault(Fault::ResponseCode(2)) };
        let private = Lookup { a: alias("db.internal"), aaaa: aaaa("fe80::1") };
        let Verdict::Refused(refused) = judge(&[servfail.clone(), private]) else {
            panic!("a private address was allowed")
        };
        assert!(refused.is_forbidden());
        assert_eq!(refused.reason, "the name has the address fe80::1, in fe80::/10 (link-local, RFC 4291)");
        let Verdict::Refused(refused) = judge(&[good(), servfail]) else { panic!("SERVFAIL was allowed") };
        assert!(!refused.is_forbidden());
        assert_eq!(refused.reason, "a resolver answered SERVFAIL");
        let Verdict::Refused(refused) = judge(&[Lookup { a: alias("localhost"), ..good() }]) else { panic!("allowed") };
        assert_eq!(refused.reason, "the name leads to localhost: names under .localhost are not public (RFC 6761)");
    }
}

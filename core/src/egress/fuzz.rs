//! Untrusted input by the hundred thousand, from a seed: nothing panics, nothing takes long, and what passes has the
//! shape that was promised.

#[cfg(test)]
mod tests {
    use crate::egress::messages::{Draft, name, rdata_of, type_code};
    use crate::egress::*;

    const HOST: &str = "hooks.example.com";
    const ROUNDS: usize = 100_000;

    /// SplitMix64.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }

        fn below(&mut self, end: usize) -> usize {
            (self.next() % end as u64) as usize
        }

        fn bytes(&mut self, longest: usize) -> Vec<u8> {
            (0..self.below(longest + 1)).map(|_| self.next() as u8).collect()
        }
    }

    fn check_answer(message: &[u8]) -> bool {
        let Ok(answer) = read_answer(HOST, RecordType::A, message) else { return false };
        assert_eq!(answer.names[0], HOST);
        assert!(answer.names.len() <= CNAME_CHAIN_MAX + 1 && answer.addresses.len() <= DNS_RECORDS_MAX);
        let reply = Reply::Message(Ok(answer.clone()));
        let verdict = judge(&[Lookup { a: reply.clone(), aaaa: reply }]);
        let is_clean = answer.addresses.iter().all(|address| forbidden(*address).is_none());
        assert!(verdict != Verdict::Allowed || is_clean && !answer.addresses.is_empty(), "{answer:?}");
        true
    }

    #[test]
    fn random_bytes_are_no_answer() {
        let mut random = Random(1);
        for _ in 0..ROUNDS {
            let mut message = random.bytes(300);
            assert!(!check_answer(&message), "{message:?}");
            // The same with a header and a question that pass.
            let start = Draft::answering(HOST, RecordType::A).bytes();
            let counts = [0, 1, 0, random.below(4) as u8, 0, random.below(4) as u8, 0, random.below(4) as u8];
            message.splice(0..0, [&start[..4], &counts, &start[12..]].concat());
            check_answer(&message);
        }
    }

    #[test]
    fn damaged_answers_are_read_or_refused() {
        let mut draft = Draft::answering(HOST, RecordType::A);
        let chain = [(HOST, "CNAME", "b.example.net"), ("b.example.net", "CNAME", "c.example.org")];
        let ends = [("c.example.org", "A", "93.184.215.14"), ("c.example.org", "AAAA", "2606:4700::1")];
        for (owner, kind, data) in chain.into_iter().chain(ends) {
            draft.add(owner, type_code(kind), 60, &rdata_of(kind, data));
        }
        draft.add_raw(2, &[0xc0, 12], type_code("DNAME"), 1, 60, &name("example.net"));
        draft.add_raw(3, &[0], type_code("OPT"), 1_232, 0, &[0, 12, 0, 2, 0, 0]);
        let whole = draft.bytes();
        assert!(check_answer(&whole));
        let (mut random, mut read) = (Random(2), 0);
        for _ in 0..ROUNDS {
            let mut message = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(message.len());
                match random.below(4) {
                    0 => message[at] = random.next() as u8,
                    1 => message[at] ^= 1 << random.below(8),
                    2 => message[at] = 0xc0,
                    _ => drop(message.remove(at)),
                }
            }
            read += usize::from(check_answer(&message));
        }
        assert!((1..ROUNDS).contains(&read), "the damage is neither always nor never fatal: {read}");
    }

    #[test]
    fn random_urls_pass_only_in_shape() {
        let pieces = [
            "https://",
            "HTTPS://",
            "http://",
            "https:",
            "/",
            "//",
            "\\",
            "?",
            "#",
            "@",
            ":",
            ":443",
            ":80",
            ".",
            "..",
            "%",
            "%2e",
            "%40",
            "[",
            "]",
            "::1",
            "127.0.0.1",
            "127",
            "0x7f",
            "localhost",
            "internal",
            "hooks",
            "example",
            "com",
            "xn--",
            "-",
            "_",
            "a",
            "Z",
            "9",
            " ",
            "\t",
            "\n",
            "\0",
            "é",
            "。",
            "\u{ad}",
            "hooks.example.com",
            "{",
            "'",
            "&",
        ];
        let dev = DevDestinations::parse("localhost:80,127.0.0.1:443").unwrap();
        let own = ["own.example.com".to_owned()];
        let (mut random, mut passed) = (Random(3), 0);
        for _ in 0..ROUNDS {
            let start = ["", "https://", "https://hooks.example.com", "https://hooks."][random.below(4)];
            let mut raw = start.to_owned();
            (0..random.below(9)).for_each(|_| raw.push_str(pieces[random.below(pieces.len())]));
            let Ok(found) = check_url(&raw, &own, &dev) else { continue };
            passed += 1;
            assert_eq!(check_url(&found.url, &own, &dev).as_ref(), Ok(&found), "{raw}");
            let parsed = url::Url::parse(&raw).unwrap_or_else(|fault| panic!("{raw}: {fault}"));
            assert_eq!(parsed.as_str(), found.url, "the raw text and the canonical text are one URL");
            assert_eq!(parsed.host_str(), Some(found.host.as_str()), "{raw}");
            if !found.is_dev {
                assert!(found.url.starts_with(&format!("https://{}/", found.host)), "{raw}");
                assert!(matches!(parsed.host(), Some(url::Host::Domain(_))) && found.port == 443, "{raw}");
                assert!(query(&found.host, RecordType::Aaaa).is_some(), "{raw}");
            }
        }
        assert!(passed > 1_000, "{passed}");
    }

    #[test]
    fn random_texts_are_no_urls() {
        let mut random = Random(4);
        for _ in 0..ROUNDS {
            let raw = String::from_utf8_lossy(&random.bytes(80)).into_owned();
            assert!(check_url(&raw, &[], &DevDestinations::default()).is_err(), "{raw}");
            // A random list entry must not panic either; what it lists is shown as it will match.
            if let Ok(list) = DevDestinations::parse(&raw) {
                assert_eq!(DevDestinations::parse(&list.to_string()), Ok(list), "{raw}");
            }
        }
    }

    #[test]
    fn one_more_resolver_never_makes_a_refusal_an_allowance() {
        let names = [HOST, "b.example.net", "localhost", "x.internal", "intranet"];
        let addresses = ["93.184.215.14", "2606:4700::1", "10.0.0.1", "::1", "64:ff9b::1"];
        let faults = [Fault::Truncated, Fault::ResponseCode(2), Fault::Malformed, Fault::ChainTooLong];
        let mut random = Random(5);
        let mut reply = || match random.below(8) {
            0 => Reply::Unreachable,
            1 => Reply::Message(Err(faults[random.below(4)])),
            // Mostly good, or nothing would be allowed for long.
            worst => {
                let end = if worst == 2 { 5 } else { 2 };
                let names = (0..1 + random.below(2)).map(|_| names[random.below(end)].to_owned()).collect();
                let addresses = (0..random.below(3)).map(|_| addresses[random.below(end)].parse().unwrap()).collect();
                Reply::Message(Ok(Answer { names, addresses }))
            }
        };
        let mut seen = [0, 0, 0];
        for _ in 0..ROUNDS / 4 {
            let lookups: Vec<Lookup> = (0..3).map(|_| Lookup { a: reply(), aaaa: reply() }).collect();
            for fewer in 0..3 {
                let (before, after) = (judge(&lookups[..fewer]), judge(&lookups[..=fewer]));
                if let Verdict::Refused(refused) = before {
                    let Verdict::Refused(graver) = after else { panic!("{lookups:?}") };
                    assert!(graver.cause <= refused.cause, "{lookups:?}");
                    seen[0] += 1;
                } else if after == Verdict::Allowed {
                    seen[1] += 1;
                } else {
                    seen[2] += 1;
                }
            }
        }
        assert!(seen.iter().all(|count| *count > 1_000), "{seen:?}");
    }
}

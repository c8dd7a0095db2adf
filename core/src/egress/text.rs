//! The text of a customer's URL. Every rule is checked on the raw text before any parser, because parsers repair:
//! they trim, drop tabs, turn backslashes, decode hosts and read odd numbers as addresses, each in its own way. What
//! is left can be read in one way only. The WHATWG parser, the one that `fetch` uses, then writes the canonical text,
//! and has to agree on scheme, host and port.

use super::{Cause, DevDestinations, Refused, URL_BYTES_MAX, dev, names};

/// A URL that may be called, as far as its text goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The canonical text: store this, and call exactly this.
    pub url: String,
    /// Host, in lower case; of a listed IPv6 address with its brackets.
    pub host: String,
    /// Port, the default one included.
    pub port: u16,
    /// Listed for development: its name is not resolved and its addresses are not judged.
    pub is_dev: bool,
}

/// Judges the text of a URL. `own_hosts` are the names under which the gateway itself is reached: a call to them would
/// come back to us.
///
/// # Errors
/// The first rule that is broken.
pub fn check_url(raw: &str, own_hosts: &[String], dev: &DevDestinations) -> Result<Destination, Refused> {
    refuse(character_fault(raw))?;
    let parts = Parts::of(raw)?;
    let is_dev = dev.lists(&parts.host, parts.port);
    if !is_dev {
        refuse(parts.fault())?;
        refuse(
            own_hosts.iter().any(|own| is_same_host(own, &parts.host)).then(|| "this is the gateway itself".into()),
        )?;
    }
    Ok(Destination { url: parts.canonical()?, host: parts.host, port: parts.port, is_dev })
}

fn refuse(fault: Option<String>) -> Result<(), Refused> {
    fault.map_or(Ok(()), |reason| Err(Refused::new(Cause::Text, reason)))
}

fn is_same_host(own: &str, host: &str) -> bool {
    own.strip_suffix('.').unwrap_or(own).eq_ignore_ascii_case(host)
}

fn character_fault(raw: &str) -> Option<String> {
    if raw.len() > URL_BYTES_MAX {
        return Some(format!("the URL has {} bytes; the limit is {URL_BYTES_MAX} bytes", raw.len()));
    }
    if !raw.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Some("the URL may hold printable ASCII without blanks only; percent-encode the rest".into());
    }
    // The fragment is never sent. The others no URL holds (RFC 3986), and parsers differ in what they make of them.
    raw.chars().find(|char| r##"#\"<>^`{|}"##.contains(*char)).map(|char| format!("the URL must not hold {char}"))
}

/// A URL cut at its delimiters, nothing decoded.
struct Parts<'a> {
    scheme: &'static str,
    /// In lower case.
    host: String,
    port: u16,
    /// Path and query.
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn of(raw: &'a str) -> Result<Parts<'a>, Refused> {
        let fault = |reason: &str| Refused::new(Cause::Text, reason);
        let (scheme, rest) = raw.split_once("://").ok_or_else(|| fault("the URL must begin with https://"))?;
        let (scheme, default_port) = match scheme.to_ascii_lowercase().as_str() {
            "https" => ("https", 443),
            "http" => ("http", 80),
            _ => return Err(fault("the URL must begin with https://")),
        };
        let authority_ends = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(authority_ends).unwrap_or((rest, ""));
        if authority.contains(['@', '%']) {
            return Err(fault("the URL must not hold a user name, a password or an encoded host"));
        }
        // The colons inside brackets belong to the host.
        let host_ends = authority.rfind(']').map_or(0, |at| at.saturating_add(1));
        let (bracketed, after) = authority.split_at_checked(host_ends).unwrap_or(("", authority));
        let (name, port) = after.split_once(':').map_or((after, None), |(name, port)| (name, Some(port)));
        let port = match port {
            Some(port) => dev::port_of(port).ok_or_else(|| fault("the port is not a number from 1 to 65535"))?,
            None => default_port,
        };
        Ok(Parts { scheme, host: [bracketed, name].concat().to_ascii_lowercase(), port, rest })
    }

    /// Why this is no public destination.
    fn fault(&self) -> Option<String> {
        if self.scheme != "https" {
            return Some("the URL must begin with https://".into());
        }
        names::host_fault(&self.host)
            .or_else(|| (self.port != 443).then(|| format!("the port is {}; only 443 is called", self.port)))
    }

    fn canonical(&self) -> Result<String, Refused> {
        let Parts { scheme, host, port, rest } = self;
        let parsed = url::Url::parse(&format!("{scheme}://{host}:{port}{rest}")).ok();
        let agreed = parsed.filter(|url| {
            let authority = (url.scheme(), url.host_str(), url.port_or_known_default());
            authority == (scheme, Some(host), Some(*port)) && url.username().is_empty() && url.password().is_none()
        });
        let url = agreed.ok_or_else(|| Refused::new(Cause::Text, "the URL or its host is not well-formed"))?;
        let text = String::from(url);
        refuse(character_fault(&text))?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str) -> Result<Destination, Refused> {
        check_url(raw, &["gate.example.org".to_owned(), "Gate2.Example.Org.".to_owned()], &DevDestinations::default())
    }

    fn check_dev(raw: &str) -> Result<Destination, Refused> {
        let listed = "localhost:9000, 127.0.0.1:9443, [::1]:9000, box.lan:80, box.lan:443, gate.example.org:8787";
        check_url(raw, &["gate.example.org".to_owned()], &DevDestinations::parse(listed).unwrap())
    }

    #[test]
    fn the_canonical_text_is_what_fetch_would_send() {
        for (raw, url) in [
            ("https://hooks.example.com", "https://hooks.example.com/"),
            ("HTTPS://Hooks.EXAMPLE.com/In", "https://hooks.example.com/In"),
            ("hTTpS://hooks.example.com:443/in", "https://hooks.example.com/in"),
            ("https://hooks.example.com?x=1", "https://hooks.example.com/?x=1"),
            ("https://hooks.example.com:443?x=1", "https://hooks.example.com/?x=1"),
            ("https://hooks.example.com/a/../b/./c/%2e%2E/d", "https://hooks.example.com/b/d"),
            ("https://hooks.example.com/../../etc", "https://hooks.example.com/etc"),
            ("https://hooks.example.com//x//", "https://hooks.example.com//x//"),
            ("https://hooks.example.com/?q='a'&b[]=:@", "https://hooks.example.com/?q=%27a%27&b[]=:@"),
            ("https://hooks.example.com/%zz%", "https://hooks.example.com/%zz%"),
            ("https://XN--bcher-KVA.example.com/", "https://xn--bcher-kva.example.com/"),
            ("https://a--b.example.com/", "https://a--b.example.com/"),
        ] {
            let found = check(raw).unwrap_or_else(|refused| panic!("{raw}: {refused:?}"));
            assert_eq!(found.url, url);
            assert_eq!((found.port, found.is_dev), (443, false));
            assert_eq!(check(url).as_ref(), Ok(&found), "the canonical text of the canonical text");
        }
        assert_eq!(check("https://Hooks.example.com/").unwrap().host, "hooks.example.com");
    }

    /// Spellings of addresses, most of which some resolver or parser takes for loopback, a private network or a
    /// metadata service.
    const LITERALS: &str = "127.0.0.1 127.1 127.0.1 127.127.127.127 0 0.0.0.0 00 0x0 0x 0X7F000001 0x7f000001 0x7f.0.0.1 \
        0x7f.0x0.0x0.0x1 0x7f.1 0177.0.0.1 0177.1 0177.0.0.01 00000177.0.0.1 017700000001 127.0.0.01 127.0x1 127.0.0.0x1 \
        2130706433 02130706433 127.0.0.256 256.1 4294967295 4294967296 99999999999999999999 1.1.1.1 1.0x1.1 8.8.8.8 \
        10.0.0.5 10.5 012.0.0.5 172.16.0.1 192.168.1 192.168.257 3232235777 0xc0a80101 169.254.169.254 169.254.43518 \
        2852039166 0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.254.169.254.1 100.100.100.200 168.63.129.16 \
        224.0.0.1 255.255.255.255 1.2.3.4.5 127.0.0 127.. 127.0.0.1.. .127.0.0.1 ::1 [::1] [::] [0:0:0:0:0:0:0:1] \
        [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:169.254.169.254] [::FFFF:A9FE:A9FE] [0::ffff:10.0.0.1] \
        [64:ff9b::a9fe:a9fe] [64:ff9b::169.254.169.254] [64:ff9b:1::a00:1] [2002:7f00:1::1] [2001:db8::1] [fd00:ec2::254] \
        [fe80::1] [fe80::1%25eth0] [fe80::1%eth0] [ff02::1] [2606:4700:4700::1111] [127.0.0.1] [] [[::1]] [v1.x] \
        hooks.example.com.127 hooks.example.com.0x7f hooks.example.0 localhost. localhost.localdomain \
        ip6-localhost %31%32%37.0.0.1 127%2e0%2e0%2e1 %5b::1%5d";

    #[test]
    fn no_spelling_of_an_address_passes() {
        let literals: Vec<&str> = LITERALS.split_ascii_whitespace().collect();
        assert!(literals.len() >= 80);
        for literal in literals {
            for raw in [
                format!("https://{literal}/"),
                format!("https://{literal}"),
                format!("https://{literal}:443/in"),
                format!("https://{literal}./"),
                format!("https://{literal}?x"),
                format!("HTTPS://{literal}/"),
                format!("https://hooks.example.com@{literal}/"),
            ] {
                assert!(check(&raw).is_err(), "{raw}");
            }
        }
    }

    #[test]
    fn what_two_parsers_may_read_in_two_ways_is_refused() {
        for raw in [
            "http://hooks.example.com/",
            "httpss://hooks.example.com/",
            "wss://hooks.example.com/",
            "//hooks.example.com/",
            "hooks.example.com/",
            "https//hooks.example.com/",
            "https:/\\hooks.example.com/",
            "https://\\hooks.example.com/",
            "view-source:https://hooks.example.com/",
            "\u{feff}https://hooks.example.com/",
            "https://hooks.example.com/\n",
            "\thttps://hooks.example.com/",
            "ht\ttps://hooks.example.com/",
            "https://hooks.example.com/\u{7f}",
            "https://hooks.example.com/é",
            "https://bücher.example.com/",
            "https://hooks.example.com:/",
            "https://hooks.example.com:0443/",
            "https://hooks.example.com:443 /",
            "https://hooks.example.com:443@evil.example.net/",
            "https://hooks.example.com:80/",
            "https://hooks.example.com:8443/",
            "https://hooks.example.com:-443/",
            "https://hooks.example.com:0x1bb/",
            "https://user@hooks.example.com/",
            "https://:pass@hooks.example.com/",
            "https://hooks.example.com./",
            "https://hooks.example.com../",
            "https://hooks_.example.com/",
            "https://hooks-.example.com/",
            "https://hooks.example.com&x/",
            "https://hooks.example.com;x/",
            "https://hooks.example.com|x/",
            "https://hooks.example.com/{tool}",
            "https://hooks.example.com/<x>",
            "https://hooks.example.com/a^b",
            "https://hooks.example.com/`x`",
            "https://hooks.example.com/?a=\"b\"",
            "https://hooks.example.com/?a|b",
            "https://hooks.example.com#",
            "https://xn--a.example.com/",
            "https://xn--ls8h=.example.com/",
            "https://xn--80ak6aa92e-.com/",
        ] {
            let refused = check(raw).expect_err(raw);
            assert_eq!((refused.cause, refused.is_forbidden()), (Cause::Text, false), "{raw}");
            assert!(!refused.reason.is_empty());
        }
    }

    #[test]
    fn the_reason_names_the_rule() {
        for (raw, reason) in [
            (
                "https://hooks.example.com/a b",
                "the URL may hold printable ASCII without blanks only; percent-encode the rest",
            ),
            ("https://hooks.example.com/a#b", "the URL must not hold #"),
            ("https://hooks.example.com\\a", "the URL must not hold \\"),
            ("http://hooks.example.com/", "the URL must begin with https://"),
            ("https://me@hooks.example.com/", "the URL must not hold a user name, a password or an encoded host"),
            ("https://h%6foks.example.com/", "the URL must not hold a user name, a password or an encoded host"),
            ("https://hooks.example.com:443x/", "the port is not a number from 1 to 65535"),
            ("https://hooks.example.com:8443/", "the port is 8443; only 443 is called"),
            ("https://[::1]/", "the host may hold letters, digits and inner hyphens only"),
            ("https://127.1/", "the name must end with a top-level domain; an IP address is not accepted"),
            ("https://db.internal/", "names under .internal are not public (ICANN, 2024: private use)"),
            ("https://xn--a.example.com/", "the URL or its host is not well-formed"),
        ] {
            assert_eq!(check(raw).expect_err(raw).reason, reason, "{raw}");
        }
    }

    #[test]
    fn the_length_is_limited_as_sent_in_and_as_stored() {
        let head = "https://hooks.example.com/?";
        let long = format!("{head}{}", "a".repeat(URL_BYTES_MAX - head.len()));
        assert_eq!(check(&long).unwrap().url, long);
        assert_eq!(check(&format!("{long}a")).unwrap_err().reason, "the URL has 2049 bytes; the limit is 2048 bytes");
        let grows = format!("{head}{}", "'".repeat(URL_BYTES_MAX / 3));
        assert!(grows.len() < URL_BYTES_MAX);
        assert!(check(&grows).unwrap_err().reason.contains("the limit is 2048 bytes"));
    }

    #[test]
    fn the_gateway_is_no_destination_of_its_own() {
        for host in ["gate.example.org", "GATE.example.org", "gate2.example.org"] {
            let refused = check(&format!("https://{host}/v1/calls")).unwrap_err();
            assert_eq!(refused.reason, "this is the gateway itself");
        }
        assert!(check("https://agate.example.org/").is_ok());
        assert!(check("https://tools.gate.example.org/").is_ok());
    }

    #[test]
    fn listed_destinations_pass_and_only_they() {
        for (raw, url, host, port) in [
            ("http://localhost:9000/in", "http://localhost:9000/in", "localhost", 9_000),
            ("https://LOCALHOST:9000", "https://localhost:9000/", "localhost", 9_000),
            ("https://127.0.0.1:9443/in", "https://127.0.0.1:9443/in", "127.0.0.1", 9_443),
            ("http://[::1]:9000/in", "http://[::1]:9000/in", "[::1]", 9_000),
            ("http://box.lan/in", "http://box.lan/in", "box.lan", 80),
            ("http://box.lan:80/in", "http://box.lan/in", "box.lan", 80),
            ("http://box.lan:443/in", "http://box.lan:443/in", "box.lan", 443),
            ("https://box.lan/in", "https://box.lan/in", "box.lan", 443),
            ("https://gate.example.org:8787/", "https://gate.example.org:8787/", "gate.example.org", 8_787),
        ] {
            let found = check_dev(raw).unwrap_or_else(|refused| panic!("{raw}: {refused:?}"));
            let expected = Destination { url: url.into(), host: host.into(), port, is_dev: true };
            assert_eq!(found, expected);
            assert_eq!(check_dev(url), Ok(expected));
        }
        for raw in [
            "http://localhost:9001/",
            "http://localhost/",
            "http://localhost.:9000/",
            "http://a.localhost:9000/",
            "http://127.1:9000/",
            "https://127.0.0.1:9000/",
            "http://2130706433:9443/",
            "http://[0::1]:9000/",
            "http://::1:9000/",
            "http://user@localhost:9000/",
            "http://localhost:9000@evil.example.net/",
            "http://localhost:9000#/",
            "ftp://localhost:9000/",
            "http://hooks.example.com/",
            "http://gate.example.org/",
            "https://gate.example.org/",
        ] {
            assert!(check_dev(raw).is_err(), "{raw}");
        }
        assert!(!check_dev("https://hooks.example.com/").unwrap().is_dev);
    }
}

//! Extra destinations for local development (`TOOLGATE_DEV_DESTINATIONS`): an exact list of host and port, for which
//! the rules for names, ports and addresses do not hold and `http` is enough. Whoever reads the setting refuses it in
//! production, prints it at start and shows it in the console.

use core::fmt;

use url::Host;

/// The list; by default empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DevDestinations(Vec<(String, u16)>);

impl DevDestinations {
    /// Reads `host:port,host:port`. A host is a name, an IPv4 address, or an IPv6 address in brackets, each spelled as
    /// it will stand in the URL that is called: an entry that could never match would be a trap.
    ///
    /// # Errors
    /// A sentence that names the entry.
    pub fn parse(text: &str) -> Result<DevDestinations, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let read = |entry: &str| {
            entry_of(entry).ok_or_else(|| format!("{entry:?} is not host:port, as in localhost:9000 or [::1]:9000"))
        };
        Ok(DevDestinations(entries.map(read).collect::<Result<_, _>>()?))
    }

    /// What either lists.
    #[must_use]
    pub fn and(mut self, mut other: DevDestinations) -> DevDestinations {
        self.0.append(&mut other.0);
        self
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether exactly this host (lower case) and port are listed.
    pub(super) fn lists(&self, host: &str, port: u16) -> bool {
        self.0.iter().any(|(listed, at)| listed == host && *at == port)
    }
}

impl fmt::Display for DevDestinations {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self.0.iter().map(|(host, port)| format!("{host}:{port}")).collect();
        out.write_str(&entries.join(", "))
    }
}

fn entry_of(entry: &str) -> Option<(String, u16)> {
    let (host, port) = entry.rsplit_once(':')?;
    let host = host.to_ascii_lowercase();
    let called = Host::parse(&host).ok()?.to_string();
    (called == host).then_some((host, port_of(port)?))
}

/// A port in its one spelling: no sign, no leading zero, not 0.
pub(super) fn port_of(text: &str) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_shown() {
        let list = DevDestinations::parse(" LocalHost:9000,127.0.0.1:9443 , [::1]:80,box.lan:1,").unwrap();
        assert_eq!(list.to_string(), "localhost:9000, 127.0.0.1:9443, [::1]:80, box.lan:1");
        assert!(list.lists("localhost", 9000) && list.lists("[::1]", 80));
        assert!(!list.lists("localhost", 9001) && !list.lists("127.0.0.1", 9000) && !list.lists("::1", 80));
        let both = list.and(DevDestinations::parse("models.lan:8000").unwrap());
        assert!(both.lists("localhost", 9000) && both.lists("models.lan", 8000));
        for text in ["", " ", ",", " , "] {
            assert!(DevDestinations::parse(text).unwrap().is_empty());
        }
    }

    #[test]
    fn entries_that_could_never_match_are_refused() {
        for entry in [
            "localhost",
            "localhost:",
            ":9000",
            "localhost:0",
            "localhost:09000",
            "localhost:+9000",
            "localhost:65536",
            "localhost:*",
            "*",
            "http://localhost:9000",
            "localhost:9000/path",
            "me@localhost:9000",
            "127.1:9000",
            "0x7f000001:9000",
            "::1:9000",
            "[::0001]:9000",
            "[::ffff:127.0.0.1]:9000",
            "[::1:9000",
            "büro:9000",
            "a b:9000",
        ] {
            let fault = DevDestinations::parse(&format!("localhost:1,{entry}")).unwrap_err();
            assert!(fault.contains(&format!("{entry:?}")), "{fault}");
        }
    }

    #[test]
    fn a_port_has_one_spelling() {
        assert_eq!((port_of("1"), port_of("443"), port_of("65535")), (Some(1), Some(443), Some(65_535)));
        for text in
            ["", "0", "00", "0443", "+443", "-1", "443 ", " 443", "4a", "65536", "99999999999999999999", "４４３"]
        {
            assert_eq!(port_of(text), None, "{text}");
        }
    }
}

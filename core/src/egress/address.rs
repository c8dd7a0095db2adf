//! Which addresses may be called.
//!
//! IPv4: all that no block of the table holds. IPv6: what is in 2000::/3, in no block of the table, and has no ISATAP
//! interface id. There is no list of what the registries have handed out to regions: it ages and then refuses
//! customers. An address inside another (mapped, translated, 6to4, Teredo) is refused by its outer block and never
//! unwrapped. A network's own NAT64 prefix inside 2000::/3 looks like any other prefix; SECURITY.md says so.

use core::net::IpAddr;

use super::blocks::{BLOCKS, Block, ISATAP, OUTSIDE_UNICAST, UNICAST};

/// The narrowest reason why an address must not be called, if there is one.
pub fn forbidden(address: IpAddr) -> Option<&'static Block> {
    let listed = BLOCKS.iter().filter(|block| block.contains(address)).max_by_key(|block| block.prefix_bits);
    listed.or_else(|| match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(_) if !UNICAST.contains(address) => Some(&OUTSIDE_UNICAST),
        IpAddr::V6(inner) => matches!(inner.segments(), [_, _, _, _, 0 | 0x0200, 0x5efe, _, _]).then_some(&ISATAP),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::blocks::Reach;

    fn named(text: &str) -> Option<&'static str> {
        forbidden(text.parse().unwrap()).map(|block| block.name)
    }

    #[test]
    fn the_narrowest_block_is_the_reason() {
        for (address, name) in [
            ("0.0.0.0", "this host on this network"),
            ("0.0.0.1", "this network"),
            ("127.0.0.1", "loopback"),
            ("169.254.169.254", "link-local"),
            ("192.0.0.1", "IPv4 service continuity"),
            ("192.0.0.9", "port control protocol anycast"),
            ("192.0.0.11", "IETF protocol assignments"),
            ("255.255.255.255", "limited broadcast"),
            ("255.255.255.254", "reserved"),
            ("168.63.129.16", "Azure platform service"),
            ("::1", "loopback"),
            ("::", "unspecified address"),
            ("::2", "outside 2000::/3"),
            ("::ffff:8.8.8.8", "IPv4-mapped address"),
            ("64:ff9b::a9fe:a9fe", "IPv4-IPv6 translation"),
            ("2001::1", "Teredo"),
            ("2001:1::1", "port control protocol anycast"),
            ("2001:1::9", "IETF protocol assignments"),
            ("fec0::1", "outside 2000::/3"),
            ("2a00::5efe:a00:1", "ISATAP interface id"),
            ("2a00::200:5efe:a00:1", "ISATAP interface id"),
        ] {
            assert_eq!(named(address), Some(name), "{address}");
        }
    }

    #[test]
    fn neighbours_of_what_is_refused_may_be_called() {
        for address in [
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "168.63.129.15",
            "168.63.129.17",
            "172.32.0.0",
            "192.88.98.255",
            "192.88.100.0",
            "223.255.255.255",
            "2000::",
            "2001:200::",
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::",
            "2003::",
            "2620:4f:7fff::1",
            "2620:4f:8001::1",
            "2a00::100:5efe:a00:1",
            "2a00::5eff:a00:1",
            "3fff:1000::",
        ] {
            assert_eq!(named(address), None, "{address}");
        }
    }

    #[test]
    fn globally_reachable_blocks_are_refused_too() {
        let global: Vec<_> = BLOCKS.iter().filter(|block| block.reach == Reach::Global).collect();
        assert!(global.len() >= 12);
        for block in global {
            assert_eq!(forbidden(block.base), Some(block));
        }
    }
}

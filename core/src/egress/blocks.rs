//! The address blocks that are refused, as data.
//!
//! Sources: the IANA registries of special-purpose addresses for IPv4 and IPv6 as updated on 2025-10-09, complete; from
//! the registries of address space the multicast blocks. Our rule is stricter than the registries: a block is refused
//! although it is globally reachable, since those are anycast sinks and relays, never the host of a tool. So the table
//! needs no verdict: to be listed is to be refused. Addresses that only clouds treat specially stand at the end.

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What the registry says of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Globally reachable.
    Global,
    /// Not globally reachable.
    NotGlobal,
    /// The registry gives no answer (not applicable, deprecated, or another source).
    Unsaid,
}

/// A block of addresses that must not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// First address.
    pub base: IpAddr,
    /// Length of the prefix in bits.
    pub prefix_bits: u32,
    /// What the registry says of it.
    pub reach: Reach,
    /// Its name.
    pub name: &'static str,
    /// Where it is laid down.
    pub source: &'static str,
}

impl Block {
    /// Whether the address lies in the block. Families are not converted into each other.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                (base.to_bits() ^ address.to_bits()).leading_zeros() >= self.prefix_bits
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                (base.to_bits() ^ address.to_bits()).leading_zeros() >= self.prefix_bits
            }
            _ => false,
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{} ({}, {})", self.base, self.prefix_bits, self.name, self.source)
    }
}

const fn four(base: [u8; 4], prefix_bits: u32, reach: Reach, name: &'static str, source: &'static str) -> Block {
    let [a, b, c, d] = base;
    Block { base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix_bits, reach, name, source }
}

const fn six(base: [u16; 8], prefix_bits: u32, reach: Reach, name: &'static str, source: &'static str) -> Block {
    let [a, b, c, d, e, f, g, h] = base;
    Block { base: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), prefix_bits, reach, name, source }
}

use Reach::{Global, NotGlobal, Unsaid};

/// What must not be called, in the order of the registries.
pub(super) static BLOCKS: &[Block] = &[
    four([0, 0, 0, 0], 8, NotGlobal, "this network", "RFC 791"),
    four([0, 0, 0, 0], 32, NotGlobal, "this host on this network", "RFC 1122"),
    four([10, 0, 0, 0], 8, NotGlobal, "private use", "RFC 1918"),
    four([100, 64, 0, 0], 10, NotGlobal, "shared address space", "RFC 6598"),
    four([127, 0, 0, 0], 8, NotGlobal, "loopback", "RFC 1122"),
    four([169, 254, 0, 0], 16, NotGlobal, "link-local", "RFC 3927"),
    four([172, 16, 0, 0], 12, NotGlobal, "private use", "RFC 1918"),
    four([192, 0, 0, 0], 24, NotGlobal, "IETF protocol assignments", "RFC 6890"),
    four([192, 0, 0, 0], 29, NotGlobal, "IPv4 service continuity", "RFC 7335"),
    four([192, 0, 0, 8], 32, NotGlobal, "IPv4 dummy address", "RFC 7600"),
    four([192, 0, 0, 9], 32, Global, "port control protocol anycast", "RFC 7723"),
    four([192, 0, 0, 10], 32, Global, "TURN anycast", "RFC 8155"),
    four([192, 0, 0, 170], 32, NotGlobal, "NAT64/DNS64 discovery", "RFC 8880"),
    four([192, 0, 0, 171], 32, NotGlobal, "NAT64/DNS64 discovery", "RFC 8880"),
    four([192, 0, 2, 0], 24, NotGlobal, "documentation (TEST-NET-1)", "RFC 5737"),
    four([192, 31, 196, 0], 24, Global, "AS112-v4", "RFC 7535"),
    four([192, 52, 193, 0], 24, Global, "AMT", "RFC 7450"),
    four([192, 88, 99, 0], 24, Unsaid, "6to4 relay anycast, deprecated", "RFC 7526"),
    four([192, 88, 99, 2], 32, NotGlobal, "6a44 relay anycast", "RFC 6751"),
    four([192, 168, 0, 0], 16, NotGlobal, "private use", "RFC 1918"),
    four([192, 175, 48, 0], 24, Global, "direct delegation AS112 service", "RFC 7534"),
    four([198, 18, 0, 0], 15, NotGlobal, "benchmarking", "RFC 2544"),
    four([198, 51, 100, 0], 24, NotGlobal, "documentation (TEST-NET-2)", "RFC 5737"),
    four([203, 0, 113, 0], 24, NotGlobal, "documentation (TEST-NET-3)", "RFC 5737"),
    four([224, 0, 0, 0], 4, Unsaid, "multicast", "RFC 5771"),
    four([240, 0, 0, 0], 4, NotGlobal, "reserved", "RFC 1112"),
    four([255, 255, 255, 255], 32, NotGlobal, "limited broadcast", "RFC 8190"),
    six([0, 0, 0, 0, 0, 0, 0, 1], 128, NotGlobal, "loopback", "RFC 4291"),
    six([0, 0, 0, 0, 0, 0, 0, 0], 128, NotGlobal, "unspecified address", "RFC 4291"),
    // Refused as it is, never unwrapped: no resolver has a reason to answer with one.
    six([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, NotGlobal, "IPv4-mapped address", "RFC 4291"),
    six([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, Global, "IPv4-IPv6 translation", "RFC 6052"),
    six([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, NotGlobal, "IPv4-IPv6 translation, local use", "RFC 8215"),
    six([0x100, 0, 0, 0, 0, 0, 0, 0], 64, NotGlobal, "discard-only", "RFC 6666"),
    six([0x100, 0, 0, 1, 0, 0, 0, 0], 64, NotGlobal, "dummy prefix", "RFC 9780"),
    six([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, NotGlobal, "IETF protocol assignments", "RFC 2928"),
    six([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, Unsaid, "Teredo", "RFC 4380"),
    six([0x2001, 1, 0, 0, 0, 0, 0, 1], 128, Global, "port control protocol anycast", "RFC 7723"),
    six([0x2001, 1, 0, 0, 0, 0, 0, 2], 128, Global, "TURN anycast", "RFC 8155"),
    six([0x2001, 1, 0, 0, 0, 0, 0, 3], 128, Global, "DNS-SD service registration anycast", "RFC 9665"),
    six([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, NotGlobal, "benchmarking", "RFC 5180"),
    six([0x2001, 3, 0, 0, 0, 0, 0, 0], 32, Global, "AMT", "RFC 7450"),
    six([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48, Global, "AS112-v6", "RFC 7535"),
    six([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28, Unsaid, "ORCHID, deprecated", "RFC 4843"),
    six([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28, Global, "ORCHIDv2", "RFC 7343"),
    six([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28, Global, "drone remote id", "RFC 9374"),
    six([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, NotGlobal, "documentation", "RFC 3849"),
    six([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Unsaid, "6to4", "RFC 3056"),
    six([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, Global, "direct delegation AS112 service", "RFC 7534"),
    six([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, NotGlobal, "documentation", "RFC 9637"),
    six([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, NotGlobal, "segment routing ids", "RFC 9602"),
    six([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, NotGlobal, "unique local", "RFC 4193"),
    six([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, NotGlobal, "link-local", "RFC 4291"),
    six([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Unsaid, "multicast", "RFC 4291"),
    four([168, 63, 129, 16], 32, Unsaid, "Azure platform service", "Microsoft"),
];

/// The only part of IPv6 that is handed out as global unicast.
pub(super) static UNICAST: Block =
    six([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Global, "global unicast", "IANA IPv6 address space");
/// All of IPv6: the reason given for what lies outside `UNICAST` and has no name of its own.
pub(super) static OUTSIDE_UNICAST: Block =
    six([0, 0, 0, 0, 0, 0, 0, 0], 0, NotGlobal, "outside 2000::/3", "IANA IPv6 address space");
/// Whatever its prefix, a site's router may hand an ISATAP interface id to the private IPv4 address inside it.
pub(super) static ISATAP: Block = six([0, 0, 0, 0, 0, 0x5efe, 0, 0], 0, Unsaid, "ISATAP interface id", "RFC 5214");

#[cfg(test)]
mod tests {
    use super::*;

    /// The least address with all bits behind the prefix set.
    fn last(block: &Block) -> IpAddr {
        match block.base {
            IpAddr::V4(base) => {
                IpAddr::V4(Ipv4Addr::from_bits(base.to_bits() | u32::MAX.checked_shr(block.prefix_bits).unwrap_or(0)))
            }
            IpAddr::V6(base) => {
                IpAddr::V6(Ipv6Addr::from_bits(base.to_bits() | u128::MAX.checked_shr(block.prefix_bits).unwrap_or(0)))
            }
        }
    }

    #[test]
    fn every_block_is_well_formed_and_ends_where_its_prefix_ends() {
        for block in BLOCKS.iter().chain([&UNICAST]) {
            let host_bits = match block.base {
                IpAddr::V4(base) => u128::from(base.to_bits() & u32::MAX.checked_shr(block.prefix_bits).unwrap_or(0)),
                IpAddr::V6(base) => base.to_bits() & u128::MAX.checked_shr(block.prefix_bits).unwrap_or(0),
            };
            assert_eq!(host_bits, 0, "{block} has bits behind its prefix");
            assert!(block.contains(block.base) && block.contains(last(block)), "{block}");
            let (before, after) = match (block.base, last(block)) {
                (IpAddr::V4(base), IpAddr::V4(end)) => (
                    base.to_bits().checked_sub(1).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
                    end.to_bits().checked_add(1).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
                ),
                (IpAddr::V6(base), IpAddr::V6(end)) => (
                    base.to_bits().checked_sub(1).map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
                    end.to_bits().checked_add(1).map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
                ),
                _ => panic!("{block} mixes families"),
            };
            assert!(before.into_iter().chain(after).all(|outside| !block.contains(outside)), "{block}");
        }
    }

    #[test]
    fn no_block_is_listed_twice() {
        for (at, block) in BLOCKS.iter().enumerate() {
            let twin = BLOCKS[at + 1..]
                .iter()
                .find(|other| (other.base, other.prefix_bits) == (block.base, block.prefix_bits));
            assert_eq!(twin, None, "{block}");
        }
    }
}

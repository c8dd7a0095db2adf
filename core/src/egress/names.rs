//! Which host names may be called: the rules that hold for the host of a URL and for every alias behind it.
//!
//! Names here are lower-case text without a trailing dot.

/// A suffix under which no public host lives.
struct SpecialUse {
    suffix: &'static str,
    source: &'static str,
}

const fn special(suffix: &'static str, source: &'static str) -> SpecialUse {
    SpecialUse { suffix, source }
}

/// IANA's registry of special-use domain names (as of 2025-10), what ICANN keeps for private use or will never
/// delegate, and what local networks use without asking. All of `arpa` is infrastructure, so its entries are not named
/// one by one. Left out although registered: `example.com`, `.net` and `.org`, which IANA runs as public hosts.
const SPECIAL_USE: &[SpecialUse] = &[
    special("alt", "RFC 9476"),
    special("arpa", "RFC 3172"),
    special("example", "RFC 6761"),
    special("invalid", "RFC 6761"),
    special("local", "RFC 6762"),
    special("localhost", "RFC 6761"),
    special("onion", "RFC 7686"),
    special("test", "RFC 6761"),
    special("internal", "ICANN, 2024: private use"),
    special("corp", "ICANN, 2018: never delegated"),
    special("home", "ICANN, 2018: never delegated"),
    special("mail", "ICANN, 2018: never delegated"),
    special("intranet", "RFC 6762, appendix G"),
    special("lan", "RFC 6762, appendix G"),
    special("private", "RFC 6762, appendix G"),
    special("localdomain", "not delegated, local use"),
    special("svc", "not delegated, Kubernetes"),
];

const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// Why the host of a URL must not be called: letters, digits and hyphens only, and the rules for all names.
pub(super) fn host_fault(host: &str) -> Option<String> {
    let is_ldh = |label: &str| {
        let inside = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        inside && !label.starts_with('-') && !label.ends_with('-')
    };
    if !host.split('.').all(is_ldh) {
        return Some("the host may hold letters, digits and inner hyphens only".into());
    }
    shape_fault(host)
}

/// Why an alias must not be called. Unlike hosts, aliases in use hold underscores.
pub(super) fn alias_fault(name: &str) -> Option<String> {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')) {
        return Some("it is not the name of a host".into());
    }
    shape_fault(name)
}

fn shape_fault(name: &str) -> Option<String> {
    let labels = || name.split('.');
    if name.len() > NAME_BYTES_MAX || labels().any(|label| label.len() > LABEL_BYTES_MAX) {
        return Some("a name has at most 253 characters and a label at most 63".into());
    }
    if name.ends_with('.') {
        return Some("the name must not end with a dot".into());
    }
    if labels().any(str::is_empty) {
        return Some("a label is empty".into());
    }
    // No top-level domain begins with a digit, and a parser that sees one may read the whole as an IPv4 address.
    if labels().next_back().is_none_or(|last| !last.starts_with(|first: char| first.is_ascii_alphabetic())) {
        return Some("the name must end with a top-level domain; an IP address is not accepted".into());
    }
    if let Some(SpecialUse { suffix, source }) = SPECIAL_USE.iter().find(|special| is_under(name, special.suffix)) {
        return Some(format!("names under .{suffix} are not public ({source})"));
    }
    if labels().count() < 2 {
        return Some("the name needs two or more labels".into());
    }
    None
}

fn is_under(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name of four labels.
    fn of_bytes(bytes: usize) -> String {
        format!("{0}.{0}.{0}.{1}", "a".repeat(62), "a".repeat(bytes - 3 * 63))
    }

    #[test]
    fn public_names_pass() {
        let longest = of_bytes(NAME_BYTES_MAX - 4) + ".com";
        for name in [
            "a.example.com",
            "x-1.co.uk",
            "xn--bcher-kva.de",
            "mylocalhost.dev",
            "corp.com",
            "lan.io",
            "a.latest",
            &longest,
        ] {
            assert_eq!(host_fault(name), None, "{name}");
            assert_eq!(alias_fault(name), None, "{name}");
        }
        assert_eq!(alias_fault("_dc.edge_1.example.net"), None);
        assert_eq!(alias_fault("-odd-.example.net"), None);
    }

    #[test]
    fn names_that_are_not_public_are_refused() {
        let long_label = format!("{}.com", "a".repeat(64));
        let long_name = of_bytes(NAME_BYTES_MAX - 3) + ".com";
        for (name, words) in [
            ("", "label is empty"),
            ("localhost", ".localhost"),
            ("a.localhost", ".localhost"),
            ("1.0.0.127.in-addr.arpa", ".arpa"),
            ("router.home.arpa", ".arpa"),
            ("metadata.google.internal", ".internal"),
            ("default.svc", ".svc"),
            ("intra", "two or more labels"),
            ("a..com", "label is empty"),
            (".com", "label is empty"),
            ("a.com.", "end with a dot"),
            ("127.0.0.1", "IP address"),
            ("a.0x7f", "IP address"),
            ("a.1com", "IP address"),
            (&long_label, "at most 63"),
            (&long_name, "at most 253"),
        ] {
            let fault = alias_fault(name).unwrap_or_default();
            assert!(fault.contains(words), "{name}: {fault}");
            assert!(host_fault(name).is_some(), "{name}");
        }
        for name in
            ["a_b.example.com", "-a.example.com", "a-.example.com", "*.example.com", "a,b.com", "a b.com", "é.com"]
        {
            assert!(host_fault(name).is_some(), "{name}");
        }
        for name in ["a\\.localhost.com", "a\\000.com", "a b.com", "a/b.com", "é.com"] {
            assert!(alias_fault(name).is_some(), "{name}");
        }
    }
}

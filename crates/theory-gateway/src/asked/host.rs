//! A host as clients write it: a name or an address, perhaps a port, and nothing else.

use std::net::Ipv6Addr;

use compact_str::{CompactString, ToCompactString};

const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// A host, and the port if one was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// Lower case, without a dot at its end; IPv6 in brackets.
    pub(super) name: CompactString,
    pub(super) port: Option<u16>,
}

impl Host {
    /// The host, unless the text is anything but one: user names, escapes, letters beyond ASCII, empty labels, odd ports.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        if let Some(rest) = text.strip_prefix(b"[") {
            let end = rest.iter().position(|byte| *byte == b']')?;
            let address = std::str::from_utf8(&rest[..end]).ok()?.parse::<Ipv6Addr>().ok()?;
            let name = format_args!("[{address}]").to_compact_string();
            return Some(Self { name, port: port(&rest[end + 1..])? });
        }
        let end = text.iter().position(|byte| *byte == b':').unwrap_or(text.len());
        let port = port(&text[end..])?;
        Some(Self { name: name(&text[..end])?, port })
    }
}

/// What follows the name: nothing, or a colon and a port.
fn port(text: &[u8]) -> Option<Option<u16>> {
    let Some(digits) = text.strip_prefix(b":") else {
        return text.is_empty().then_some(None);
    };
    let mut port: u16 = 0;
    for byte in digits {
        let digit = byte.is_ascii_digit().then(|| u16::from(byte - b'0'))?;
        port = port.checked_mul(10)?.checked_add(digit)?;
    }
    (!digits.is_empty()).then_some(Some(port))
}

fn name(text: &[u8]) -> Option<CompactString> {
    // A dot at the end says that the name is whole, which all are.
    let text = text.strip_suffix(b".").unwrap_or(text);
    if text.is_empty() || text.len() > NAME_BYTES_MAX {
        return None;
    }
    let mut label_bytes = 0;
    let mut has_capitals = false;
    for byte in text {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => label_bytes += 1,
            b'A'..=b'Z' => {
                label_bytes += 1;
                has_capitals = true;
            }
            b'.' if label_bytes > 0 => label_bytes = 0,
            _ => return None,
        }
        if label_bytes > LABEL_BYTES_MAX {
            return None;
        }
    }
    if label_bytes == 0 {
        return None;
    }
    let mut name = CompactString::from_utf8(text).ok()?;
    if has_capitals {
        name.make_ascii_lowercase();
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, Option<u16>)>) {
        let read = Host::read(text.as_bytes());
        let read = read.as_ref().map(|host| (host.name.as_str(), host.port));
        assert_eq!(read, expected, "{text:?}");
    }

    #[test]
    fn names_and_addresses_have_one_form() {
        check("example.com", Some(("example.com", None)));
        check("Example.COM:8080", Some(("example.com", Some(8080))));
        check("example.com.", Some(("example.com", None)));
        check("a_b-c.example", Some(("a_b-c.example", None)));
        check("127.0.0.1:1", Some(("127.0.0.1", Some(1))));
        check("[::1]", Some(("[::1]", None)));
        check("[0:0:0:0:0:0:0:1]:443", Some(("[::1]", Some(443))));
        check("[2001:DB8::A]", Some(("[2001:db8::a]", None)));
    }

    #[test]
    fn whatever_is_not_a_host_is_none() {
        for text in [
            "",
            ".",
            ":80",
            "a..b",
            ".a",
            "a..",
            "a b",
            "a\tb",
            "user@a",
            "a/b",
            "a?b",
            "a#b",
            "a\\b",
            "a%41",
            "a,b",
            "a:",
            "a:b",
            "a:+1",
            "a:-1",
            "a:1:2",
            "a:65536",
            "a:080000",
            "é",
            "xn--é",
            "[::1",
            "::1",
            "[::1]x",
            "[::1]:",
            "[::g]",
            "[127.0.0.1]",
            "[fe80::1%25eth0]",
            "[]",
            "a\0b",
            "a\u{7f}",
            "*",
            "a;b",
        ] {
            check(text, None);
        }
        check(&"a".repeat(64), None);
        check(&format!("{}a", "a.".repeat(127)), None);
    }
}

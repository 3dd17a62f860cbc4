//! Hosts that a site answers for, as people write them.

use std::net::Ipv6Addr;

use super::form::Word;
use crate::settings::Host;

const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

impl Word for Host {
    fn word(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::Any);
        }
        if text.contains("://") || text.contains('/') {
            return Err("write the host alone, such as `example.com`".to_owned());
        }
        let host = text.to_ascii_lowercase();
        match host.strip_prefix("*.") {
            Some(rest) => name(rest).map(|_| Self::Below(format!(".{rest}"))),
            None => name(&host).map(|()| Self::Exact(host)),
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Exact(host) => host.clone(),
            Self::Below(suffix) => format!("*{suffix}"),
            Self::Any => "*".to_owned(),
        }
    }
}

fn name(host: &str) -> Result<(), String> {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return match address.parse::<Ipv6Addr>() {
            Ok(_) => Ok(()),
            Err(_) => Err("between brackets stands an address of IPv6".to_owned()),
        };
    }
    if !host.is_ascii() {
        return Err("write it as browsers send it: the form that begins with `xn--`".to_owned());
    }
    if host.contains(':') {
        return Err("leave the port out: a site answers on every port that is listened on".to_owned());
    }
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(is_plain)
    };
    match host.len() <= NAME_BYTES_MAX && host.split('.').all(is_label) {
        true => Ok(()),
        false => Err("write a host, such as `example.com`, `*.example.com` or `*`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Host>) {
        assert_eq!(Host::word(text).ok(), expected, "{text:?}");
    }

    #[test]
    fn hosts_are_names_without_ports() {
        check("example.com", Some(Host::Exact("example.com".to_owned())));
        check("Example.COM", Some(Host::Exact("example.com".to_owned())));
        check("*.example.com", Some(Host::Below(".example.com".to_owned())));
        check("*", Some(Host::Any));
        check("127.0.0.1", Some(Host::Exact("127.0.0.1".to_owned())));
        check("[::1]", Some(Host::Exact("[::1]".to_owned())));
        for wrong in [
            "",
            "a:80",
            "http://a",
            "a/b",
            "a..b",
            ".a",
            "*a",
            "a.*",
            "**",
            "bücher.de",
            "a b",
            "[::g]",
            "*.",
        ] {
            check(wrong, None);
        }
        check(&format!("{}.de", "x".repeat(64)), None);
        check(&"x.".repeat(200), None);
    }
}

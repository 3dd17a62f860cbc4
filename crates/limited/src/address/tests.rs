//! Addresses as they come, and as attackers would like them to be read.

use http::{HeaderValue, Request};
use proptest::prelude::*;

use super::*;

fn request(peer: Option<&str>, lines: &[&[u8]]) -> Parts {
    let mut request = Request::new(());
    for line in lines {
        let line = HeaderValue::from_bytes(line).expect("a value that HTTP can carry");
        request.headers_mut().append(FORWARDED_FOR, line);
    }
    if let Some(peer) = peer {
        let peer: IpAddr = peer.parse().expect("an address");
        request.extensions_mut().insert(SocketAddr::from((peer, 4711)));
    }
    request.into_parts().0
}

fn networks() -> ClientAddress {
    ClientAddress::behind_networks(
        ["10.0.0.0/8", "2001:db8:ffff::/48"].map(|net| net.parse().expect("a network")),
    )
}

#[test]
fn an_entry_is_an_address_or_nothing() {
    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let expected = expected.map(|address| address.parse::<IpAddr>().expect("an address"));
        assert_eq!(entry(text.as_bytes()), expected, "{text:?}");
    }
    check("203.0.113.7", Some("203.0.113.7"));
    check(" \t203.0.113.7 ", Some("203.0.113.7"));
    check("203.0.113.7:4711", Some("203.0.113.7"));
    check("2001:db8::1", Some("2001:db8::1"));
    check("[2001:db8::1]", Some("2001:db8::1"));
    check("[2001:db8::1]:4711", Some("2001:db8::1"));
    check("::ffff:203.0.113.7", Some("203.0.113.7"));
    check("[::ffff:203.0.113.7]:1", Some("203.0.113.7"));
    for garbage in [
        "",
        " ",
        "unknown",
        "_hidden",
        "203.0.113",
        "203.0.113.256",
        "203.0.113.7:",
        "203.0.113.7:65536",
        "203.0.113.7 x",
        "0x7f.1",
        "010.0.0.1",
        "[203.0.113.7]",
        "[2001:db8::1",
        "2001:db8::1]",
        "[]",
        "for=203.0.113.7",
        "\u{661}.1.1.1",
        "\u{a0}203.0.113.7",
        "fe80::1%eth0",
    ] {
        check(garbage, None);
    }
}

#[test]
fn the_socket_counts_where_nobody_is_trusted() {
    let parts = request(Some("198.51.100.9"), &[b"203.0.113.7"]);
    assert_eq!(ClientAddress::socket().identifier(&parts).as_deref(), Some("ip:198.51.100.9"));
    assert_eq!(ClientAddress::behind_hops(0).identifier(&parts).as_deref(), Some("ip:198.51.100.9"));
    assert_eq!(ClientAddress::socket().identifier(&request(None, &[b"203.0.113.7"])), None);
}

#[test]
fn an_address_without_a_port_is_an_extension_too() {
    let mut parts = request(None, &[]);
    parts.extensions.insert(IpAddr::from([192, 0, 2, 1]));
    assert_eq!(ClientAddress::socket().identifier(&parts).as_deref(), Some("ip:192.0.2.1"));
}

#[test]
fn hops_are_counted_from_the_right() {
    #[track_caller]
    fn check(hops: u8, lines: &[&[u8]], expected: &str) {
        let parts = request(Some("10.0.0.2"), lines);
        assert_eq!(
            ClientAddress::behind_hops(hops).identifier(&parts).as_deref(),
            Some(expected),
            "{hops} {lines:?}"
        );
    }
    check(1, &[b"203.0.113.7"], "ip:203.0.113.7");
    check(1, &[b"1.1.1.1, 203.0.113.7"], "ip:203.0.113.7");
    check(1, &[b"1.1.1.1", b"203.0.113.7"], "ip:203.0.113.7");
    check(2, &[b"1.1.1.1, 203.0.113.7, 10.0.0.9"], "ip:203.0.113.7");
    check(2, &[b"1.1.1.1", b"203.0.113.7", b"10.0.0.9"], "ip:203.0.113.7");
    check(1, &[b"203.0.113.7:55000"], "ip:203.0.113.7");
    // Fewer entries than hops: what was written at all was written by a hop.
    check(3, &[b"203.0.113.7"], "ip:203.0.113.7");
    // What a hop wrote and is no address is not looked behind: that could be anything.
    check(2, &[b"1.1.1.1, unknown"], "ip:10.0.0.2");
    check(2, &[b"1.1.1.1, unknown, 10.0.0.9"], "ip:10.0.0.9");
    check(1, &[b""], "ip:10.0.0.2");
    check(1, &[b"203.0.113.7,"], "ip:10.0.0.2");
    check(1, &[b"203.0.113.7, \xff\xfe"], "ip:10.0.0.2");
    check(1, &[], "ip:10.0.0.2");
}

#[test]
fn hops_are_believed_without_a_socket() {
    let address = ClientAddress::behind_hops(1);
    assert_eq!(address.identifier(&request(None, &[b"203.0.113.7"])).as_deref(), Some("ip:203.0.113.7"));
    assert_eq!(address.identifier(&request(None, &[b"unknown"])), None);
}

#[test]
fn networks_are_left_from_the_right() {
    #[track_caller]
    fn check(peer: &str, lines: &[&[u8]], expected: &str) {
        assert_eq!(
            networks().identifier(&request(Some(peer), lines)).as_deref(),
            Some(expected),
            "{peer} {lines:?}"
        );
    }
    check("10.0.0.2", &[b"1.1.1.1, 203.0.113.7"], "ip:203.0.113.7");
    check("10.0.0.2", &[b"1.1.1.1, 203.0.113.7, 10.0.0.9"], "ip:203.0.113.7");
    check("10.0.0.2", &[b"1.1.1.1", b"203.0.113.7", b"10.0.0.9, 10.0.0.8"], "ip:203.0.113.7");
    check("::ffff:10.0.0.2", &[b"203.0.113.7"], "ip:203.0.113.7");
    check("2001:db8:ffff::1", &[b"::ffff:10.0.0.9, [2001:db8:ffff::2]:443"], "ip:10.0.0.9");
    // Somebody who comes past the proxies is who they are, whatever they send.
    check("198.51.100.9", &[b"203.0.113.7"], "ip:198.51.100.9");
    // A client inside the networks is the last that was named.
    check("10.0.0.2", &[b"10.1.1.1, 10.0.0.9"], "ip:10.1.1.1");
    check("10.0.0.2", &[b"203.0.113.7, garbage"], "ip:10.0.0.2");
    check("10.0.0.2", &[], "ip:10.0.0.2");
}

#[test]
fn networks_are_not_believed_without_a_socket() {
    assert_eq!(networks().identifier(&request(None, &[b"203.0.113.7"])), None);
}

#[test]
fn ten_kilobytes_of_entries_change_nothing() {
    let mut line = b"1.1.1.1,".repeat(1_280);
    line.extend_from_slice(b" 203.0.113.7");
    for address in [ClientAddress::behind_hops(1), networks()] {
        let parts = request(Some("10.0.0.2"), &[&line]);
        assert_eq!(address.identifier(&parts).as_deref(), Some("ip:203.0.113.7"));
    }
}

#[test]
fn neighbours_in_one_v6_network_are_one_client() {
    #[track_caller]
    fn check(prefix: u8, address: &str, expected: &str) {
        let rule = ClientAddress::socket().with_v6_prefix(prefix).expect("a length");
        assert_eq!(rule.identifier(&request(Some(address), &[])).as_deref(), Some(expected));
    }
    check(64, "2001:db8:1:2:3:4:5:6", "ip:2001:db8:1:2::/64");
    check(64, "2001:db8:1:2:ffff:ffff:ffff:ffff", "ip:2001:db8:1:2::/64");
    check(64, "2001:db8:1:3::", "ip:2001:db8:1:3::/64");
    check(56, "2001:db8:1:2fe::1", "ip:2001:db8:1:200::/56");
    check(128, "2001:db8::1", "ip:2001:db8::1");
    check(64, "::ffff:203.0.113.7", "ip:203.0.113.7");
    check(1, "203.0.113.7", "ip:203.0.113.7");
}

proptest! {
    /// The client sends what it likes; each proxy adds whom it was called by, to the last line or as a line of its own.
    #[test]
    fn whatever_a_client_sends_it_is_who_called_the_first_proxy(
        sent in proptest::collection::vec(proptest::collection::vec(prop_oneof![Just(b','), 0x20u8..0x7f, 0x80u8..], 0..40), 0..4),
        client in any::<[u8; 4]>(),
        own_line in proptest::collection::vec(any::<bool>(), 1..4),
    ) {
        let mut lines = sent;
        let mut caller = IpAddr::from(client).to_string();
        for (hop, own_line) in own_line.iter().enumerate() {
            match lines.last_mut() {
                Some(line) if !own_line => line.extend_from_slice(format!(", {caller}").as_bytes()),
                _ => lines.push(caller.clone().into_bytes()),
            }
            caller = format!("10.0.0.{hop}");
        }
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let parts = request(Some(&caller), &lines);
        let hops = u8::try_from(own_line.len()).expect("few");
        prop_assert_eq!(ClientAddress::behind_hops(hops).find(&parts), Some(IpAddr::from(client)));
        if client[0] != 10 {
            prop_assert_eq!(networks().find(&parts), Some(IpAddr::from(client)));
        }
    }
}

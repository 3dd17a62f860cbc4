//! What a client asks the gateway for: a host on the first line, the target on the second.

use std::net::{Ipv4Addr, SocketAddr};

use http::Request;
use theory_gateway::asked::Asked;
use theory_gateway::edge::Peer;
use theory_gateway::settings::EdgeLimits;

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (host, target) = (input.line(), input.rest());
    let Some(asked) = read(host, target) else { return };
    let path = asked.path();
    assert!(path.starts_with('/'), "{path:?} is absolute");
    assert!(
        !path.contains("//") && !path.contains('\\'),
        "{path:?} has one kind of separator, one at a time"
    );
    for escape in path.match_indices('%').map(|(at, _)| path.get(at..at + 3)) {
        let escape = escape.unwrap_or_else(|| panic!("{path:?} ends within an escape"));
        let byte = u8::from_str_radix(&escape[1..], 16);
        let byte = byte.unwrap_or_else(|_| panic!("{path:?} has an escape that is none"));
        assert!(
            !matches!(byte, 0..=0x1f | 0x7f | b'/' | b'\\' | b'.' | b'-' | b'_' | b'~')
                && !byte.is_ascii_alphanumeric(),
            "{path:?} has an escape that should not be there"
        );
        assert_eq!(escape.to_ascii_uppercase(), escape, "{path:?} has its escapes in one form");
    }
    for segment in path.split('/') {
        let name = segment.split([';']).next().unwrap_or_default();
        let name = name.split("%3B").next().unwrap_or_default();
        assert!(name != "." && name != "..", "{path:?} steps");
    }
    assert!(asked.host().bytes().all(|byte| !byte.is_ascii_uppercase()), "{:?} has one case", asked.host());
    let again = read(host, asked.target().as_str().as_bytes());
    assert_eq!(again, Some(asked), "the form of a path is its own form");
}

fn read(host: &[u8], target: &[u8]) -> Option<Asked> {
    // A server passes on only what is a URI in origin form.
    if target.first() != Some(&b'/') {
        return None;
    }
    let request = Request::builder().uri(target).header("host", host).body(()).ok()?;
    let peer = Peer::plain(SocketAddr::from((Ipv4Addr::LOCALHOST, 1)));
    Asked::read(&request.into_parts().0, &peer, &EdgeLimits::default()).ok()
}

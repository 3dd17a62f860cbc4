//! Who may come in. A page of another site that a browser shows must not: it cannot send the token, and where the machine's own
//! users need none, a name that leads here (DNS rebinding) is refused, because only addresses and `localhost` are hosts there.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::{AUTHORIZATION, HOST};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use tabletheory_core::{Clock, Timestamp};

use super::problem::Problem;
use crate::settings::Secret;

/// So many wrong tokens are borne at once, and one more each second.
const WRONG_MAX: i64 = 20;

/// Who may come in.
#[derive(Debug)]
pub(super) struct Door {
    token: Secret,
    is_loopback: bool,
    clock: Arc<dyn Clock>,
    wrong: Mutex<Wrong>,
}

/// How many wrong tokens are borne now.
#[derive(Debug)]
struct Wrong {
    left: i64,
    at: Timestamp,
}

impl Door {
    pub(super) fn new(listen: SocketAddr, token: Secret, clock: Arc<dyn Clock>) -> Self {
        let wrong = Mutex::new(Wrong { left: WRONG_MAX, at: clock.now() });
        Self { token, is_loopback: listen.ip().is_loopback(), clock, wrong }
    }

    /// Whether only this machine reaches it.
    pub(super) fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Lets nobody in who came by a name, where only this machine reaches it. Elsewhere everything that tells something needs the
    /// token, and names are how machines find each other.
    pub(super) fn check_host(&self, head: &Parts) -> Result<(), Problem> {
        let mut hosts = head.headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            _ => None,
        };
        if host.is_some_and(|host| !self.is_loopback || is_address(host)) {
            return Ok(());
        }
        let detail =
            "this is asked by an IP address or as `localhost`, so that no name of another site leads here";
        Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail))
    }

    /// Lets in who has the token. While too many wrong ones come, nobody's is looked at: guessing gets one try a second.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(token) = bearer(headers) else {
            let detail = "this needs the header `Authorization: Bearer <token>`; without a token of yours it is in the file admin-token of the data folder";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, detail));
        };
        let mut wrong = self.wrong.lock();
        wrong.refill(self.clock.now());
        if wrong.left == 0 {
            let detail = "too many wrong tokens came; wait a few seconds";
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, detail).retry_after(5));
        }
        if self.token.is(token) {
            return Ok(());
        }
        wrong.left -= 1;
        drop(wrong);
        tracing::warn!("somebody came to the admin listener with a wrong token");
        Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "the token is wrong; without a token of yours it is in the file admin-token of the data folder",
        ))
    }
}

impl Wrong {
    fn refill(&mut self, now: Timestamp) {
        let passed = now.seconds().saturating_sub(self.at.seconds());
        // A clock that was set back gives nothing, and must not keep the door shut for as long.
        if passed != 0 {
            self.left = self.left.saturating_add(passed.max(0)).min(WRONG_MAX);
            self.at = now;
        }
    }
}

/// The token of exactly one `Authorization: Bearer`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether a host is an address, or `localhost`, with or without a port.
fn is_address(host: &str) -> bool {
    let without_port = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if port.is_empty() || port.starts_with(':') => address,
            _ => return false,
        },
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    without_port.eq_ignore_ascii_case("localhost") || without_port.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Request};
    use tabletheory_core::{ManualClock, Seconds};

    use super::*;

    fn door() -> (Arc<ManualClock>, Door) {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1000)));
        let listen = "127.0.0.1:0".parse().unwrap();
        (Arc::clone(&clock), Door::new(listen, Secret::new("right"), clock))
    }

    fn with(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))])
    }

    #[track_caller]
    fn check(hosts: &[&'static str], expected: bool) {
        let mut request = Request::get("/");
        for host in hosts {
            request = request.header(HOST, *host);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        assert_eq!(door().1.check_host(&head).is_ok(), expected, "{hosts:?}");
    }

    #[test]
    fn only_addresses_and_localhost_are_hosts() {
        check(&["127.0.0.1:9000"], true);
        check(&["localhost"], true);
        check(&["LOCALHOST:1"], true);
        check(&["[::1]:9000"], true);
        check(&["10.0.0.7"], true);
        check(&["evil.example"], false);
        check(&["localhost.evil.example:9000"], false);
        check(&["127.0.0.1.evil.example"], false);
        check(&["[::1]evil"], false);
        check(&["[::1"], false);
        check(&[""], false);
        check(&[], false);
        check(&["localhost", "evil.example"], false);
    }

    #[test]
    fn only_the_token_opens() {
        let (_, door) = door();
        assert!(door.check_token(&with("Bearer right")).is_ok());
        assert!(door.check_token(&with("bearer  right")).is_ok());
        for wrong in ["Bearer wrong", "Bearer righ", "Bearer rightt", "Bearer ", "Basic right", "right", ""] {
            assert_eq!(
                door.check_token(&with(wrong)).unwrap_err().status,
                StatusCode::UNAUTHORIZED,
                "{wrong:?}"
            );
        }
        assert!(door.check_token(&HeaderMap::new()).is_err());
        let mut twice = with("Bearer right");
        twice.append(AUTHORIZATION, HeaderValue::from_static("Bearer right"));
        assert!(door.check_token(&twice).is_err());
    }

    #[test]
    fn guessing_gets_one_try_a_second() {
        let (clock, door) = door();
        let wrong = || door.check_token(&with("Bearer wrong")).unwrap_err().status;
        for _ in 0..WRONG_MAX {
            assert_eq!(wrong(), StatusCode::UNAUTHORIZED);
        }
        assert_eq!(wrong(), StatusCode::TOO_MANY_REQUESTS);
        let right = door.check_token(&with("Bearer right"));
        assert_eq!(
            right.unwrap_err().status,
            StatusCode::TOO_MANY_REQUESTS,
            "or guessing would not be slowed down"
        );
        clock.advance(Seconds(1));
        assert!(door.check_token(&with("Bearer right")).is_ok());
        assert_eq!(wrong(), StatusCode::UNAUTHORIZED);
        assert_eq!(wrong(), StatusCode::TOO_MANY_REQUESTS);
    }
}

//! The address under which answers are kept: whose site it is, scheme, host, path and query. Nothing else of a request is in it, and
//! no part can be mistaken for another.

use http::header::{HeaderMap, HeaderName};

use crate::asked::Asked;
use crate::origin::Caller;

/// Stands between the parts: none of them can contain it.
const BETWEEN: char = '\n';

/// What a trusted proxy says about scheme and host. Answers may be made of it.
const TOLD: [HeaderName; 2] =
    [HeaderName::from_static("x-forwarded-proto"), HeaderName::from_static("x-forwarded-host")];

/// Where answers of one host are kept.
#[derive(Debug, Clone)]
pub(super) struct Place {
    prefix: String,
}

impl Place {
    /// The place of the host that is asked for. Everything that the application is told of it makes another place: the scheme, what a
    /// trusted proxy says of both, the port that a client named.
    pub(super) fn of(scope: &str, asked: &Asked, headers: &HeaderMap, caller: &Caller) -> Self {
        let mut prefix =
            String::with_capacity(scope.len() + asked.host().len() + asked.target().as_str().len() + 24);
        let mut add = |part: &str| {
            prefix.push_str(part);
            prefix.push(BETWEEN);
        };
        add(scope);
        add(if asked.is_secure() { "s" } else { "" });
        for field in &TOLD {
            let told =
                if caller.is_trusted { headers.get(field).and_then(|told| told.to_str().ok()) } else { None };
            add(told.unwrap_or_default());
        }
        add(asked.host());
        match asked.port() {
            Some(port) => add(&port.to_string()),
            None => add(""),
        }
        Self { prefix }
    }

    /// The address of this path and query.
    pub(super) fn address(mut self, path_and_query: &str) -> String {
        self.prefix.push_str(path_and_query);
        self.prefix
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::edge::Peer;
    use crate::settings::EdgeLimits;

    fn address(scope: &str, host: &str, target: &str, told: &[(&str, &str)], trusted: &str) -> String {
        let mut request = Request::get(target).header("host", host);
        for (name, value) in told {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let peer = Peer::plain(([127, 0, 0, 1], 9).into());
        let asked = Asked::read(&head, &peer, &EdgeLimits::default()).unwrap();
        let caller = Caller::at(peer.address.ip(), &head.headers, &[trusted.parse().unwrap()]);
        Place::of(scope, &asked, &head.headers, &caller).address(asked.target().as_str())
    }

    #[test]
    fn whatever_the_application_is_told_makes_another_address() {
        let (us, them) = ("127.0.0.0/8", "10.0.0.0/8");
        let secure = [("x-forwarded-proto", "https")];
        let addresses = [
            address("a", "h", "/p", &[], us),
            address("b", "h", "/p", &[], us),
            address("a", "g", "/p", &[], us),
            address("a", "h:81", "/p", &[], us),
            address("a", "h", "/q", &[], us),
            address("a", "h", "/p?", &[], us),
            address("a", "h", "/p?q", &[], us),
            address("a", "h", "/p", &secure, us),
            address("a", "h", "/p", &[("x-forwarded-host", "g")], us),
        ];
        let different: std::collections::HashSet<_> = addresses.iter().collect();
        assert_eq!(different.len(), addresses.len());
        assert_eq!(address("a", "H", "/p", &[], us), addresses[0]);
        assert_eq!(address("a", "h", "/p", &secure, them), addresses[0]);
    }
}

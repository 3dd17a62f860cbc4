//! Which headers a request brings that change how it is answered. Whoever decides about it asks for half a dozen, and most requests
//! bring none of them: one look at all that there are costs less than a search for each.

use http::HeaderMap;

/// What a header can say about the answer that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Matter {
    /// Which kinds of content a client takes.
    Accept = 1,
    /// Which encodings it takes.
    AcceptEncoding = 1 << 1,
    /// That it sends a body.
    Body = 1 << 2,
    /// On which condition it wants the page.
    Condition = 1 << 3,
    /// That it wants a part.
    Range = 1 << 4,
    /// That it wants to speak another protocol.
    Upgrade = 1 << 5,
}

impl Matter {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "accept" => Self::Accept,
            "accept-encoding" => Self::AcceptEncoding,
            "content-length" | "transfer-encoding" => Self::Body,
            "if-match" | "if-modified-since" | "if-none-match" | "if-unmodified-since" => Self::Condition,
            "range" => Self::Range,
            "upgrade" => Self::Upgrade,
            _ => return None,
        })
    }
}

/// What the headers of a request speak about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brings(u8);

impl Brings {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let matters = headers.keys().filter_map(|name| Matter::of(name.as_str()));
        Self(matters.fold(0, |all, matter| all | matter as u8))
    }

    pub(super) fn has(self, matter: Matter) -> bool {
        self.0 & matter as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use http::header::{self, HeaderName, HeaderValue};

    use super::*;

    const ALL: [(Matter, &[HeaderName]); 6] = [
        (Matter::Accept, &[header::ACCEPT]),
        (Matter::AcceptEncoding, &[header::ACCEPT_ENCODING]),
        (Matter::Body, &[header::CONTENT_LENGTH, header::TRANSFER_ENCODING]),
        (
            Matter::Condition,
            &[
                header::IF_MATCH,
                header::IF_MODIFIED_SINCE,
                header::IF_NONE_MATCH,
                header::IF_UNMODIFIED_SINCE,
            ],
        ),
        (Matter::Range, &[header::RANGE]),
        (Matter::Upgrade, &[header::UPGRADE]),
    ];

    fn brings(names: &[HeaderName]) -> Vec<Matter> {
        let lines = names.iter().map(|name| (name.clone(), HeaderValue::from_static("")));
        let brings = Brings::of(&lines.collect());
        ALL.iter().map(|(matter, _)| *matter).filter(|matter| brings.has(*matter)).collect()
    }

    #[test]
    fn each_header_that_decides_something_is_seen() {
        for (matter, names) in ALL {
            for name in names {
                assert_eq!(brings(&[header::HOST, name.clone()]), [matter], "{name}");
            }
        }
    }

    #[test]
    fn what_decides_nothing_is_not_and_all_are_seen_together() {
        assert_eq!(brings(&[]), []);
        assert_eq!(brings(&[header::HOST, header::COOKIE, HeaderName::from_static("x-range")]), []);
        let every: Vec<HeaderName> = ALL.iter().flat_map(|(_, names)| names.iter().cloned()).collect();
        assert_eq!(brings(&every), ALL.map(|(matter, _)| matter));
    }
}

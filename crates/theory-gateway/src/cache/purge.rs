//! Forgetting on an operator's word what is kept: an address, what has a tag, or all of a scope. What is on its way is not kept,
//! either, because it may be from before. Tags are those that applications give to CDNs, in `Cache-Tag` and `Surrogate-Key`.

use facetheory::meta::Purge;
use http::header::{HeaderMap, HeaderName};

use super::flow::HttpCache;
use super::key::Parts;
use super::list::members;
use super::stored::Stored;

/// The tags of an answer with commas between them.
const CACHE_TAG: HeaderName = HeaderName::from_static("cache-tag");
/// The same with spaces.
const SURROGATE_KEY: HeaderName = HeaderName::from_static("surrogate-key");

/// Which answers of a scope are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant<'a> {
    /// Those at an address, in every variant; without a host, at this path and query of whatever host.
    Address {
        /// The host, in lower case and without a port.
        host: Option<&'a str>,
        /// Path and query.
        target: &'a str,
    },
    /// Those with a tag.
    Tag(&'a str),
    /// All of them.
    All,
}

impl HttpCache {
    /// Forgets what is meant in these scopes, or makes it stale from now on; tells of how many answers.
    pub fn purge(&self, is_scope: impl Fn(&str) -> bool, meant: Meant<'_>, purge: Purge) -> usize {
        let is_place = |key: &str| {
            let Some(Parts { scope, host, target }) = Parts::of(key) else { return false };
            let is_target = match meant {
                Meant::Address { host: wanted, target: path } => {
                    wanted.is_none_or(|wanted| wanted == host) && path == target
                }
                Meant::Tag(_) | Meant::All => true,
            };
            is_target && is_scope(scope)
        };
        let is_meant = |stored: &Stored| match meant {
            Meant::Tag(tag) => has_tag(&stored.headers, tag),
            Meant::Address { .. } | Meant::All => true,
        };
        self.shared().purge(is_place, is_meant, purge)
    }
}

fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let tag = tag.as_bytes();
    let mut with_commas = headers.get_all(CACHE_TAG).iter().flat_map(|line| members(line.as_bytes()));
    let with_spaces = |line: &http::HeaderValue| {
        line.as_bytes().split(u8::is_ascii_whitespace).any(|member| !member.is_empty() && member == tag)
    };
    with_commas.any(|member| member == tag) || headers.get_all(SURROGATE_KEY).iter().any(with_spaces)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn tags_are_read_from_both_headers_and_nowhere_else() {
        let headers = HeaderMap::from_iter([
            (CACHE_TAG, HeaderValue::from_static("news, front page")),
            (CACHE_TAG, HeaderValue::from_static("shop")),
            (SURROGATE_KEY, HeaderValue::from_static("item-1  item-2")),
            (HeaderName::from_static("x-tag"), HeaderValue::from_static("other")),
        ]);
        for tag in ["news", "front page", "shop", "item-1", "item-2"] {
            assert!(has_tag(&headers, tag), "{tag}");
        }
        for tag in ["", "front", "item", "item-1  item-2", "other", "News"] {
            assert!(!has_tag(&headers, tag), "{tag}");
        }
    }
}

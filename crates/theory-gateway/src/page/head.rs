//! The head of a page's answers, made once for all its visitors: what is the same for each of them is only copied.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use facetheory::body::{Body, Encoding, compressible};
use facetheory::{Page, State};
use http::HeaderMap;
use http::header::{
    ACCEPT_RANGES, AGE, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_LOCATION,
    CONTENT_RANGE, CONTENT_TYPE, DATE, ETAG, EXPIRES, HeaderName, HeaderValue, LAST_MODIFIED, SET_COOKIE, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE, VARY,
};
use tabletheory_core::Seconds;

use super::conditional::Tags;
use super::vary::Vary;
use super::{directives, status};

/// What an answer says that has no content because the client has it already (RFC 9110, 15.4.5).
const OF_UNMODIFIED: [HeaderName; 5] = [CACHE_CONTROL, CONTENT_LOCATION, ETAG, LAST_MODIFIED, VARY];

/// What concerns one connection, or is said anew by whoever sends the answer.
pub(super) const OF_ONE_CONNECTION: [HeaderName; 10] = [
    CONNECTION,
    CONTENT_LENGTH,
    DATE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-authenticate"),
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// What no page has that is kept as it is and for everybody. Only a hostile row says it.
const OF_NO_PAGE: [HeaderName; 3] = [CONTENT_ENCODING, CONTENT_RANGE, SET_COOKIE];

/// The head of a page's answers.
#[derive(Debug)]
pub(super) struct Head {
    /// Whether its content gets smaller.
    pub(super) is_compressible: bool,
    pub(super) tags: Tags,
    /// The whole head of a fresh page in its plain encoding.
    plain: HeaderMap,
    /// For how long the page is fresh from its beginning.
    revalidate: i64,
    /// The heads of this second, one for each encoding.
    recent: [ArcSwapOption<Recent>; 3],
}

/// The head of a fresh page at this age.
#[derive(Debug)]
struct Recent {
    age: Seconds,
    headers: HeaderMap,
}

impl Head {
    pub(super) fn of(page: &Page, body: &Body, vary: &Vary) -> Self {
        let kept = page.headers();
        let content_type = kept.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_compressible = compressible(content_type);
        let tags = [Encoding::Identity, Encoding::Gzip, Encoding::Brotli].map(|encoding| {
            let tag = HeaderValue::try_from(body.etag_of(encoding)).expect("digits in quotes are a value");
            (encoding, tag)
        });
        let mut plain = HeaderMap::with_capacity(kept.keys_len() + 8);
        for (name, value) in kept {
            if !OF_ONE_CONNECTION.contains(name) && !OF_NO_PAGE.contains(name) {
                plain.append(name, value.clone());
            }
        }
        // The age that browsers are told makes a date superfluous, and often wrong.
        plain.remove(EXPIRES);
        plain.insert(CACHE_CONTROL, directives::for_browsers(kept));
        plain.insert(ETAG, tags[0].1.clone());
        match (is_compressible, &vary.plain) {
            (true, _) => _ = plain.insert(VARY, vary.with_encoding.clone()),
            (false, Some(vary)) => _ = plain.insert(VARY, vary.clone()),
            (false, None) => _ = plain.remove(VARY),
        }
        if !is_compressible {
            plain.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        }
        let revalidate = page.meta().map_or(0, |meta| meta.revalidate_seconds);
        Self { is_compressible, tags, plain, revalidate, recent: Default::default() }
    }

    pub(super) fn last_modified(&self) -> Option<&HeaderValue> {
        self.plain.get(LAST_MODIFIED)
    }

    pub(super) fn tag(&self, encoding: Encoding) -> &HeaderValue {
        &self.tags[place(encoding)].1
    }

    /// The head of an answer with content. Most visitors of a second get the same.
    pub(super) fn whole(&self, encoding: Encoding, state: State, age: Seconds) -> HeaderMap {
        if state != State::Hit {
            return self.made(encoding, state, age);
        }
        let recent = &self.recent[place(encoding)];
        if let Some(recent) = &*recent.load()
            && recent.age == age
        {
            return recent.headers.clone();
        }
        let headers = self.made(encoding, state, age);
        recent.store(Some(Arc::new(Recent { age, headers: headers.clone() })));
        headers
    }

    fn made(&self, encoding: Encoding, state: State, age: Seconds) -> HeaderMap {
        let mut headers = self.plain.clone();
        if encoding != Encoding::Identity {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
            headers.insert(ETAG, self.tag(encoding).clone());
        }
        self.tell(&mut headers, state, age);
        headers
    }

    /// The head of an answer to a client that has the page in this encoding.
    pub(super) fn unmodified(&self, encoding: Encoding, state: State, age: Seconds) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(OF_UNMODIFIED.len() + 4);
        for name in OF_UNMODIFIED {
            if let Some(value) = self.plain.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        headers.insert(ETAG, self.tag(encoding).clone());
        self.tell(&mut headers, state, age);
        headers
    }

    fn tell(&self, headers: &mut HeaderMap, state: State, age: Seconds) {
        headers.insert(AGE, HeaderValue::from(age.0.max(0)));
        headers
            .insert(status::CACHE_STATUS, status::of(state, Seconds(self.revalidate.saturating_sub(age.0))));
        headers.insert(status::ISR, status::state(state));
    }
}

/// Where what belongs to an encoding stands.
fn place(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Identity => 0,
        Encoding::Gzip => 1,
        Encoding::Brotli => 2,
    }
}

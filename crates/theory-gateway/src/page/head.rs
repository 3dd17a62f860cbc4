//! The head of a page's answers, made once for all its visitors: what is the same for each of them is only copied.

use facetheory::body::{Body, Encoding, compressible};
use facetheory::{Page, State};
use http::HeaderMap;
use http::header::{
    ACCEPT_RANGES, AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LOCATION, CONTENT_TYPE, ETAG, EXPIRES,
    HeaderName, HeaderValue, LAST_MODIFIED, VARY,
};
use tabletheory_core::Seconds;

use super::conditional::Tags;
use super::vary::Vary;
use super::{directives, status};

/// What an answer says that has no content because the client has it already (RFC 9110, 15.4.5).
const OF_UNMODIFIED: [HeaderName; 5] = [CACHE_CONTROL, CONTENT_LOCATION, ETAG, LAST_MODIFIED, VARY];

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
        // Room for all that is added, so that it never has to grow.
        let mut plain = HeaderMap::with_capacity(kept.keys_len() + 8);
        for (name, value) in kept {
            plain.append(name, value.clone());
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
        Self { is_compressible, tags, plain, revalidate }
    }

    pub(super) fn last_modified(&self) -> Option<&HeaderValue> {
        self.plain.get(LAST_MODIFIED)
    }

    pub(super) fn tag(&self, encoding: Encoding) -> &HeaderValue {
        let [plain, gzip, brotli] = &self.tags;
        match encoding {
            Encoding::Identity => &plain.1,
            Encoding::Gzip => &gzip.1,
            Encoding::Brotli => &brotli.1,
        }
    }

    /// The head of an answer with content.
    pub(super) fn whole(&self, encoding: Encoding, state: State, age: Seconds) -> HeaderMap {
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

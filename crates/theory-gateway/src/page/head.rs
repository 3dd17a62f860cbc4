//! The head of a page's answers: what is the same for all its visitors is only copied. Heads take more memory than what else is
//! known of a page, so only those are kept that are asked for now.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

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

/// How many heads are kept.
const HEADS: usize = 4096;

/// The heads of the pages that are asked for now. Each page has one place, which it shares with others.
#[derive(Debug)]
pub(super) struct Heads(Box<[ArcSwapOption<Head>]>);

impl Default for Heads {
    fn default() -> Self {
        Self((0..HEADS).map(|_| ArcSwapOption::empty()).collect())
    }
}

impl Heads {
    /// The head of a page with this body.
    pub(super) fn of(&self, page: &Arc<Page>, body: &Body, vary: &Vary) -> Arc<Head> {
        // A page lies at an address of its own, and others of its size lie beside it.
        let place = &self.0[Arc::as_ptr(page).addr() / size_of::<Page>() % HEADS];
        if let Some(head) = &*place.load()
            && std::ptr::eq(head.page.as_ptr(), Arc::as_ptr(page))
        {
            return Arc::clone(head);
        }
        let head = Arc::new(Head::new(page, body, vary));
        place.store(Some(Arc::clone(&head)));
        head
    }
}

/// The head of a page's answers.
#[derive(Debug)]
pub(super) struct Head {
    /// Whose it is. As long as this is here, no other page can come to lie at the same address.
    page: Weak<Page>,
    /// Whether its content gets smaller.
    pub(super) is_compressible: bool,
    /// The whole head of a fresh page in its plain encoding.
    plain: HeaderMap,
    /// For how long the page is fresh from its beginning.
    revalidate: i64,
    /// Whether it was asked for more than once.
    is_common: AtomicBool,
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
    fn new(page: &Arc<Page>, body: &Body, vary: &Vary) -> Self {
        let mut plain = page.headers();
        let content_type = plain.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_compressible = compressible(content_type);
        let for_browsers = directives::for_browsers(&plain);
        // The age that browsers are told makes a date superfluous, and often wrong.
        for name in OF_ONE_CONNECTION.iter().chain(&OF_NO_PAGE).chain([&EXPIRES]) {
            plain.remove(name);
        }
        plain.insert(CACHE_CONTROL, for_browsers);
        plain.insert(ETAG, tag(body, Encoding::Identity));
        match (is_compressible, &vary.plain) {
            (true, _) => _ = plain.insert(VARY, vary.with_encoding.clone()),
            (false, Some(vary)) => _ = plain.insert(VARY, vary.clone()),
            (false, None) => _ = plain.remove(VARY),
        }
        if !is_compressible {
            plain.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        }
        Self {
            page: Arc::downgrade(page),
            is_compressible,
            plain,
            revalidate: page.kept().map_or(0, |kept| kept.lifetime.revalidate.0),
            is_common: AtomicBool::new(false),
            recent: Default::default(),
        }
    }

    pub(super) fn last_modified(&self) -> Option<&HeaderValue> {
        self.plain.get(LAST_MODIFIED)
    }

    /// The head of an answer with content. Most visitors of a second get the same.
    pub(super) fn whole(&self, body: &Body, encoding: Encoding, state: State, age: Seconds) -> HeaderMap {
        // Most pages that few ask for have one visitor in a second, and need not be made ready for another.
        let is_common = self.is_common.load(Ordering::Relaxed);
        if state != State::Hit || !is_common {
            self.is_common.store(true, Ordering::Relaxed);
            return self.made(body, encoding, state, age);
        }
        let recent = &self.recent[place(encoding)];
        if let Some(recent) = &*recent.load()
            && recent.age == age
        {
            return recent.headers.clone();
        }
        let headers = self.made(body, encoding, state, age);
        recent.store(Some(Arc::new(Recent { age, headers: headers.clone() })));
        headers
    }

    fn made(&self, body: &Body, encoding: Encoding, state: State, age: Seconds) -> HeaderMap {
        let mut headers = self.plain.clone();
        if encoding != Encoding::Identity {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
            headers.insert(ETAG, tag(body, encoding));
        }
        self.tell(&mut headers, state, age);
        headers
    }

    /// The head of an answer to a client that has the page in this encoding.
    pub(super) fn unmodified(
        &self,
        body: &Body,
        encoding: Encoding,
        state: State,
        age: Seconds,
    ) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(OF_UNMODIFIED.len() + 4);
        for name in OF_UNMODIFIED {
            if let Some(value) = self.plain.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        headers.insert(ETAG, tag(body, encoding));
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

/// The entity tag of a body in this encoding.
pub(super) fn tag(body: &Body, encoding: Encoding) -> HeaderValue {
    HeaderValue::try_from(body.etag_of(encoding)).expect("digits in quotes are a value")
}

/// Where what belongs to an encoding stands.
fn place(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Identity => 0,
        Encoding::Gzip => 1,
        Encoding::Brotli => 2,
    }
}

#[cfg(test)]
mod tests {
    use facetheory::record::Meta;
    use http::header::CONTENT_TYPE;
    use tabletheory::Model;
    use tabletheory_core::{Item, Value};

    use super::*;

    fn page(pointer: &str) -> Arc<Page> {
        let header = Item::from([("name", Value::s("content-type")), ("value", Value::s("text/plain"))]);
        let row = Item::from([
            ("pk", Value::s("CACHE#1")),
            ("sk", Value::s("META")),
            ("s3_key", Value::s(pointer)),
            ("headers", Value::L(vec![Value::M(header)])),
        ]);
        Arc::new(Page::of(&Meta::from_item(row).unwrap()))
    }

    async fn body() -> Body {
        let bodies = facetheory::Bodies::memory();
        let key = facetheory::body::BodyKey::new("p", "t");
        bodies.put(&key, "page".into()).await.unwrap();
        bodies.get(key.as_str(), None).await.unwrap().expect("it was put")
    }

    fn vary(name: &'static str) -> Vary {
        let plain = HeaderValue::from_static(name);
        Vary { plain: Some(plain.clone()), with_encoding: plain }
    }

    #[tokio::test]
    async fn a_page_has_its_own_head_however_many_there_are() {
        let (heads, body, vary) = (Heads::default(), body().await, vary("cookie"));
        // More than there are places, so that they take each other's.
        let pages: Vec<_> = (0..2 * HEADS).map(|number| page(&number.to_string())).collect();
        for page in pages.iter().chain(pages.iter().rev()) {
            let head = heads.of(page, &body, &vary);
            assert!(std::ptr::eq(head.page.as_ptr(), Arc::as_ptr(page)));
            assert!(Arc::ptr_eq(&head, &heads.of(page, &body, &vary)), "it is made once");
        }
    }

    /// A page that takes the place in memory of one that is gone would be answered with its head.
    #[tokio::test]
    async fn no_page_inherits_a_head() {
        let (heads, body) = (Heads::default(), body().await);
        for number in 0..1000 {
            let name: &'static str = if number % 2 == 0 { "cookie" } else { "accept" };
            let page = page("b/1");
            let headers =
                heads.of(&page, &body, &vary(name)).whole(&body, Encoding::Identity, State::Hit, Seconds(0));
            assert_eq!(headers[VARY], name, "page {number}");
        }
    }

    #[tokio::test]
    async fn who_comes_later_hears_the_same_at_the_same_age() {
        let (page, body) = (page("b/1"), body().await);
        let head = Heads::default().of(&page, &body, &vary("cookie"));
        for encoding in [Encoding::Identity, Encoding::Gzip, Encoding::Brotli] {
            for age in [0, 0, 0, 7, 7, 0] {
                let headers = head.whole(&body, encoding, State::Hit, Seconds(age));
                assert_eq!(headers[AGE], age.to_string());
                assert_eq!(headers[ETAG], body.etag_of(encoding));
                assert_eq!(headers.contains_key(CONTENT_ENCODING), encoding != Encoding::Identity);
                assert_eq!(
                    (headers.len() - usize::from(encoding != Encoding::Identity), &headers[CONTENT_TYPE]),
                    (7, &HeaderValue::from_static("text/plain"))
                );
            }
        }
    }
}

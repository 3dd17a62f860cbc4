//! The head of a page's answers: what is the same for all its visitors is only copied. Heads take more memory than what else is
//! known of a page, so only those are kept that are asked for now.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;
use facetheory::body::{Body, Digest, Encoding, compressible};
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
/// Heads of more bytes are made for each visitor, so that all that are kept take 64 MB at most. Usual ones take five to eight kilobytes.
const KEPT_BYTES_MAX: usize = 16 << 10;
/// What a line takes in a map beside its texts: its place, a value's own memory and what allocators round up.
const LINE_BYTES: usize = 128;

/// The heads of the pages that are asked for now. Each page has one place, which it shares with others.
#[derive(Debug)]
pub(super) struct Heads(Box<[Place]>);

/// A place for a head.
#[derive(Debug, Default)]
struct Place {
    head: ArcSwapOption<Head>,
    /// The address of the page whose head was made last.
    missed: AtomicUsize,
}

impl Default for Heads {
    fn default() -> Self {
        Self((0..HEADS).map(|_| Place::default()).collect())
    }
}

impl Heads {
    /// The head of a page with this body. A page that is asked for once would only take the place of one that is asked for often, so a
    /// head is kept when it is made for the second time.
    pub(super) fn of(&self, page: &Arc<Page>, body: &Body, vary: &Vary) -> Arc<Head> {
        let address = Arc::as_ptr(page).addr();
        // Pages lie side by side; what they are divided by has to tell neighbours apart.
        let place = &self.0[address / size_of::<Page>() % HEADS];
        if let Some(head) = &*place.head.load()
            && head.is_of(page, body, vary)
        {
            return Arc::clone(head);
        }
        let mut head = Head::new(page, body, vary);
        head.is_kept =
            place.missed.swap(address, Ordering::Relaxed) == address && head.bytes() <= KEPT_BYTES_MAX;
        let head = Arc::new(head);
        if head.is_kept {
            place.head.store(Some(Arc::clone(&head)));
        }
        head
    }
}

/// The head of a page's answers.
#[derive(Debug)]
pub(super) struct Head {
    /// Whose it is. As long as this is here, no other page can come to lie at the same address.
    page: Weak<Page>,
    /// The body and the word about variants that it was made for.
    body: Digest,
    vary: Vary,
    /// Whether others will find it.
    is_kept: bool,
    /// Whether its content gets smaller.
    pub(super) is_compressible: bool,
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
            body: body.sha256(),
            vary: vary.clone(),
            is_kept: false,
            is_compressible,
            plain,
            revalidate: page.kept().map_or(0, |kept| kept.lifetime.revalidate.0),
            recent: Default::default(),
        }
    }

    fn is_of(&self, page: &Arc<Page>, body: &Body, vary: &Vary) -> bool {
        std::ptr::eq(self.page.as_ptr(), Arc::as_ptr(page))
            && self.body == body.sha256()
            && self.vary == *vary
    }

    /// What it takes when it is known in all encodings.
    fn bytes(&self) -> usize {
        let lines = self.plain.iter().map(|(name, value)| name.as_str().len() + value.len() + LINE_BYTES);
        (1 + self.recent.len()) * lines.sum::<usize>()
    }

    pub(super) fn last_modified(&self) -> Option<&HeaderValue> {
        self.plain.get(LAST_MODIFIED)
    }

    /// The head of an answer with content. Most visitors of a second get the same; one that nobody else will find is used up.
    pub(super) fn whole(
        self: Arc<Self>,
        body: &Body,
        encoding: Encoding,
        state: State,
        age: Seconds,
    ) -> HeaderMap {
        if state == State::Hit && self.is_kept {
            return self.recent(body, encoding, age);
        }
        let revalidate = self.revalidate;
        let plain = Arc::try_unwrap(self).map_or_else(|shared| shared.plain.clone(), |head| head.plain);
        finished(plain, revalidate, body, encoding, state, age)
    }

    fn recent(&self, body: &Body, encoding: Encoding, age: Seconds) -> HeaderMap {
        let recent = &self.recent[place(encoding)];
        if let Some(recent) = &*recent.load()
            && recent.age == age
        {
            return recent.headers.clone();
        }
        let headers = finished(self.plain.clone(), self.revalidate, body, encoding, State::Hit, age);
        recent.store(Some(Arc::new(Recent { age, headers: headers.clone() })));
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
        if encoding != Encoding::Identity {
            headers.insert(ETAG, tag(body, encoding));
        }
        tell(&mut headers, self.revalidate, state, age);
        headers
    }
}

/// A plain head as it is sent.
fn finished(
    mut headers: HeaderMap,
    revalidate: i64,
    body: &Body,
    encoding: Encoding,
    state: State,
    age: Seconds,
) -> HeaderMap {
    if encoding != Encoding::Identity {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
        headers.insert(ETAG, tag(body, encoding));
    }
    tell(&mut headers, revalidate, state, age);
    headers
}

/// What the answer of a page that is fresh for so long says of it.
fn tell(headers: &mut HeaderMap, revalidate: i64, state: State, age: Seconds) {
    headers.insert(AGE, HeaderValue::from(age.0.max(0)));
    headers.insert(status::CACHE_STATUS, status::of(state, Seconds(revalidate.saturating_sub(age.0))));
    headers.insert(status::ISR, status::state(state));
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
    use facetheory::{Bodies, body::BodyKey};
    use tabletheory::Model;
    use tabletheory_core::{Item, Value};

    use super::*;

    fn page(link: &str) -> Arc<Page> {
        page_with([("content-type", "text/plain"), ("link", link)])
    }

    fn page_with<'h>(headers: impl IntoIterator<Item = (&'h str, &'h str)>) -> Arc<Page> {
        let header =
            |(name, value)| Value::M(Item::from([("name", Value::s(name)), ("value", Value::s(value))]));
        let row = Item::from([
            ("pk", Value::s("CACHE#1")),
            ("sk", Value::s("META")),
            ("s3_key", Value::s("b/1")),
            ("headers", Value::L(headers.into_iter().map(header).collect())),
        ]);
        Arc::new(Page::of(&Meta::from_item(row).unwrap()))
    }

    async fn body(text: &'static str) -> Body {
        let (bodies, key) = (Bodies::memory(), BodyKey::new("p", text));
        bodies.put(&key, text.into()).await.unwrap();
        bodies.get(key.as_str(), None).await.unwrap().expect("it was put")
    }

    fn vary(name: &'static str) -> Vary {
        let plain = HeaderValue::from_static(name);
        Vary { plain: Some(plain.clone()), with_encoding: plain }
    }

    fn hit(head: Arc<Head>, body: &Body) -> HeaderMap {
        head.whole(body, Encoding::Identity, State::Hit, Seconds(0))
    }

    #[tokio::test]
    async fn a_head_is_kept_when_it_is_asked_for_again() {
        let (heads, page, body, vary) = (Heads::default(), page("<a>"), body("page").await, vary("cookie"));
        let made = [(); 4].map(|()| heads.of(&page, &body, &vary));
        assert_eq!(made.each_ref().map(|head| head.is_kept), [false, true, true, true]);
        assert!(Arc::ptr_eq(&made[1], &made[2]) && Arc::ptr_eq(&made[2], &made[3]));
    }

    #[tokio::test]
    async fn a_head_of_many_bytes_is_not_kept() {
        let (heads, body, vary) = (Heads::default(), body("page").await, vary("cookie"));
        // One long line, and many that are nearly nothing but take their places in a map.
        let lines = KEPT_BYTES_MAX / 4 / LINE_BYTES;
        for page in [page(&"a".repeat(KEPT_BYTES_MAX / 4)), page_with(vec![("link", ""); lines])] {
            for _ in 0..3 {
                let head = heads.of(&page, &body, &vary);
                assert!(!head.is_kept);
                let headers = hit(head, &body);
                assert!(headers.contains_key("link") && headers[ETAG] == body.etag(), "{headers:?}");
            }
        }
    }

    /// Rows of other stores do not say what their bodies must be, and a reload may change what pages depend on.
    #[tokio::test]
    async fn another_body_or_another_vary_has_another_head() {
        let (heads, page) = (Heads::default(), page("<a>"));
        for text in ["one", "two", "one"] {
            for name in ["cookie", "accept", "cookie"] {
                for _ in 0..3 {
                    let body = body(text).await;
                    let headers = hit(heads.of(&page, &body, &vary(name)), &body);
                    assert!(
                        headers[ETAG] == body.etag() && headers[VARY] == name,
                        "{text}, {name}: {headers:?}"
                    );
                }
            }
        }
    }

    /// A page that takes the place in memory of one that is gone would be answered with its head.
    #[tokio::test]
    async fn no_page_inherits_a_head_whoever_asks_beside_it() {
        let (heads, body, vary) = (Heads::default(), body("page").await, vary("cookie"));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (heads, body, vary) = (&heads, &body, &vary);
                scope.spawn(move || {
                    for number in 0..2000 {
                        let link = format!("<{thread}/{number}>");
                        let page = page(&link);
                        for _ in 0..3 {
                            assert_eq!(hit(heads.of(&page, body, vary), body)["link"], link);
                        }
                    }
                });
            }
        });
    }

    #[tokio::test]
    async fn who_comes_later_hears_the_same_at_the_same_age() {
        let (heads, page, body, vary) = (Heads::default(), page("<a>"), body("page").await, vary("cookie"));
        for _ in 0..3 {
            let head = heads.of(&page, &body, &vary);
            for encoding in [Encoding::Identity, Encoding::Gzip, Encoding::Brotli] {
                for age in [0, 0, 7, 7, 0] {
                    let headers = Arc::clone(&head).whole(&body, encoding, State::Hit, Seconds(age));
                    let encoded = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes);
                    assert_eq!(headers[AGE], age.to_string());
                    assert_eq!(headers[ETAG], body.etag_of(encoding));
                    assert_eq!(
                        encoded,
                        (encoding != Encoding::Identity).then(|| encoding.token().as_bytes())
                    );
                    assert_eq!(headers.len() - encoded.map_or(0, |_| 1), 8, "{headers:?}");
                }
            }
        }
    }
}

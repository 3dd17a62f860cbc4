//! The cache of routes that follow HTTP's own rules: what a request walks through, from what is kept to the application and back.

use std::fmt;
use std::sync::Arc;

use http::header::{CACHE_CONTROL, HeaderMap, IF_MATCH, IF_UNMODIFIED_SINCE};
use http::{Method, Request, Response, StatusCode, Uri, request};
use parking_lot::Mutex;
use tabletheory_core::Clock;
use tokio::task::JoinSet;

use crate::answer::{Body, Broken};
use crate::asked::Asked;
use crate::refusal::Refusal;
use crate::settings::CacheRoute;

use super::answer::from_stored;
use super::directives::Directives;
use super::errand::Errand;
use super::flight::Boarding;
use super::invalidation::{is_obsolete_after, named};
use super::key;
use super::plan::{Plan, plan};
use super::shared::Shared;
use super::status::{CacheStatus, Kept, Why};
use super::stored::Stored;
use super::upstream::Upstream;

/// How many requests beside answers there may be at once; further ones are left to the next client.
const BESIDE_MAX: usize = 64;

/// A shared cache by RFC 9111, in memory.
pub struct HttpCache {
    shared: Arc<Shared>,
    /// Requests beside answers. They end with the cache.
    beside: Mutex<JoinSet<()>>,
}

/// What a request is about, and where its answer comes from.
struct Visit<'a, U> {
    origin: &'a Arc<U>,
    scope: &'a str,
    route: &'a CacheRoute,
    asked: &'a Asked,
    head: request::Parts,
}

impl HttpCache {
    /// An empty cache of at most `bytes_max`.
    #[must_use]
    pub fn new(bytes_max: usize, clock: Arc<dyn Clock>) -> Self {
        Self { shared: Arc::new(Shared::new(bytes_max, clock)), beside: Mutex::default() }
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.shared.store.bytes()
    }

    /// For how many addresses it keeps answers.
    #[must_use]
    pub fn addresses(&self) -> usize {
        self.shared.store.len()
    }

    /// The answer to a request, whose headers are what the application may see. Scopes share nothing.
    pub async fn answer<U, B>(
        &self,
        origin: &Arc<U>,
        scope: &str,
        route: &CacheRoute,
        asked: &Asked,
        request: Request<B>,
    ) -> Response<Body>
    where
        U: Upstream,
        B: http_body::Body<Data = bytes::Bytes, Error: Into<Broken>> + Send + 'static,
    {
        let (head, body) = request.into_parts();
        let visit = Visit { origin, scope, route, asked, head };
        match visit.head.method {
            Method::GET | Method::HEAD if !body.is_end_stream() => {
                Refusal::last(StatusCode::BAD_REQUEST, "send no body with GET and HEAD").into()
            }
            Method::GET | Method::HEAD => self.read(visit).await,
            _ => self.change(visit, body).await,
        }
    }

    async fn read<U: Upstream>(&self, visit: Visit<'_, U>) -> Response<Body> {
        let now = self.shared.now();
        let key = key::of(visit.scope, visit.asked);
        let (method, headers) = (&visit.head.method, &visit.head.headers);
        let directives = Directives::of(headers, &CACHE_CONTROL);
        let variants = self.shared.store.get(&key);
        let found = variants.as_ref().and_then(|variants| variants.select(headers));
        let why = match found {
            _ if is_for_application(headers) => Why::Bypass,
            None if variants.is_some() => Why::VaryMiss,
            None => Why::UriMiss,
            Some(stored) => {
                let plan = plan(stored, &directives, now);
                if let Plan::Ask(why) = plan {
                    why
                } else {
                    let status = CacheStatus::Hit(stored.freshness.left_at(now));
                    let answer = from_stored(stored, method, headers, now, status);
                    if plan == Plan::ServeAndAsk {
                        self.ask_beside(visit.errand(&self.shared, key, directives), Arc::clone(stored));
                    }
                    return answer;
                }
            }
        };
        if directives.only_if_cached {
            let refusal = Refusal::new(StatusCode::GATEWAY_TIMEOUT, "nothing is kept that answers this");
            let mut answer: Response<Body> = refusal.into();
            CacheStatus::NotAsked.append(answer.headers_mut());
            return answer;
        }
        let found = found.filter(|_| why != Why::Bypass).cloned();
        visit.errand(&self.shared, key, directives).answer(why, found).await
    }

    /// Passes a request on that may change something, and forgets what it makes obsolete.
    async fn change<U, B>(&self, visit: Visit<'_, U>, body: B) -> Response<Body>
    where
        U: Upstream,
        B: http_body::Body<Data = bytes::Bytes, Error: Into<Broken>> + Send + 'static,
    {
        let method = visit.head.method.clone();
        let mut request = Request::new(body);
        *request.method_mut() = method.clone();
        *request.uri_mut() = visit.uri();
        *request.headers_mut() = visit.head.headers;
        let (scope, asked) = (visit.scope, visit.asked);
        let answer = match visit.origin.send(request).await {
            Ok(answer) => answer,
            Err(error) => return error.into().into(),
        };
        if is_obsolete_after(&method, answer.status()) {
            self.shared.invalidate(&key::of(scope, asked));
            for path_and_query in named(answer.headers(), asked.host(), asked.path()) {
                self.shared.invalidate(&key::beside(scope, asked, &path_and_query));
            }
        }
        let (head, body) = answer.into_parts();
        let mut answer = Response::from_parts(head, Body::stream(body));
        CacheStatus::forwarded(Why::Method, Kept::Unsaid).append(answer.headers_mut());
        answer
    }

    /// Asks the application for something newer while the client reads. One request at a time does for an address.
    fn ask_beside<U: Upstream>(&self, errand: Errand<U>, stored: Arc<Stored>) {
        let mut beside = self.beside.lock();
        while beside.try_join_next().is_some() {}
        if beside.len() < BESIDE_MAX
            && let Boarding::Lead(flight) = self.shared.flights.board(&errand.key)
        {
            beside.spawn(errand.refresh(flight, stored));
        }
    }
}

impl<U> Visit<'_, U> {
    fn errand(self, shared: &Arc<Shared>, key: Arc<str>, asked: Directives) -> Errand<U> {
        Errand {
            shared: Arc::clone(shared),
            origin: Arc::clone(self.origin),
            key,
            uri: self.uri(),
            method: self.head.method,
            headers: self.head.headers,
            asked,
            variants_max: self.route.variants_max,
            body_bytes_max: self.route.body_bytes_max,
        }
    }

    /// What is asked for, in the one form in which it was read.
    fn uri(&self) -> Uri {
        Uri::from(self.asked.target().clone())
    }
}

/// Whether only the application can judge these conditions (RFC 9110 section 13.1.1).
fn is_for_application(headers: &HeaderMap) -> bool {
    headers.contains_key(IF_MATCH) || headers.contains_key(IF_UNMODIFIED_SINCE)
}

impl fmt::Debug for HttpCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.fmt(f)
    }
}

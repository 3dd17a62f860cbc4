//! The cache of routes that follow HTTP's own rules: what a request walks through, from what is kept to the application and back.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderMap, IF_MATCH, IF_UNMODIFIED_SINCE};
use http::{Method, Request, Response, StatusCode, request};
use parking_lot::Mutex;
use tabletheory_core::Clock;
use tokio::task::JoinSet;

use crate::answer::{Body, Broken};
use crate::asked::Asked;
use crate::origin::{Caller, Origin};
use crate::pass::{given, refuse, rewrite};
use crate::refusal::Refusal;
use crate::settings::CacheRoute;

use super::accepted::reduce;
use super::answer::from_stored;
use super::directives::Directives;
use super::errand::Errand;
use super::flight::Boarding;
use super::invalidation::{is_obsolete_after, named};
use super::key::Place;
use super::plan::{Plan, plan};
use super::shared::Shared;
use super::status::{CacheStatus, Kept, Why};
use super::stored::Stored;

/// How many requests beside answers there may be at once; further ones are left to the next client. Each of them is over in
/// time, whatever the application does.
const BESIDE_MAX: usize = 64;

/// A shared cache by RFC 9111, in memory.
pub struct HttpCache {
    shared: Arc<Shared>,
    /// Requests beside answers. They end with the cache.
    beside: Mutex<JoinSet<()>>,
}

/// What a request is about, and where its answer comes from.
struct Visit<'a> {
    origin: &'a Arc<Origin>,
    scope: &'a str,
    route: &'a CacheRoute,
    asked: &'a Asked,
    caller: Caller,
    head: request::Parts,
    /// Whether the head is as the application gets it.
    is_rewritten: bool,
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

    /// How many it may take.
    #[must_use]
    pub fn bytes_max(&self) -> u64 {
        self.shared.store.bytes_max()
    }

    /// For how many addresses it keeps answers.
    #[must_use]
    pub fn addresses(&self) -> usize {
        self.shared.store.len()
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The answer to a request: what is kept, or the application's. Scopes share nothing.
    pub async fn answer<B>(
        &self,
        origin: &Arc<Origin>,
        scope: &str,
        route: &CacheRoute,
        asked: &Asked,
        request: Request<B>,
        caller: Caller,
    ) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        let (head, body) = request.into_parts();
        let visit = Visit { origin, scope, route, asked, caller, head, is_rewritten: false };
        match visit.head.method {
            Method::GET | Method::HEAD if !body.is_end_stream() => {
                Refusal::last(StatusCode::BAD_REQUEST, "send no body with GET and HEAD").into()
            }
            Method::GET | Method::HEAD => self.read(visit).await,
            _ => self.change(visit, body).await,
        }
    }

    async fn read(&self, mut visit: Visit<'_>) -> Response<Body> {
        reduce(&mut visit.head.headers);
        let now = self.shared.now();
        let key = visit.place().address(visit.asked.target().as_str());
        let variants = self.shared.store.get(&key);
        if variants.as_ref().is_none_or(|variants| variants.is_of_rewritten) {
            visit.rewrite();
        }
        let (method, headers) = (&visit.head.method, &visit.head.headers);
        let mut directives = Directives::of(headers, &CACHE_CONTROL);
        if !visit.route.obeys_clients {
            directives.spare_application();
        }
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
    async fn change<B>(&self, mut visit: Visit<'_>, body: B) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        let place = visit.place();
        visit.rewrite();
        let Visit { origin, asked, head, .. } = visit;
        let answer = match origin.send(Request::from_parts(head, body)).await {
            Ok(answer) => answer,
            Err(error) => return refuse(asked, &error),
        };
        if is_obsolete_after(asked.method(), answer.status()) {
            let own = asked.target().to_string();
            for path_and_query in named(answer.headers(), asked.host(), asked.path()).chain([own]) {
                self.shared.invalidate(&place.clone().address(&path_and_query));
            }
        }
        let mut answer = given(answer);
        CacheStatus::forwarded(Why::Method, Kept::Unsaid).append(answer.headers_mut());
        answer
    }

    /// Asks the application for something newer while the client reads. One request at a time does for an address.
    fn ask_beside(&self, errand: Errand, stored: Arc<Stored>) {
        let mut beside = self.beside.lock();
        while beside.try_join_next().is_some() {}
        if beside.len() < BESIDE_MAX
            && let Boarding::Lead(flight) = self.shared.flights.board(&errand.key)
        {
            beside.spawn(errand.refresh(flight, stored));
        }
    }
}

impl Visit<'_> {
    fn place(&self) -> Place {
        Place::of(self.scope, self.asked, &self.head.headers, &self.caller)
    }

    /// Brings the head to the form in which the application gets it. Most answers from what is kept do without.
    fn rewrite(&mut self) {
        if !self.is_rewritten {
            rewrite(&mut self.head, self.asked, &self.caller);
            self.is_rewritten = true;
        }
    }

    fn errand(mut self, shared: &Arc<Shared>, key: String, directives: Directives) -> Errand {
        self.rewrite();
        Errand {
            shared: Arc::clone(shared),
            origin: Arc::clone(self.origin),
            key: key.into(),
            asked: self.asked.clone(),
            method: self.head.method,
            uri: self.head.uri,
            headers: self.head.headers,
            directives,
            variants_max: self.route.variants_max,
            body_bytes_max: self.route.body_bytes_max,
        }
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

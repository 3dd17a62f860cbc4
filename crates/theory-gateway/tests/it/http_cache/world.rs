//! A cache, the time, and an origin that answers by a script and remembers what it was asked.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri, request};
use http_body::Frame;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tabletheory_core::{ManualClock, Seconds, Timestamp};
use theory_gateway::asked::Asked;
use theory_gateway::cache::HttpCache;
use theory_gateway::edge::Peer;
use theory_gateway::origin::{Caller, Origin};
use theory_gateway::settings::{CacheRoute, EdgeLimits, OriginSettings};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// What the origin says.
#[derive(Clone)]
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: &'static str,
    /// Whether it is not said how long the body is.
    pub(super) is_chunked: bool,
    /// Whether the connection ends before the body does.
    pub(super) breaks: bool,
}

/// 200 with these headers and this body.
pub(super) fn say(headers: &[(&'static str, &str)], body: &'static str) -> Said {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Said { status: 200, headers, body, is_chunked: false, breaks: false }
}

/// A status with these headers.
pub(super) fn say_status(status: u16, headers: &[(&'static str, &str)]) -> Said {
    Said { status, ..say(headers, "") }
}

pub(super) type Script = dyn Fn(&request::Parts, usize) -> Said + Send + Sync;

/// The world. The origin ends with it.
pub(super) struct World {
    pub(super) cache: HttpCache,
    pub(super) clock: Arc<ManualClock>,
    origin: Arc<Origin>,
    /// Where the origin listens.
    pub(super) address: SocketAddr,
    script: Arc<Mutex<Arc<Script>>>,
    asked: Arc<AtomicUsize>,
    heads: Arc<Mutex<Vec<request::Parts>>>,
    /// Whoever holds all its places keeps the origin from answering.
    pub(super) gate: Arc<Semaphore>,
    pub(super) route: CacheRoute,
    task: JoinHandle<()>,
}

/// What a client got.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Result<String, String>,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn text(&self) -> &str {
        self.body.as_deref().unwrap()
    }

    pub(super) fn is_hit(&self) -> bool {
        self.header("cache-status").contains("; hit")
    }
}

impl World {
    /// A world whose origin answers so; the number counts requests from one.
    pub(super) async fn new(script: impl Fn(&request::Parts, usize) -> Said + Send + Sync + 'static) -> Self {
        let script: Arc<Script> = Arc::new(script);
        let script = Arc::new(Mutex::new(script));
        let (asked, heads) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<_>>>::default());
        let gate = Arc::new(Semaphore::new(1));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let uri = Uri::try_from(format!("http://{address}")).unwrap();
        let mut settings = OriginSettings::new(uri);
        settings.failures_max = u32::MAX;
        let play = (Arc::clone(&script), Arc::clone(&asked), Arc::clone(&heads), Arc::clone(&gate));
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (script, asked, heads, gate) = play.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let (script, asked, heads, gate) =
                        (Arc::clone(&script), Arc::clone(&asked), Arc::clone(&heads), Arc::clone(&gate));
                    async move {
                        let (head, _) = request.into_parts();
                        let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
                        heads.lock().push(head.clone());
                        drop(gate.acquire().await.unwrap());
                        let script = Arc::clone(&script.lock());
                        Ok::<_, Infallible>(answer(&script(&head, number)))
                    }
                });
                // Its clock is not the one of this world.
                let mut server = http1::Builder::new();
                server.auto_date_header(false);
                tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
            }
        });
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
        let cache = HttpCache::new(1 << 20, Arc::clone(&clock) as _);
        let route = CacheRoute { variants_max: 4, body_bytes_max: 1 << 16, obeys_clients: false };
        let origin = Origin::new(&settings).unwrap();
        Self { cache, clock, origin, address, script, asked, heads, gate, route, task }
    }

    /// A world whose origin is elsewhere.
    pub(super) async fn at(address: SocketAddr) -> Self {
        Self::with(address, |_| {}).await
    }

    /// The same, with an origin of other settings.
    pub(super) async fn with(address: SocketAddr, set: impl FnOnce(&mut OriginSettings)) -> Self {
        let mut world = Self::new(|_, _| say(&[], "")).await;
        let uri = Uri::try_from(format!("http://{address}")).unwrap();
        let mut settings = OriginSettings::new(uri);
        set(&mut settings);
        world.origin = Origin::new(&settings).unwrap();
        world
    }

    /// The script, to be replaced.
    pub(super) fn script(&self) -> parking_lot::MutexGuard<'_, Arc<Script>> {
        self.script.lock()
    }

    /// How many hold the origin, this world among them.
    pub(super) fn origin_in_use(&self) -> usize {
        Arc::strong_count(&self.origin)
    }

    /// From now on the origin answers so.
    pub(super) fn now_says(&self, said: Said) {
        *self.script.lock() = Arc::new(move |_, _| said.clone());
    }

    /// How often the origin was asked.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// What it was asked last.
    pub(super) fn last(&self) -> HeaderMap {
        self.heads.lock().last().unwrap().headers.clone()
    }

    pub(super) fn advance(&self, seconds: i64) {
        self.clock.advance(Seconds(seconds));
    }

    pub(super) async fn get(&self, path: &str) -> Got {
        self.send(Method::GET, path, &[]).await
    }

    pub(super) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Got {
        self.send(Method::GET, path, headers).await
    }

    pub(super) async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Got {
        self.send_in("site", method, path, headers, "").await
    }

    pub(super) async fn send_in(
        &self,
        scope: &str,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &'static str,
    ) -> Got {
        let answer = self.answer(scope, method, path, headers, body).await;
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(|error| error.to_string());
        let body = body.map(|body| String::from_utf8(body.to_bytes().to_vec()).unwrap());
        Got { status: head.status.as_u16(), headers: head.headers, body }
    }

    /// The answer as it comes, its body unread.
    pub(super) async fn answer(
        &self,
        scope: &str,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &'static str,
    ) -> Response<theory_gateway::answer::Body> {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "site.example");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from_static(body.as_bytes()))).unwrap();
        let (head, body) = request.into_parts();
        let peer = Peer::plain(([127, 0, 0, 1], 9).into());
        let asked = Asked::read(&head, &peer, &EdgeLimits::default()).unwrap();
        let caller = Caller::at(peer.address.ip(), &head.headers, &[]);
        let request = Request::from_parts(head, body);
        self.cache.answer(&self.origin, scope, &self.route, &asked, request, caller).await
    }

    /// Waits until the origin was asked so often.
    pub(super) async fn until_asked(&self, times: usize) {
        while self.asked() < times {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(said: &Said) -> Response<BoxBody<Bytes, &'static str>> {
    let body = Bytes::from_static(said.body.as_bytes());
    let mut response = Response::builder().status(StatusCode::from_u16(said.status).unwrap());
    for (name, value) in &said.headers {
        response = response.header(*name, value);
    }
    if !said.breaks && !said.is_chunked {
        return response.body(Full::new(body).map_err(|never| match never {}).boxed()).unwrap();
    }
    // What came before is sent when there is nothing more for the moment; only then the connection ends.
    let breaks = said.breaks;
    let end = stream::once(async move {
        tokio::task::yield_now().await;
        if breaks { Err("broken") } else { Ok(Frame::data(Bytes::new())) }
    });
    let frames = stream::iter([Ok(Frame::data(body))]).chain(end);
    response.body(BodyExt::boxed(StreamBody::new(frames))).unwrap()
}

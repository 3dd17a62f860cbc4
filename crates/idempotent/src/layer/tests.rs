//! Conversations with a service whose requests happen once.

mod again;
mod among;
mod answers;
mod refused;
mod store;
mod streams;

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::{Seconds, StoreError};
use tokio::sync::Semaphore;
use tower::{Service, ServiceExt, service_fn};

use super::*;
use crate::attempt::Attempt;
use crate::keep::Keep;
use crate::settings::Settings;

/// What breaks in these tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Broken;

type AnyBody = UnsyncBoxBody<Bytes, Broken>;
type Answered = Result<Response<IdempotentBody<AnyBody>>, Broken>;

/// A store, a handler that does what its path says, and how often it did.
#[derive(Clone)]
struct World {
    store: TestStore,
    machine: Idempotency,
    begun: Arc<AtomicUsize>,
    /// What `/gate` waits for.
    gate: Arc<Semaphore>,
}

impl World {
    async fn new() -> Self {
        let store = TestStore::new();
        let machine = Idempotency::new(store.db());
        machine.create_table().await.expect("a table in memory");
        Self { store, machine, begun: Arc::default(), gate: Arc::new(Semaphore::new(0)) }
    }

    fn layer(&self) -> IdempotencyLayer {
        IdempotencyLayer::new(self.machine.clone(), |parts| {
            let user = parts.headers.get("x-user")?.to_str().ok()?;
            Some(Scope::route(&parts.method, parts.uri.path()).tenant("acme").principal(user))
        })
    }

    async fn send(&self, layer: &IdempotencyLayer, request: Request<AnyBody>) -> Answered {
        let world = self.clone();
        let handler = service_fn(move |request| world.clone().handle(request));
        layer.layer(handler).oneshot(request).await
    }

    async fn call(&self, layer: &IdempotencyLayer, request: Request<AnyBody>) -> Seen {
        Seen::of(self.send(layer, request).await.expect("this service does not fail")).await
    }

    async fn handle(self, request: Request<IdempotentBody<AnyBody>>) -> Result<Response<AnyBody>, Broken> {
        let run = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let path = request.uri().path().to_owned();
        let attempt = request.extensions().get::<Attempt>().cloned();
        let body = request.into_body().collect().await?.to_bytes();
        match path.as_str() {
            "/error" => return Err(Broken),
            "/panic" => panic!("the handler was told to"),
            "/gate" => self.gate.acquire().await.expect("it is never closed").forget(),
            "/slow" => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
            "/own" => {
                let answer = crate::Response::new(200, "own").expect("a status");
                let _ = attempt.expect("guarded").complete(&answer).await;
            }
            _ => {}
        }
        let body = format!("run {run} of {}", String::from_utf8_lossy(&body));
        let frames = match path.as_str() {
            "/broken" => vec![Ok(Frame::data(body.into())), Err(Broken)],
            "/large" => vec![Ok(Frame::data(Bytes::from(vec![b'x'; 100_000])))],
            "/pieces" => (0..3).map(|_| Ok(Frame::data(Bytes::from(vec![b'x'; 80])))).collect(),
            "/long" => (0..5).map(|_| Ok(Frame::data(Bytes::from(vec![b'x'; 100_000])))).collect(),
            _ => vec![Ok(Frame::data(body.into()))],
        };
        let status = path.trim_start_matches('/').parse().unwrap_or(201);
        let response = Response::builder()
            .status(status)
            .header("content-type", "text/plain")
            .header("location", "/orders/1")
            .header("set-cookie", "session=1")
            .header("x-run", run);
        let body = StreamBody::new(futures_util::stream::iter(frames)).boxed_unsync();
        Ok(response.body(body).expect("a response"))
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Lets the handlers behind the gate go on.
    fn open(&self) {
        self.gate.add_permits(100);
    }

    /// Waits until so many handlers have begun.
    async fn until_begun(&self, count: usize) {
        for _ in 0..10_000 {
            if self.begun() >= count {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("only {} handlers have begun", self.begun());
    }
}

/// A response as a client sees it.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Seen {
    async fn of(response: Response<IdempotentBody<AnyBody>>) -> Self {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("it does not break off").to_bytes();
        let text = |(name, value): (&http::HeaderName, &HeaderValue)| {
            (name.to_string(), value.to_str().expect("ASCII").to_owned())
        };
        let headers = parts.headers.iter().map(text).collect();
        let body = String::from_utf8(body.to_vec()).expect("text");
        Self { status: parts.status.as_u16(), headers, body }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    fn is_replay(&self) -> bool {
        self.header("idempotent-replayed") == "true"
    }

    fn code(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem: serde_json::Value = serde_json::from_str(&self.body).expect("JSON");
        problem["code"].as_str().expect("a code").to_owned()
    }
}

fn full(body: &'static str) -> AnyBody {
    Full::from(body).map_err(|never| match never {}).boxed_unsync()
}

/// Somebody's request with a key.
fn request(user: &str, path: &str, key: &str, body: &'static str) -> Request<AnyBody> {
    Request::post(path)
        .header("x-user", user)
        .header("idempotency-key", key)
        .body(full(body))
        .expect("a request")
}

fn post(path: &str) -> Request<AnyBody> {
    request("ada", path, "k", "{}")
}

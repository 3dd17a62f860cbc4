//! Lambda's runtime API, version 2018-06-01: what a runtime asks, and what it tells.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tabletheory_core::Clock;
use tabletheory_core::sys::SystemClock;
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot, watch};

use super::outcome::Outcome;

const BASE: &str = "/2018-06-01/runtime/";

/// An event that waits for the function.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) event: String,
    pub(super) time: Duration,
    pub(super) answer: oneshot::Sender<Outcome>,
    pub(super) taken: oneshot::Sender<()>,
}

/// What the runtime API knows.
#[derive(Debug, Default)]
pub(super) struct Api {
    waiting: Mutex<VecDeque<Waiting>>,
    offered: Notify,
    under_way: Mutex<HashMap<String, oneshot::Sender<Outcome>>>,
    count: AtomicU64,
    init_error: watch::Sender<Option<String>>,
    process: watch::Sender<Option<Pid>>,
}

impl Api {
    pub(super) fn offer(&self, waiting: Waiting) {
        self.waiting.lock().push_back(waiting);
        self.thaw();
        self.offered.notify_one();
    }

    /// A process of the function has begun.
    pub(super) fn begun(&self, process: Option<Pid>) {
        self.init_error.send_replace(None);
        self.process.send_replace(process);
    }

    /// The process has ended, and with it what was under way.
    pub(super) fn end(&self, process: Option<Pid>) {
        self.process.send_if_modified(|current| {
            let is_it = *current == process;
            if is_it {
                *current = None;
            }
            is_it
        });
    }

    /// Waits until the function says that it could not be initialised.
    pub(super) async fn not_initialised(&self) -> String {
        let mut errors = self.init_error.subscribe();
        match errors.wait_for(Option::is_some).await {
            Ok(error) => error.clone().unwrap_or_default(),
            Err(_) => std::future::pending().await,
        }
    }

    /// Waits until the process that took the event ends.
    pub(super) async fn ended(&self) {
        let mut process = self.process.subscribe();
        let took = *process.borrow_and_update();
        if took.is_some() {
            let _ = process.wait_for(|current| *current != took).await;
        }
    }

    fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// A process that has ended needs no signal.
    fn signal(&self, signal: Signal) {
        if let Some(process) = *self.process.borrow() {
            let _ = kill_process(process, signal);
        }
    }

    /// The next event. Whoever asks is frozen until there is one.
    async fn next(&self) -> Response<Full<Bytes>> {
        let waiting = loop {
            let next = self.waiting.lock().pop_front();
            if let Some(waiting) = next {
                break waiting;
            }
            self.freeze();
            self.offered.notified().await;
            self.thaw();
        };
        let Waiting { event, time, answer, taken } = waiting;
        let id = format!("request-{}", self.count.fetch_add(1, Ordering::Relaxed));
        self.under_way.lock().insert(id.clone(), answer);
        // The test may have given up.
        let _ = taken.send(());
        Response::builder()
            .header("lambda-runtime-aws-request-id", id)
            .header("lambda-runtime-deadline-ms", deadline_ms(time))
            .header(
                "lambda-runtime-invoked-function-arn",
                "arn:aws:lambda:us-east-1:123456789012:function:tested",
            )
            .header(
                "lambda-runtime-trace-id",
                "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1",
            )
            .body(Full::new(Bytes::from(event)))
            .expect("names and numbers are headers")
    }

    /// An answer, or the word that there is none. One that nobody waits for came too late.
    fn told(&self, id: &str, outcome: Outcome) -> Response<Full<Bytes>> {
        let waited = self.under_way.lock().remove(id).is_some_and(|answer| answer.send(outcome).is_ok());
        empty(if waited { StatusCode::ACCEPTED } else { StatusCode::GONE })
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, body) = request.into_parts();
        let Some(path) = head.uri.path().strip_prefix(BASE) else { return empty(StatusCode::NOT_FOUND) };
        let parts: Vec<_> = path.split('/').collect();
        if (&head.method, &parts[..]) == (&Method::GET, &["invocation", "next"]) {
            return self.next().await;
        }
        let Ok(body) = body.collect().await else { return empty(StatusCode::BAD_REQUEST) };
        let Ok(told) = serde_json::from_slice::<Value>(&body.to_bytes()) else {
            return empty(StatusCode::BAD_REQUEST);
        };
        let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
        match (&head.method, &parts[..]) {
            (&Method::POST, ["init", "error"]) => {
                self.init_error.send_replace(Some(text("errorMessage")));
                empty(StatusCode::ACCEPTED)
            }
            (&Method::POST, ["invocation", id, "response"]) => self.told(id, Outcome::Answered(told)),
            (&Method::POST, ["invocation", id, "error"]) => {
                let failed = Outcome::Failed { kind: text("errorType"), message: text("errorMessage") };
                self.told(id, failed)
            }
            _ => empty(StatusCode::NOT_FOUND),
        }
    }
}

/// Serves the API until it is dropped.
pub(super) async fn serve(listener: TcpListener, api: Arc<Api>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((connection, _)) = listener.accept().await {
        let api = Arc::clone(&api);
        connections.spawn(async move {
            let answering = service_fn(move |request| {
                let api = Arc::clone(&api);
                async move { Ok::<_, Infallible>(api.answer(request).await) }
            });
            // A process that is killed takes its connection along.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(connection), answering).await;
        });
    }
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

/// When an invocation that begins now ends, in milliseconds since 1970.
fn deadline_ms(time: Duration) -> i64 {
    SystemClock.now().millis().saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

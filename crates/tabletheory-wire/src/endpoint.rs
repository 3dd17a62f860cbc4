//! A store behind the protocol: a request's head and body in, status and body out. Sockets are the server's business,
//! so everything here can be tested without one.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode, header};
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock, Store, StoreError};

use crate::sigv4::{Refusal, Verifier};
use crate::{decode, encode, error, target};

/// What the client is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body: JSON, or nothing where the service says nothing.
    pub body: Vec<u8>,
}

/// A store behind the protocol.
#[derive(Debug)]
pub struct Endpoint {
    store: Arc<dyn Store>,
    guard: Guard,
    clock: Arc<dyn Clock>,
}

/// Who may call.
#[derive(Debug)]
enum Guard {
    /// Whoever can sign with a known key.
    Signed(Box<Verifier>),
    /// Whoever calls this machine by its address or as `localhost`. A page in a browser that was led here under another
    /// name is not meant.
    Local,
}

impl Endpoint {
    /// An endpoint that answers everybody who calls it by an address or as `localhost`. Serve it on loopback only.
    #[must_use]
    pub fn unsigned(store: Arc<dyn Store>) -> Self {
        Self { store, guard: Guard::Local, clock: Arc::new(SystemClock) }
    }

    /// An endpoint that answers requests signed with a key that the verifier knows.
    #[must_use]
    pub fn signed(store: Arc<dyn Store>, verifier: Verifier) -> Self {
        Self { store, guard: Guard::Signed(Box::new(verifier)), clock: Arc::new(SystemClock) }
    }

    /// Judges the age of signatures by this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Answers one request. Whatever happens inside the store, a panic included, there is an answer.
    pub async fn answer(&self, head: &Parts, body: &[u8]) -> Answer {
        match head.method {
            Method::POST => {}
            // Load balancers and people ask whether somebody is there.
            Method::GET | Method::HEAD => return healthy(),
            _ => {
                let message = format!("{} is not a method of this service; operations are POST", head.method);
                return refused(&StoreError::UnknownOperation(message));
            }
        }
        if let Err(answer) = self.admit(head, body) {
            return answer;
        }
        let answered = caught(async {
            let name = target::operation(&head.headers)?;
            let response = self.store.call(decode::request(name, body)?).await?;
            Ok::<_, StoreError>(Answer { status: StatusCode::OK, body: encode::body(&response) })
        });
        match answered.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(StoreError::Internal(reason))) => {
                // Why a store failed, and in which folder, is for whoever runs it.
                tracing::error!(%reason, "the store failed");
                failed()
            }
            Ok(Err(refusal)) => refused(&refusal),
            // The panic has told its story on stderr.
            Err(_) => failed(),
        }
    }

    fn admit(&self, head: &Parts, body: &[u8]) -> Result<(), Answer> {
        match &self.guard {
            Guard::Signed(verifier) => verifier.verify(head, body, self.clock.now()).map_err(|refusal| {
                let body = error::refused(refusal.code(), &refusal.to_string());
                Answer { status: Refusal::STATUS, body }
            }),
            Guard::Local if is_local(head) => Ok(()),
            Guard::Local => Err(refused(&StoreError::AccessDenied(
                "without keys only requests to localhost or to an IP address are answered; the Host header names another \
                 host, or none"
                    .to_owned(),
            ))),
        }
    }
}

fn healthy() -> Answer {
    Answer { status: StatusCode::OK, body: br#"{"status":"healthy"}"#.to_vec() }
}

/// The outcome is unknown, and the caller learns nothing else.
fn failed() -> Answer {
    let message = "The request processing has failed because of an unknown error, exception or failure";
    refused(&StoreError::Internal(message.to_owned()))
}

fn refused(error: &StoreError) -> Answer {
    let (status, body) = error::encode(error);
    Answer { status, body }
}

/// Whether the client calls us by an address or as `localhost`: under any other name it may be a browser whose name
/// service was made to point here.
fn is_local(head: &Parts) -> bool {
    only_host(&head.headers).is_some_and(|authority| {
        let host = authority.host();
        let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let last_label = host.rsplit('.').next().unwrap_or(host);
        last_label.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
    })
}

fn only_host(headers: &HeaderMap) -> Option<Authority> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?;
    if hosts.next().is_some() {
        return None;
    }
    Authority::try_from(host.as_bytes()).ok()
}

/// The outcome of a future that may panic.
async fn caught<F: Future>(future: F) -> Result<F::Output, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

//! Handlers that end before their invocation does, for the inside of an `IdempotencyLayer`: what is cut off there answers 503, which
//! is not kept, and the claim is given back while there is still time to.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Either, Full};
use tower_layer::Layer;
use tower_service::Service;

use crate::process::Process;
use crate::refusal::{OUT_OF_TIME, whole};
use crate::time::{Time, before};

/// Cuts off handlers two buffers before their invocation ends, with status 503 and `Retry-After`.
///
/// Put it inside of an `idempotent::IdempotencyLayer` if what the handler does may be done again: the layer then gives the claim back,
/// and a repetition is performed at once. Without it a handler that takes too long keeps its claim until the lock is over, and
/// what happens then is what the layer's `Orphans` say; that is right for what must not be done twice.
///
/// ```
/// use axum::Router;
/// use axum::routing::post;
/// use theory_lambda::{InTimeLayer, Process};
///
/// let process = Process::new("api");
/// let app: Router = Router::new().route("/orders", post(|| async { "done" })).layer(InTimeLayer::new(&process));
/// ```
#[derive(Debug, Clone)]
pub struct InTimeLayer {
    time: Time,
}

impl InTimeLayer {
    /// A layer for invocations of this process.
    #[must_use]
    pub fn new(process: &Process) -> Self {
        Self { time: process.time().clone() }
    }
}

impl<S> Layer<S> for InTimeLayer {
    type Service = InTime<S>;

    fn layer(&self, inner: S) -> InTime<S> {
        InTime { inner, time: self.time.clone() }
    }
}

/// A service that ends in time. [`InTimeLayer`] makes it.
#[derive(Debug, Clone)]
pub struct InTime<S> {
    inner: S,
    time: Time,
}

impl<S, Q, B> Service<Request<Q>> for InTime<S>
where
    S: Service<Request<Q>, Response = Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: 'static,
{
    type Response = Response<Either<B, Full<Bytes>>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let (answering, time) = (self.inner.call(request), self.time.clone());
        Box::pin(async move {
            match before(time.bounds().map(|bounds| bounds.renders), answering).await {
                Some(answer) => answer.map(|answer| answer.map(Either::Left)),
                None => Ok(whole(OUT_OF_TIME).map(|bytes| Either::Right(Full::new(bytes)))),
            }
        })
    }
}

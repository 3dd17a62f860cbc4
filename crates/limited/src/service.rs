//! The service: a request goes through the gate, and its response back with the headers.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Either, Full};
use tower_service::Service;

use crate::decisions::RateLimitDecisions;
use crate::gate::{Admission, Gate};

/// A service behind limits. [`crate::RateLimitLayer`] makes it.
///
/// The body of its responses is the inner service's, or one of its own; errors of the inner service pass through.
///
/// ```
/// use limited::{ClientAddress, Limiter, RateLimitLayer};
/// use tabletheory::Db;
/// use tower::Layer;
///
/// let layer = RateLimitLayer::new(Limiter::new(Db::memory()), ClientAddress::socket());
/// assert_eq!(*layer.layer("any service").get_ref(), "any service");
/// ```
#[derive(Clone)]
pub struct RateLimit<S> {
    inner: S,
    gate: Arc<Gate>,
}

impl<S> RateLimit<S> {
    pub(crate) fn new(inner: S, gate: Arc<Gate>) -> Self {
        Self { inner, gate }
    }

    /// The service behind the limits.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }
}

impl<S> fmt::Debug for RateLimit<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit").field("gate", &self.gate).finish_non_exhaustive()
    }
}

impl<S, ReqBody, ResBody> Service<Request<ReqBody>> for RateLimit<S>
where
    S: Service<Request<ReqBody>, Response = Response<ResBody>> + Clone + Send + 'static,
    S::Future: Send,
    ReqBody: Send + 'static,
    ResBody: 'static,
{
    type Response = Response<Either<ResBody, Full<Bytes>>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        // The one that was found ready takes the request; its clone has to be asked again.
        let clone = self.inner.clone();
        let inner = mem::replace(&mut self.inner, clone);
        Box::pin(pass(inner, Arc::clone(&self.gate), request))
    }
}

async fn pass<S, ReqBody, ResBody>(
    mut inner: S,
    gate: Arc<Gate>,
    request: Request<ReqBody>,
) -> Result<Response<Either<ResBody, Full<Bytes>>>, S::Error>
where
    S: Service<Request<ReqBody>, Response = Response<ResBody>>,
{
    let (mut parts, body) = request.into_parts();
    let decisions = match gate.admit(&parts).await {
        Admission::Passed(decisions) => decisions,
        Admission::Refused(refusal) => return Ok(refusal.map(Either::Right)),
    };
    if !decisions.is_empty() {
        parts.extensions.get_or_insert_default::<RateLimitDecisions>().extend(&decisions);
    }
    let mut response = inner.call(Request::from_parts(parts, body)).await?;
    let status = response.status();
    gate.tell(&decisions, status, response.headers_mut());
    Ok(response.map(Either::Left))
}

#[cfg(test)]
mod tests;

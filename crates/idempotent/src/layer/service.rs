//! The service: what happens once is read whole and given to a task, unless it is to be done in place, and everything else passes.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::body::{IdempotentBody, Read, read};
use super::door::{Door, Knock, intent};
use super::once::{Errand, Turn};
use super::problem::Refusal;
use crate::patience::Patience;

/// A service whose requests happen once. [`crate::IdempotencyLayer`] makes it.
///
/// Requests and responses pass with their own body, in an [`IdempotentBody`]; errors of the inner service pass through, and the
/// request may come again.
///
/// ```
/// use idempotent::{Idempotency, IdempotencyLayer, Scope};
/// use tabletheory::Db;
/// use tower::Layer;
///
/// let scope = |parts: &http::request::Parts| {
///     Some(Scope::route(&parts.method, parts.uri.path()).without_tenant().principal("ada"))
/// };
/// let layer = IdempotencyLayer::new(Idempotency::new(Db::memory()), scope);
/// assert_eq!(*layer.layer("any service").get_ref(), "any service");
/// ```
#[derive(Clone)]
pub struct Idempotent<S> {
    inner: S,
    door: Arc<Door>,
}

impl<S> Idempotent<S> {
    pub(crate) fn new(inner: S, door: Arc<Door>) -> Self {
        Self { inner, door }
    }

    /// The service behind the door.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }
}

impl<S> fmt::Debug for Idempotent<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idempotent").field("door", &self.door).finish_non_exhaustive()
    }
}

impl<S, Q, B> Service<Request<Q>> for Idempotent<S>
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send + 'static,
    Q: Body<Data = Bytes> + Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<IdempotentBody<B>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        // The one that was found ready takes the request; its clone has to be asked again.
        let clone = self.inner.clone();
        let inner = mem::replace(&mut self.inner, clone);
        Box::pin(pass(inner, Arc::clone(&self.door), request))
    }
}

async fn pass<S, Q, B>(
    mut inner: S,
    door: Arc<Door>,
    request: Request<Q>,
) -> Result<Response<IdempotentBody<B>>, S::Error>
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>> + Send + 'static,
    S::Future: Send,
    S::Error: Send + 'static,
    Q: Body<Data = Bytes> + Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
{
    let (parts, body) = request.into_parts();
    let (scope, key) = match door.knock(&parts) {
        Ok(Knock::Passes) => {
            let request = Request::from_parts(parts, IdempotentBody::unread(body));
            return Ok(inner.call(request).await?.map(IdempotentBody::unread));
        }
        Ok(Knock::Once(scope, key)) => (scope, key),
        Err(refusal) => return Ok(door.refuse(&refusal)),
    };
    if body.size_hint().lower() > door.body_bytes_max {
        return Ok(door.refuse(&door.too_long()));
    }
    let (bytes, body) = match read(body, door.body_bytes_max).await {
        Read::Whole(bytes, body) => (bytes, body),
        Read::TooLong(..) => return Ok(door.refuse(&door.too_long())),
        Read::Broken => return Ok(door.refuse(&Refusal::BodyBroken)),
    };
    let intent = intent(scope, key, &parts, &bytes);
    // Below the gateway nothing else starts a task. Here it has to be: when a client goes away, its server drops this future, and
    // with it a handler that has charged a card and not yet said so. The claim would block the key until its lock is over, and
    // then the card would be charged again. A task is not dropped, so claim, work and answer stay together.
    // The wait for another's answer is outside of it: nobody waits for a client that is gone.
    let mut patience = Patience::new(&door.machine);
    let request = Request::from_parts(parts, body);
    let mut errand = Errand { door: Arc::clone(&door), inner, request, intent, is_seen: false };
    loop {
        // Where a process stands still after an answer, a task would stand still in the middle.
        let turn = if door.is_in_place { Ok(errand.run().await) } else { tokio::spawn(errand.run()).await };
        let (refusal, again) = match turn {
            Ok(Turn::Ended(sent)) => return sent,
            Ok(Turn::Running(refusal, again)) => (refusal, again),
            // It does not panic where a handler does, so this is the end of the runtime.
            Err(_) => return Ok(door.refuse(&Refusal::Broken)),
        };
        let waits = match &mut patience {
            Some(patience) => patience.wait(&door.machine).await,
            None => false,
        };
        if !waits {
            return Ok(door.refuse(&refusal));
        }
        errand = *again;
    }
}

//! The layer: which requests happen once, whose they are, and what is said of those that do not happen. Configuration;
//! [`Idempotent`] does the work.

mod body;
mod door;
mod once;
mod problem;
mod service;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Method};
use tower_layer::Layer;

use crate::machine::Idempotency;
use crate::scope::Scope;
use door::Door;

pub use body::IdempotentBody;
pub use door::OnStoreFailure;
pub use problem::{StatusStyle, Unperformed};
pub use service::Idempotent;

/// Lets requests with an `Idempotency-Key` happen once.
///
/// The first request with a key is performed, and its answer written down; each repetition gets that answer, with
/// `Idempotent-Replayed: true`. A repetition that comes while the first still runs gets 409 with `Retry-After`, after waiting as
/// long as the machine's settings say; another request with the same key gets 422. Whoever has no key passes as if there were no
/// layer, unless one is [required](Self::require_key).
///
/// Whose request it is has to be said: put the layer behind what checks who somebody is, and take tenant and principal from what
/// it found. The method, the target with its query and the body, byte for byte, are what makes two requests the
/// same.
///
/// A handler that was begun is brought to its end, whether or not its client still waits; it needs a tokio runtime with time. If
/// it panics, the claim is given back and the answer is 500, and so it is with answers that the machine does not
/// [keep](crate::Keep), such as 5xx: the next repetition is performed. Handlers find the [`Attempt`](crate::Attempt) among the
/// extensions of the request and can complete it in a transaction of their own; then what they completed it with is the answer
/// that every repetition gets, whatever they return to the first caller. Let the two be the same.
///
/// Answers are read whole before anybody gets them. One that is longer than the machine's [`Bodies`](crate::Bodies) hold goes to
/// the first caller as it comes; repetitions are told, with status 500, that it was given and cannot be repeated, and the request
/// is not performed again. Trailers go to the first caller only.
///
/// A stream of events (`Content-Type: text/event-stream`) may have no end, so nothing of it is read. With its head the request is
/// done, nothing keeps its lock any longer, and the stream goes to the first caller as it comes and ends when that one leaves.
/// Repetitions are told what they are told of an answer that is too long. Other answers without an end do not belong here: of
/// those nobody gets anything before they are too long.
///
/// ```
/// use http::{Request, Response, StatusCode};
/// use idempotent::{Idempotency, IdempotencyLayer, IdempotentBody, Scope};
/// use tabletheory::Db;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// #[derive(Clone)]
/// struct User(&'static str);
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let requests = Idempotency::new(Db::memory());
/// requests.create_table().await?;
/// let layer = IdempotencyLayer::new(requests, |parts| {
///     let User(name) = parts.extensions.get::<User>()?;
///     Some(Scope::route(&parts.method, parts.uri.path()).tenant("acme").principal(*name))
/// });
///
/// let service = layer.layer(service_fn(async |_: Request<IdempotentBody<String>>| {
///     Ok::<_, std::convert::Infallible>(Response::builder().status(201).body(String::from("order 1")).unwrap())
/// }));
/// let request = || {
///     let request = Request::post("/orders").header("idempotency-key", "8e03978e").extension(User("ada"));
///     request.body(String::from("{}")).unwrap()
/// };
/// let first = service.clone().oneshot(request()).await?;
/// assert_eq!((first.status(), first.headers().get("idempotent-replayed")), (StatusCode::CREATED, None));
/// let second = service.oneshot(request()).await?;
/// assert_eq!((second.status(), &second.headers()["idempotent-replayed"]), (StatusCode::CREATED, &"true".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct IdempotencyLayer {
    door: Arc<Door>,
}

impl IdempotencyLayer {
    /// A layer for POST and PATCH. Requests with a key of which `scope` does not know whose they are get 401.
    #[must_use]
    pub fn new(
        machine: Idempotency,
        scope: impl Fn(&Parts) -> Option<Scope> + Send + Sync + 'static,
    ) -> Self {
        Self { door: Arc::new(Door::new(machine, Arc::new(scope))) }
    }

    /// For other methods.
    #[must_use]
    pub fn with_methods(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.door_mut().methods = methods.into_iter().collect();
        self
    }

    /// Without a key there is no request: 400.
    #[must_use]
    pub fn require_key(mut self) -> Self {
        self.door_mut().is_key_required = true;
        self
    }

    /// With room for longer bodies of requests, or less; 1 MiB if nothing is said. They are read into memory before anything else,
    /// and what is longer gets 413.
    #[must_use]
    pub fn with_body_bytes_max(mut self, bytes: u64) -> Self {
        self.door_mut().body_bytes_max = bytes;
        self
    }

    /// With another challenge for those who get 401; `Bearer` if nothing is said.
    #[must_use]
    pub fn with_challenge(mut self, challenge: HeaderValue) -> Self {
        self.door_mut().challenge = challenge;
        self
    }

    /// With other statuses. [`Keep::stripe_v1`](crate::Keep::stripe_v1) is the other half of what Stripe does.
    #[must_use]
    pub fn with_statuses(mut self, style: StatusStyle) -> Self {
        self.door_mut().style = style;
        self
    }

    /// With another way to go on without the store.
    #[must_use]
    pub fn on_store_failure(mut self, on_store_failure: OnStoreFailure) -> Self {
        self.door_mut().on_store_failure = on_store_failure;
        self
    }

    /// Without a task: what is dropped with the future of an answer is the handler too, at once, and where it stood.
    ///
    /// It is for processes that stand still after an answer, as functions do. There a handler that went on would be frozen in the middle
    /// and thawed during somebody else's request, when its calls and its lock are long over. The price is that a client who goes away
    /// takes the handler along, unless whoever serves awaits the answer all the same.
    ///
    /// The claim of a dropped handler is not given back, because nobody knows what it had done: repetitions are told that the request
    /// is running until the lock is over, and then what the settings say of orphans happens. A handler that may be done again should
    /// be cut off inside of this layer, with an answer that is not kept, as 503: then the claim is given back.
    #[must_use]
    pub fn in_place(mut self) -> Self {
        self.door_mut().is_in_place = true;
        self
    }

    fn door_mut(&mut self) -> &mut Door {
        Arc::make_mut(&mut self.door)
    }
}

impl<S> Layer<S> for IdempotencyLayer {
    type Service = Idempotent<S>;

    fn layer(&self, inner: S) -> Idempotent<S> {
        Idempotent::new(inner, Arc::clone(&self.door))
    }
}

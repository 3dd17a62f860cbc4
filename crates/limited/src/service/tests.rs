//! Conversations with a service behind limits.

mod among;
mod rules;
mod store;
mod told;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{HeaderName, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::Seconds;
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::address::ClientAddress;
use crate::headers::{HeaderStyle, ResetStyle};
use crate::identity::{Identity, Missing};
use crate::layer::RateLimitLayer;
use crate::limit::Limit;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::rule::RateLimitRule;
use crate::secret::SecretKey;
use crate::settings::{LimiterSettings, OnFailure};

const KEY: HeaderName = HeaderName::from_static("x-api-key");
const TOLD: [&str; 5] =
    ["ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

struct World {
    store: TestStore,
    limiter: Limiter,
    handled: Arc<AtomicUsize>,
}

impl World {
    async fn new() -> Self {
        let store = TestStore::new();
        let limiter = Limiter::new(store.db());
        limiter.create_table().await.expect("a table in memory");
        store.forget_calls();
        Self { store, limiter, handled: Arc::default() }
    }

    fn layer(&self) -> RateLimitLayer {
        RateLimitLayer::new(self.limiter.clone(), ClientAddress::socket())
    }

    /// Answers with the names of the policies that a request has passed.
    fn service(
        &self,
        layer: &RateLimitLayer,
    ) -> impl Service<
        Request<()>,
        Response = Response<Either<String, Full<Bytes>>>,
        Error = Infallible,
        Future: Send,
    > + Clone
    + Send
    + 'static {
        let handled = Arc::clone(&self.handled);
        layer.layer(service_fn(move |request: Request<()>| {
            handled.fetch_add(1, Ordering::Relaxed);
            let decisions = request.extensions().get::<RateLimitDecisions>().cloned().unwrap_or_default();
            let names: Vec<_> =
                decisions.as_slice().iter().map(|decision| decision.policy.to_string()).collect();
            std::future::ready(Ok(Response::new(names.join(" "))))
        }))
    }

    async fn call(
        &self,
        layer: &RateLimitLayer,
        request: Request<()>,
    ) -> Response<Either<String, Full<Bytes>>> {
        let Ok(response) = self.service(layer).oneshot(request).await;
        response
    }

    fn handled(&self) -> usize {
        self.handled.load(Ordering::Relaxed)
    }
}

fn policy(name: &str, limit: Limit) -> Policy {
    Policy::new(name, [limit]).expect("a policy")
}

fn by_address(name: &str, limit: Limit) -> RateLimitRule {
    RateLimitRule::new(policy(name, limit), Identity::address())
}

fn by_key(name: &str, limit: Limit, missing: Missing) -> RateLimitRule {
    RateLimitRule::new(policy(name, limit), Identity::secret_header(KEY, SecretKey::new([7; 32]), missing))
}

fn get(path: &str) -> Request<()> {
    let request = Request::get(path).extension(IpAddr::from([203, 0, 113, 7]));
    request.body(()).expect("a request")
}

fn with_key(mut request: Request<()>, key: &str) -> Request<()> {
    request.headers_mut().insert(KEY, HeaderValue::try_from(key).expect("a value"));
    request
}

fn header<'a, B>(response: &'a Response<B>, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().expect("ASCII"))
}

async fn text<B: http_body::Body<Data = Bytes>>(response: Response<B>) -> String {
    let Ok(collected) = response.into_body().collect().await else { panic!("a body in memory") };
    String::from_utf8(collected.to_bytes().to_vec()).expect("text")
}

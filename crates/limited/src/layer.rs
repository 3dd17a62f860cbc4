//! The layer: what is limited, by which rules, and what callers are told. Configuration; [`RateLimit`] does the work.

use std::sync::Arc;

use http::request::Parts;
use tower_layer::Layer;

use crate::address::ClientAddress;
use crate::decision::Decision;
use crate::gate::Gate;
use crate::headers::HeaderStyle;
use crate::limiter::Limiter;
use crate::rule::RateLimitRule;
use crate::service::RateLimit;

/// Limits the requests to a service.
///
/// All rules that count a request are asked with one question, in their order. If one denies it, what the others took is given
/// back, and the answer is 429 with `Retry-After` and a problem that names the policies. If the limiter fails closed, it is 503.
/// Whoever passes is told how they stand in the headers of the response, in place of headers of the same name that are there
/// already: the outermost layer speaks. Only a refusal (429 or 503) from further in keeps the headers it has.
///
/// Let a rule by address come first. API keys that nobody has checked yet are as many as a caller can think of, each with a
/// count of its own; the address bounds them all.
///
/// ```
/// use http::{HeaderName, Request, Response, StatusCode};
/// use limited::{
///     ClientAddress, Identity, Limit, Limiter, Missing, Policy, RateLimitLayer, RateLimitRule, SecretKey,
/// };
/// use tabletheory::Db;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let limiter = Limiter::new(Db::memory());
/// limiter.create_table().await?;
///
/// let by_address = Policy::new("ip", [Limit::per_second(50)])?;
/// let by_key = Policy::new("key", [Limit::per_minute(1)])?;
/// let key = Identity::secret_header(HeaderName::from_static("x-api-key"), SecretKey::new([7; 32]), Missing::Skip);
/// let layer = RateLimitLayer::new(limiter, ClientAddress::behind_hops(1))
///     .rule(RateLimitRule::new(by_address, Identity::address()))
///     .rule(RateLimitRule::new(by_key, key).on_path("/api"))
///     .skip(|parts| parts.uri.path() == "/health");
///
/// let service = layer.layer(service_fn(async |_: Request<String>| {
///     Ok::<_, std::convert::Infallible>(Response::new(String::from("hello")))
/// }));
/// let request = || {
///     let request = Request::get("/api/orders").header("x-forwarded-for", "203.0.113.7");
///     request.header("x-api-key", "sk_live_1").body(String::new()).expect("a request")
/// };
/// let first = service.clone().oneshot(request()).await?;
/// assert_eq!((first.status(), &first.headers()["x-ratelimit-remaining"]), (StatusCode::OK, &"0".parse()?));
/// let second = service.oneshot(request()).await?;
/// assert_eq!(second.status(), StatusCode::TOO_MANY_REQUESTS);
/// assert_eq!(second.headers()["retry-after"], "60");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RateLimitLayer {
    gate: Arc<Gate>,
}

impl RateLimitLayer {
    /// A layer without rules: everyone passes. The address of a client is found in one way for all rules.
    #[must_use]
    pub fn new(limiter: Limiter, address: ClientAddress) -> Self {
        let (rules, skipped) = (Vec::new(), Vec::new());
        let style = HeaderStyle::default();
        Self { gate: Arc::new(Gate { limiter, rules, skipped, address, style, observer: None }) }
    }

    /// With one more rule, asked after the others.
    #[must_use]
    pub fn rule(mut self, rule: RateLimitRule) -> Self {
        self.gate_mut().rules.push(rule);
        self
    }

    /// Without the requests of which this is true: no rule counts them.
    #[must_use]
    pub fn skip(mut self, test: impl Fn(&Parts) -> bool + Send + Sync + 'static) -> Self {
        self.gate_mut().skipped.push(Arc::new(test));
        self
    }

    /// With these headers on its responses.
    #[must_use]
    pub fn with_headers(mut self, style: HeaderStyle) -> Self {
        self.gate_mut().style = style;
        self
    }

    /// With somebody who is told each decision, passed or refused, and the identifier it is about: who asks most, and of what.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// use http::{Request, Response};
    /// use limited::{ClientAddress, Identity, Limit, Limiter, Missing, Policy, RateLimitLayer, RateLimitRule};
    /// use tabletheory::Db;
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let limiter = Limiter::new(Db::memory());
    /// limiter.create_table().await?;
    /// let everybody = Identity::from_fn(Missing::Skip, |_| Some(String::from("everybody")));
    /// let heard = Arc::new(AtomicU32::new(0));
    /// let count = Arc::clone(&heard);
    /// let layer = RateLimitLayer::new(limiter, ClientAddress::socket())
    ///     .rule(RateLimitRule::new(Policy::new("all", [Limit::per_minute(1)])?, everybody))
    ///     .on_decision(move |_who, decision| drop(count.fetch_add(u32::from(!decision.is_allowed()), Ordering::Relaxed)));
    /// let service = layer.layer(service_fn(async |_: Request<String>| {
    ///     Ok::<_, std::convert::Infallible>(Response::new(String::new()))
    /// }));
    /// for _ in 0..3 {
    ///     service.clone().oneshot(Request::new(String::new())).await?;
    /// }
    /// assert_eq!(heard.load(Ordering::Relaxed), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_decision(mut self, observer: impl Fn(&str, &Decision) + Send + Sync + 'static) -> Self {
        self.gate_mut().observer = Some(Arc::new(observer));
        self
    }

    fn gate_mut(&mut self) -> &mut Gate {
        Arc::make_mut(&mut self.gate)
    }
}

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimit<S>;

    fn layer(&self, inner: S) -> RateLimit<S> {
        RateLimit::new(inner, Arc::clone(&self.gate))
    }
}

//! The door of a route: who may ask how often, and which requests happen once. A route without either has no door, and costs
//! nothing.

mod body;
mod handler;
mod scope;

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use facetheory::Tenant;
use http::{HeaderMap, HeaderName, Request, Response, Uri};
use http_body_util::Either;
use idempotent::{Idempotency, IdempotencyLayer};
use ipnet::IpNet;
use limited::{ClientAddress, Identity, Limiter, Missing, RateLimitLayer, RateLimitRule, SecretKey};
use tower_layer::Layer;
use tower_service::Service;

use crate::answer::{Body, Broken};
use crate::asked::Asked;
use crate::settings::{LimitRule, Route, Site, WhoIsLimited};
use crate::telemetry::Telemetry;

use handler::{Handler, Unread};

pub use body::Entered;

/// What a client says so that a request happens once.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What doors are made of.
#[derive(Debug, Clone)]
pub struct Doors {
    limiter: Limiter,
    requests: Idempotency,
    address: ClientAddress,
    key: SecretKey,
    body_bytes_max: u64,
    telemetry: Option<Arc<Telemetry>>,
}

/// The door of a route.
pub struct Door {
    limits: Option<RateLimitLayer>,
    requests: Option<IdempotencyLayer>,
}

impl Doors {
    /// Doors that count here and remember there. Proxies in the `trusted` networks are believed about the addresses of clients, and
    /// secrets of clients become names with the key. Of a request that happens once the body is read whole, up to `body_bytes_max`.
    #[must_use]
    pub fn new(
        limiter: Limiter,
        requests: Idempotency,
        trusted: &[IpNet],
        key: SecretKey,
        body_bytes_max: u64,
    ) -> Self {
        let address = if trusted.is_empty() {
            ClientAddress::socket()
        } else {
            ClientAddress::behind_networks(trusted.iter().copied())
        };
        Self { limiter, requests, address, key, body_bytes_max, telemetry: None }
    }

    /// With somebody who counts who asks most.
    #[must_use]
    pub fn with_telemetry(mut self, telemetry: Arc<Telemetry>) -> Self {
        self.telemetry = Some(telemetry);
        self
    }

    /// The door of a site's route, if it has one.
    #[must_use]
    pub fn door(&self, site: &Site, route: &Route) -> Option<Door> {
        let limits = (!route.limits.is_empty()).then(|| {
            let mut layer = RateLimitLayer::new(self.limiter.clone(), self.address.clone());
            if let Some(telemetry) = self.telemetry.clone() {
                layer =
                    layer.on_decision(move |who, decision| telemetry.asked(&decision.policy, who, decision));
            }
            route.limits.iter().fold(layer, |layer, rule| layer.rule(self.limit(site, rule)))
        });
        let requests = route.idempotency.as_ref().map(|rule| {
            let scope = scope::of(site, &route.pattern, rule, &self.address, &self.key);
            let layer = IdempotencyLayer::new(self.requests.clone(), scope)
                .with_methods(rule.methods.clone())
                .with_body_bytes_max(self.body_bytes_max);
            if rule.required { layer.require_key() } else { layer }
        });
        (limits.is_some() || requests.is_some()).then_some(Door { limits, requests })
    }

    /// Tenants share nothing, so the same address is counted once for each of them.
    fn limit(&self, site: &Site, rule: &LimitRule) -> RateLimitRule {
        let identity = match &rule.who {
            WhoIsLimited::Address => Identity::address(),
            WhoIsLimited::Header(name) => {
                Identity::secret_header(name.clone(), self.key.clone(), Missing::Address)
            }
            WhoIsLimited::Site => {
                let name = format!("site:{}", site.name);
                Identity::from_fn(Missing::Skip, move |_| Some(name.clone()))
            }
        };
        let mut counted = RateLimitRule::new(rule.policy.clone(), identity);
        if let Some(tenant) = site.tenant.as_ref().map(Tenant::as_str) {
            let owned = tenant.to_owned();
            counted = counted.within(tenant).with_tenant_by(move |_| Some(owned.clone()));
        }
        if !rule.methods.is_empty() {
            let methods = rule.methods.clone();
            counted = counted.when(move |parts| methods.contains(&parts.method));
        }
        counted
    }
}

impl Door {
    /// Whether a request with these headers may be one that happens once, and goes on when its client has left.
    #[must_use]
    pub fn is_once(&self, headers: &HeaderMap) -> bool {
        self.requests.is_some() && headers.contains_key(KEY)
    }

    /// Lets a request in, or says why not. The handler gets it with the address that was decided by, and is begun once for a request
    /// that happens once, whether or not its client waits for the end.
    pub async fn answer<B, H, F>(
        &self,
        asked: &Asked,
        mut request: Request<B>,
        peer: SocketAddr,
        handler: H,
    ) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
        H: FnOnce(Request<Entered<B>>) -> F + Clone + Send + 'static,
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        // What is counted and what is compared is what was asked, in the one form that everything is decided by.
        *request.uri_mut() = Uri::from(asked.target().clone());
        request.extensions_mut().insert(peer);
        let handler = Handler(handler);
        match (&self.limits, &self.requests) {
            (None, None) => answered(Unread(handler).call(request)).await,
            (Some(limits), None) => limited(answered(limits.layer(Unread(handler)).call(request)).await),
            (None, Some(requests)) => answered(requests.layer(handler).call(request)).await.map(Body::stream),
            (Some(limits), Some(requests)) => {
                let inner = requests.layer(handler);
                limited(answered(limits.layer(inner).call(request)).await.map(|body| match body {
                    Either::Left(body) => Either::Left(Body::stream(body)),
                    Either::Right(body) => Either::Right(body),
                }))
            }
        }
    }
}

/// The answer of a service that cannot fail.
async fn answered<R>(answer: impl Future<Output = Result<R, std::convert::Infallible>>) -> R {
    match answer.await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

fn limited(response: Response<Either<Body, http_body_util::Full<Bytes>>>) -> Response<Body> {
    response.map(|body| match body {
        Either::Left(body) => body,
        Either::Right(refusal) => Body::stream(refusal),
    })
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").field("limits", &self.limits).field("requests", &self.requests).finish()
    }
}

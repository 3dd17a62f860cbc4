//! The way of a request: what is asked, whose site and which route that is, who may ask, and then one of three kinds of routes. What
//! came of it is counted.

mod backstage;
mod outcome;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body::Body as _;
use tokio::time::Instant;

use crate::answer::{Body, Broken};
use crate::asked::Asked;
use crate::cache::HttpCache;
use crate::door::Door;
use crate::edge::{Application, Inbound, Peer};
use crate::origin::Caller;
use crate::page::{self, Pages};
use crate::pass::pass;
use crate::refusal::Refusal;
use crate::settings::{EdgeLimits, PassRoute};
use crate::sites::{Front, RouteAtWork, Sites, Work};
use crate::telemetry::{Meter, Telemetry};

const NOT_OURS: Refusal =
    Refusal::new(StatusCode::MISDIRECTED_REQUEST, "no site here answers for this host; check the address");
/// What is done with requests on page routes that are not for pages: other methods, and callers who are known.
const PLAIN: PassRoute = PassRoute { upgrade: false };

/// The gateway.
pub struct Gateway {
    sites: ArcSwap<Sites>,
    pages: Pages,
    cache: HttpCache,
    edge: EdgeLimits,
    /// Who counts answers to requests that no site was found for.
    nobody: Arc<Meter>,
}

impl Gateway {
    /// A gateway for these sites.
    #[must_use]
    pub fn new(
        sites: Sites,
        pages: Pages,
        cache: HttpCache,
        telemetry: &Telemetry,
        edge: EdgeLimits,
    ) -> Self {
        let nobody = telemetry.other();
        Self { sites: ArcSwap::from_pointee(sites), pages, cache, edge, nobody }
    }

    /// The sites as they are now.
    #[must_use]
    pub fn sites(&self) -> Arc<Sites> {
        self.sites.load_full()
    }

    /// Puts other sites in their place. Requests under way end with the old ones.
    pub fn replace_sites(&self, sites: Sites) {
        self.sites.store(Arc::new(sites));
    }

    /// The pages.
    #[must_use]
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// What HTTP's own rules allowed to be kept.
    #[must_use]
    pub fn cache(&self) -> &HttpCache {
        &self.cache
    }

    /// What the kind of the route says.
    async fn on_route<B>(
        &self,
        front: &Front,
        route: &RouteAtWork,
        asked: &Asked,
        request: Request<B>,
        caller: Caller,
    ) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        match &route.work {
            Work::Page(place) => {
                let is_for_a_page = matches!(*asked.method(), Method::GET | Method::HEAD);
                let headers = request.headers();
                // Whoever shows the secret of previews wants the page, whatever else they send.
                let is_bypass = page::bypasses(place.route(), headers) && !self.pages.is_preview(headers);
                if !is_for_a_page || is_bypass {
                    return pass(&front.origin, &PLAIN, asked, request, caller).await;
                }
                let (head, body) = request.into_parts();
                self.pages.answer(place, asked, &head, !body.is_end_stream()).await
            }
            Work::HttpCache(cache) => {
                self.cache.answer(&front.origin, front.scope(), cache, asked, request, caller).await
            }
            Work::Pass(rule) => pass(&front.origin, rule, asked, request, caller).await,
        }
    }

    /// Through the door of the route, which may read the request whole, and go on with it when its client has left.
    async fn through(
        self: &Arc<Self>,
        door: &Door,
        front: &Arc<Front>,
        asked: &Asked,
        request: Request<Inbound>,
        (peer, caller): (SocketAddr, Caller),
    ) -> Response<Body> {
        let (gateway, front, own) = (Arc::clone(self), Arc::clone(front), asked.clone());
        let handler = move |request| async move {
            gateway.on_route(&front, front.route(own.path()), &own, request, caller).await
        };
        door.answer(asked, request, peer, handler).await
    }

    fn counted(
        &self,
        meter: &Meter,
        response: Response<Body>,
        asked: Option<&Asked>,
        started: Instant,
    ) -> Response<Body> {
        let (status, took) = (response.status(), started.elapsed());
        let outcome = outcome::of(&response);
        let bytes = response.body().size_hint().exact().unwrap_or(0);
        meter.answered(status, outcome, bytes, took);
        let (host, path) = asked.map_or(("", ""), |asked| (asked.host(), asked.path()));
        let (status, outcome) = (status.as_u16(), outcome.as_str());
        if status >= 500 {
            tracing::info!(host, path, status, outcome, ?took, "answered");
        } else {
            tracing::debug!(host, path, status, outcome, ?took, "answered");
        }
        response
    }
}

impl Application for Gateway {
    async fn answer(self: &Arc<Self>, request: Request<Inbound>, peer: Peer) -> Response<Body> {
        let started = Instant::now();
        let (head, body) = request.into_parts();
        let asked = match Asked::read(&head, &peer, &self.edge) {
            Ok(asked) => asked,
            Err(refusal) => return self.counted(&self.nobody, refusal.into(), None, started),
        };
        let sites = self.sites.load_full();
        let Some(front) = sites.find(asked.host()) else {
            return self.counted(&self.nobody, NOT_OURS.into(), Some(&asked), started);
        };
        let route = front.route(asked.path());
        let caller = Caller::at(peer.address.ip(), sites.trusted());
        let request = Request::from_parts(head, body);
        let response = match &route.door {
            None => self.on_route(front, route, &asked, request, caller).await,
            Some(door) => self.through(door, front, &asked, request, (peer.address, caller)).await,
        };
        self.counted(&route.meter, response, Some(&asked), started)
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("pages", &self.pages).finish_non_exhaustive()
    }
}

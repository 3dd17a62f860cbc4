//! The way of a request: what is asked, whose site and which route that is, who may ask, and then one of three kinds of routes. What
//! came of it is counted.

mod backstage;
mod outcome;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request, Response, StatusCode, Version};
use http_body::Body as _;
use tokio::time::Instant;

use crate::answer::{Body, Broken};
use crate::asked::{Asked, Matter};
use crate::cache::HttpCache;
use crate::door::Door;
use crate::edge::{Application, Inbound, Peer};
use crate::origin::Caller;
use crate::page::{AtHand, PagePlace, Pages, Unkeepable};
use crate::pass::{self, pass};
use crate::refusal::Refusal;
use crate::request_id::{REQUEST_ID, RequestId};
use crate::settings::{EdgeLimits, PassRoute};
use crate::sites::{Front, RouteAtWork, Sites, Work};
use crate::telemetry::{Meter, Outcome, Telemetry};

const NOT_OURS: Refusal =
    Refusal::new(StatusCode::MISDIRECTED_REQUEST, "no site here answers for this host; check the address");
/// What is done with requests on page routes that are not for pages: other methods, callers who are known, other protocols, events.
const PLAIN: PassRoute = PassRoute { upgrade: true };

const FAILED: Refusal = Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be answered");

/// The gateway.
pub(crate) struct Gateway {
    sites: ArcSwap<Sites>,
    pages: Pages,
    cache: HttpCache,
    edge: EdgeLimits,
    /// Who counts answers to requests that no site was found for.
    nobody: Arc<Meter>,
}

impl Gateway {
    /// A gateway for these sites.
    pub(crate) fn new(
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
    pub(crate) fn sites(&self) -> Arc<Sites> {
        self.sites.load_full()
    }

    /// Puts other sites in their place. Requests under way end with the old ones.
    pub(crate) fn replace_sites(&self, sites: Sites) {
        self.sites.store(Arc::new(sites));
    }

    /// The pages.
    pub(crate) fn pages(&self) -> &Pages {
        &self.pages
    }

    /// What HTTP's own rules allowed to be kept.
    pub(crate) fn cache(&self) -> &HttpCache {
        &self.cache
    }

    /// What the kind of the route says.
    async fn on_route<B>(
        &self,
        front: &Front,
        route: &RouteAtWork,
        asked: &Asked,
        request: Request<B>,
        caller: &Caller,
    ) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        match &route.work {
            Work::Page(place) => {
                if !self.is_for_page(place, asked, request.version(), request.headers()) {
                    return pass(&front.origin, &PLAIN, asked, request, caller).await;
                }
                let (head, body) = request.into_parts();
                match self.pages.answer(place, asked, &head, !body.is_end_stream()).await {
                    Ok(answer) => answer,
                    Err(Unkeepable) => {
                        let request = Request::from_parts(head, body);
                        pass(&front.origin, &PLAIN, asked, request, caller).await
                    }
                }
            }
            Work::HttpCache(cache) => {
                self.cache.answer(&front.origin, front.scope(), cache, asked, request, caller.clone()).await
            }
            Work::Pass(rule) => pass(&front.origin, rule, asked, request, caller).await,
        }
    }

    /// Whether a request on a page route is for the page, and not for the application behind it.
    fn is_for_page(&self, place: &PagePlace, asked: &Asked, version: Version, headers: &HeaderMap) -> bool {
        let is_for_other_protocol =
            || asked.brings(Matter::Upgrade) && pass::wanted(asked.method(), version, headers).is_some();
        self.pages.is_for_page(place, asked, headers) && !is_for_other_protocol()
    }

    /// Through the door of the route.
    async fn through(
        self: &Arc<Self>,
        door: &Arc<Door>,
        front: &Arc<Front>,
        asked: &Asked,
        request: Request<Inbound>,
        (peer, caller): (SocketAddr, Caller),
    ) -> Response<Body> {
        let (gateway, inside, own) = (Arc::clone(self), Arc::clone(front), asked.clone());
        let handler = move |request| async move {
            gateway.on_route(&inside, inside.route(own.path()), &own, request, &caller).await
        };
        if !door.is_once(request.headers()) {
            return door.answer(asked, request, peer, handler).await;
        }
        // It goes on when its client has left, and a stop waits for it.
        let (door, asked) = (Arc::clone(door), asked.clone());
        let answering = async move { door.answer(&asked, request, peer, handler).await };
        self.pages.tasks().spawn(answering).await.unwrap_or_else(|_| FAILED.into())
    }

    /// Answers what needs no waiting: requests that are refused, and pages at hand. Else says what is asked.
    fn at_once(
        &self,
        head: &Parts,
        body: &Inbound,
        peer: &Peer,
        started: Instant,
    ) -> Result<Response<Body>, Asked> {
        let sites = self.sites.load();
        let asked = match Asked::read(head, peer, &self.edge) {
            Ok(asked) => asked,
            Err(refusal) => {
                let caller = Caller::at(peer.address.ip(), &head.headers, sites.trusted());
                let refused = with_outcome(refusal.into());
                return Ok(self.counted(&self.nobody, refused, (None, &caller.request), started));
            }
        };
        let Some(front) = sites.find(asked.host()) else { return Err(asked) };
        let route = front.route(asked.path());
        match &route.work {
            Work::Page(place)
                if route.door.is_none() && self.is_for_page(place, &asked, head.version, &head.headers) =>
            {
                let has_body = !body.is_end_stream();
                let answered = match self.pages.at_hand(place, &asked, head, has_body) {
                    AtHand::Page(response) => (response, Outcome::Hit),
                    AtHand::Refused(refusal) => with_outcome(refusal.into()),
                    AtHand::Not(_) => return Err(asked),
                };
                let caller = Caller::at(peer.address.ip(), &head.headers, sites.trusted());
                Ok(self.counted(&route.meter, answered, (Some(&asked), &caller.request), started))
            }
            _ => Err(asked),
        }
    }

    /// Answers what may take a while.
    async fn at_length(
        self: &Arc<Self>,
        asked: Asked,
        request: Request<Inbound>,
        peer: Peer,
        started: Instant,
    ) -> Response<Body> {
        let sites = self.sites.load_full();
        let caller = Caller::at(peer.address.ip(), request.headers(), sites.trusted());
        let Some(front) = sites.find(asked.host()) else {
            let refused = with_outcome(NOT_OURS.into());
            return self.counted(&self.nobody, refused, (Some(&asked), &caller.request), started);
        };
        let route = front.route(asked.path());
        let response = match &route.door {
            None => self.on_route(front, route, &asked, request, &caller).await,
            Some(door) => self.through(door, front, &asked, request, (peer.address, caller.clone())).await,
        };
        self.counted(&route.meter, with_outcome(response), (Some(&asked), &caller.request), started)
    }

    fn counted(
        &self,
        meter: &Meter,
        (mut response, outcome): (Response<Body>, Outcome),
        (asked, id): (Option<&Asked>, &RequestId),
        started: Instant,
    ) -> Response<Body> {
        let (status, took) = (response.status(), started.elapsed());
        // A page at hand is the same for everybody, and nobody else was asked: there is nothing to look up by a name.
        if outcome != Outcome::Hit {
            response.headers_mut().insert(REQUEST_ID, id.value());
        }
        let bytes = response.body().size_hint().exact().unwrap_or(0);
        meter.answered(status, outcome, bytes, took);
        let (host, path) = asked.map_or(("", ""), |asked| (asked.host(), asked.path()));
        let (status, outcome) = (status.as_u16(), outcome.as_str());
        if status >= 500 {
            tracing::info!(request_id = %id, host, path, status, outcome, ?took, "answered");
        } else {
            tracing::debug!(request_id = %id, host, path, status, outcome, ?took, "answered");
        }
        response
    }
}

/// An answer, and what it says became of its request.
fn with_outcome(response: Response<Body>) -> (Response<Body>, Outcome) {
    let outcome = outcome::of(&response);
    (response, outcome)
}

impl Application for Gateway {
    async fn answer(self: &Arc<Self>, request: Request<Inbound>, peer: Peer) -> Response<Body> {
        let started = Instant::now();
        let (head, body) = request.into_parts();
        let asked = match self.at_once(&head, &body, &peer, started) {
            Ok(response) => return response,
            Err(asked) => asked,
        };
        // hyper moves what answers a request to its place. The long way is on the heap, so that a page at hand does not pay for
        // its room.
        Box::pin(self.at_length(asked, Request::from_parts(head, body), peer, started)).await
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("pages", &self.pages).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use facetheory::{Bodies, Isr, MetaStore};
    use tabletheory::Db;
    use tabletheory_core::sys::SystemClock;

    use super::*;

    #[tokio::test]
    async fn a_request_needs_little_room_until_it_needs_more() {
        let isr = Isr::new(MetaStore::new(Db::memory()), Bodies::memory());
        let clock = Arc::new(SystemClock);
        let (pages, cache) = (Pages::new(isr, None), HttpCache::new(1 << 20, Arc::clone(&clock) as _));
        let telemetry = Telemetry::new(clock);
        let edge = EdgeLimits::default();
        let gateway = Arc::new(Gateway::new(Sites::default(), pages, cache, &telemetry, edge));
        let peer = Peer::plain(([127, 0, 0, 1], 1).into());
        let answering = gateway.answer(Request::new(Inbound::empty()), peer);
        let bytes = size_of_val(&answering);
        assert!(bytes <= 1_024, "{bytes}");
        assert_eq!(answering.await.status(), StatusCode::BAD_REQUEST, "it has no host");
    }
}

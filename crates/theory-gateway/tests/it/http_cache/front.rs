//! A gateway that is nothing but a cache in front of an origin: the real edge, one route.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{Request, Response};
use tabletheory_core::Clock;
use theory_gateway::answer::Body;
use theory_gateway::asked::Asked;
use theory_gateway::cache::HttpCache;
use theory_gateway::edge::{Application, Inbound, Listener, Peer, serve};
use theory_gateway::origin::{Caller, Origin};
use theory_gateway::settings::{CacheRoute, EdgeLimits};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The gateway. It ends with this.
pub(super) struct Front {
    pub(super) address: SocketAddr,
    _stop: watch::Sender<bool>,
}

/// A cache in front of an origin.
struct Cached {
    cache: HttpCache,
    origin: Arc<Origin>,
    route: CacheRoute,
}

impl Front {
    pub(super) async fn start(origin: Arc<Origin>, clock: Arc<dyn Clock>, route: CacheRoute) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let application = Arc::new(Cached { cache: HttpCache::new(64 << 20, clock), origin, route });
        let (stop, stopped) = watch::channel(false);
        let listener = Listener::new(socket);
        tokio::spawn(serve(listener, application, EdgeLimits::default(), stopped));
        Self { address, _stop: stop }
    }
}

impl Application for Cached {
    async fn answer(self: &Arc<Self>, request: Request<Inbound>, peer: Peer) -> Response<Body> {
        let (head, body) = request.into_parts();
        let asked = match Asked::read(&head, &peer, &EdgeLimits::default()) {
            Ok(asked) => asked,
            Err(refusal) => return refusal.into(),
        };
        let (request, caller) = (Request::from_parts(head, body), Caller::at(peer.address.ip(), &[]));
        self.cache.answer(&self.origin, "site", &self.route, &asked, request, caller).await
    }
}

//! A gateway that passes everything to an origin: the edge as it is, and nothing between it and `pass`.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{Request, Response};
use theory_gateway::answer::Body;
use theory_gateway::asked::Asked;
use theory_gateway::edge::{Application, Inbound, Listener, Peer, serve};
use theory_gateway::origin::{Caller, Origin};
use theory_gateway::pass::pass;
use theory_gateway::settings::{EdgeLimits, PassRoute};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The gateway.
pub(super) struct Front {
    pub(super) address: SocketAddr,
    _stop: watch::Sender<bool>,
}

struct Passing {
    origin: Arc<Origin>,
    route: PassRoute,
    limits: EdgeLimits,
}

impl Application for Passing {
    async fn answer(self: &Arc<Self>, request: Request<Inbound>, peer: Peer) -> Response<Body> {
        let (head, body) = request.into_parts();
        let asked = match Asked::read(&head, &peer, &self.limits) {
            Ok(asked) => asked,
            Err(refusal) => return refusal.into(),
        };
        let caller = Caller::at(peer.address.ip(), &head.headers, &[]);
        pass(&self.origin, &self.route, &asked, Request::from_parts(head, body), &caller).await
    }
}

impl Front {
    pub(super) async fn start(origin: &Arc<Origin>, upgrade: bool) -> Self {
        let limits = EdgeLimits { body_bytes_max: u64::MAX, ..EdgeLimits::default() };
        Self::bearing(origin, upgrade, limits).await
    }

    /// One that bears no more than this.
    pub(super) async fn bearing(origin: &Arc<Origin>, upgrade: bool, limits: EdgeLimits) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let origin = Arc::clone(origin);
        let application = Arc::new(Passing { origin, route: PassRoute { upgrade }, limits: limits.clone() });
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(serve(Listener::new(socket), application, limits, stopped));
        Self { address, _stop: stop }
    }

    /// Sends these bytes; gives everything that comes back until the connection ends.
    pub(super) async fn says(&self, request: &str) -> String {
        let mut stream = self.connect(request).await;
        let mut answer = Vec::new();
        // An answer that breaks off may end with a reset; what came before it counts.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    pub(super) async fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }
}

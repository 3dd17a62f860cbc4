//! A server that is nothing but a cache in front of an origin.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tabletheory_core::Clock;
use theory_gateway::asked::Asked;
use theory_gateway::cache::HttpCache;
use theory_gateway::edge::Peer;
use theory_gateway::origin::{Caller, Origin};
use theory_gateway::settings::{CacheRoute, EdgeLimits};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The server. It ends with this.
pub(super) struct Front {
    pub(super) address: SocketAddr,
    pub(super) cache: Arc<HttpCache>,
    task: JoinHandle<()>,
}

impl Front {
    pub(super) async fn start(origin: Arc<Origin>, clock: Arc<dyn Clock>, route: CacheRoute) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cache = Arc::new(HttpCache::new(64 << 20, clock));
        let shared = Arc::clone(&cache);
        let task = tokio::spawn(async move {
            loop {
                let (stream, peer) = listener.accept().await.unwrap();
                let (origin, cache, route) = (Arc::clone(&origin), Arc::clone(&shared), route.clone());
                let service = service_fn(move |request: Request<Incoming>| {
                    let (origin, cache, route) = (Arc::clone(&origin), Arc::clone(&cache), route.clone());
                    async move {
                        let asked = asked(&request);
                        let caller = Caller::at(peer.ip(), &[]);
                        Ok::<_, Infallible>(
                            cache.answer(&origin, "site", &route, &asked, request, caller).await,
                        )
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, cache, task }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn asked(request: &Request<Incoming>) -> Asked {
    let uri = format!("http://site.example{}", request.uri());
    let (head, ()) = Request::builder().method(request.method()).uri(uri).body(()).unwrap().into_parts();
    Asked::read(&head, &Peer::plain(([127, 0, 0, 1], 1).into()), &EdgeLimits::default()).unwrap()
}

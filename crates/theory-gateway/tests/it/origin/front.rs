//! A server in front of an origin that passes everything, as a gateway does for such routes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use theory_gateway::asked::Asked;
use theory_gateway::edge::Peer;
use theory_gateway::origin::{Caller, Origin};
use theory_gateway::pass::pass;
use theory_gateway::settings::{EdgeLimits, PassRoute};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The server.
pub(super) struct Front {
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Front {
    pub(super) async fn start(origin: &Arc<Origin>, upgrade: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let origin = Arc::clone(origin);
        let task = tokio::spawn(async move {
            loop {
                let (stream, peer) = listener.accept().await.unwrap();
                let origin = Arc::clone(&origin);
                let service = service_fn(move |request: Request<Incoming>| {
                    let origin = Arc::clone(&origin);
                    async move {
                        let asked = asked(&request);
                        let caller = Caller::at(peer.ip(), &[]);
                        Ok::<_, Infallible>(
                            pass(&origin, &PassRoute { upgrade }, &asked, request, caller).await,
                        )
                    }
                });
                tokio::spawn(
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades(),
                );
            }
        });
        Self { address, task }
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

impl Drop for Front {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn asked(request: &Request<Incoming>) -> Asked {
    let peer = Peer::plain(([127, 0, 0, 1], 1).into());
    let uri = format!("http://shop.example{}", request.uri());
    let (head, ()) = Request::builder().method(request.method()).uri(uri).body(()).unwrap().into_parts();
    Asked::read(&head, &peer, &EdgeLimits::default()).unwrap()
}

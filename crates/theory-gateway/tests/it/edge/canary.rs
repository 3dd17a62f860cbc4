//! An application that writes down what it is asked, so that a request nobody sent is noticed.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use theory_gateway::answer::Body;
use theory_gateway::asked::Asked;
use theory_gateway::edge::{Application, Inbound, InboundFault, Peer};
use theory_gateway::settings::EdgeLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;

/// What the application was asked, as `POST /path 3 bytes`.
#[derive(Debug, Default)]
pub(crate) struct Canary {
    pub(crate) seen: Mutex<Vec<String>>,
    /// Told when a request for `/slow` is running.
    pub(crate) running: Notify,
    /// Lets `/slow` answer.
    pub(crate) release: Notify,
    /// Told when the body of a `/flood` or a `/brief` is no longer there.
    pub(crate) let_go: Arc<Notify>,
}

impl Application for Canary {
    async fn answer(self: &Arc<Self>, mut request: Request<Inbound>, peer: Peer) -> Response<Body> {
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        let note = |bytes: &dyn std::fmt::Display| self.seen.lock().push(format!("{method} {path} {bytes}"));
        match path.as_str() {
            "/early" => note(&"unread"),
            "/panic" => panic!("on purpose"),
            "/slow" => {
                note(&"slow");
                self.running.notify_one();
                self.release.notified().await;
            }
            "/switch" => {
                note(&"switch");
                return switch(&mut request);
            }
            "/asked" => {
                let (parts, _) = request.into_parts();
                let asked = Asked::read(&parts, &peer, &EdgeLimits::default());
                let mut response = Response::new(Body::whole("done"));
                *response.status_mut() = asked.map_or_else(|refusal| refusal.status, |_| StatusCode::OK);
                return response;
            }
            "/large" => return Response::new(Body::whole(Bytes::from(vec![b'x'; 8 * 1024 * 1024]))),
            "/flood" => return Response::new(Body::stream(flood(LetGo(Arc::clone(&self.let_go))))),
            "/brief" => {
                let brief = Brief { bytes: Some("brief".into()), _held: LetGo(Arc::clone(&self.let_go)) };
                return Response::new(Body::stream(brief));
            }
            "/pieces" => return Response::new(Body::stream(pieces())),
            "/endless" => return Response::new(Body::stream(endless())),
            _ => match request.into_body().collect().await {
                Ok(body) => note(&format_args!("{} bytes", body.to_bytes().len())),
                Err(error) => {
                    note(&error);
                    let fault = InboundFault::of(&*error).expect("bodies break with a fault");
                    return fault.refusal().into();
                }
            },
        }
        Response::new(Body::whole("done"))
    }
}

/// Says 101 and then echoes in capitals.
fn switch(request: &mut Request<Inbound>) -> Response<Body> {
    let upgrade = hyper::upgrade::on(request);
    tokio::spawn(async move {
        let mut stream = TokioIo::new(upgrade.await.expect("the connection is handed over"));
        let mut bytes = [0; 64];
        while let Ok(count @ 1..) = stream.read(&mut bytes).await {
            bytes[..count].make_ascii_uppercase();
            if stream.write_all(&bytes[..count]).await.is_err() {
                break;
            }
        }
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert("connection", "upgrade".parse().expect("a value"));
    response.headers_mut().insert("upgrade", "echo".parse().expect("a value"));
    response
}

/// A body that gives its first piece and then waits for ever.
fn endless() -> impl http_body::Body<Data = Bytes, Error = Infallible> + Send + Sync {
    let first = stream::once(async { Ok(Frame::data(Bytes::from_static(b"first"))) });
    StreamBody::new(first.chain(stream::pending()))
}

/// A body that always has more.
fn flood(let_go: LetGo) -> impl http_body::Body<Data = Bytes, Error = Infallible> + Send + Sync {
    let piece = move || {
        let _held = &let_go;
        Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 16 * 1024]))))
    };
    StreamBody::new(stream::iter(std::iter::from_fn(piece)))
}

/// A body of a few pieces, of which the last does not say that it is.
fn pieces() -> impl http_body::Body<Data = Bytes, Error = Infallible> + Send + Sync {
    let piece = || Ok(Frame::data(Bytes::from_static(&[b'x'; 500])));
    StreamBody::new(stream::iter(std::iter::repeat_with(piece).take(3)))
}

/// A body of one piece, which says that it is the last.
struct Brief {
    bytes: Option<Bytes>,
    _held: LetGo,
}

impl http_body::Body for Brief {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }
}

/// Tells that a body is gone.
struct LetGo(Arc<Notify>);

impl Drop for LetGo {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

//! One connection from its first byte to its last: TLS if there is, HTTP/1.1 or HTTP/2, and the orders of its line.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::application::{Application, Shared};
use super::gate::Gate;
use super::line::{Line, Listening, Order};
use super::patience::Patience;
use super::peer::Peer;
use super::service::Service;
use super::streams::Streams;
use super::tls::Tls;
use crate::settings::EdgeLimits;

/// What a client sends first if it speaks HTTP/2 and knows that we do.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// hyper's own default, above which it needs memory from the heap for each head.
const HEADERS_COMMON: usize = 100;
/// What hyper may hold of a body on its way in or out.
const BUFFER_BYTES: usize = 64 * 1024;
/// How many streams a client may have reset, or made us reset, before its connection ends (rapid reset).
const RESETS_MAX: usize = 20;

/// Which protocol a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Http1,
    Http2,
}

/// Serves a connection to its end.
pub(super) async fn run<A: Application>(
    stream: TcpStream,
    address: SocketAddr,
    line: Arc<Line>,
    shared: Arc<Shared<A>>,
) {
    // Answers are written whole: waiting to fill a packet would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its delay");
    }
    let head_wait = shared.limits.head_wait;
    let mut peer = Peer::plain(address);
    match shared.tls.clone() {
        None => {
            if let Some(Some(protocol)) = begin(&line, head_wait, protocol(&stream)).await {
                speak(protocol, stream, Service { shared, line, peer }).await;
            }
        }
        Some(tls) => {
            if let Some(Some(stream)) = begin(&line, head_wait, handshake(stream, &tls)).await {
                let (_, session) = stream.get_ref();
                peer.is_secure = true;
                peer.server_name = session.server_name().map(|name| name.to_ascii_lowercase().into());
                let is_http2 = session.alpn_protocol() == Some(b"h2");
                let protocol = if is_http2 { Protocol::Http2 } else { Protocol::Http1 };
                speak(protocol, stream, Service { shared, line, peer }).await;
            }
        }
    }
}

/// What comes before HTTP, unless it takes too long or the line is told to end.
async fn begin<T>(line: &Line, wait: Duration, beginning: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        begun = timeout(wait, beginning) => begun.ok(),
        () = line.ordered() => None,
    }
}

async fn handshake(stream: TcpStream, tls: &Tls) -> Option<TlsStream<TcpStream>> {
    match TlsAcceptor::from(tls.config()).accept(stream).await {
        Ok(stream) => Some(stream),
        Err(error) => {
            tracing::debug!(%error, "a handshake failed");
            None
        }
    }
}

/// Which protocol the first bytes are; none, if the client left.
async fn protocol(stream: &TcpStream) -> Option<Protocol> {
    let mut first = [0; PREFACE.len()];
    let mut pause = Duration::from_millis(1);
    loop {
        let bytes = stream.peek(&mut first).await.ok()?;
        if bytes == 0 {
            return None;
        }
        if bytes == PREFACE.len() && first == *PREFACE {
            return Some(Protocol::Http2);
        }
        // `P` may become anything; nearly always the second letter is there as well.
        if first[..bytes] != PREFACE[..bytes] {
            return Some(Protocol::Http1);
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(500));
    }
}

async fn speak<S, A>(protocol: Protocol, stream: S, service: Service<A>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Application,
{
    let stream = Patience::new(stream, service.shared.limits.write_wait);
    let ended = match protocol {
        Protocol::Http1 => speak_http1(stream, &service).await,
        Protocol::Http2 => speak_http2(stream, service).await,
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn speak_http1<S, A>(stream: S, service: &Service<A>) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Application,
{
    let EdgeLimits { head_bytes_max, headers_max, .. } = service.shared.limits;
    let gate = Gate::new(stream, Arc::clone(&service.line), head_bytes_max);
    let mut builder = http1::Builder::new();
    // The line knows when a head takes too long, at less than hyper's price of a timer for each.
    builder
        .header_read_timeout(None)
        .max_header_size(head_bytes_max)
        .max_buf_size(BUFFER_BYTES.max(head_bytes_max));
    if headers_max != HEADERS_COMMON {
        builder.max_headers(headers_max);
    }
    let answer = service_fn(|request| service.answer(request));
    let connection = builder.serve_connection(TokioIo::new(gate), answer);
    drive(connection.with_upgrades(), &service.line, |connection| connection.graceful_shutdown()).await
}

async fn speak_http2<S, A>(stream: S, service: Service<A>) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Application,
{
    let line = Arc::clone(&service.line);
    let service = Arc::new(service);
    let limits = &service.shared.limits;
    let mut builder = http2::Builder::new(Streams::default());
    builder
        .max_concurrent_streams(limits.streams_max)
        .max_header_list_size(u32::try_from(limits.head_bytes_max).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(RESETS_MAX)
        .max_local_error_reset_streams(RESETS_MAX)
        .max_send_buf_size(BUFFER_BYTES);
    let answer = service_fn(move |request| {
        let service = Arc::clone(&service);
        async move { service.answer(request).await }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    drive(connection, &line, |connection| connection.graceful_shutdown()).await
}

/// Runs a connection and tells it the orders of its line.
async fn drive<C>(connection: C, line: &Line, drain: impl Fn(Pin<&mut C>)) -> hyper::Result<()>
where
    C: Future<Output = hyper::Result<()>>,
{
    let mut connection = pin!(connection);
    let mut listening = Listening::default();
    let mut is_draining = false;
    poll_fn(|context| {
        listening.listen(line, context);
        match line.order() {
            Order::GoOn => {}
            Order::Drain if is_draining => {}
            Order::Drain => {
                is_draining = true;
                drain(connection.as_mut());
            }
            Order::Close => return Poll::Ready(Ok(())),
        }
        connection.as_mut().poll(context)
    })
    .await
}

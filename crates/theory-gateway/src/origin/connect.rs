//! Connections to the application: one fixed host and port, in the clear or through TLS. Nothing of a request chooses where they go.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::client::conn::http1;
use hyper_rustls::ConfigBuilderExt as _;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use super::address;
use super::counted::{Count, Counted};
use super::error::{OriginError, Step};
use super::line::Line;
use crate::settings::OriginSettings;

/// The largest head of an answer.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How much of an answer one connection reads ahead.
const BUFFER_BYTES: usize = 128 * 1024;

/// Makes connections to the application.
pub(super) struct Connector {
    host: String,
    port: u16,
    allow_private: bool,
    wait: Duration,
    secure: Option<(TlsConnector, ServerName<'static>)>,
}

impl Connector {
    /// What makes connections to the application of these settings. `tls` says whose certificates are believed; the machine does,
    /// if nothing is said.
    pub(super) fn new(
        settings: &OriginSettings,
        tls: Option<Arc<ClientConfig>>,
    ) -> Result<Self, OriginError> {
        let uri = &settings.uri;
        let refused = |why| OriginError::Settings { uri: uri.clone(), why };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| refused("it has no host"))?;
        if !matches!(uri.path_and_query().map(http::uri::PathAndQuery::as_str), None | Some("/")) {
            return Err(refused("it has a path; pages are asked for by the paths of requests"));
        }
        let is_secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(refused("its scheme is neither http nor https")),
        };
        let secure = if is_secure {
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            let name =
                ServerName::try_from(bare.to_owned()).map_err(|_| refused("no certificate can name it"))?;
            let config = tls
                .map_or_else(trust_of_machine, Ok)
                .map_err(|_| refused("this machine knows no authorities of certificates"))?;
            Some((TlsConnector::from(config), name))
        } else {
            None
        };
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let allow_private = settings.allow_private;
        Ok(Self { host: host.to_owned(), port, allow_private, wait: settings.connect_wait, secure })
    }

    /// A new connection, on which nothing was sent yet.
    pub(super) async fn connect(&self) -> Result<Line, OriginError> {
        let line = timeout(self.wait, self.dial()).await;
        let line = line.map_err(|_| OriginError::TimedOut { step: Step::Connect, waited: self.wait })?;
        line.map_err(|error| OriginError::Unreachable(Arc::new(error)))
    }

    async fn dial(&self) -> io::Result<Line> {
        let addresses = address::resolve(&self.host, self.port, self.allow_private).await?;
        let stream = any_of(&addresses, self.wait).await?;
        stream.set_nodelay(true)?;
        match &self.secure {
            None => speak(stream).await,
            Some((connector, name)) => speak(connector.connect(name.clone(), stream).await?).await,
        }
    }
}

/// A stream to the first address that takes one. Each gets its share of the time, so that one that is silent does not use up
/// everything.
async fn any_of(addresses: &[SocketAddr], wait: Duration) -> io::Result<TcpStream> {
    let deadline = Instant::now() + wait;
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for (left, address) in (1_u32..).zip(addresses.iter().rev()).collect::<Vec<_>>().into_iter().rev() {
        let now = Instant::now();
        let share = deadline.saturating_duration_since(now) / left;
        match timeout_at(now + share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}

/// HTTP/1.1 on a stream. The task that drives it ends when the line is dropped or its other end closes.
async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S) -> io::Result<Line> {
    let read = Count::default();
    let stream = TokioIo::new(Counted::new(stream, read.clone()));
    let mut builder = http1::Builder::new();
    builder.max_header_size(HEAD_BYTES_MAX).max_buf_size(BUFFER_BYTES);
    let (sender, connection) = builder.handshake(stream).await.map_err(io::Error::other)?;
    tokio::spawn(async move {
        if let Err(error) = connection.with_upgrades().await {
            tracing::debug!(%error, "a connection to an origin ended");
        }
    });
    Ok(Line::new(sender, read))
}

/// Whom this machine trusts.
fn trust_of_machine() -> io::Result<Arc<ClientConfig>> {
    // Named, because a program may contain several providers and then has no default.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_native_roots()?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, secure, .. } = self;
        f.debug_struct("Connector")
            .field("host", host)
            .field("port", port)
            .field("is_secure", &secure.is_some())
            .finish_non_exhaustive()
    }
}

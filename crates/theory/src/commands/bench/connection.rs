//! A connection that is kept: one request at a time, with HTTP/1.1 or HTTP/2, with TLS or without.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_rustls::ConfigBuilderExt as _;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::target::Target;
use crate::http::{Silence, root_of};

/// How long a connection may take to be made.
const CONNECT_WAIT: Duration = Duration::from_secs(5);

type Body = Empty<Bytes>;

/// How connections are made.
#[derive(Clone)]
pub(super) struct Dialler {
    tls: Option<TlsConnector>,
    pub(super) version: Version,
}

/// A connection.
#[derive(Debug)]
pub(super) enum Connection {
    One(http1::SendRequest<Body>),
    Two(http2::SendRequest<Body>),
}

impl Dialler {
    /// For connections to this target. Only those with TLS need the certificates that this machine trusts.
    pub(super) fn new(target: &Target, version: Version) -> anyhow::Result<Self> {
        if !target.is_tls {
            return Ok(Self { tls: None, version });
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider);
        let mut config = config
            .with_safe_default_protocol_versions()
            .context("cannot prepare TLS")?
            .with_native_roots()
            .context("cannot read the certificates that this machine trusts")?
            .with_no_client_auth();
        let name: &[u8] = if version == Version::HTTP_2 { b"h2" } else { b"http/1.1" };
        config.alpn_protocols = vec![name.to_vec()];
        Ok(Self { tls: Some(TlsConnector::from(Arc::new(config))), version })
    }

    /// Makes a connection.
    pub(super) async fn dial(&self, target: &Target) -> Result<Connection, Silence> {
        match tokio::time::timeout(CONNECT_WAIT, self.connect(target)).await {
            Ok(connected) => connected,
            Err(_) => Err(Silence::NoConnection(format!("none within {} s", CONNECT_WAIT.as_secs()))),
        }
    }

    async fn connect(&self, target: &Target) -> Result<Connection, Silence> {
        let refused = |error: std::io::Error| Silence::NoConnection(root_of(&error));
        let stream = TcpStream::connect((target.host.as_str(), target.port)).await.map_err(refused)?;
        // A request that waits for more to say would be measured with its waiting.
        stream.set_nodelay(true).map_err(refused)?;
        let Some(tls) = &self.tls else { return self.speak(stream).await };
        let name = ServerName::try_from(target.host.clone());
        let name = name.map_err(|error| Silence::NoConnection(root_of(&error)))?;
        self.speak(tls.connect(name, stream).await.map_err(refused)?).await
    }

    async fn speak<S>(&self, stream: S) -> Result<Connection, Silence>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let broken = |error: hyper::Error| Silence::NoConnection(root_of(&error));
        let stream = TokioIo::new(stream);
        if self.version == Version::HTTP_2 {
            let (sender, task) = http2::handshake(TokioExecutor::new(), stream).await.map_err(broken)?;
            // How it ended is told to the request that was on it.
            tokio::spawn(task);
            return Ok(Connection::Two(sender));
        }
        let (sender, task) = http1::handshake(stream).await.map_err(broken)?;
        tokio::spawn(task);
        Ok(Connection::One(sender))
    }
}

impl Connection {
    /// Whether a request can go over it, as soon as the one before is through with it.
    pub(super) async fn is_ready(&mut self) -> bool {
        match self {
            Self::One(sender) => sender.ready().await.is_ok(),
            Self::Two(sender) => sender.ready().await.is_ok(),
        }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(&mut self, request: Request<Body>) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::One(sender) => sender.send_request(request).await,
            Self::Two(sender) => sender.send_request(request).await,
        }
    }
}

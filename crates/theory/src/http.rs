//! A client of HTTP for commands: a connection for each question, a bound on every wait and on every answer. It follows no
//! redirects and keeps nothing.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use http::uri::Scheme;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// How long a connection may take.
const CONNECT_WAIT: Duration = Duration::from_secs(5);

/// The client.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    inner: hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Silence {
    /// Nobody could be reached.
    NoConnection(String),
    /// Somebody was reached, and did not answer in time.
    Slow(Duration),
    /// Somebody was reached, and what came was no HTTP or broke off.
    Broken(String),
}

impl Client {
    /// A client for servers of this scheme. Only those of `https` need the certificates that this machine trusts.
    pub(crate) fn new(scheme: &Scheme) -> anyhow::Result<Self> {
        let mut plain = HttpConnector::new();
        plain.set_connect_timeout(Some(CONNECT_WAIT));
        plain.enforce_http(false);
        let provider = rustls::crypto::ring::default_provider();
        let builder = hyper_rustls::HttpsConnectorBuilder::new();
        let builder = match *scheme == Scheme::HTTPS {
            true => builder
                .with_provider_and_native_roots(provider)
                .context("cannot read the certificates that this machine trusts")?,
            false => builder.with_tls_config(
                rustls::ClientConfig::builder_with_provider(Arc::new(provider))
                    .with_safe_default_protocol_versions()
                    .context("cannot prepare TLS")?
                    .with_root_certificates(rustls::RootCertStore::empty())
                    .with_no_client_auth(),
            ),
        };
        let connector = builder.https_or_http().enable_http1().wrap_connector(plain);
        let inner = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(0)
            .build(connector);
        Ok(Self { inner })
    }

    /// Sends a request and waits for the head of its answer.
    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        patience: Duration,
    ) -> Result<Response<Incoming>, Silence> {
        match tokio::time::timeout(patience, self.inner.request(request)).await {
            Err(_) => Err(Silence::Slow(patience)),
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() => Err(Silence::NoConnection(root_of(&error))),
            Ok(Err(error)) => Err(Silence::Broken(root_of(&error))),
        }
    }
}

/// The innermost reason: what is around it says only that something failed.
pub(crate) fn root_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

//! Origins behind TLS: whose certificate is believed, and for which name.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{StatusCode, Uri};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use theory_gateway::origin::{Origin, OriginError};
use theory_gateway::refusal::Refusal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{get, settings};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn trusting(authority: &Authority) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

/// A server with a certificate for `name`; gives its address.
async fn server(authority: &Authority, name: &str) -> SocketAddr {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new([name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret").await;
            let _ = stream.shutdown().await;
        }
    });
    address
}

async fn fetch(host: &str, address: SocketAddr, trust: Arc<ClientConfig>) -> Result<String, OriginError> {
    fetch_within(settings(address).connect_wait, host, address, trust).await
}

async fn fetch_within(
    connect_wait: Duration,
    host: &str,
    address: SocketAddr,
    trust: Arc<ClientConfig>,
) -> Result<String, OriginError> {
    let mut settings = settings(address);
    settings.connect_wait = connect_wait;
    settings.uri = Uri::try_from(format!("https://{host}:{}", address.port())).unwrap();
    let answer = Origin::with_tls(&settings, trust).unwrap().fetch(get("/")).await?;
    assert_eq!(answer.status(), StatusCode::OK);
    Ok(String::from_utf8(answer.into_body().to_vec()).unwrap())
}

#[tokio::test]
async fn a_certificate_is_believed_for_its_name_and_from_a_known_authority() {
    let authority = authority();
    let known = trusting(&authority);
    let address = server(&authority, "localhost").await;
    assert_eq!(fetch("localhost", address, Arc::clone(&known)).await.unwrap(), "secret");
    let by_address = server(&authority, "127.0.0.1").await;
    assert_eq!(fetch("127.0.0.1", by_address, Arc::clone(&known)).await.unwrap(), "secret");

    let other_name = fetch("127.0.0.1", address, known).await;
    let unknown = fetch("localhost", address, trusting(&self::authority())).await;
    for refused in [other_name, unknown] {
        let error = refused.unwrap_err();
        assert!(matches!(error, OriginError::Unreachable(_)), "{error:?}");
        assert_eq!(Refusal::from(&error).status, StatusCode::BAD_GATEWAY);
    }
}

#[tokio::test]
async fn an_origin_that_does_not_speak_tls_is_not_asked_in_the_clear() {
    let raw = super::raw::Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    // It waits for the end of a head, so that there is never an answer.
    let wait = Duration::from_secs(2);
    let error = fetch_within(wait, "localhost", raw.address, trusting(&authority())).await.unwrap_err();
    assert!(matches!(error, OriginError::Unreachable(_) | OriginError::TimedOut { .. }), "{error:?}");
    assert_eq!(raw.requests(), 0);
}

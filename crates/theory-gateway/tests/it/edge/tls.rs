//! TLS: which protocols are spoken, whose name is asked for, and a certificate that changes.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use theory_gateway::edge::{Tls, TlsError};
use theory_gateway::settings::{Certificate, EdgeLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::talk::{Server, statuses};

/// Writes a new certificate for `a.example` and returns it.
fn renew(files: &Certificate) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["a.example".to_owned()]).expect("a certificate");
    fs::write(&files.chain, cert.pem()).expect("the folder is there");
    fs::write(&files.key, signing_key.serialize_pem()).expect("the folder is there");
    cert.der().clone()
}

fn files(folder: &Path) -> Certificate {
    Certificate { chain: folder.join("chain.pem"), key: folder.join("key.pem") }
}

async fn connect(
    server: &Server,
    trusted: &CertificateDer<'static>,
    protocols: &[&str],
) -> Option<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the defaults are supported")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(server.address).await.expect("the server listens");
    let name = ServerName::try_from("a.example").expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()
}

#[tokio::test]
async fn the_client_chooses_the_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    let trusted = renew(&files);
    let tls = Tls::open(files).expect("it is usable");
    let server = Server::start_with(EdgeLimits::default(), Some(tls)).await;

    let mut stream = connect(&server, &trusted, &[]).await.expect("it is trusted");
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
        .await
        .expect("it is taken");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it ends properly");
    assert_eq!(statuses(&answer), [200]);

    let stream = connect(&server, &trusted, &["h2", "http/1.1"]).await.expect("it is trusted");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let io = hyper_util::rt::TokioIo::new(stream);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(executor, io).await.expect("it speaks HTTP/2");
    tokio::spawn(connection);
    let request = http::Request::get("https://a.example/").body(http_body_util::Empty::<bytes::Bytes>::new());
    let response = sender.send_request(request.expect("a request")).await.expect("an answer");
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn the_name_that_was_asked_for_is_handed_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    let trusted = renew(&files);
    let server = Server::start_with(EdgeLimits::default(), Some(Tls::open(files).expect("usable"))).await;
    let mut stream = connect(&server, &trusted, &[]).await.expect("it is trusted");
    for (host, expected) in [("a.example", 200), ("A.EXAMPLE:443", 200), ("b.example", 421)] {
        let request = format!("GET /asked HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it is taken");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(statuses(&String::from_utf8_lossy(&answer)), [expected], "{host}");
        let mut rest = Vec::new();
        while !rest.ends_with(b"done") {
            rest.push(stream.read_u8().await.expect("the rest of it"));
        }
    }
}

#[tokio::test]
async fn a_new_certificate_is_used_after_a_reload_and_a_bad_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    let old = renew(&files);
    let tls = Tls::open(files.clone()).expect("it is usable");
    let server = Server::start_with(EdgeLimits::default(), Some(Arc::clone(&tls))).await;
    let new = renew(&files);
    tls.reload().expect("it is usable");
    assert!(connect(&server, &old, &[]).await.is_none());
    assert!(connect(&server, &new, &[]).await.is_some());

    fs::write(&files.key, "no key").expect("the folder is there");
    assert!(matches!(tls.reload(), Err(TlsError::File { path, .. }) if path == files.key));
    assert!(connect(&server, &new, &[]).await.is_some(), "the one before stays in use");
    fs::write(&files.chain, "").expect("the folder is there");
    assert!(matches!(Tls::open(files.clone()), Err(TlsError::Empty { path }) if path == files.chain));
}

#[tokio::test]
async fn a_certificate_that_changed_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    renew(&files);
    let server =
        Server::start_with(EdgeLimits::default(), Some(Tls::open(files.clone()).expect("usable"))).await;
    let new = renew(&files);
    // Files are looked at every few seconds, at a handshake.
    while connect(&server, &new, &[]).await.is_none() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_handshake_that_takes_too_long_ends_the_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    renew(&files);
    let limits = EdgeLimits { head_wait: std::time::Duration::from_millis(200), ..EdgeLimits::default() };
    let server = Server::start_with(limits, Some(Tls::open(files).expect("usable"))).await;
    assert_eq!(server.converse(&[22, 3, 1]).await, "");
    assert_eq!(server.seen(), Vec::<String>::new());
}

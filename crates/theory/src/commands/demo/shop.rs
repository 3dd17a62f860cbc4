//! The application that the demo puts behind the gateway: a small shop whose pages take their time, fail on purpose and say when
//! they were made. It knows nothing about the gateway.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, SET_COOKIE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tabletheory_core::Clock;
use tabletheory_core::sys::SystemClock;
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::html;

/// What the shop was asked for so far.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Pages it rendered.
    pub(super) renders: AtomicU64,
    /// Renders that failed on purpose.
    pub(super) failures: AtomicU64,
    /// Orders it took.
    pub(super) orders: AtomicU64,
}

/// Serves the shop for as long as the program runs.
pub(super) async fn serve(listener: TcpListener, ledger: Arc<Ledger>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, Arc::clone(&ledger)));
            // Whoever leaves in the middle of an answer is no concern of a shop.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    ledger: Arc<Ledger>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    if request.method() == Method::POST && path == "/api/orders" {
        return Ok(order(request, &ledger).await);
    }
    if path == "/api/hello" {
        return Ok(plain(StatusCode::OK, "application/json", "{\"hello\":\"from the shop\"}\n"));
    }
    if path == "/sitemap.xml" {
        return Ok(plain(StatusCode::OK, "application/xml", html::sitemap()));
    }
    let number = ledger.renders.fetch_add(1, Ordering::Relaxed) + 1;
    let at = SystemClock.now();
    Ok(match path.as_str() {
        "/" => page(Duration::from_millis(150), html::home(number, at)).await,
        "/news" => page(Duration::from_millis(800), html::news(number, at)).await,
        "/slow" => page(Duration::from_secs(3), html::slow(number, at)).await,
        // Two of three renders fail: what was rendered well is shown until the next one that works.
        "/flaky" if !number.is_multiple_of(3) => failed(&ledger).await,
        "/flaky" => page(Duration::from_millis(300), html::flaky(number, at)).await,
        "/broken" => failed(&ledger).await,
        "/account" => {
            let mut account = page(Duration::from_millis(100), html::account(number, at)).await;
            account.headers_mut().insert(SET_COOKIE, HeaderValue::from_static("visitor=you; HttpOnly"));
            account.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private"));
            account
        }
        other => match other.strip_prefix("/products/").and_then(html::product_of) {
            Some(product) => page(Duration::from_millis(400), html::product(product, number, at)).await,
            None => plain(StatusCode::NOT_FOUND, "text/html; charset=utf-8", html::not_found()),
        },
    })
}

async fn order(request: Request<Incoming>, ledger: &Ledger) -> Response<Full<Bytes>> {
    if request.into_body().collect().await.is_err() {
        return plain(StatusCode::BAD_REQUEST, "text/plain", "the order broke off\n");
    }
    sleep(Duration::from_millis(200)).await;
    let number = ledger.orders.fetch_add(1, Ordering::Relaxed) + 1;
    plain(StatusCode::CREATED, "application/json", format!("{{\"order\":{number}}}\n"))
}

async fn page(takes: Duration, html: String) -> Response<Full<Bytes>> {
    sleep(takes).await;
    plain(StatusCode::OK, "text/html; charset=utf-8", html)
}

async fn failed(ledger: &Ledger) -> Response<Full<Bytes>> {
    ledger.failures.fetch_add(1, Ordering::Relaxed);
    sleep(Duration::from_millis(200)).await;
    plain(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", "the shop failed, on purpose\n")
}

fn plain(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

//! The servers of this program: hyper on a tokio runtime with the settings of `theory`, and nothing around it.

use std::convert::Infallible;
use std::sync::Arc;

use anyhow::{Context, Result};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Answers requests.
pub(crate) trait Site: Send + Sync + 'static {
    /// The answer to a request.
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Response<Full<Bytes>>> + Send;
}

/// Serves until the process is ended.
pub(crate) fn serve(port: &str, site: impl Site) -> Result<()> {
    let port: u16 = port.parse().context("a port is a number")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let site = Arc::new(site);
    runtime.block_on(async move {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let site = Arc::clone(&site);
            let service = service_fn(move |request: Request<Incoming>| {
                let site = Arc::clone(&site);
                async move { Ok::<_, Infallible>(site.answer(request).await) }
            });
            // A client that goes away ends its connection with an error, which is nobody's fault.
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}

/// An answer with a body of HTML. Its headers are ready: nothing is parsed for a request that need not be.
pub(crate) fn html(body: Bytes, cache_control: &HeaderValue) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(body));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, cache_control.clone());
    answer
}

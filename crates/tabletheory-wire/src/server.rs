//! HTTP/1.1 around an endpoint: connections that are kept alive, bodies of bounded size, deadlines, a stop that lets
//! running requests end. All tasks belong to the future of [`serve`] and end with it.

mod body;
mod patience;
mod response;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::endpoint::Endpoint;
use body::{Bodies, BodyFault};
use patience::Patience;
use response::Responses;

/// The bounds of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The largest body.
    pub body_bytes_max: usize,
    /// What the bodies of all requests may take together; further large ones wait.
    pub bodies_bytes_max: usize,
    /// The largest head: request line and headers.
    pub head_bytes_max: usize,
    /// How long a connection may wait for its next request, a request for the end of its head, and an answer for a client
    /// that takes some of it.
    pub idle_max: Duration,
    /// How long a body may take to arrive, and then the store to answer.
    pub request_max: Duration,
    /// How long running requests get after the stop.
    pub drain_max: Duration,
    /// How many connections there may be; further ones wait to be accepted.
    pub connections_max: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 * 1024 * 1024,
            bodies_bytes_max: 256 * 1024 * 1024,
            head_bytes_max: 64 * 1024,
            // Clients keep idle connections for up to a minute; the side that waits longer avoids the race.
            idle_max: Duration::from_secs(75),
            request_max: Duration::from_secs(30),
            drain_max: Duration::from_secs(10),
            connections_max: 4096,
        }
    }
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    endpoint: Endpoint,
    settings: Settings,
    bodies: Bodies,
    responses: Responses,
}

/// Serves the endpoint until `stop` is ready; then takes no new connection, lets running requests end, and returns.
pub async fn serve(
    listener: TcpListener,
    endpoint: Endpoint,
    settings: Settings,
    stop: impl Future<Output = ()>,
) {
    let bodies = Bodies::new(settings.body_bytes_max, settings.bodies_bytes_max);
    let shared = Arc::new(Shared { endpoint, settings, bodies, responses: Responses::new() });
    let places = Arc::new(Semaphore::new(settings.connections_max.min(Semaphore::MAX_PERMITS)));
    let (stopping, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = accept(&listener, &places) => {
                let (stream, place) = accepted;
                let connection = connection(stream, Arc::clone(&shared), stopped.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
        }
    }
    drop(listener);
    // Connections that are gone already do not need to hear it.
    let _ = stopping.send(true);
    let ended = async { while connections.join_next().await.is_some() {} };
    if timeout(settings.drain_max, ended).await.is_err() {
        tracing::warn!(
            "requests were still running {:?} after the stop and are given up",
            settings.drain_max
        );
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, tokio::sync::OwnedSemaphorePermit) {
    let place = Arc::clone(places).acquire_owned().await.expect("the semaphore is never closed");
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                // Too many open files, or a client that left while it waited: neither is a reason to stop serving.
                tracing::warn!(%error, "a connection was not accepted");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    // Answers are small and complete: waiting to fill a packet would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its delay");
    }
    let shared = &*shared;
    let service =
        service_fn(async |request| Ok::<_, std::convert::Infallible>(answer(shared, request).await));
    let stream = Patience::new(stream, shared.settings.idle_max);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(shared.settings.idle_max)
        .max_buf_size(shared.settings.head_bytes_max)
        .pipeline_flush(true);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let stop = async {
        // A sender that is gone means the same as its word.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn answer(shared: &Shared, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let request_max = shared.settings.request_max;
    let body = timeout(request_max, shared.bodies.read(body)).await;
    match body.unwrap_or(Err(BodyFault::TooSlow)) {
        Ok(body) => match timeout(request_max, shared.endpoint.answer(&head, &body)).await {
            Ok(answer) => shared.responses.answer(answer),
            Err(_) => shared.responses.too_slow(),
        },
        // What is left of the body would be taken for the next request, so the connection ends here.
        Err(fault) => shared.responses.fault(&fault),
    }
}

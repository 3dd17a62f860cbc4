//! The listener of operators: few connections, HTTP/1.1, heads that come and answers that are taken in time.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Admin;
use crate::edge::{Patience, accept};

/// Further connections wait to be accepted.
const CONNECTIONS_MAX: usize = 64;
/// How long a head may take.
const HEAD_WAIT: Duration = Duration::from_secs(10);
/// How long a client may take nothing of its answer. Without an end, a few that read nothing would hold all places.
const WRITE_WAIT: Duration = Duration::from_secs(30);
/// How long requests get after the stop. Those who only watch are told to end.
const DRAIN_MAX: Duration = Duration::from_secs(3);

/// Serves operators until `stop` is true; then takes no new connection, lets running requests end, and returns.
pub(crate) async fn serve(listener: TcpListener, admin: Arc<Admin>, stop: watch::Receiver<bool>) {
    serve_patiently(listener, admin, stop, WRITE_WAIT).await;
}

/// [`serve`], with the patience for clients that do not take their answer.
pub(super) async fn serve_patiently(
    listener: TcpListener,
    admin: Arc<Admin>,
    mut stop: watch::Receiver<bool>,
    write_wait: Duration,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let told = stop.clone();
    loop {
        let stopped = async {
            let _ = stop.wait_for(|stop| *stop).await;
        };
        tokio::select! {
            () = stopped => break,
            Some(_) = connections.join_next() => {}
            (stream, _, place) = accept(&listener, &places) => {
                let (admin, stop) = (Arc::clone(&admin), told.clone());
                connections.spawn(async move {
                    connection(Patience::new(stream, write_wait), &admin, stop).await;
                    drop(place);
                });
            }
        }
    }
    drop(listener);
    admin.end();
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(DRAIN_MAX, ended).await;
}

async fn connection<S>(stream: S, admin: &Arc<Admin>, mut stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let service = service_fn(async |request| Ok::<_, Infallible>(admin.answer(request).await));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT).max_buf_size(64 * 1024);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let stopped = async {
        // A sender that is gone means the same as its word.
        let _ = stop.wait_for(|stop| *stop).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopped => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "an operator's connection ended early");
    }
}

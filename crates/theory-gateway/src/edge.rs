//! Everything between the sockets and the gateway's decisions: connections and their caps, TLS, HTTP/1.1 and HTTP/2, framing
//! stricter than hyper's, deadlines, a stop that lets running requests end. What a request means is read elsewhere
//! ([`asked`](crate::asked)).
//!
//! A connection is a `Line`. What a request costs here is a few counters of its line: deadlines of idle
//! connections are kept by looking at all lines now and then, not by a timer for each request. So what is said to take
//! [`head_wait`](EdgeLimits::head_wait) may take up to one and a half times as long.

mod answers;
mod application;
mod connection;
mod gate;
mod inbound;
mod line;
mod lines;
mod listener;
mod patience;
mod peer;
mod sent;
mod service;
mod streams;
mod tls;

pub use application::Application;
pub use inbound::{Inbound, InboundFault};
pub use listener::Listener;
pub(crate) use patience::Patience;
pub use peer::Peer;
pub use tls::{Tls, TlsError};

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::settings::EdgeLimits;
use application::{Shared, note_panic};
use line::Order;
use lines::{Lines, Looks};

/// Answers what comes in until `stop` is true or its sender gone; then takes no new connection, lets running requests end for
/// [`drain_max`](EdgeLimits::drain_max), and returns. All tasks belong to this future and end with it.
pub async fn serve<A: Application>(
    listener: Listener,
    application: Arc<A>,
    limits: EdgeLimits,
    mut stop: watch::Receiver<bool>,
) {
    let Listener { socket, tls } = listener;
    let lines = Lines::new(limits.connections_per_address_max);
    let places = Arc::new(Semaphore::new(limits.connections_max.min(Semaphore::MAX_PERMITS)));
    let (looks, pause) = Looks::new(limits.head_wait, limits.write_wait);
    let mut next_look = interval(pause);
    next_look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let drain_max = limits.drain_max;
    let shared = Arc::new(Shared { application, limits, tls });
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = stop.wait_for(|is_stopped| *is_stopped) => break,
            Some(ended) = connections.join_next() => note_panic(ended),
            _ = next_look.tick() => lines.look(looks),
            (stream, address, place) = accept(&socket, &places) => {
                // An address with too many connections is not answered: that would take time from the others.
                if let Some(line) = lines.open(address.ip(), place) {
                    connections.spawn(connection::run(stream, address, line, Arc::clone(&shared)));
                }
            }
        }
    }
    drop(socket);
    lines.order(Order::Drain);
    let ended = async {
        while !lines.is_empty() {
            tokio::select! {
                Some(ended) = connections.join_next() => note_panic(ended),
                // A client may be in the middle of a head that never ends.
                _ = next_look.tick() => lines.look(looks),
                // Connections that became another protocol's have no task here.
                () = sleep(Duration::from_millis(20)) => {}
            }
        }
    };
    if timeout(drain_max, ended).await.is_err() {
        tracing::warn!(
            lines = lines.len(),
            "requests were still running {drain_max:?} after the stop and are given up"
        );
    }
    lines.order(Order::Close);
    connections.shutdown().await;
}

/// The next connection, once there is a place for it.
pub(crate) async fn accept(
    socket: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let place = Arc::clone(places).acquire_owned().await.expect("the semaphore is never closed");
    loop {
        match socket.accept().await {
            Ok((stream, address)) => return (stream, address, place),
            Err(error) => {
                // Too many open files, or a client that left while it waited: neither is a reason to stop serving.
                tracing::warn!(%error, "a connection was not accepted");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

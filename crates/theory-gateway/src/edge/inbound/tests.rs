//! Bodies that come slowly.

use std::convert::Infallible;

use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

use super::*;

/// What comes of a body of pieces of so many bytes, one each second.
async fn collected(piece_bytes: usize, pieces: usize, pause: Duration) -> Result<usize, InboundFault> {
    let limits =
        EdgeLimits { body_wait: Duration::from_secs(5), body_rate_min: 100, ..EdgeLimits::default() };
    let (mut client, server) = duplex(1024);
    let outcome = Mutex::new(None);
    let service = service_fn(|request: Request<Incoming>| {
        let (limits, outcome) = (&limits, &outcome);
        async move {
            let body = Inbound::new(request.into_body(), limits).collect().await;
            let body = body.map(|body| body.to_bytes().len());
            *outcome.lock() = Some(body.map_err(|error| InboundFault::of(&*error).expect("it is a fault")));
            Ok::<_, Infallible>(http::Response::new(Empty::<Bytes>::new()))
        }
    });
    let send = async {
        let length = piece_bytes * pieces;
        let head = format!("POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
        client.write_all(head.as_bytes()).await.expect("the head is taken");
        for _ in 0..pieces {
            tokio::time::sleep(pause).await;
            // It may have been given up.
            let _ = client.write_all(&vec![b'x'; piece_bytes]).await;
        }
        let _ = client.read_to_end(&mut Vec::new()).await;
    };
    let serve = async {
        let builder = http1::Builder::new();
        let _ = builder.serve_connection(TokioIo::new(server), service).await;
    };
    tokio::join!(serve, send);
    outcome.into_inner().expect("there was a request")
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_body_that_comes_steadily_may_take_long() {
    assert_eq!(collected(110, 60, SECOND).await, Ok(6600));
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_has_some_seconds_of_grace() {
    assert_eq!(collected(1, 9, SECOND).await, Ok(9));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_is_given_up() {
    assert_eq!(collected(50, 60, SECOND).await, Err(InboundFault::TooSlow));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_pauses_is_given_up() {
    assert_eq!(collected(1000, 3, 4 * SECOND).await, Ok(3000));
    assert_eq!(collected(1000, 3, 6 * SECOND).await, Err(InboundFault::TooSlow));
}

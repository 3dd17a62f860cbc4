//! The gate against a plain reading of the same bytes, against every way to cut them, and against hyper behind it.

mod reference;

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::sync::Semaphore;

use super::framing::{Framing, Stop};
use super::*;
use crate::edge::lines::Lines;
use reference::{Read, read};

const HEAD_BYTES_MAX: usize = 4096;

/// The verdict over bytes that arrive in these pieces, and how many bytes it needed.
fn verdict<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Option<Stop> {
    let mut framing = Framing::new(HEAD_BYTES_MAX);
    pieces.into_iter().find_map(|piece| framing.judge(piece)).map(|(_, stop)| stop)
}

/// Requests as clients send them.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let head = proptest::sample::select(vec![
        "GET / HTTP/1.1\r\nHost: a\r\n",
        "POST /x HTTP/1.1\r\nhost: a\r\nAccept: */*\r\n",
        "POST /y HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n",
        "\r\nPUT /z HTTP/1.1\r\nHost: a\r\ncookie: c\r\ntrailer: x\r\n",
    ]);
    let extension = proptest::sample::select(vec!["", ";", ";a=b"]);
    let chunk = (proptest::collection::vec(any::<u8>(), 1..20), extension);
    (head, 0..4_u8, proptest::collection::vec(chunk, 0..3), any::<bool>()).prop_map(
        |(head, kind, chunks, trailer)| {
            let mut bytes = head.as_bytes().to_vec();
            let body: Vec<u8> = chunks.iter().flat_map(|(chunk, _)| chunk.clone()).collect();
            // Version 1.0 has no chunks.
            let kind = if head.contains("HTTP/1.0") { kind.min(1) } else { kind };
            match kind {
                0 => bytes.extend_from_slice(b"\r\n"),
                1 => {
                    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                    bytes.extend(body);
                }
                _ => {
                    bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                    for (chunk, extension) in chunks {
                        bytes.extend_from_slice(format!("{:x}{extension}\r\n", chunk.len()).as_bytes());
                        bytes.extend(chunk);
                        bytes.extend_from_slice(b"\r\n");
                    }
                    bytes.extend_from_slice(if trailer { b"0\r\nx: y\r\n\r\n" } else { b"0\r\n\r\n" });
                }
            }
            bytes
        },
    )
}

/// Several requests, some of them spoilt: bytes changed, put in, left out.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let odd = proptest::sample::select(vec![
        &b"\n"[..],
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b" ",
        b"\t",
        b"\0",
        b":",
        b";",
        b"0",
        b"1",
        b"a",
        b"_",
        b"\r\n ",
        b"Content-Length: 1\r\n",
        b"content-length:0\r\n",
        b"Content_Length: 1\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"transfer-encoding: gzip, chunked\r\n",
        b"Upgrade: h2c\r\n",
        b"HTTP/1.0",
        b"0\r\n\r\n",
    ]);
    let change = (any::<prop::sample::Index>(), 0..4_usize, odd);
    let changes = proptest::collection::vec(change, 0..3);
    (proptest::collection::vec(request(), 1..4), changes).prop_map(|(requests, changes)| {
        let mut bytes = requests.concat();
        for (place, left_out, put_in) in changes {
            let from = place.index(bytes.len());
            let to = (from + left_out).min(bytes.len());
            bytes.splice(from..to, put_in.iter().copied());
        }
        bytes
    })
}

/// What hyper's service sees of bytes that come through a gate, in pieces of so many: bodies that were whole.
fn seen_through_gate(bytes: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (mut client, server) = duplex(1 << 20);
        let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let line = Lines::new(1).open("127.0.0.1".parse().unwrap(), place).unwrap();
        let gate = Gate::new(server, Arc::clone(&line), HEAD_BYTES_MAX);
        let seen = Mutex::new(Vec::new());
        let service = service_fn(|request: Request<Incoming>| {
            let (seen, line) = (&seen, &line);
            async move {
                let asks_for_switch = request.extensions().get::<hyper::upgrade::OnUpgrade>().is_some();
                if let Ok(body) = request.into_body().collect().await {
                    seen.lock().push(body.to_bytes().to_vec());
                }
                if asks_for_switch {
                    line.set_switch(Switch::Refused);
                }
                Ok::<_, Infallible>(http::Response::new(Empty::<Bytes>::new()))
            }
        });
        let send = async {
            for piece in bytes.chunks(piece) {
                // The server may have closed.
                let _ = client.write_all(piece).await;
                tokio::task::yield_now().await;
            }
            let _ = client.shutdown().await;
            let _ = client.read_to_end(&mut Vec::new()).await;
        };
        let mut builder = http1::Builder::new();
        builder.header_read_timeout(None).half_close(true).max_header_size(HEAD_BYTES_MAX);
        let connection = builder.serve_connection(TokioIo::new(gate), service);
        let connection = async {
            // It goes with this block, and the client sees the end of it.
            let mut connection = Box::pin(connection);
            let mut listening = Listening::default();
            std::future::poll_fn(|context| {
                listening.listen(&line, context);
                connection.as_mut().poll(context)
            })
            .await
        };
        let both = async { tokio::join!(connection, send) };
        let ended = tokio::time::timeout(std::time::Duration::from_secs(60), both).await;
        assert!(ended.is_ok(), "both sides come to an end");
        std::mem::take(&mut *seen.lock())
    })
}

proptest! {
    #[test]
    fn the_verdict_does_not_depend_on_how_the_stream_is_cut(bytes in stream(), cuts in proptest::collection::vec(1..40_usize, 1..50)) {
        let whole = verdict([&bytes[..]]);
        prop_assert_eq!(verdict(bytes.chunks(1)), whole);
        let mut rest = &bytes[..];
        let pieces: Vec<&[u8]> = cuts.iter().map_while(|cut| {
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            rest = after;
            (!piece.is_empty()).then_some(piece)
        }).collect();
        prop_assert_eq!(verdict(pieces.into_iter().chain([rest])), whole);
    }

    #[test]
    fn the_verdict_is_that_of_a_plain_reading(bytes in stream()) {
        let Read { stop, .. } = read(&bytes);
        prop_assert_eq!(verdict([&bytes[..]]), stop, "{}", bytes.escape_ascii());
    }

    #[test]
    fn requests_as_clients_send_them_pass(requests in proptest::collection::vec(request(), 1..4)) {
        let bytes = requests.concat();
        prop_assert_eq!(verdict([&bytes[..]]), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// hyper may refuse more than the gate does, but what it takes for a request is one, with that body.
    #[test]
    fn hyper_frames_what_passes_as_the_plain_reading_does(bytes in stream(), piece in 1..200_usize) {
        let bodies = read(&bytes).bodies;
        let seen = seen_through_gate(&bytes, piece);
        prop_assert!(bodies.starts_with(&seen), "{} instead of {bodies:?} in {}", format_args!("{seen:?}"), bytes.escape_ascii());
    }

    #[test]
    fn hyper_gets_all_of_what_is_fine(requests in proptest::collection::vec(request(), 1..4), piece in 1..200_usize) {
        let bytes = requests.concat();
        prop_assert_eq!(seen_through_gate(&bytes, piece), read(&bytes).bodies);
    }
}

#[test]
fn a_head_without_end_is_left_to_hyper_and_needs_no_memory() {
    let mut framing = Framing::new(100);
    for _ in 0..1000 {
        assert_eq!(framing.judge(b"GET / HTTP/1.1 and so on"), None);
    }
    assert!(!framing.is_between());
}

//! Floods of HTTP/2 frames, written by hand: the connection ends before they cost much.

use theory_gateway::settings::EdgeLimits;

use super::talk::Server;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// `GET http://a/` with names and values of the static table.
const GET: &[u8] = b"\x82\x86\x84\x41\x01a";
const END_HEADERS: u8 = 4;
const END_STREAM: u8 = 1;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("frames are small").to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// Sends as much as the server takes, waits for the end of the connection, and says how many requests were seen.
async fn flood(frames: impl Iterator<Item = Vec<u8>>) -> usize {
    let server = Server::start(EdgeLimits::default()).await;
    let mut client = server.connect().await;
    let mut bytes = [PREFACE, &frame(4, 0, 0, &[])].concat();
    bytes.extend(frames.flatten());
    let _ = client.try_send(&bytes).await;
    client.rest().await;
    server.seen().len()
}

#[tokio::test]
async fn requests_that_are_taken_back_at_once_end_the_connection() {
    let requests = (0..20_000_u32).flat_map(|index| {
        let stream = 2 * index + 1;
        [frame(1, END_HEADERS | END_STREAM, stream, GET), frame(3, 0, stream, &8_u32.to_be_bytes())]
    });
    let seen = flood(requests).await;
    assert!(seen < 2000, "{seen} of 20000 requests were begun");
}

#[tokio::test]
async fn a_head_that_is_continued_without_end_ends_the_connection() {
    let begin = frame(1, END_STREAM, 1, GET);
    let more = (0..20_000).map(|_| frame(9, 0, 1, b"\x00\x01x\x01y"));
    assert_eq!(flood(std::iter::once(begin).chain(more)).await, 0);
}

#[tokio::test]
async fn what_http1_would_frame_by_does_not_exist_here() {
    for line in
        ["\x00\x11transfer-encoding\x07chunked", "\x00\x0aconnection\x05close", "\x00\x07upgrade\x03h2c"]
    {
        let head = [GET, line.as_bytes()].concat();
        let request = frame(1, END_HEADERS | END_STREAM, 1, &head);
        // A frame that cannot be, so that the server ends the connection.
        let end = frame(0, 0, 0, b"x");
        assert_eq!(flood([request, end].into_iter()).await, 0, "{line:?}");
    }
}

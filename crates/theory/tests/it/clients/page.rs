//! The smallest way to look at a web page.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The page at `path` of the server at `address`; it has to be there.
pub(super) fn get(address: &str, path: &str) -> String {
    let host = address.strip_prefix("http://").expect("the address is one of plain HTTP");
    let mut stream =
        TcpStream::connect(host).unwrap_or_else(|error| panic!("nobody answers on {host}: {error}"));
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("the socket takes options");
    // Version 1.0 keeps the answer in one piece and ends it with the connection.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").expect("the server reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server answers");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.lines().next().is_some_and(|status| status.contains(" 200 ")), "GET {path}:\n{answer}");
    answer
}

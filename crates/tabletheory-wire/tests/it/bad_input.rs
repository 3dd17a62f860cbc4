//! Bad input gets an error that an SDK understands, changes nothing, and leaves the connection in a sane state.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tabletheory_engine::Engine;
use tabletheory_wire::{Endpoint, server};

use crate::talk::{Server, head, request};

#[test]
fn a_refused_request_leaves_the_connection_usable_and_changes_nothing() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.make_table();
    talk.ask("PutItem", b"not json").refused(400, "SerializationException", "expected");
    talk.ask("PutItem", b"").refused(400, "SerializationException", "EOF");
    talk.ask("PutItem", b"{\"TableName\":\"\xff\"}").refused(400, "SerializationException", "");
    talk.ask("PutItem", b"{\"TableName\":5}").refused(400, "SerializationException", "cannot be converted");
    talk.ask("PutItem", b"{}").refused(400, "ValidationException", "Member must not be null");
    let half = br#"{"TableName":"pages","Item":{"pk":{"S":"a"},"n":{"N":"x"}}}"#;
    talk.ask("PutItem", half).refused(400, "ValidationException", "numeric");
    talk.ask("Nonsense", b"{}").refused(400, "UnknownOperationException", "Nonsense");
    talk.ask("PutItem", br#"{"TableName":"none","Item":{"pk":{"S":"a"}}}"#).refused(
        400,
        "ResourceNotFoundException",
        "",
    );
    assert_eq!(talk.count(), 0);
}

#[test]
fn a_request_without_a_target_names_no_operation() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.send(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        .expect("the server reads");
    talk.reply().expect("an answer").refused(400, "UnknownOperationException", "no X-Amz-Target");
    let twice = head("PutItem", "X-Amz-Target: DynamoDB_20120810.DeleteTable\r\nContent-Length: 2\r\n");
    talk.send(format!("{twice}{{}}").as_bytes()).expect("the server reads");
    talk.reply().expect("an answer").refused(400, "UnknownOperationException", "more than one");
    assert_eq!(talk.done("ListTables", &json!({}))["TableNames"], json!([]));
}

#[test]
fn only_posts_are_operations_and_a_get_tells_that_somebody_is_there() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("the server reads");
    let reply = talk.reply().expect("an answer");
    assert_eq!((reply.status, reply.json()), (200, json!({ "status": "healthy" })));
    for method in ["PUT", "DELETE", "post", "TRACE"] {
        talk.send(
            request("ListTables", b"{}")
                .strip_prefix(b"POST")
                .map(|rest| [method.as_bytes(), rest].concat())
                .expect("a POST")
                .as_slice(),
        )
        .expect("the server reads");
        talk.reply().expect("an answer").refused(400, "UnknownOperationException", "operations are POST");
    }
}

#[test]
fn without_keys_a_foreign_host_is_refused() {
    let server = Server::engine();
    let mut talk = server.connect();
    let call = |host: &str| {
        format!(
            "POST / HTTP/1.1\r\n{host}X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{{}}"
        )
    };
    for good in [
        "localhost",
        "localhost:8000",
        "127.0.0.1:1",
        "[::1]:8000",
        "10.1.2.3",
        "a.localhost",
        "LOCALHOST:80",
    ] {
        talk.send(call(&format!("Host: {good}\r\n")).as_bytes()).expect("the server reads");
        assert_eq!(talk.reply().expect("an answer").status, 200, "{good}");
    }
    for bad in [
        "Host: evil.example\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: \r\n",
        "",
        "Host: localhost\r\nHost: evil\r\n",
    ] {
        talk.send(call(bad).as_bytes()).expect("the server reads");
        talk.reply().expect("an answer").refused(400, "AccessDeniedException", "Host");
    }
}

#[test]
fn a_body_over_the_bound_is_refused_and_the_connection_ends() {
    let settings = server::Settings { body_bytes_max: 1000, ..server::Settings::default() };
    let server = Server::start(Endpoint::unsigned(Arc::new(Engine::memory())), settings);
    let fits = format!("{{\"Unknown\":\"{}\"}}", "x".repeat(1000 - 14));
    assert_eq!(fits.len(), 1000);
    assert_eq!(server.connect().ask("ListTables", fits.as_bytes()).status, 200);

    let mut announced = server.connect();
    let reply = announced.ask("ListTables", &[b' '; 1001]);
    reply.refused(413, "RequestEntityTooLargeException", "larger than 1000 bytes");
    assert_eq!(announced.reply(), None, "the connection has ended");

    let mut chunked = server.connect();
    let chunk = format!("200\r\n{}\r\n", " ".repeat(0x200));
    let body = format!("{}{chunk}{chunk}0\r\n\r\n", head("ListTables", "Transfer-Encoding: chunked\r\n"));
    chunked.send(body.as_bytes()).expect("the server reads");
    chunked.reply().expect("an answer").refused(413, "RequestEntityTooLargeException", "larger");
    assert_eq!(chunked.reply(), None, "the connection has ended");
}

#[test]
fn a_client_that_sends_far_too_much_still_gets_its_answer() {
    let server = Server::engine();
    let mut talk = server.connect();
    let bytes = 17 * 1024 * 1024;
    talk.send(head("PutItem", &format!("Content-Length: {bytes}\r\n")).as_bytes()).expect("the server reads");
    talk.send(&vec![b' '; bytes]).expect("the server takes it all before it hangs up");
    talk.reply().expect("an answer").refused(413, "RequestEntityTooLargeException", "16777216");
    assert_eq!(talk.reply(), None, "the connection has ended");
}

#[test]
fn chunked_bodies_are_read() {
    let server = Server::engine();
    let mut talk = server.connect();
    let text = format!(
        "{}2\r\n{{\"\r\n9\r\nLimit\":1}}\r\n0\r\n\r\n",
        head("ListTables", "Transfer-Encoding: chunked\r\n")
    );
    talk.send(text.as_bytes()).expect("the server reads");
    assert_eq!(talk.reply().expect("an answer").status, 200);
}

#[test]
fn a_body_that_never_ends_is_given_up() {
    let settings = server::Settings { request_max: Duration::from_secs(2), ..server::Settings::default() };
    let server = Server::start(Endpoint::unsigned(Arc::new(Engine::memory())), settings);
    let mut talk = server.connect();
    talk.send(head("ListTables", "Content-Length: 100\r\n").as_bytes()).expect("the server reads");
    talk.send(b"{").expect("the server reads");
    talk.reply().expect("an answer").refused(408, "RequestTimeoutException", "too long");
    assert_eq!(talk.reply(), None, "the connection has ended");
    assert_eq!(server.connect().ask("ListTables", b"{}").status, 200);
}

#[test]
fn a_head_that_never_ends_is_given_up() {
    let settings = server::Settings { idle_max: Duration::from_secs(2), ..server::Settings::default() };
    let server = Server::start(Endpoint::unsigned(Arc::new(Engine::memory())), settings);
    let mut talk = server.connect();
    talk.send(b"POST / HTTP/1.1\r\nHost: loc").expect("the server reads");
    assert!(talk.reply().is_none_or(|reply| reply.status == 408), "the connection has ended");
    // If this thread stands still before it has sent anything, its connection is given up as well; then it makes another.
    let answered = (0..20).find_map(|_| {
        let mut talk = server.connect();
        talk.send(&request("ListTables", b"{}")).ok()?;
        talk.reply()
    });
    assert_eq!(answered.expect("the server goes on").status, 200);
}

#[test]
fn a_client_that_leaves_in_the_middle_changes_nothing() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.make_table();
    let whole = request("PutItem", br#"{"TableName":"pages","Item":{"pk":{"S":"a"}}}"#);
    for length in (1..whole.len()).step_by(7) {
        let mut other = server.connect();
        other.send(&whole[..length]).expect("the server reads");
        other.end();
        if let Some(reply) = other.reply() {
            assert_eq!(reply.status, 400, "{length} bytes of {} got {reply:?}", whole.len());
        }
    }
    assert_eq!(talk.count(), 0);
    talk.send(&whole).expect("the server reads");
    assert_eq!(talk.reply().expect("an answer").status, 200);
    assert_eq!(talk.count(), 1);
}

#[test]
fn what_is_not_http_ends_the_connection() {
    let server = Server::engine();
    for text in [
        "\0\0\0\0\r\n\r\n",
        "\x16\x03\x01\x02\0\x01\0",
        "POST / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n{}",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        "POST / HTTP/1.1\r\nBad Header: 1\r\n\r\n",
    ] {
        let mut talk = server.connect();
        talk.send(text.as_bytes()).expect("the server reads");
        talk.end();
        if let Some(reply) = talk.reply() {
            assert_eq!(reply.status, 400, "{text:?}");
            assert_eq!(talk.reply(), None, "{text:?}");
        }
    }
    let mut talk = server.connect();
    // The server may hang up while we are still sending.
    let _ = talk.send(head("ListTables", &format!("X-Long: {}\r\n", "x".repeat(1_000_000))).as_bytes());
    if let Some(reply) = talk.reply() {
        assert_eq!(reply.status, 431);
    }
    assert_eq!(server.connect().ask("ListTables", b"{}").status, 200);
}

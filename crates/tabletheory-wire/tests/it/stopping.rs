//! The stop: running requests end, idle connections close, new ones are not taken.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use futures_executor::block_on;
use tabletheory_wire::{Endpoint, server};

use crate::stores::{Held, Holding, Silent};
use crate::talk::{Server, request};

#[test]
fn a_running_request_is_answered_after_the_stop() {
    let held = Arc::new(Held::default());
    let mut server = Server::store(Arc::new(Holding(Arc::clone(&held))));
    let mut talk = server.connect();
    let mut idle = server.connect();
    talk.send(&request("ListTables", b"{}")).expect("the server reads");
    block_on(held.arrived.notified());
    server.begin_stop();
    assert_eq!(idle.reply(), None, "an idle connection is closed");
    held.released.notify_one();
    let reply = talk.reply().expect("the running request is answered");
    assert_eq!(reply.status, 200);
    assert_eq!(talk.reply(), None, "and then its connection is closed");
    server.wait();
    assert!(TcpStream::connect(server.address()).is_err(), "nobody listens any more");
}

#[test]
fn a_request_that_never_ends_does_not_keep_the_server_from_stopping() {
    let settings = server::Settings { drain_max: Duration::from_millis(200), ..server::Settings::default() };
    let mut server = Server::start(Endpoint::unsigned(Arc::new(Silent)), settings);
    let mut talk = server.connect();
    talk.send(&request("ListTables", b"{}")).expect("the server reads");
    server.begin_stop();
    server.wait();
    assert_eq!(talk.reply(), None);
}

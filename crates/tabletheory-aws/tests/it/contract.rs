//! The contract of every store, put through the SDK to the engine behind HTTP, to AWS's DynamoDB Local, and to the service
//! itself.

mod http;
mod local;
mod service;

use std::io::Write as _;

use tabletheory_core::store::contract::{World, cases, check};

pub(crate) use http::serve_engine;

/// Puts every case to a store, one after the other, and panics with the names of those that do not hold.
///
/// One test for all cases: they share a store that is slow to start or far away, also where each test is a process.
async fn hold(world: impl Fn() -> World) {
    let mut broken = Vec::new();
    for case in cases() {
        // A task of its own catches the panic by which a case says that its claim does not hold.
        if tokio::spawn(check(case.name, world())).await.is_err() {
            broken.push(case.name);
        }
    }
    assert!(broken.is_empty(), "{} cases do not hold: {broken:#?}", broken.len());
}

/// Says something even if the test passes: what a passing test prints is not shown, except past the runner.
pub(crate) fn say(text: &str) {
    // Nobody listening is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{text}");
}

//! Tests of the gateway's parts against real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod door;
mod origin;
mod page;

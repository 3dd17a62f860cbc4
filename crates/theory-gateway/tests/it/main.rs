//! The gateway's parts over real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod clock;
mod door;
mod edge;
mod http_cache;
mod origin;
mod page;
mod whole;

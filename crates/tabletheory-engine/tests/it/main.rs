//! What the engine promises, seen from outside: the contract, the model, many threads, and what holds beyond one process.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod concurrency;
mod contract;
mod crash;
mod crowd;
mod differential;
mod faults;
mod late;
mod model;

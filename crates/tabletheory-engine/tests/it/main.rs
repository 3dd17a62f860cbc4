//! What the engine promises, seen from outside: the contract, and what holds beyond one process.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod contract;
mod crash;
mod faults;

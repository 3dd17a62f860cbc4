//! Templates as they are deployed: reviewed as text, linted, compared with the tables that the runtime makes.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod checked;
mod goldens;
mod lint;
mod policy;
mod recorded;
mod refused;
mod round_trip;
mod runtime_tables;
mod scenes;

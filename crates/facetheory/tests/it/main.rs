//! The cache as an application uses it.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod bodies;
mod defects;
mod extremes;
mod figures;
mod forgetting;
mod outage;
mod scene;
mod scenes;
mod simulation;
mod stuck;
mod threads;
mod wanted;

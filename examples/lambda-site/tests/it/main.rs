//! The site as Lambda runs it: its program is started, given events by the runtime API, frozen between them, and killed.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod pages;
mod queue;
mod start;
mod time;
mod trouble;
mod world;

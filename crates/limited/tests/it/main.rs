//! Rate limits as an application uses them.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod defects;
mod figures;
mod limiter;
mod oracle;
mod trouble;
mod world;

//! Rate limits as an application uses them.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod defects;
mod figures;
mod forgetful;
mod limiter;
mod oracle;
mod overrides;
mod record;
mod slots;
mod slots_guard;
mod slots_trouble;
mod threads;
mod trouble;
mod windows;
mod world;

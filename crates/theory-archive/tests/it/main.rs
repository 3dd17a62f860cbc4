//! The archive as an operator meets it: tables whose items expire, crashes, object stores that fail, and items that come back.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod crash;
mod dead_letters;
mod faulty;
mod items;
#[cfg(unix)]
mod killed;
mod list;
mod restore;
mod s3;
mod streams;
mod world;

//! The typed toolkit as an application uses it, on the embedded engine.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod fields;
mod forms;
mod items;
mod keys;
mod models;
mod sealed;
mod ui;
mod values;

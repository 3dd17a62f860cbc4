//! The typed toolkit as an application uses it, on the embedded engine.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod db_items;
mod db_lost_answers;
mod db_pages;
mod db_query;
mod db_scan;
mod entities;
mod fields;
mod items;
mod keys;
mod models;
mod queries;
mod streams;
mod ui;
mod values;

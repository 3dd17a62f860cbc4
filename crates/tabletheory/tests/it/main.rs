//! The typed toolkit as an application uses it, on the embedded engine.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod alike_keys;
mod copies;
mod copies_sealed;
mod db_batch;
mod db_deadline;
mod db_items;
mod db_lost_answers;
mod db_naming;
mod db_pages;
mod db_query;
mod db_save_all;
mod db_scan;
mod db_statements;
mod db_transact;
#[cfg(feature = "dms")]
mod document_forms;
#[cfg(feature = "dms")]
mod document_models;
#[cfg(feature = "dms")]
mod documents;
mod entities;
mod fields;
mod forms;
mod items;
mod keys;
mod models;
mod nested;
mod projections;
mod queries;
mod sealed;
mod streams;
mod table_migrations;
mod table_models;
mod tables;
mod threads;
mod troubled;
mod ui;
mod values;

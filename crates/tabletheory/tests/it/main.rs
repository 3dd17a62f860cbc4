//! The typed toolkit as an application uses it, on the embedded engine.

mod fields;
mod items;
mod keys;
mod models;
mod ui;
mod values;

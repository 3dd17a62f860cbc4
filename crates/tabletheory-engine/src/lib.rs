//! The embedded engine.

pub mod kv;

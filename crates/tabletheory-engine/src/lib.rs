//! The embedded engine.

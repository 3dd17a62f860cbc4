//! What the engine promises, seen from outside.

mod concurrency;
mod model;

//! What the engine promises, seen from outside.

mod concurrency;
mod contract;
mod model;

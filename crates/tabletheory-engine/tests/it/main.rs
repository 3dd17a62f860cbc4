//! What the engine promises, seen from outside.

mod contract;

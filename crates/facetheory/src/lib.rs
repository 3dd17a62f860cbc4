//! Page regeneration on any store and any object store.

pub mod body;

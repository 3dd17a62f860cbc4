//! Idempotent requests on any store: the handler runs once, and everyone gets its answer.

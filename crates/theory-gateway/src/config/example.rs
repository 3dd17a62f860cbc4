//! A complete example of a file, with every key.

/// A complete example of a file, with every key and what it means. It is read by a test.
pub const EXAMPLE: &str = include_str!("example.toml");

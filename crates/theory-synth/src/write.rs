//! A template as text.

mod json;
mod yaml;

pub use json::json;
pub use yaml::yaml;

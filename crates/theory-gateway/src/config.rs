//! What a gateway is told in `theory.toml`, the environment and the command line, each stronger than the one before, as
//! [`Settings`](crate::settings::Settings) with the origin of every value. Keys that nobody knows are refused with a guess at what
//! was meant, and everything that is wrong is told at once.

mod address;
mod admin;
mod document;
mod door;
mod edge;
mod example;
mod explained;
mod flags;
mod form;
mod host;
mod known;
mod listen;
mod load;
mod origin;
mod page;
mod pattern;
mod place;
mod problem;
mod raw;
mod restart;
mod route;
mod scope;
mod secret;
mod section;
mod site;
mod size;
mod source;
mod span;
mod suggest;
mod telemetry;
mod token;
mod word;

#[cfg(test)]
mod tests;

pub use document::Document;
pub use example::EXAMPLE;
pub use explained::{Explained, Explanation};
pub use flags::Flags;
pub use known::{KEYS, Known};
pub use load::{Effective, FILE, FILE_FLAG, load, read};
pub use problem::{ConfigError, Problem};
pub(crate) use restart::needs_restart;
pub use scope::Scope;
pub use section::Environment;
pub use source::Source;
pub use token::TokenError;
pub(crate) use token::settle;

//! The expression language: one tree, made by builders or the parser, printed for the service, evaluated by the engine.

pub mod ast;
mod condition;
mod path;
mod projection;
#[cfg(test)]
pub(crate) mod shorthand;
mod update;

pub use ast::*;

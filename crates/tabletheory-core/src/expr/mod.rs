//! The expression language: one tree, made by builders or the parser, printed for the service, evaluated by the engine.
//!
//! Text comes in through [`Placeholders`] and goes out through [`RenderScope`]; [`check`] refuses what the service
//! refuses before it looks at an item.

mod ast;
pub mod check;
mod condition;
mod kind;
mod lexer;
mod parser;
mod path;
mod placeholders;
mod projection;
mod render;
mod reserved;
#[cfg(test)]
pub(crate) mod shorthand;
mod substitution;
mod update;

pub use ast::*;
pub use kind::ExpressionKind;
pub use placeholders::Placeholders;
pub use render::{RenderScope, Rendered};

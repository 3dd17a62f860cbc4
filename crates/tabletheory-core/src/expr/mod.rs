//! The expression language: one tree, made by builders or the parser, printed for the service, evaluated by the engine.
//!
//! Text comes in through [`Placeholders`] and goes out through [`RenderScope`]; [`check`] refuses what the service
//! refuses before it looks at an item.

pub mod ast;
pub mod check;
mod kind;
mod lexer;
mod parser;
mod placeholders;
mod render;
pub mod reserved;
mod substitution;

pub use ast::*;
pub use kind::ExpressionKind;
pub use placeholders::Placeholders;
pub use render::{RenderScope, Rendered};

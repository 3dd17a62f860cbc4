//! Statements and what becomes of them.

mod conditions;
mod keys;
mod literals;
mod refusals;
mod statements;

use super::{Command, parse};
use crate::expr::{Condition, Operand, Path};
use crate::value::Value;

fn read(text: &str, parameters: &[Value]) -> Command {
    parse(text, parameters).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn condition(text: &str) -> Condition {
    match read(&format!("SELECT * FROM t WHERE {text}"), &[]) {
        Command::Select(select) => select.condition.expect("there is a WHERE clause"),
        other => panic!("{text}: {other:?}"),
    }
}

fn at(name: &str) -> Operand {
    Path::attribute(name).into()
}

fn val(value: impl Into<Value>) -> Operand {
    Operand::Value(value.into())
}

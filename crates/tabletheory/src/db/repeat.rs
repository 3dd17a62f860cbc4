//! Which updates may be repeated, and whether an item shows that one happened.

use tabletheory_core::Item;
use tabletheory_core::expr::{Action, SetOperand, SetValue};
use tabletheory_core::{Value, expr::Path};

/// Whether doing the update twice is the same as doing it once. A version that is counted twice does no harm.
pub(super) fn is_repeatable(actions: &[Action], version: Option<&str>) -> bool {
    actions.iter().all(|action| match action {
        Action::Set(_, SetValue::Operand(operand)) => match operand {
            SetOperand::Value(_) => true,
            SetOperand::IfNotExists(_, default) => matches!(**default, SetOperand::Value(_)),
            SetOperand::Path(_) | SetOperand::ListAppend(..) => false,
        },
        Action::Set(_, SetValue::Plus(..) | SetValue::Minus(..)) => false,
        // A list closes up when an element is removed.
        Action::Remove(path) => path.is_attribute() || !ends_in_an_element(path),
        Action::Add(path, value) => {
            !matches!(value, Value::N(_)) || version.is_some_and(|version| is(path, version))
        }
        Action::Delete(..) => true,
    })
}

/// Whether the item has what the update sets and lacks what it removes.
pub(super) fn shows(actions: &[Action], item: &Item) -> bool {
    actions.iter().all(|action| match action {
        Action::Set(path, SetValue::Operand(SetOperand::Value(value))) if path.is_attribute() => {
            item.get(&path.root) == Some(value)
        }
        Action::Remove(path) if path.is_attribute() => !item.contains(&path.root),
        _ => true,
    })
}

fn is(path: &Path, attribute: &str) -> bool {
    path.is_attribute() && path.root == attribute
}

fn ends_in_an_element(path: &Path) -> bool {
    matches!(path.steps.last(), Some(tabletheory_core::expr::Step::Index(_)))
}

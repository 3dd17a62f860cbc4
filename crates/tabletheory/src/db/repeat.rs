//! Which updates may be repeated, and whether an item shows that one happened.

use tabletheory_core::Item;
use tabletheory_core::expr::{Action, SetOperand, SetValue};
use tabletheory_core::{Value, expr::Path};

/// Whether doing the update twice is the same as doing it once. A version that is counted twice does no harm.
pub(super) fn is_repeatable(actions: &[Action], version: Option<&str>) -> bool {
    actions.iter().all(|action| match action {
        // An element past the end of a list is appended, each time.
        Action::Set(path, _) if ends_in_an_element(path) => false,
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

/// Whether an item shows that an update happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Yes,
    No,
    CannotTell,
}

/// Whether the item has what the update sets and lacks what it removes. The version is left to its guard.
pub(super) fn shows(actions: &[Action], version: Option<&str>, item: &Item) -> Shown {
    let others = actions.iter().filter(|action| version.is_none_or(|version| !is(action.path(), version)));
    let mut shown = Shown::Yes;
    for action in others {
        match shows_one(action, item) {
            Shown::Yes => {}
            Shown::No => return Shown::No,
            Shown::CannotTell => shown = Shown::CannotTell,
        }
    }
    shown
}

fn shows_one(action: &Action, item: &Item) -> Shown {
    let certain = |shown: bool| if shown { Shown::Yes } else { Shown::No };
    match action {
        // What is inside an attribute is not looked for.
        action if !action.path().is_attribute() => Shown::CannotTell,
        Action::Set(path, SetValue::Operand(SetOperand::Value(value))) => {
            certain(item.get(&path.root) == Some(value))
        }
        Action::Remove(path) => certain(!item.contains(&path.root)),
        // What depends on the item before the update cannot be told from the item after it.
        Action::Set(..) | Action::Add(..) | Action::Delete(..) => Shown::CannotTell,
    }
}

/// Whether the item has the moment that the update gave it, which no other write has.
pub(super) fn is_stamped(actions: &[Action], updated_at: Option<&str>, item: &Item) -> bool {
    updated_at.is_some_and(|updated_at| {
        actions
            .iter()
            .filter(|action| is(action.path(), updated_at))
            .any(|action| shows_one(action, item) == Shown::Yes)
    })
}

fn is(path: &Path, attribute: &str) -> bool {
    path.is_attribute() && path.root == attribute
}

fn ends_in_an_element(path: &Path) -> bool {
    matches!(path.steps.last(), Some(tabletheory_core::expr::Step::Index(_)))
}

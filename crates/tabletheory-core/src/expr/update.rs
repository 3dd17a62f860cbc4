//! What an update makes of an item. Every action sees the item as it was, list positions included, so the order of
//! actions does not matter. That a path may be changed at all (keys may not, nor may paths overlap) is checked elsewhere.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::error::StoreError;
use crate::expr::path::Slot;
use crate::expr::projection::project;
use crate::expr::{Action, Path, SetOperand, SetValue, Update};
use crate::item::Item;
use crate::limits::NESTING_MAX;
use crate::number::Number;
use crate::value::Value;

impl Update {
    /// The item that the update makes of `old`. Where there is no item yet, `old` is the key alone, which the update
    /// may read; but see [`Update::creates`].
    ///
    /// ```
    /// use tabletheory_core::expr::{Action, SetOperand, SetValue, Update};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let touch = SetValue::Operand(SetOperand::Value(Value::n(7)));
    /// let actions = vec![Action::Add("hits".into(), Value::n(1)), Action::Set("seen".into(), touch)];
    /// let once = Update { actions }.apply(&Item::from([("pk", "a")])).expect("numbers can be added");
    /// assert_eq!(once, Item::from([("hits", Value::n(1)), ("pk", Value::s("a")), ("seen", Value::n(7))]));
    /// ```
    ///
    /// # Errors
    /// If an action reads a value that is missing or of the wrong type, changes something inside a map or list that
    /// is not there, leaves the range of numbers, or nests values too deeply.
    pub fn apply(&self, old: &Item) -> Result<Item, StoreError> {
        self.apply_to(old.clone())
    }

    /// What [`apply`](Self::apply) makes of an item that nobody needs any more.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn apply_to(&self, mut item: Item) -> Result<Item, StoreError> {
        let mut set: Vec<(&Path, Value)> = Vec::with_capacity(self.actions.len());
        let mut appended: Vec<(&Path, Value)> = Vec::new();
        let mut removed: Vec<&Path> = Vec::new();
        for action in &self.actions {
            let path = action.path();
            let slot = path.slot(&item)?;
            match (slot, effect(action, &item)?) {
                (Slot::Filled | Slot::Vacant, Some(value)) => set.push((path, nested(path, value)?)),
                (Slot::PastEnd, Some(value)) => appended.push((path, nested(path, value)?)),
                (Slot::Filled, None) => removed.push(path),
                (Slot::Vacant | Slot::PastEnd, None) => {}
            }
        }
        // Every action has seen the item as it was.
        for (path, value) in set {
            path.set(&mut item, value)?;
        }
        // Elements set past the end of a list follow each other in the order of their positions.
        appended.sort_by_key(|(path, _)| *path);
        for (path, value) in appended {
            path.set(&mut item, value)?;
        }
        // Backwards, so that an element still has its old position when its turn comes.
        removed.sort_unstable();
        removed.dedup();
        for path in removed.into_iter().rev() {
            path.remove(&mut item);
        }
        Ok(item)
    }

    /// Whether the update makes an item where there is none. One that could only take away does nothing then, and
    /// is not refused whatever paths it names.
    #[must_use]
    pub fn creates(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Set(..) | Action::Add(..)))
    }

    /// The names of the attributes that the update changes, sorted, each once.
    #[must_use]
    pub fn attributes(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.actions.iter().map(|action| action.path().root.as_str()).collect();
        names.into_iter().collect()
    }

    /// The paths that the update changes or reads, in the order written.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        for action in &self.actions {
            paths.push(action.path());
            match action {
                Action::Set(_, SetValue::Operand(operand)) => collect_paths(operand, &mut paths),
                Action::Set(_, SetValue::Plus(left, right) | SetValue::Minus(left, right)) => {
                    collect_paths(left, &mut paths);
                    collect_paths(right, &mut paths);
                }
                Action::Remove(_) | Action::Add(..) | Action::Delete(..) => {}
            }
        }
        paths
    }

    /// The parts of an item that the update names: of the item as it was for UPDATED_OLD, as it is for UPDATED_NEW.
    ///
    /// The service looks at the same list positions before and after. So an element set past the end is not in
    /// UPDATED_NEW, and where an element was removed the one that moved up is.
    #[must_use]
    pub fn updated(&self, item: &Item) -> Item {
        project(self.actions.iter().map(Action::path), item)
    }
}

fn collect_paths<'a>(operand: &'a SetOperand, paths: &mut Vec<&'a Path>) {
    match operand {
        SetOperand::Path(path) => paths.push(path),
        SetOperand::Value(_) => {}
        SetOperand::IfNotExists(path, otherwise) => {
            paths.push(path);
            collect_paths(otherwise, paths);
        }
        SetOperand::ListAppend(first, second) => {
            collect_paths(first, paths);
            collect_paths(second, paths);
        }
    }
}

/// The value that an action leaves at its path, or nothing.
fn effect(action: &Action, old: &Item) -> Result<Option<Value>, StoreError> {
    match action {
        Action::Set(_, value) => assigned(value, old).map(Some),
        Action::Remove(_) => Ok(None),
        Action::Add(path, addend) => sum(path.get(old), addend).map(Some),
        Action::Delete(path, members) => path.get(old).map_or(Ok(None), |set| difference(set, members)),
    }
}

fn assigned(value: &SetValue, old: &Item) -> Result<Value, StoreError> {
    match value {
        SetValue::Operand(operand) => resolve(operand, old).map(Cow::into_owned),
        SetValue::Plus(left, right) => Ok(Value::N(number(left, old)?.checked_add(&number(right, old)?)?)),
        SetValue::Minus(left, right) => Ok(Value::N(number(left, old)?.checked_sub(&number(right, old)?)?)),
    }
}

fn number(operand: &SetOperand, old: &Item) -> Result<Number, StoreError> {
    resolve(operand, old)?.as_n().copied().ok_or_else(incorrect_type)
}

fn resolve<'a>(operand: &'a SetOperand, old: &'a Item) -> Result<Cow<'a, Value>, StoreError> {
    match operand {
        SetOperand::Path(path) => path.get(old).map(Cow::Borrowed).ok_or_else(|| {
            StoreError::validation(
                "The provided expression refers to an attribute that does not exist in the item",
            )
        }),
        SetOperand::Value(value) => Ok(Cow::Borrowed(value)),
        SetOperand::IfNotExists(path, otherwise) => {
            // The service wants the second operand to exist even when it does not need it.
            let otherwise = resolve(otherwise, old)?;
            Ok(path.get(old).map_or(otherwise, Cow::Borrowed))
        }
        SetOperand::ListAppend(first, second) => {
            let mut list = elements(resolve(first, old)?)?;
            list.extend(elements(resolve(second, old)?)?);
            Ok(Cow::Owned(Value::L(list)))
        }
    }
}

fn elements(value: Cow<'_, Value>) -> Result<Vec<Value>, StoreError> {
    match value {
        Cow::Borrowed(Value::L(list)) => Ok(list.clone()),
        Cow::Owned(Value::L(list)) => Ok(list),
        _ => Err(incorrect_type()),
    }
}

/// What ADD makes of a value. To nothing it adds as to zero or to the empty set.
fn sum(existing: Option<&Value>, addend: &Value) -> Result<Value, StoreError> {
    match (existing, addend) {
        (None, Value::N(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) => Ok(addend.clone()),
        (Some(Value::N(number)), Value::N(addend)) => Ok(Value::N(number.checked_add(addend)?)),
        (Some(Value::Ss(set)), Value::Ss(members)) => Ok(Value::Ss(set | members)),
        (Some(Value::Ns(set)), Value::Ns(members)) => Ok(Value::Ns(set | members)),
        (Some(Value::Bs(set)), Value::Bs(members)) => Ok(Value::Bs(set | members)),
        _ => Err(incorrect_type()),
    }
}

/// What DELETE leaves of a set. There are no empty sets: one that has lost all its members is gone.
fn difference(set: &Value, members: &Value) -> Result<Option<Value>, StoreError> {
    match (set, members) {
        (Value::Ss(set), Value::Ss(members)) => Ok(remaining(set, members).map(Value::Ss)),
        (Value::Ns(set), Value::Ns(members)) => Ok(remaining(set, members).map(Value::Ns)),
        (Value::Bs(set), Value::Bs(members)) => Ok(remaining(set, members).map(Value::Bs)),
        _ => Err(incorrect_type()),
    }
}

fn remaining<T: Ord + Clone>(set: &BTreeSet<T>, members: &BTreeSet<T>) -> Option<BTreeSet<T>> {
    Some(set - members).filter(|rest| !rest.is_empty())
}

/// The value, if it may stand at the path. The item is the first level, and each step goes one level down.
fn nested(path: &Path, value: Value) -> Result<Value, StoreError> {
    if fits(&value, NESTING_MAX.saturating_sub(1 + path.steps.len())) {
        Ok(value)
    } else {
        Err(StoreError::validation("Nesting Levels have exceeded supported limits"))
    }
}

fn fits(value: &Value, levels: usize) -> bool {
    match value {
        Value::L(list) => levels > 0 && list.iter().all(|element| fits(element, levels - 1)),
        Value::M(map) => levels > 0 && map.iter().all(|(_, field)| fits(field, levels - 1)),
        _ => true,
    }
}

fn incorrect_type() -> StoreError {
    StoreError::validation("An operand in the update expression has an incorrect data type")
}

#[cfg(test)]
mod tests;

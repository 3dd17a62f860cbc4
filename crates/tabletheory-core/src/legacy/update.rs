//! `AttributeUpdates`: one action for each attribute.

use std::collections::BTreeMap;

use super::{AttributeUpdate, UpdateAction, check_name, invalid};
use crate::error::StoreError;
use crate::expr::{Action, Path, SetOperand, SetValue, Update};
use crate::value::{Value, ValueType};

/// The update that `AttributeUpdates` asks for; none if it names no attribute.
///
/// # Errors
/// If an action lacks its value, or has one of a type that it does not know.
pub fn update(updates: &BTreeMap<String, AttributeUpdate>) -> Result<Option<Update>, StoreError> {
    let actions = updates.iter().map(|(name, update)| action(name, update)).collect::<Result<Vec<_>, _>>()?;
    Ok((!actions.is_empty()).then_some(Update { actions }))
}

fn action(name: &str, update: &AttributeUpdate) -> Result<Action, StoreError> {
    check_name(name)?;
    let path = Path::attribute(name);
    match (update.action, &update.value) {
        (UpdateAction::Put, Some(value)) => {
            Ok(Action::Set(path, SetValue::Operand(SetOperand::Value(value.clone()))))
        }
        (UpdateAction::Add, Some(value)) => add(path, value),
        (UpdateAction::Delete, Some(value @ (Value::Ss(_) | Value::Ns(_) | Value::Bs(_)))) => {
            Ok(Action::Delete(path, value.clone()))
        }
        (UpdateAction::Delete, Some(value)) => Err(unsupported("DELETE action with value", value.kind())),
        (UpdateAction::Delete, None) => Ok(Action::Remove(path)),
        (UpdateAction::Put | UpdateAction::Add, None) => {
            Err(invalid("Only DELETE action is allowed when no attribute value is specified"))
        }
    }
}

/// ADD as it was before expressions: it also appends to lists, which the ADD clause does not.
fn add(path: Path, value: &Value) -> Result<Action, StoreError> {
    match value {
        Value::N(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => Ok(Action::Add(path, value.clone())),
        Value::L(_) => {
            let empty = Box::new(SetOperand::Value(Value::L(Vec::new())));
            let existing = Box::new(SetOperand::IfNotExists(path.clone(), empty));
            let appended = SetOperand::ListAppend(existing, Box::new(SetOperand::Value(value.clone())));
            Ok(Action::Set(path, SetValue::Operand(appended)))
        }
        _ => Err(unsupported("ADD action", value.kind())),
    }
}

fn unsupported(action: &str, kind: ValueType) -> StoreError {
    invalid(format!("{action} is not supported for the type {}", kind.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::shorthand::{b, list, map, n, s, ss};
    use crate::item::Item;

    fn one(action: UpdateAction, value: Option<Value>) -> BTreeMap<String, AttributeUpdate> {
        BTreeMap::from([("a".to_owned(), AttributeUpdate { action, value })])
    }

    #[test]
    fn actions_do_what_the_service_does() {
        use UpdateAction::{Add, Delete, Put};
        let check =
            |old: Option<Value>, action: UpdateAction, value: Option<Value>, expected: Option<Value>| {
                let item =
                    |value: Option<Value>| value.map(|value| ("a", value)).into_iter().collect::<Item>();
                let update = update(&one(action, value)).expect("valid").expect("one action");
                assert_eq!(update.apply(&item(old)), Ok(item(expected)), "{update:?}");
            };
        check(None, Put, Some(n(1)), Some(n(1)));
        check(Some(s("x")), Put, Some(n(1)), Some(n(1)));
        check(None, Add, Some(n(1)), Some(n(1)));
        check(Some(n(1)), Add, Some(n(1)), Some(n(2)));
        check(Some(ss(["x"])), Add, Some(ss(["y"])), Some(ss(["x", "y"])));
        check(None, Add, Some(list([n(2)])), Some(list([n(2)])));
        check(Some(list([n(1)])), Add, Some(list([n(2)])), Some(list([n(1), n(2)])));
        check(Some(n(1)), Delete, None, None);
        check(None, Delete, None, None);
        check(Some(ss(["x", "y"])), Delete, Some(ss(["x"])), Some(ss(["y"])));
        check(Some(ss(["x"])), Delete, Some(ss(["x"])), None);
        check(None, Delete, Some(ss(["x"])), None);
    }

    #[test]
    fn values_of_other_types_than_the_attribute_are_refused() {
        use UpdateAction::{Add, Delete};
        let check = |old: Value, action: UpdateAction, value: Value| {
            let update = update(&one(action, Some(value))).expect("valid").expect("one action");
            assert!(update.apply(&Item::from([("a", old)])).is_err(), "{update:?}");
        };
        check(n(1), Add, list([n(2)]));
        check(list([n(1)]), Add, n(2));
        check(ss(["x"]), Add, n(2));
        check(n(1), Delete, ss(["x"]));
    }

    #[test]
    fn values_that_an_action_does_not_take_are_refused() {
        use UpdateAction::{Add, Delete, Put};
        let check = |action: UpdateAction, value: Option<Value>, message: &str| {
            assert_eq!(update(&one(action, value)), Err(invalid(message)));
        };
        check(Put, None, "Only DELETE action is allowed when no attribute value is specified");
        check(Add, None, "Only DELETE action is allowed when no attribute value is specified");
        check(Add, Some(s("x")), "ADD action is not supported for the type S");
        check(Add, Some(Value::Bool(true)), "ADD action is not supported for the type BOOL");
        check(Add, Some(map([])), "ADD action is not supported for the type M");
        check(Delete, Some(b(b"x")), "DELETE action with value is not supported for the type B");
        check(Delete, Some(list([])), "DELETE action with value is not supported for the type L");
    }

    #[test]
    fn attributes_are_taken_by_their_whole_names() {
        let updates =
            BTreeMap::from([("a.b".to_owned(), AttributeUpdate { value: Some(n(1)), ..Default::default() })]);
        let update = update(&updates).expect("valid").expect("one action");
        assert_eq!(update.apply(&Item::new()), Ok(Item::from([("a.b", n(1))])));
        let nameless = BTreeMap::from([(String::new(), AttributeUpdate::default())]);
        assert_eq!(super::update(&nameless), Err(StoreError::validation("Empty attribute name")));
        assert_eq!(super::update(&BTreeMap::new()), Ok(None));
    }
}

//! Expressions in few letters: conditions, update actions, projections, key conditions.

use crate::expr::{
    Action, Comparator, Condition, KeyCondition, KeyPredicate, Operand, Path, ProjectionExpression,
    SetOperand, SetValue,
};
use crate::value::Value;

/// The path written so: `doc.list[0].name`. Names that contain dots are written with [`Path::attribute`].
pub(in crate::store::contract) fn at(text: &str) -> Path {
    let mut fields = text.split('.').map(|field| {
        let (name, positions) = field.split_once('[').unwrap_or((field, ""));
        let positions = positions.split(['[', ']']).filter(|position| !position.is_empty());
        (name, positions.map(|position| position.parse().expect("a list position")).collect::<Vec<u32>>())
    });
    let (root, positions) = fields.next().expect("a path names an attribute");
    let path = positions.into_iter().fold(Path::attribute(root), Path::index);
    fields.fold(path, |path, (name, positions)| positions.into_iter().fold(path.field(name), Path::index))
}

/// The operand that a path is.
pub(in crate::store::contract) fn of(path: &str) -> Operand {
    Operand::Path(at(path))
}

/// `size(path)`
pub(in crate::store::contract) fn size(path: &str) -> Operand {
    Operand::Size(Box::new(of(path)))
}

/// The operand that a value is.
pub(in crate::store::contract) fn this(value: impl Into<Value>) -> Operand {
    Operand::Value(value.into())
}

/// `path comparator value`
pub(in crate::store::contract) fn when(
    path: &str,
    comparator: Comparator,
    value: impl Into<Value>,
) -> Condition {
    Condition::Compare(of(path), comparator, this(value))
}

/// `path = value`
pub(in crate::store::contract) fn equals(path: &str, value: impl Into<Value>) -> Condition {
    when(path, Comparator::Eq, value)
}

/// `attribute_exists(path)`
pub(in crate::store::contract) fn exists(path: &str) -> Condition {
    Condition::AttributeExists(at(path))
}

/// `attribute_not_exists(path)`
pub(in crate::store::contract) fn absent(path: &str) -> Condition {
    Condition::AttributeNotExists(at(path))
}

/// `path BETWEEN low AND high`
pub(in crate::store::contract) fn between(
    path: &str,
    low: impl Into<Value>,
    high: impl Into<Value>,
) -> Condition {
    Condition::Between(of(path), this(low), this(high))
}

/// `path IN (candidates…)`
pub(in crate::store::contract) fn among<V: Into<Value>>(
    path: &str,
    candidates: impl IntoIterator<Item = V>,
) -> Condition {
    Condition::In(of(path), candidates.into_iter().map(this).collect())
}

/// `begins_with(path, prefix)`
pub(in crate::store::contract) fn begins(path: &str, prefix: impl Into<Value>) -> Condition {
    Condition::BeginsWith(of(path), this(prefix))
}

/// `contains(path, element)`
pub(in crate::store::contract) fn contains(path: &str, element: impl Into<Value>) -> Condition {
    Condition::Contains(of(path), this(element))
}

/// `attribute_type(path, name)`
pub(in crate::store::contract) fn typed(path: &str, name: &str) -> Condition {
    Condition::AttributeType(at(path), this(name))
}

/// `SET path = value`
pub(in crate::store::contract) fn set(path: &str, value: impl Into<Value>) -> Action {
    Action::Set(at(path), SetValue::Operand(SetOperand::Value(value.into())))
}

/// `SET path = operand`
pub(in crate::store::contract) fn assign(path: &str, operand: SetOperand) -> Action {
    Action::Set(at(path), SetValue::Operand(operand))
}

/// `SET path = left + right`
pub(in crate::store::contract) fn plus(path: &str, left: SetOperand, right: SetOperand) -> Action {
    Action::Set(at(path), SetValue::Plus(left, right))
}

/// `SET path = left - right`
pub(in crate::store::contract) fn minus(path: &str, left: SetOperand, right: SetOperand) -> Action {
    Action::Set(at(path), SetValue::Minus(left, right))
}

/// The operand of `SET` that is a path.
pub(in crate::store::contract) fn old(path: &str) -> SetOperand {
    SetOperand::Path(at(path))
}

/// The operand of `SET` that is a value.
pub(in crate::store::contract) fn given(value: impl Into<Value>) -> SetOperand {
    SetOperand::Value(value.into())
}

/// `if_not_exists(path, otherwise)`
pub(in crate::store::contract) fn old_or(path: &str, otherwise: impl Into<Value>) -> SetOperand {
    SetOperand::IfNotExists(at(path), Box::new(given(otherwise)))
}

/// `list_append(first, second)`
pub(in crate::store::contract) fn append(first: SetOperand, second: SetOperand) -> SetOperand {
    SetOperand::ListAppend(Box::new(first), Box::new(second))
}

/// `REMOVE path`
pub(in crate::store::contract) fn remove(path: &str) -> Action {
    Action::Remove(at(path))
}

/// `ADD path value`
pub(in crate::store::contract) fn add(path: &str, value: impl Into<Value>) -> Action {
    Action::Add(at(path), value.into())
}

/// `DELETE path members`
pub(in crate::store::contract) fn take(path: &str, members: impl Into<Value>) -> Action {
    Action::Delete(at(path), members.into())
}

/// The projection of these paths.
pub(in crate::store::contract) fn only<const COUNT: usize>(
    paths: [&str; COUNT],
) -> Option<ProjectionExpression> {
    Some(ProjectionExpression { paths: paths.into_iter().map(at).collect() })
}

/// The partition `pk = value`.
pub(in crate::store::contract) fn partition(value: impl Into<Value>) -> KeyCondition {
    KeyCondition::partition("pk", value)
}

/// The partition `pk = "a"`, and a predicate on `sk`.
pub(in crate::store::contract) fn sorted(predicate: KeyPredicate) -> KeyCondition {
    partition("a").and("sk", predicate)
}

//! Whether a condition holds of an item, by the service's rules. An item that does not exist is an empty one.
//!
//! Nothing here fails: a value that is missing, or of a type that an operator does not know, makes the comparison
//! false (and `<>` true). Operands that the service refuses before it looks at any item are refused elsewhere.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::expr::{Comparator, Condition, Operand, Path};
use crate::item::Item;
use crate::number::Number;
use crate::value::{Value, ValueType};

impl Condition {
    /// Whether the condition is true of an item.
    ///
    /// ```
    /// use tabletheory_core::expr::{Comparator, Condition, Path};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let free = Condition::AttributeNotExists("pk".into());
    /// let expired = Condition::Compare(Path::from("until").into(), Comparator::Lt, Value::n(100).into());
    /// let claim = free.or(expired);
    /// assert!(claim.holds(&Item::new()));
    /// assert!(claim.holds(&Item::from([("pk", Value::s("LOCK")), ("until", Value::n(99))])));
    /// assert!(!claim.holds(&Item::from([("pk", Value::s("LOCK")), ("until", Value::n(100))])));
    /// ```
    #[must_use]
    pub fn holds(&self, item: &Item) -> bool {
        match self {
            Self::Compare(left, comparator, right) => {
                compare(resolve(left, item).as_deref(), *comparator, resolve(right, item).as_deref())
            }
            Self::Between(operand, low, high) => {
                let operand = resolve(operand, item);
                compare(resolve(low, item).as_deref(), Comparator::Le, operand.as_deref())
                    && compare(operand.as_deref(), Comparator::Le, resolve(high, item).as_deref())
            }
            Self::In(operand, candidates) => resolve(operand, item).is_some_and(|value| {
                candidates.iter().any(|one| resolve(one, item).as_ref() == Some(&value))
            }),
            Self::AttributeExists(path) => path.get(item).is_some(),
            Self::AttributeNotExists(path) => path.get(item).is_none(),
            Self::AttributeType(path, name) => path.get(item).is_some_and(|value| {
                resolve(name, item)
                    .is_some_and(|name| name.as_s().and_then(ValueType::from_name) == Some(value.kind()))
            }),
            Self::BeginsWith(operand, prefix) => both(operand, prefix, item, begins_with),
            Self::Contains(operand, element) => both(operand, element, item, contains),
            Self::And(left, right) => left.holds(item) && right.holds(item),
            Self::Or(left, right) => left.holds(item) || right.holds(item),
            Self::Not(condition) => !condition.holds(item),
        }
    }

    /// The names of the attributes that the condition reads, sorted, each once.
    #[must_use]
    pub fn attributes(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.paths().into_iter().map(|path| path.root.as_str()).collect();
        names.into_iter().collect()
    }

    /// The paths that the condition reads, in the order written.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.collect_paths(&mut paths);
        paths
    }

    fn collect_paths<'a>(&'a self, paths: &mut Vec<&'a Path>) {
        match self {
            Self::Compare(left, _, right) | Self::BeginsWith(left, right) | Self::Contains(left, right) => {
                paths.extend([left, right].into_iter().filter_map(path));
            }
            Self::Between(operand, low, high) => {
                paths.extend([operand, low, high].into_iter().filter_map(path))
            }
            Self::In(operand, candidates) => {
                paths.extend(path(operand));
                paths.extend(candidates.iter().filter_map(path));
            }
            Self::AttributeExists(path) | Self::AttributeNotExists(path) => paths.push(path),
            Self::AttributeType(tested, name) => {
                paths.push(tested);
                paths.extend(path(name));
            }
            Self::And(left, right) | Self::Or(left, right) => {
                left.collect_paths(paths);
                right.collect_paths(paths);
            }
            Self::Not(condition) => condition.collect_paths(paths),
        }
    }
}

/// The path an operand reads.
fn path(operand: &Operand) -> Option<&Path> {
    match operand {
        Operand::Path(path) => Some(path),
        Operand::Value(_) => None,
        Operand::Size(inner) => path(inner),
    }
}

/// An operand's value, borrowed unless it is a size, which needs no heap either.
fn resolve<'a>(operand: &'a Operand, item: &'a Item) -> Option<Cow<'a, Value>> {
    match operand {
        Operand::Path(path) => path.get(item).map(Cow::Borrowed),
        Operand::Value(value) => Some(Cow::Borrowed(value)),
        Operand::Size(inner) => size(plain(inner, item)?).map(|size| Cow::Owned(Value::N(size))),
    }
}

/// The value of an operand that is not a size. A size is a number, and numbers have no size.
fn plain<'a>(operand: &'a Operand, item: &'a Item) -> Option<&'a Value> {
    match operand {
        Operand::Path(path) => path.get(item),
        Operand::Value(value) => Some(value),
        Operand::Size(_) => None,
    }
}

/// What `size()` says of a value. The service counts a string in UTF-16 units, although it stores UTF-8.
fn size(value: &Value) -> Option<Number> {
    let size = match value {
        Value::S(text) => text.encode_utf16().count(),
        Value::B(bytes) => bytes.len(),
        Value::L(list) => list.len(),
        Value::M(map) => map.len(),
        Value::Ss(set) => set.len(),
        Value::Ns(set) => set.len(),
        Value::Bs(set) => set.len(),
        Value::N(_) | Value::Bool(_) | Value::Null => return None,
    };
    i64::try_from(size).ok().map(Number::from)
}

fn compare(left: Option<&Value>, comparator: Comparator, right: Option<&Value>) -> bool {
    let equal = || left.is_some() && left == right;
    let order = || left.zip(right).and_then(|(left, right)| order(left, right));
    match comparator {
        Comparator::Eq => equal(),
        // A missing value differs from everything, even from another missing value.
        Comparator::Ne => !equal(),
        Comparator::Lt => order().is_some_and(Ordering::is_lt),
        Comparator::Le => order().is_some_and(Ordering::is_le),
        Comparator::Gt => order().is_some_and(Ordering::is_gt),
        Comparator::Ge => order().is_some_and(Ordering::is_ge),
    }
}

/// The order of two values of the same type, for the three types that have one. Strings are ordered by their UTF-8
/// bytes, as keys are.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::S(left), Value::S(right)) => Some(left.cmp(right)),
        (Value::N(left), Value::N(right)) => Some(left.cmp(right)),
        (Value::B(left), Value::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// Whether two operands both have a value, and the relation holds between them.
fn both(left: &Operand, right: &Operand, item: &Item, relation: fn(&Value, &Value) -> bool) -> bool {
    match (resolve(left, item), resolve(right, item)) {
        (Some(left), Some(right)) => relation(&left, &right),
        _ => false,
    }
}

fn begins_with(value: &Value, prefix: &Value) -> bool {
    match (value, prefix) {
        (Value::S(text), Value::S(prefix)) => text.starts_with(prefix.as_str()),
        (Value::B(bytes), Value::B(prefix)) => bytes.starts_with(prefix),
        _ => false,
    }
}

fn contains(value: &Value, element: &Value) -> bool {
    match (value, element) {
        (Value::L(list), element) => list.contains(element),
        (Value::S(text), Value::S(part)) => text.contains(part.as_str()),
        (Value::B(bytes), Value::B(part)) => {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        }
        (Value::Ss(set), Value::S(member)) => set.contains(member),
        (Value::Ns(set), Value::N(member)) => set.contains(member),
        (Value::Bs(set), Value::B(member)) => set.contains(member),
        _ => false,
    }
}

#[cfg(test)]
mod tests;

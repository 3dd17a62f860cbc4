//! What a row says about one limit, and the words in which a request speaks of it: conditions and actions on single attributes.

use tabletheory_core::expr::{Action, Comparator, Condition, Operand, Path, SetOperand, SetValue};
use tabletheory_core::{Item, Value};

/// Clocks of a fleet may be so far apart. What a row says about a time further ahead is a clock's mistake and is not believed.
pub(crate) const SKEW_MAX_MS: i64 = 60_000;

/// What has been counted for one limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// A bucket that is full again at this moment, in nanoseconds since 1970.
    Bucket { full_at_ns: i64 },
    /// A window that began at `start_ms`, what was counted in it, and in the one before it.
    Window { start_ms: i64, count: u64, previous: u64 },
    /// The moments that were counted, in milliseconds since 1970, the earliest first.
    Log(Vec<i64>),
    /// Nothing that a limiter wrote: the attributes as they were found, to be replaced. It counts as nothing.
    Damaged(Vec<(String, Option<Value>)>),
}

/// Under which condition a request is counted, and how.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) condition: Option<Condition>,
    pub(crate) actions: Vec<Action>,
    /// Whether the condition is false if there is no row.
    pub(crate) finds_row: bool,
}

impl Step {
    /// A step that goes on with what is there.
    pub(crate) fn onwards(condition: Condition, action: Action) -> Self {
        Self { condition: Some(condition), actions: vec![action], finds_row: true }
    }

    /// A step that may begin a row.
    pub(crate) fn begin(condition: Option<Condition>, actions: Vec<Action>) -> Self {
        Self { condition, actions, finds_row: false }
    }

    /// Nothing to ask and nothing to do.
    pub(crate) fn nothing() -> Self {
        Self { condition: None, actions: Vec::new(), finds_row: false }
    }
}

/// `attribute op value`. False of an attribute that is missing or no number.
pub(crate) fn compare(attribute: &str, comparator: Comparator, value: Value) -> Condition {
    Condition::Compare(Operand::Path(Path::attribute(attribute)), comparator, Operand::Value(value))
}

pub(crate) fn between(attribute: &str, low: i64, high: i64) -> Condition {
    let value = |number: i64| Operand::Value(Value::n(number));
    Condition::Between(Operand::Path(Path::attribute(attribute)), value(low), value(high))
}

pub(crate) fn set(attribute: &str, value: Value) -> Action {
    Action::Set(Path::attribute(attribute), SetValue::Operand(SetOperand::Value(value)))
}

pub(crate) fn set_once(attribute: &str, value: Value) -> Action {
    let path = Path::attribute(attribute);
    let operand = SetOperand::IfNotExists(path.clone(), Box::new(SetOperand::Value(value)));
    Action::Set(path, SetValue::Operand(operand))
}

pub(crate) fn copy(attribute: &str, from: &str) -> Action {
    let operand = SetOperand::Path(Path::attribute(from));
    Action::Set(Path::attribute(attribute), SetValue::Operand(operand))
}

pub(crate) fn add(attribute: &str, amount: i64) -> Action {
    Action::Add(Path::attribute(attribute), Value::n(amount))
}

/// The row still has what was found in it.
pub(crate) fn as_found(found: &[(String, Option<Value>)]) -> Option<Condition> {
    let one = |(attribute, value): &(String, Option<Value>)| match value {
        Some(value) => compare(attribute, Comparator::Eq, value.clone()),
        None => Condition::AttributeNotExists(Path::attribute(attribute)),
    };
    found.iter().map(one).reduce(Condition::and)
}

/// What these attributes of a row are, so that they can be replaced if they still are.
pub(crate) fn damaged<const N: usize>(item: &Item, attributes: [&str; N]) -> State {
    State::Damaged(attributes.map(|attribute| (attribute.to_owned(), item.get(attribute).cloned())).into())
}

/// A whole number of a row. What is none counts as missing.
pub(crate) fn whole(item: &Item, attribute: &str) -> Option<i64> {
    moment(item.get(attribute)?)
}

/// A moment, or nothing if it is none.
pub(crate) fn moment(value: &Value) -> Option<i64> {
    value.as_n()?.to_i64()
}

/// A count of a row, or nothing if it is none. One that is too large for us is as good as the largest.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let number = value.as_n()?;
    let is_large = number.is_integer() && !number.is_negative();
    number.to_u64().or(is_large.then_some(u64::MAX))
}

/// A count as the store's numbers take it.
pub(crate) fn units(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

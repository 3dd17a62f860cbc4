//! Literals: `item! { "pk": "a", "n": 1 }` and the values that have no literal of their own in Rust.

use crate::item::Item;
use crate::number::Number;
use crate::value::Value;

/// An item from names and anything that converts to a value.
macro_rules! item {
    ($($name:literal : $value:expr),* $(,)?) => {
        $crate::item::Item::from_iter(
            [$(($name, $crate::value::Value::from($value))),*] as [(&str, $crate::value::Value); _]
        )
    };
}
pub(in crate::store::contract) use item;

/// The number written so.
pub(in crate::store::contract) fn number(text: &str) -> Number {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// Bytes.
pub(in crate::store::contract) fn bytes(bytes: impl Into<Vec<u8>>) -> Value {
    Value::B(bytes.into())
}

/// A list of values of one Rust type.
pub(in crate::store::contract) fn list<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Value {
    Value::L(values.into_iter().map(Into::into).collect())
}

/// A set of strings.
pub(in crate::store::contract) fn strings<const COUNT: usize>(members: [&str; COUNT]) -> Value {
    Value::Ss(members.into_iter().map(str::to_owned).collect())
}

/// A set of numbers.
pub(in crate::store::contract) fn numbers<const COUNT: usize>(members: [i64; COUNT]) -> Value {
    Value::Ns(members.into_iter().map(Number::from).collect())
}

/// A set of byte strings.
pub(in crate::store::contract) fn binaries<const COUNT: usize>(members: [&[u8]; COUNT]) -> Value {
    Value::Bs(members.into_iter().map(<[u8]>::to_vec).collect())
}

/// A string of this many bytes.
pub(in crate::store::contract) fn text(bytes: usize) -> Value {
    Value::S("x".repeat(bytes))
}

/// The item with one attribute more.
pub(in crate::store::contract) fn with(mut item: Item, name: &str, value: impl Into<Value>) -> Item {
    item.insert(name, value);
    item
}

/// The values of one attribute over many items, in their order; items without it are left out.
pub(in crate::store::contract) fn column(items: &[Item], name: &str) -> Vec<Value> {
    items.iter().filter_map(|item| item.get(name).cloned()).collect()
}

/// Values from anything that converts to them.
pub(in crate::store::contract) fn values<V: Into<Value>, const COUNT: usize>(
    values: [V; COUNT],
) -> Vec<Value> {
    values.into_iter().map(Into::into).collect()
}

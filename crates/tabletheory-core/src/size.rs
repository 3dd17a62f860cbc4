//! How large items are by the service's accounting, which decides the 400 KB limit, page sizes and consumed capacity.
//! It says nothing about bytes on the wire or on disk.

use crate::item::Item;
use crate::value::Value;

/// What a list or map costs beside its contents.
const DOCUMENT_BYTES: usize = 3;
/// What each element of a list and each pair of a map costs beside its contents.
const ELEMENT_BYTES: usize = 1;

/// The size of an item: its attributes, names included.
///
/// ```
/// use tabletheory_core::{Item, Value, size};
///
/// let page = Item::from([("pk", Value::s("CACHE#1")), ("hits", Value::n(120))]);
/// assert_eq!(size::item_bytes(&page), (2 + 7) + (4 + 3));
/// ```
#[must_use]
pub fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| attribute_bytes(name, value)).sum()
}

/// The size of one attribute: its name in UTF-8 and its value.
#[must_use]
pub fn attribute_bytes(name: &str, value: &Value) -> usize {
    name.len() + value_bytes(value)
}

/// The size of a value.
///
/// Strings count in UTF-8, numbers as [`crate::Number::size_bytes`] says, true, false and null one byte, sets the sum of
/// their members. Lists and maps count their contents, map names included, one byte for each element or pair, and three
/// bytes more.
#[must_use]
pub fn value_bytes(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::N(number) => number.size_bytes(),
        Value::B(bytes) => bytes.len(),
        Value::Bool(_) | Value::Null => 1,
        Value::L(list) => {
            DOCUMENT_BYTES + list.iter().map(|value| ELEMENT_BYTES + value_bytes(value)).sum::<usize>()
        }
        Value::M(map) => DOCUMENT_BYTES + ELEMENT_BYTES * map.len() + item_bytes(map),
        Value::Ss(set) => set.iter().map(String::len).sum(),
        Value::Ns(set) => set.iter().map(crate::Number::size_bytes).sum(),
        Value::Bs(set) => set.iter().map(Vec::len).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_sizes_the_service_counts() {
        let check = |value: Value, bytes: usize| assert_eq!(value_bytes(&value), bytes, "{value:?}");
        check(Value::s(""), 0);
        check(Value::s("abc"), 3);
        check(Value::s("häß€"), 8);
        check(Value::n(0), 1);
        check(Value::n(-12345), 5);
        check(Value::B(vec![0; 100]), 100);
        check(Value::Bool(false), 1);
        check(Value::Null, 1);
        check(Value::L(vec![]), 3);
        check(Value::L(vec![Value::s("ab"), Value::Null]), 3 + (1 + 2) + (1 + 1));
        check(Value::M(Item::new()), 3);
        check(Value::M(Item::from([("name", Value::s("ab"))])), 3 + 1 + 4 + 2);
        check(Value::L(vec![Value::L(vec![Value::L(vec![])])]), 3 + 1 + 3 + 1 + 3);
        check(Value::Ss(["a", "bcd"].map(str::to_owned).into()), 4);
        check(Value::Ns([1, 100, 101].map(crate::Number::from).into()), 2 + 2 + 3);
        check(Value::Bs([vec![1], vec![2, 3]].into()), 3);
    }

    #[test]
    fn an_item_is_the_sum_of_its_attributes() {
        let item = Item::from([("pk", Value::s("a")), ("größe", Value::n(1))]);
        assert_eq!(attribute_bytes("größe", &Value::n(1)), 7 + 2);
        assert_eq!(item_bytes(&item), 3 + 9);
        assert_eq!(item_bytes(&Item::new()), 0);
    }
}

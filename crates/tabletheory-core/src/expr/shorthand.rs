//! Short ways to write paths, values and items in the tests of this folder, and arbitrary ones for its laws.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use crate::expr::{Path, Step};
use crate::item::Item;
use crate::value::Value;

/// The path written as `a.b[0]`.
pub(crate) fn path(text: &str) -> Path {
    let mut parts = text.split_inclusive(['.', '[']).map(|part| part.trim_end_matches(['.', '[']));
    let mut path = Path::attribute(parts.next().unwrap());
    for part in parts.filter(|part| !part.is_empty()) {
        path = match part.strip_suffix(']') {
            Some(position) => path.index(position.parse().unwrap()),
            None => path.field(part),
        };
    }
    path
}

pub(crate) fn n(number: i64) -> Value {
    Value::n(number)
}

pub(crate) fn s(text: &str) -> Value {
    Value::s(text)
}

pub(crate) fn b(bytes: &[u8]) -> Value {
    Value::B(bytes.to_vec())
}

pub(crate) fn ss<const COUNT: usize>(members: [&str; COUNT]) -> Value {
    Value::Ss(members.into_iter().map(String::from).collect())
}

pub(crate) fn ns<const COUNT: usize>(members: [i64; COUNT]) -> Value {
    Value::Ns(members.into_iter().map(Into::into).collect())
}

pub(crate) fn bs<const COUNT: usize>(members: [&[u8]; COUNT]) -> Value {
    Value::Bs(members.into_iter().map(<[u8]>::to_vec).collect())
}

pub(crate) fn list<const COUNT: usize>(elements: [Value; COUNT]) -> Value {
    Value::L(elements.into())
}

pub(crate) fn map<const COUNT: usize>(fields: [(&str, Value); COUNT]) -> Value {
    Value::M(Item::from(fields))
}

/// A number inside this many lists.
pub(crate) fn nest(lists: usize) -> Value {
    (0..lists).fold(n(1), |inner, _| list([inner]))
}

/// Names from a small alphabet, so that paths meet what they name.
fn any_name() -> impl Strategy<Value = String> {
    "[a-c]"
}

pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "[a-c]{0,3}".prop_map(Value::S),
        (-3i64..3).prop_map(Value::n),
        vec(0u8..3, 0..3).prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        btree_set("[a-c]", 1..3).prop_map(Value::Ss),
        btree_set((-3i64..3).prop_map(Into::into), 1..3).prop_map(Value::Ns),
        btree_set(vec(0u8..3, 0..3), 1..3).prop_map(Value::Bs),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::L),
            vec((any_name(), inner), 0..3).prop_map(|fields| Value::M(fields.into_iter().collect())),
        ]
    })
}

pub(crate) fn any_item() -> impl Strategy<Value = Item> {
    vec((any_name(), any_value()), 0..4).prop_map(|attributes| attributes.into_iter().collect())
}

pub(crate) fn any_path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![any_name().prop_map(Step::Field), (0u32..4).prop_map(Step::Index)];
    (any_name(), vec(step, 0..3)).prop_map(|(root, steps)| Path { root, steps })
}

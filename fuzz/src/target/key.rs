//! Keys of rows. Two rows of one partition, with one or two sort keys, and a condition.

use std::cmp::Ordering;

use tabletheory_core::Value;
use tabletheory_core::expr::KeyPredicate;
use tabletheory_engine::door;

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kinds = [input.choice(3), input.choice(3), input.choice(3)];
    let parts = 1 + input.choice(2);
    let partition = input.key_value(kinds[0]);
    let mut sort = || (0..parts).map(|part| input.key_value(kinds[1 + part])).collect::<Vec<_>>();
    let (left, right) = (sort(), sort());
    let (left_key, right_key) = (door::row_key(&partition, &left), door::row_key(&partition, &right));
    assert_eq!(left_key.cmp(&right_key), order(&left, &right), "keys sort as values do: {left:?} {right:?}");

    let stranger = input.key_value(kinds[0]);
    if stranger != partition {
        assert_ne!(door::row_key(&stranger, &left), left_key, "no row is in two partitions");
    }

    // A condition on the first sort key, and one on the second when the first is given.
    let equal = input.choice(parts);
    let predicate = predicate(&mut input, kinds[1 + equal]);
    let given: Vec<&Value> = right[..equal].iter().collect();
    let is_meant = left[..equal] == right[..equal] && holds(&predicate, &left[equal]);
    let is_visited = door::is_visited(&left_key, &partition, parts, &given, Some(&predicate));
    assert_eq!(is_visited, is_meant, "{left:?} behind {given:?} and {predicate:?}");
    assert!(door::is_visited(&left_key, &partition, parts, &[], None), "a partition has all its rows");
    if stranger != partition {
        let elsewhere = door::is_visited(&left_key, &stranger, parts, &[], None);
        assert!(!elsewhere, "a query visits no row of another partition");
    }
}

fn predicate(input: &mut Input<'_>, kind: usize) -> KeyPredicate {
    let which = input.choice(if kind == 1 { 6 } else { 7 });
    let value = input.key_value(kind);
    match which {
        0 => KeyPredicate::Eq(value),
        1 => KeyPredicate::Lt(value),
        2 => KeyPredicate::Le(value),
        3 => KeyPredicate::Gt(value),
        4 => KeyPredicate::Ge(value),
        5 => {
            let other = input.key_value(kind);
            // The bounds of a range were put in order before it comes to keys.
            if compare(&value, &other).is_gt() {
                KeyPredicate::Between(other, value)
            } else {
                KeyPredicate::Between(value, other)
            }
        }
        _ => KeyPredicate::BeginsWith(value),
    }
}

fn order(left: &[Value], right: &[Value]) -> Ordering {
    let unequal =
        left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
    unequal.unwrap_or(Ordering::Equal)
}

fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::N(left), Value::N(right)) => left.cmp(right),
        (left, right) => raw(left).cmp(raw(right)),
    }
}

fn raw(value: &Value) -> &[u8] {
    match value {
        Value::S(text) => text.as_bytes(),
        Value::B(bytes) => bytes,
        other => panic!("{other:?} has no bytes of its own"),
    }
}

fn holds(predicate: &KeyPredicate, value: &Value) -> bool {
    match predicate {
        KeyPredicate::Eq(bound) => compare(value, bound).is_eq(),
        KeyPredicate::Lt(bound) => compare(value, bound).is_lt(),
        KeyPredicate::Le(bound) => compare(value, bound).is_le(),
        KeyPredicate::Gt(bound) => compare(value, bound).is_gt(),
        KeyPredicate::Ge(bound) => compare(value, bound).is_ge(),
        KeyPredicate::Between(low, high) => compare(value, low).is_ge() && compare(value, high).is_le(),
        KeyPredicate::BeginsWith(prefix) => raw(value).starts_with(raw(prefix)),
    }
}

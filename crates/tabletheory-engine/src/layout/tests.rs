//! Bytes sort as DynamoDB sorts, and a span holds exactly the rows its predicate asks for.

use std::cmp::Ordering;

use proptest::collection::vec;
use proptest::prelude::*;
use tabletheory_core::Number;

use super::*;

fn shape(sort: &[&str], rest: &[&str]) -> RowShape {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    RowShape { partition: names(&["pk"]), sort: names(sort), rest: names(rest) }
}

/// Strings and bytes with many zeros and `FF`s, since those are what escaping is about.
fn text() -> impl Strategy<Value = Value> {
    vec(prop_oneof![Just('\0'), Just('\u{1}'), Just('a'), Just('\u{ff}'), any::<char>()], 0..5)
        .prop_map(|characters| Value::S(characters.into_iter().collect()))
}

fn bytes() -> impl Strategy<Value = Value> {
    vec(prop_oneof![Just(0_u8), Just(1), Just(0xff), any::<u8>()], 0..5).prop_map(Value::B)
}

fn number() -> impl Strategy<Value = Value> {
    let near = (-40_i64..40).prop_map(Number::from);
    let far = (any::<i64>(), -120_i32..100)
        .prop_map(|(digits, exponent)| format!("{digits}E{exponent}").parse().expect("in range"));
    prop_oneof![near, far].prop_map(Value::N)
}

fn same_type() -> impl Strategy<Value = (Value, Value)> {
    prop_oneof![(text(), text()), (bytes(), bytes()), (number(), number())]
}

/// The service's order of two key values of one type.
fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::S(left), Value::S(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::B(left), Value::B(right)) => left.cmp(right),
        (Value::N(left), Value::N(right)) => left.cmp(right),
        _ => unreachable!("both values have one type"),
    }
}

fn row(sort: &Value, rest: &Value) -> Item {
    Item::from([("pk", Value::s("p")), ("sk", sort.clone()), ("id", rest.clone())])
}

fn satisfies(value: &Value, predicate: &KeyPredicate) -> bool {
    let is = |other: &Value, wanted: &[Ordering]| wanted.contains(&order(value, other));
    match predicate {
        KeyPredicate::Eq(other) => is(other, &[Ordering::Equal]),
        KeyPredicate::Lt(other) => is(other, &[Ordering::Less]),
        KeyPredicate::Le(other) => is(other, &[Ordering::Less, Ordering::Equal]),
        KeyPredicate::Gt(other) => is(other, &[Ordering::Greater]),
        KeyPredicate::Ge(other) => is(other, &[Ordering::Greater, Ordering::Equal]),
        KeyPredicate::Between(low, high) => {
            is(low, &[Ordering::Greater, Ordering::Equal]) && is(high, &[Ordering::Less, Ordering::Equal])
        }
        KeyPredicate::BeginsWith(prefix) => match (value, prefix) {
            (Value::S(value), Value::S(prefix)) => value.as_bytes().starts_with(prefix.as_bytes()),
            (Value::B(value), Value::B(prefix)) => value.starts_with(prefix),
            _ => false,
        },
    }
}

fn predicates(low: &Value, high: &Value) -> Vec<KeyPredicate> {
    let mut all = vec![
        KeyPredicate::Eq(low.clone()),
        KeyPredicate::Lt(low.clone()),
        KeyPredicate::Le(low.clone()),
        KeyPredicate::Gt(low.clone()),
        KeyPredicate::Ge(low.clone()),
        KeyPredicate::Between(low.clone(), high.clone()),
    ];
    if !matches!(low, Value::N(_)) {
        all.push(KeyPredicate::BeginsWith(low.clone()));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn rows_of_a_partition_sort_as_their_sort_keys((left, right) in same_type()) {
        let id = Value::s("");
        for shape in [shape(&["sk"], &[]), shape(&["sk"], &["id"])] {
            let key = |value: &Value| shape.row_key(&row(value, &id)).expect("the row has its key");
            prop_assert_eq!(key(&left).cmp(&key(&right)), order(&left, &right));
        }
    }

    #[test]
    fn a_span_holds_what_its_predicate_asks_for((low, high) in same_type(), id in text()) {
        let partition = Item::from([("pk", Value::s("p"))]);
        for shape in [shape(&["sk"], &[]), shape(&["sk"], &["id"])] {
            for predicate in predicates(&low, &high) {
                let (equal, last) = match &predicate {
                    KeyPredicate::Eq(value) => (vec![value], None),
                    other => (Vec::new(), Some(other)),
                };
                let span = shape.span(&partition, &equal, last);
                for value in [&low, &high] {
                    let key = shape.row_key(&row(value, &id)).expect("the row has its key");
                    prop_assert_eq!(span.contains(&key), satisfies(value, &predicate), "{:?} {:?}", value, predicate);
                }
            }
        }
    }

    #[test]
    fn partitions_never_mix(left in text(), right in text(), sort in text()) {
        let shape = shape(&["sk"], &[]);
        let item = |pk: &Value| Item::from([("pk", pk.clone()), ("sk", sort.clone())]);
        let span = shape.span(&item(&left), &[], None);
        let key = shape.row_key(&item(&right)).expect("the row has its key");
        prop_assert_eq!(span.contains(&key), left == right);
    }

    #[test]
    fn segments_are_disjoint_and_complete(pk in text(), total in 1_u32..50) {
        let shape = shape(&[], &[]);
        let key = shape.row_key(&Item::from([("pk", pk)])).expect("the row has its key");
        let holders = (0..total).filter(|segment| Span::segment(*segment, total).contains(&key)).count();
        prop_assert_eq!(holders, 1);
    }
}

#[test]
fn a_key_that_lacks_an_attribute_is_no_row() {
    let item = Item::from([("pk", Value::s("p"))]);
    assert_eq!(shape(&["sk"], &[]).row_key(&item), None);
}

//! Round trips, partial reads, and bytes that are not an item.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::*;

fn number() -> impl Strategy<Value = Number> {
    (any::<i64>(), -120_i32..100).prop_map(|(digits, exponent)| {
        format!("{digits}E{exponent}").parse().expect("the exponent keeps the number in range")
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        ".{0,12}".prop_map(Value::S),
        number().prop_map(Value::N),
        vec(any::<u8>(), 0..12).prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        btree_set(".{0,6}", 1..4).prop_map(Value::Ss),
        btree_set(number(), 1..4).prop_map(Value::Ns),
        btree_set(vec(any::<u8>(), 0..6), 1..4).prop_map(Value::Bs),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::L),
            vec((".{0,6}", inner), 0..4).prop_map(|pairs| Value::M(pairs.into_iter().collect())),
        ]
    })
}

fn item() -> impl Strategy<Value = Item> {
    vec((".{0,8}", value()), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_was_encoded_is_decoded(item in item()) {
        prop_assert_eq!(decode(&encode(&item)), Ok(item));
    }

    /// Names that stand again at the same place, at another, or not at all: each item is what it is alone, and so is a damaged one.
    #[test]
    fn items_that_follow_each_other_are_those_that_stand_alone(
        items in vec(vec(("[a-d]{0,2}|é", scalar()), 0..5), 1..6),
        cut in 0_usize..40,
    ) {
        let mut decoder = Decoder::default();
        for pairs in items {
            let bytes = encode(&pairs.into_iter().collect());
            let damaged = &bytes[..bytes.len().saturating_sub(cut)];
            prop_assert_eq!(decoder.decode(damaged), decode(damaged));
            prop_assert_eq!(decoder.decode(&bytes), decode(&bytes));
        }
    }

    #[test]
    fn some_attributes_are_those_of_the_whole(item in item(), stranger in ".{0,8}", every in 1_usize..4) {
        let mut names: Vec<&str> = item.names().step_by(every).collect();
        names.push(&stranger);
        names.sort_unstable();
        names.dedup();
        let some: Item = item
            .iter()
            .filter(|(name, _)| names.contains(name))
            .map(|(name, value)| (name, value.clone()))
            .collect();
        prop_assert_eq!(decode_only(&encode(&item), &names), Ok(some));
    }

    #[test]
    fn a_cut_item_is_damaged(item in item(), cut in any::<prop::sample::Index>()) {
        let bytes = encode(&item);
        let cut = cut.index(bytes.len());
        prop_assert!(decode(&bytes[..cut]).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
        let _ = decode_only(&bytes, &["a", "b"]);
    }
}

#[test]
fn the_format_stays_as_it_is() {
    let item =
        Item::from([("a", Value::s("x")), ("b", Value::from(-12)), ("c", Value::L(vec![Value::Bool(true)]))]);
    let expected = [3, 1, b'a', 1, 1, b'x', 1, b'b', 2, 4, 1, !131, !13, !0, 1, b'c', 7, 2, 0, 0, 0, 1, 5];
    assert_eq!(*encode(&item), expected, "folders written by earlier versions hold these bytes");
}

/// The token of a PartiQL page is an item in these bytes, and comes back from anybody.
#[test]
fn bytes_that_nest_without_end_are_damaged_and_do_no_harm() {
    let mut value = vec![tag::NULL];
    for _ in 0..100_000 {
        let mut list = vec![tag::L];
        list.extend_from_slice(&u32::try_from(value.len() + 1).unwrap().to_le_bytes());
        list.push(1);
        // Front to back would copy the inside each time: the levels are written reversed and turned at the end.
        list.reverse();
        value.extend_from_slice(&list);
    }
    value.reverse();
    let mut item = vec![1, 1, b'a'];
    item.extend_from_slice(&value);
    assert!(decode(&item).is_err());
    assert!(decode_only(&item, &["a"]).is_err());
}

/// Texts have a way of their own through the reader, which once led one level deeper.
#[test]
fn texts_lie_no_deeper_than_other_values() {
    let nested = |levels: usize, inside: &[u8]| {
        (0..levels).fold(inside.to_vec(), |value, _| {
            let mut map = vec![tag::M];
            map.extend_from_slice(&u32::try_from(value.len() + 3).unwrap().to_le_bytes());
            map.extend_from_slice(&[1, 1, b'a']);
            map.extend_from_slice(&value);
            map
        })
    };
    let is_read = |levels: usize, inside: &[u8]| {
        let item = [&[1, 1, b'a'], nested(levels, inside).as_slice()].concat();
        decode(&item).is_ok()
    };
    for levels in 0..DEPTH_MAX + 3 {
        assert_eq!(is_read(levels, &[tag::S, 1, b'x']), is_read(levels, &[tag::TRUE]), "{levels} maps");
        assert_eq!(is_read(levels, &[tag::TRUE]), levels < DEPTH_MAX, "{levels} maps");
    }
}

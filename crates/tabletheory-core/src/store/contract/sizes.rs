//! How large values are, seen from outside: an item of 1024 bytes costs one write unit, one byte more costs two.

use super::words::*;
use super::world::World;
use crate::limits::WRITE_UNIT_BYTES;
use crate::store::capacity::ReturnCapacity;
use crate::store::op::{PutItem, WriteReturns};
use crate::value::Value;

/// Each value must be of exactly this many bytes.
async fn check<const COUNT: usize>(world: World, expectations: [(Value, usize); COUNT]) {
    let table = world.plain_table().await;
    for (at, (value, expected)) in expectations.into_iter().enumerate() {
        let pk = format!("{at:03}");
        let rest = "pk".len() + pk.len() + "v".len() + "pad".len() + expected;
        for (padding, units) in [(WRITE_UNIT_BYTES - rest, 1.0), (WRITE_UNIT_BYTES - rest + 1, 2.0)] {
            let item = item! { "pk": format!("{at:03}"), "v": value.clone(), "pad": text(padding) };
            let returns = WriteReturns { capacity: ReturnCapacity::Total, ..WriteReturns::default() };
            let capacity = world.ok(PutItem { returns, ..table.put(item) }).await.capacity;
            let used = capacity.expect("the cost was asked for").units.total;
            assert_eq!(used, units, "{value:?} is not of {expected} bytes");
        }
    }
}

pub(super) async fn text_is_as_large_as_its_bytes(world: World) {
    check(world, [("hello".into(), 5), ("ü中".into(), 5), (bytes([0; 7]), 7)]).await;
}

pub(super) async fn truth_and_null_take_one_byte(world: World) {
    check(world, [(true.into(), 1), (false.into(), 1), (Value::Null, 1)]).await;
}

pub(super) async fn a_number_takes_a_byte_for_two_digits_and_one_more(world: World) {
    check(
        world,
        [
            (1.into(), 2),
            (12.into(), 2),
            (123.into(), 3),
            (1234.into(), 3),
            (number("1000000").into(), 2),
            (number("12345678901234567890123456789012345678").into(), 20),
        ],
    )
    .await;
}

pub(super) async fn a_document_takes_three_bytes_and_one_for_each_member(world: World) {
    check(
        world,
        [
            (list::<Value>([]), 3),
            (item! {}.into(), 3),
            (list(["ab"]), 3 + 1 + 2),
            (list(["ab", "c"]), 3 + 1 + 2 + 1 + 1),
            (item! { "key": "ab" }.into(), 3 + 1 + 3 + 2),
            (list([list::<Value>([])]), 3 + 1 + 3),
        ],
    )
    .await;
}

pub(super) async fn a_set_is_as_large_as_its_members(world: World) {
    check(world, [(strings(["ab", "c"]), 3), (numbers([1, 123]), 2 + 3), (binaries([b"abc", b"d"]), 4)])
        .await;
}

//! Structs and enums as values of attributes.

use tabletheory::Attribute;
use tabletheory_core::{Item, Value};

use crate::models::{Address, OrderId, Payment, State};

fn check<T: Attribute + PartialEq + std::fmt::Debug>(value: T, expected: Value) {
    assert_eq!(value.to_value().unwrap(), expected);
    assert_eq!(T::from_value(expected).unwrap(), value);
}

fn map<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Value {
    Value::M(Item::from(members))
}

#[test]
fn a_struct_is_a_map_and_a_struct_around_one_value_is_that_value() {
    let address = Address { street_name: "Long".into(), second_line: None, floor: 0, checked: false };
    check(address.clone(), map([("StreetName", Value::s("Long"))]));
    let address = Address { floor: 2, second_line: Some("b".into()), ..address };
    check(
        address,
        map([("StreetName", Value::s("Long")), ("SecondLine", Value::s("b")), ("Floor", Value::n(2))]),
    );
    check(OrderId("o".into()), Value::s("o"));
}

#[test]
fn an_enum_is_a_text_or_a_map_with_a_type() {
    check(State::GoingStale, Value::s("going_stale"));
    check(State::Gone, Value::s("dead"));
    check(Payment::Cash, map([("type", Value::s("cash"))]));
    check(Payment::Voucher(5), map([("type", Value::s("voucher")), ("value", Value::n(5))]));
    let card = map([("type", Value::s("card")), ("lastFour", Value::s("1234")), ("valid", Value::n(9))]);
    check(Payment::Card { last_four: "1234".into(), valid: Some(9) }, card);
}

#[test]
fn errors_lead_to_the_member() {
    let told = |value: Value| Payment::from_value(value).unwrap_err().to_string();
    assert_eq!(told(map([("type", Value::s("card"))])), "lastFour: the attribute is missing");
    assert_eq!(told(map([("type", Value::s("gold"))])), "type: the text is not one of cash, card, voucher");
    assert_eq!(told(map([])), "type: the attribute is missing");
    assert_eq!(told(Value::s("cash")), "expected M, found S");
    assert_eq!(
        told(map([("type", Value::s("voucher")), ("value", Value::Null)])),
        "value: expected N, found NULL"
    );
}

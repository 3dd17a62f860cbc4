//! What holds of one item that has every type, as AWS's DynamoDB Local answers; and the laws of conditions.

use proptest::prelude::*;

use super::*;
use crate::expr::Path;
use crate::expr::shorthand::{any_item, any_path, any_value, b, bs, list, map, n, ns, path, s, ss};
use Comparator::{Eq, Ge, Gt, Le, Lt, Ne};

fn sample() -> Item {
    Item::from([
        ("s", s("héllo")),
        ("n", n(5)),
        ("b", b(b"hello")),
        ("t", Value::Bool(true)),
        ("z", Value::Null),
        ("l", list([s("a"), n(1), map([("x", n(1))])])),
        ("m", map([("x", n(1)), ("y", map([("z", list([n(1), n(2)]))]))])),
        ("ss", ss(["a", "b"])),
        ("ns", ns([1, 2])),
        ("bs", bs([b"a", b"b"])),
        ("emoji", s("😀")),
        ("empty", s("")),
    ])
}

#[track_caller]
fn check(condition: Condition, expected: bool) {
    assert_eq!(condition.holds(&sample()), expected, "{condition:?}");
}

fn at(text: &str) -> Operand {
    path(text).into()
}

fn value(value: Value) -> Operand {
    value.into()
}

fn size(text: &str) -> Operand {
    Operand::Size(Box::new(at(text)))
}

fn compare(left: impl Into<Operand>, comparator: Comparator, right: impl Into<Operand>) -> Condition {
    Condition::Compare(left.into(), comparator, right.into())
}

fn between(operand: Operand, low: Operand, high: Operand) -> Condition {
    Condition::Between(operand, low, high)
}

fn exists(text: &str) -> Condition {
    Condition::AttributeExists(path(text))
}

#[test]
fn equality_is_by_type_and_value() {
    check(compare(path("n"), Eq, n(5)), true);
    check(compare(path("n"), Eq, n(6)), false);
    check(compare(path("n"), Ne, n(6)), true);
    check(compare(path("n"), Eq, s("5")), false);
    check(compare(path("n"), Ne, s("5")), true);
    check(compare(path("t"), Eq, Value::Bool(true)), true);
    check(compare(path("t"), Eq, Value::Bool(false)), false);
    check(compare(path("z"), Eq, Value::Null), true);
    check(compare(path("ss"), Eq, ss(["b", "a"])), true);
    check(compare(path("ss"), Ne, ss(["b", "a"])), false);
    check(compare(path("ss"), Eq, list([s("a"), s("b")])), false);
    check(compare(path("l"), Eq, list([s("a"), n(1), map([("x", n(1))])])), true);
    check(compare(path("l"), Eq, list([n(1), s("a"), map([("x", n(1))])])), false);
    check(compare(path("m"), Eq, map([("y", map([("z", list([n(1), n(2)]))])), ("x", n(1))])), true);
    check(compare(path("m"), Eq, map([("x", n(1))])), false);
    check(compare(path("m.y.z[1]"), Eq, n(2)), true);
    check(compare(path("m.x"), Eq, path("l[1]")), true);
    check(compare(n(1), Eq, n(1)), true);
}

#[test]
fn a_missing_value_differs_from_everything() {
    check(compare(path("nope"), Eq, n(1)), false);
    check(compare(path("nope"), Ne, n(1)), true);
    check(compare(n(1), Ne, path("nope")), true);
    check(compare(path("nope"), Eq, path("nope2")), false);
    check(compare(path("nope"), Ne, path("nope2")), true);
    check(compare(path("nope"), Lt, n(1)), false);
    check(!compare(path("nope"), Lt, n(1)), true);
    check(!compare(path("nope"), Eq, n(1)), true);
    check(compare(path("m[0]"), Eq, n(1)), false);
    check(compare(path("l.x"), Eq, n(1)), false);
    check(compare(path("l[9]"), Eq, n(1)), false);
}

#[test]
fn order_is_among_strings_numbers_and_bytes() {
    check(compare(path("n"), Lt, n(6)), true);
    check(compare(path("n"), Lt, n(5)), false);
    check(compare(path("n"), Le, n(5)), true);
    check(compare(path("n"), Gt, n(4)), true);
    check(compare(path("n"), Ge, n(5)), true);
    check(compare(path("n"), Ge, n(6)), false);
    check(compare(path("n"), Lt, n(10)), true);
    check(compare(path("n"), Lt, s("6")), false);
    check(compare(path("n"), Ge, s("6")), false);
    check(compare(path("s"), Lt, s("hz")), false);
    check(compare(path("s"), Lt, s("h\u{ffff}")), true);
    // By UTF-8 bytes, not by the UTF-16 units that size counts.
    check(compare(path("emoji"), Gt, s("\u{ffff}")), true);
    check(compare(path("b"), Lt, b(&[0xff])), true);
    check(compare(path("b"), Gt, b(b"hell")), true);
    for unordered in ["t", "z", "l", "m", "ss", "ns", "bs"] {
        check(compare(path(unordered), Le, path(unordered)), false);
        check(compare(path(unordered), Ge, path(unordered)), false);
    }
}

#[test]
fn between_includes_both_ends() {
    check(between(at("n"), value(n(5)), value(n(5))), true);
    check(between(at("n"), value(n(1)), value(n(9))), true);
    check(between(at("n"), value(n(6)), value(n(9))), false);
    check(between(at("n"), value(n(9)), value(n(1))), false);
    check(between(at("n"), value(s("1")), value(s("9"))), false);
    check(between(at("n"), value(n(1)), value(s("9"))), false);
    check(between(at("nope"), value(n(1)), value(n(9))), false);
    check(!between(at("nope"), value(n(1)), value(n(9))), true);
    check(between(at("n"), value(n(1)), at("nope")), false);
    check(between(at("n"), at("nope"), value(n(9))), false);
    check(between(value(n(5)), at("n"), at("n")), true);
    check(between(value(n(6)), at("n"), at("s")), false);
    check(between(at("t"), at("t"), at("t")), false);
    check(between(size("s"), value(n(5)), value(n(6))), true);
}

#[test]
fn in_is_equality_with_any_candidate() {
    let is_in = |operand: Operand, candidates: Vec<Operand>| Condition::In(operand, candidates);
    check(is_in(at("n"), vec![value(s("5")), value(n(5))]), true);
    check(is_in(at("n"), vec![value(s("5")), value(n(6))]), false);
    check(is_in(at("n"), vec![at("s"), at("n")]), true);
    check(is_in(at("n"), vec![]), false);
    check(is_in(at("nope"), vec![value(n(1))]), false);
    check(is_in(at("nope"), vec![at("nope")]), false);
    check(is_in(at("ss"), vec![value(ss(["b", "a"]))]), true);
    check(is_in(size("s"), vec![value(n(4)), value(n(5))]), true);
}

#[test]
fn existence_and_type_follow_paths() {
    check(exists("s"), true);
    check(exists("z"), true);
    check(exists("nope"), false);
    check(exists("l[2].x"), true);
    check(exists("l[7]"), false);
    check(exists("s.x"), false);
    check(exists("ss[0]"), false);
    check(Condition::AttributeNotExists(path("nope")), true);
    check(Condition::AttributeNotExists(path("s.x")), true);
    check(Condition::AttributeNotExists(path("m.x")), false);
    let kind = |text: &str, name: &str| Condition::AttributeType(path(text), value(s(name)));
    for (text, name) in
        [("s", "S"), ("n", "N"), ("b", "B"), ("t", "BOOL"), ("z", "NULL"), ("l", "L"), ("m", "M")]
    {
        check(kind(text, name), true);
    }
    check(kind("ss", "SS"), true);
    check(kind("ns", "NS"), true);
    check(kind("bs", "BS"), true);
    check(kind("s", "N"), false);
    check(kind("s", "Q"), false);
    check(kind("nope", "S"), false);
    check(Condition::AttributeType(path("s"), value(n(1))), false);
    check(Condition::AttributeType(path("s"), at("nope")), false);
}

#[test]
fn begins_with_compares_strings_and_bytes() {
    let begins = |operand: Operand, prefix: Operand| Condition::BeginsWith(operand, prefix);
    check(begins(at("s"), value(s("hé"))), true);
    check(begins(at("s"), value(s("e"))), false);
    check(begins(at("s"), value(s(""))), true);
    check(begins(at("b"), value(b(b"he"))), true);
    check(begins(at("s"), value(b(b"h"))), false);
    check(begins(at("n"), value(s("5"))), false);
    check(begins(at("nope"), value(s("h"))), false);
    check(begins(at("s"), at("n")), false);
    check(begins(value(s("q")), at("empty")), true);
    check(begins(value(s("q")), at("nope")), false);
}

#[test]
fn contains_looks_into_strings_bytes_sets_and_lists() {
    let has = |operand: Operand, element: Operand| Condition::Contains(operand, element);
    check(has(at("s"), value(s("éll"))), true);
    check(has(at("s"), value(s("x"))), false);
    check(has(at("s"), value(s(""))), true);
    check(has(at("s"), value(n(5))), false);
    check(has(at("b"), value(b(b"ll"))), true);
    check(has(at("b"), value(b(b"lx"))), false);
    check(has(at("b"), value(b(b""))), true);
    check(has(at("b"), value(b(b"hello!"))), false);
    check(has(at("b"), value(s("hello"))), false);
    check(has(at("ss"), value(s("a"))), true);
    check(has(at("ss"), value(s("c"))), false);
    check(has(at("ss"), value(ss(["a"]))), false);
    check(has(at("ns"), value(n(1))), true);
    check(has(at("ns"), value(s("1"))), false);
    check(has(at("bs"), value(b(b"a"))), true);
    check(has(at("l"), value(n(1))), true);
    check(has(at("l"), value(map([("x", n(1))]))), true);
    check(has(at("l"), value(n(2))), false);
    check(has(at("l"), at("nope")), false);
    check(has(at("m"), value(s("x"))), false);
    check(has(at("n"), value(n(5))), false);
    check(has(at("nope"), value(n(5))), false);
    check(has(value(s("xhéllox")), at("s")), true);
    check(has(value(ns([3, 5])), at("n")), true);
    check(has(value(list([n(3), n(5)])), at("n")), true);
}

#[test]
fn sizes_count_what_the_type_is_made_of() {
    for (text, expected) in
        [("s", 5), ("emoji", 2), ("empty", 0), ("b", 5), ("l", 3), ("m", 2), ("ss", 2), ("bs", 2)]
    {
        check(compare(size(text), Eq, n(expected)), true);
    }
    for sizeless in ["n", "t", "z", "nope"] {
        check(compare(size(sizeless), Ge, n(0)), false);
        check(compare(size(sizeless), Ne, n(0)), true);
    }
    check(compare(size("s"), Eq, size("b")), true);
    check(compare(size("s"), Eq, path("n")), true);
    check(compare(size("s"), Eq, s("5")), false);
    check(compare(Operand::Size(Box::new(value(s("abc")))), Eq, n(3)), true);
    check(compare(Operand::Size(Box::new(size("s"))), Eq, n(1)), false);
}

#[test]
fn connectives_are_those_of_logic() {
    let (yes, no) = (exists("s"), exists("nope"));
    check(yes.clone().and(yes.clone()), true);
    check(yes.clone().and(no.clone()), false);
    check(no.clone().or(yes.clone()), true);
    check(no.clone().or(no.clone()), false);
    check(!no.clone(), true);
    check(!yes.clone().and(no.clone()), true);
    check((!yes).or(no), false);
}

#[test]
fn deep_trees_are_evaluated() {
    let many = |join: fn(Condition, Condition) -> Condition| {
        (0..300).fold(exists("s"), |all, _| join(all, exists("n")))
    };
    check(many(Condition::and), true);
    check(many(|all, one| one.or(all)), true);
    check((0..300).fold(exists("s"), |inner, _| !inner), true);
}

#[test]
fn attributes_are_sorted_and_unique() {
    let check = |condition: Condition, expected: &[&str]| assert_eq!(condition.attributes(), expected);
    check(compare(path("b.x"), Eq, path("a[0]")), &["a", "b"]);
    check(compare(size("b"), Eq, n(1)).and(exists("b.y")).or(!exists("a")), &["a", "b"]);
    check(between(value(n(1)), at("x"), at("w")), &["w", "x"]);
    check(Condition::In(at("x"), vec![value(n(1)), at("w"), size("v")]), &["v", "w", "x"]);
    check(Condition::AttributeType(path("x"), at("t")), &["t", "x"]);
    check(
        Condition::AttributeNotExists(path("x")).and(Condition::BeginsWith(at("y"), value(s("")))),
        &["x", "y"],
    );
    check(Condition::Contains(value(s("a")), value(s("a"))), &[]);
}

fn any_operand() -> impl Strategy<Value = Operand> {
    let plain = prop_oneof![any_path().prop_map(Operand::Path), any_value().prop_map(Operand::Value)];
    (plain, prop::bool::weighted(0.2)).prop_map(|(operand, size)| match size {
        true => Operand::Size(Box::new(operand)),
        false => operand,
    })
}

fn any_condition() -> impl Strategy<Value = Condition> {
    let comparator = prop::sample::select(vec![Eq, Ne, Lt, Le, Gt, Ge]);
    let leaf = prop_oneof![
        (any_operand(), comparator, any_operand()).prop_map(|(l, c, r)| Condition::Compare(l, c, r)),
        (any_operand(), any_operand(), any_operand()).prop_map(|(o, l, h)| Condition::Between(o, l, h)),
        (any_operand(), prop::collection::vec(any_operand(), 0..3)).prop_map(|(o, c)| Condition::In(o, c)),
        any_path().prop_map(Condition::AttributeExists),
        (any_path(), any_operand()).prop_map(|(p, o)| Condition::AttributeType(p, o)),
        (any_operand(), any_operand()).prop_map(|(l, r)| Condition::BeginsWith(l, r)),
        (any_operand(), any_operand()).prop_map(|(l, r)| Condition::Contains(l, r)),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| left.and(right)),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| left.or(right)),
            inner.prop_map(|condition| !condition),
        ]
    })
}

proptest! {
    #[test]
    fn conditions_obey_logic(item in any_item(), one in any_condition(), other in any_condition()) {
        let (first, second) = (one.holds(&item), other.holds(&item));
        prop_assert_eq!((!one.clone()).holds(&item), !first);
        prop_assert_eq!((!!one.clone()).holds(&item), first);
        prop_assert_eq!(one.clone().and(other.clone()).holds(&item), first && second);
        prop_assert_eq!(one.clone().or(other.clone()).holds(&item), first || second);
        prop_assert_eq!((!one.clone().and(other.clone())).holds(&item), ((!one).or(!other)).holds(&item));
    }

    #[test]
    fn only_the_named_attributes_matter(item in any_item(), condition in any_condition()) {
        let named = condition.attributes();
        let rest: Item = item.clone().into_iter().filter(|(name, _)| named.contains(&name.as_str())).collect();
        prop_assert_eq!(condition.holds(&item), condition.holds(&rest));
    }

    #[test]
    fn comparisons_agree_with_each_other(item in any_item(), left in any_operand(), right in any_operand()) {
        let holds = |comparator| Condition::Compare(left.clone(), comparator, right.clone()).holds(&item);
        prop_assert_eq!(holds(Ne), !holds(Eq));
        prop_assert!(!(holds(Lt) && holds(Gt)));
        prop_assert!(!holds(Lt) || holds(Le));
        prop_assert!(!(holds(Le) && holds(Ge)) || holds(Eq));
        let mirrored = Condition::Compare(right.clone(), Gt, left.clone()).holds(&item);
        prop_assert_eq!(holds(Lt), mirrored);
        let within = Condition::Between(left.clone(), right.clone(), right.clone()).holds(&item);
        prop_assert_eq!(within, holds(Le) && holds(Ge));
    }

    #[test]
    fn existence_is_that_of_the_path(item in any_item(), path in any_path()) {
        let here = path.get(&item).is_some();
        prop_assert_eq!(Condition::AttributeExists(path.clone()).holds(&item), here);
        prop_assert_eq!(Condition::AttributeNotExists(path.clone()).holds(&item), !here);
        let itself = Condition::Compare(Path::into(path.clone()), Eq, Path::into(path)).holds(&item);
        prop_assert_eq!(itself, here);
    }
}

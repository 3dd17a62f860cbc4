//! What updates make of items, as the service and AWS's DynamoDB Local answer; and the laws of updates.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::expr::shorthand::{any_item, any_path, any_value, list, map, n, nest, ns, path, s, ss};

const NO_PATH: &str = "The document path provided in the update expression is invalid for update";
const NO_OPERAND: &str = "The provided expression refers to an attribute that does not exist in the item";
const WRONG_TYPE: &str = "An operand in the update expression has an incorrect data type";
const TOO_DEEP: &str = "Nesting Levels have exceeded supported limits";
const OVERFLOW: &str =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";

fn set(text: &str, value: Value) -> Action {
    Action::Set(path(text), SetValue::Operand(SetOperand::Value(value)))
}

fn set_to(text: &str, operand: SetOperand) -> Action {
    Action::Set(path(text), SetValue::Operand(operand))
}

fn remove(text: &str) -> Action {
    Action::Remove(path(text))
}

fn add(text: &str, value: Value) -> Action {
    Action::Add(path(text), value)
}

fn delete(text: &str, value: Value) -> Action {
    Action::Delete(path(text), value)
}

fn at(text: &str) -> SetOperand {
    SetOperand::Path(path(text))
}

fn value(value: Value) -> SetOperand {
    SetOperand::Value(value)
}

fn or(text: &str, otherwise: SetOperand) -> SetOperand {
    SetOperand::IfNotExists(path(text), Box::new(otherwise))
}

fn append(first: SetOperand, second: SetOperand) -> SetOperand {
    SetOperand::ListAppend(Box::new(first), Box::new(second))
}

fn update<const COUNT: usize>(actions: [Action; COUNT]) -> Update {
    Update { actions: actions.into() }
}

/// Checks the actions in the order given and in the other.
#[track_caller]
fn check<const OLD: usize, const COUNT: usize, const NEW: usize>(
    old: [(&str, Value); OLD],
    actions: [Action; COUNT],
    expected: [(&str, Value); NEW],
) {
    let (old, expected) = (Item::from(old), Item::from(expected));
    let mut actions = Vec::from(actions);
    assert_eq!(Update { actions: actions.clone() }.apply(&old), Ok(expected.clone()));
    actions.reverse();
    assert_eq!(Update { actions }.apply(&old), Ok(expected));
}

#[track_caller]
fn refused<const OLD: usize, const COUNT: usize>(
    old: [(&str, Value); OLD],
    actions: [Action; COUNT],
    message: &str,
) {
    assert_eq!(update(actions).apply(&Item::from(old)), Err(StoreError::validation(message)));
}

#[test]
fn set_replaces_and_creates() {
    check([], [set("a", n(1))], [("a", n(1))]);
    check([("a", s("x"))], [set("a", n(1))], [("a", n(1))]);
    check([("x", map([]))], [set("x.y", n(1))], [("x", map([("y", n(1))]))]);
    check([("x", map([("y", n(0))]))], [set("x.y", list([]))], [("x", map([("y", list([]))]))]);
    check([("x", list([n(1), n(2)]))], [set("x[0]", n(9))], [("x", list([n(9), n(2)]))]);
    let item = [("x", list([map([("y", n(1))])]))];
    let after = [("x", list([map([("y", n(1)), ("z", n(9))]), map([])]))];
    check(item, [set("x[0].z", n(9)), set("x[1]", map([]))], after);
}

#[test]
fn set_past_the_end_appends_in_the_order_of_positions() {
    let ab = || list([s("a"), s("b")]);
    check([("x", ab())], [set("x[7]", n(1))], [("x", list([s("a"), s("b"), n(1)]))]);
    check([("x", ab())], [set("x[5]", n(1)), set("x[3]", n(2))], [("x", list([s("a"), s("b"), n(2), n(1)]))]);
    let three = [set("x[84]", n(1)), set("x[2]", n(2)), set("x[50]", n(3))];
    check([("x", ab())], three, [("x", list([s("a"), s("b"), n(2), n(3), n(1)]))]);
    check([("x", list([n(1)]))], [add("x[3]", n(2)), set("x[2]", n(3))], [("x", list([n(1), n(3), n(2)]))]);
    check([("x", list([list([n(1)])]))], [set("x[0][5]", n(9))], [("x", list([list([n(1), n(9)])]))]);
}

#[test]
fn positions_are_those_of_the_old_list() {
    let abc = || list([s("a"), s("b"), s("c")]);
    check([("x", abc())], [set("x[1]", n(1)), remove("x[0]"), remove("x[2]")], [("x", list([n(1)]))]);
    check([("x", abc())], [set("x[5]", n(1)), remove("x[0]"), remove("x[2]")], [("x", list([s("b"), n(1)]))]);
    check([("x", abc())], [remove("x[0]"), remove("x[1]")], [("x", list([s("c")]))]);
    // The element at 3 is new: there was nothing to remove.
    check([("x", abc())], [set("x[9]", n(1)), remove("x[3]")], [("x", list([s("a"), s("b"), s("c"), n(1)]))]);
    let nested = || list([list([n(1), n(2)]), list([n(3)])]);
    check([("x", nested())], [set("x[1][5]", n(9)), remove("x[0]")], [("x", list([list([n(3), n(9)])]))]);
    check([("x", nested())], [remove("x[0][0]"), remove("x[1]")], [("x", list([list([n(2)])]))]);
}

#[test]
fn the_right_side_sees_the_old_item() {
    check(
        [("x", n(1)), ("y", n(2))],
        [set_to("y", at("x")), set_to("x", at("y"))],
        [("x", n(2)), ("y", n(1))],
    );
    check([("a", n(1))], [remove("a"), set_to("b", at("a"))], [("b", n(1))]);
    let moved = set_to("a.z", at("a.c[1].x"));
    let old = [("a", map([("c", list([n(0), map([("x", n(9))])]))]))];
    check(old.clone(), [moved, remove("a.c")], [("a", map([("z", n(9))]))]);
    refused([], [set_to("y", at("x"))], NO_OPERAND);
    refused(old, [set_to("y", at("a.c[2]"))], NO_OPERAND);
}

#[test]
fn arithmetic_is_for_numbers() {
    let plus = |left, right| Action::Set(path("y"), SetValue::Plus(left, right));
    let minus = |left, right| Action::Set(path("y"), SetValue::Minus(left, right));
    check([("x", n(1))], [plus(at("x"), value(n(5)))], [("x", n(1)), ("y", n(6))]);
    check([("y", n(1))], [minus(at("y"), value(n(5)))], [("y", n(-4))]);
    check([], [plus(or("y", value(n(5))), value(n(5)))], [("y", n(10))]);
    refused([("x", s("1"))], [plus(at("x"), value(n(1)))], WRONG_TYPE);
    refused([("x", s("1"))], [minus(value(n(1)), at("x"))], WRONG_TYPE);
    refused([], [plus(at("x"), value(n(1)))], NO_OPERAND);
    let number = |text: &str| Value::N(text.parse().unwrap());
    refused([("x", number("9E125"))], [plus(at("x"), value(number("9E125")))], OVERFLOW);
    refused([("x", number("9E125"))], [minus(at("x"), value(number("-9E125")))], OVERFLOW);
    refused([("x", number("1E50"))], [add("x", n(1))], OVERFLOW);
}

#[test]
fn if_not_exists_and_list_append() {
    check([], [set_to("x", or("x", value(n(2))))], [("x", n(2))]);
    check([("x", n(1))], [set_to("x", or("x", value(n(2))))], [("x", n(1))]);
    check([("z", n(4))], [set_to("x", or("y", at("z")))], [("x", n(4)), ("z", n(4))]);
    check([], [set_to("x", or("y.z[3]", or("q", value(n(1)))))], [("x", n(1))]);
    refused([], [set_to("x", or("y", at("z")))], NO_OPERAND);
    let one = || [("x", list([n(1)]))];
    check(one(), [set_to("x", append(at("x"), value(list([n(2)]))))], [("x", list([n(1), n(2)]))]);
    check(one(), [set_to("x", append(value(list([n(2)])), at("x")))], [("x", list([n(2), n(1)]))]);
    check(one(), [set_to("x", append(at("x"), at("x")))], [("x", list([n(1), n(1)]))]);
    check([], [set_to("x", append(or("x", value(list([]))), value(list([n(2)]))))], [("x", list([n(2)]))]);
    refused([("x", n(1))], [set_to("x", append(at("x"), value(list([]))))], WRONG_TYPE);
    refused([("x", ss(["a"]))], [set_to("x", append(value(list([])), at("x")))], WRONG_TYPE);
    refused([], [set_to("x", append(at("x"), value(list([]))))], NO_OPERAND);
}

#[test]
fn remove_is_content_with_nothing_if_the_way_there_exists() {
    check([("a", n(1)), ("b", n(2))], [remove("a")], [("b", n(2))]);
    check([("b", n(2))], [remove("a")], [("b", n(2))]);
    check([("x", map([("y", n(1))]))], [remove("x.y")], [("x", map([]))]);
    check([("x", map([]))], [remove("x.y")], [("x", map([]))]);
    check([("x", list([n(1)]))], [remove("x[0]")], [("x", list([]))]);
    check([("x", list([n(1)]))], [remove("x[4]")], [("x", list([n(1)]))]);
}

#[test]
fn a_way_that_does_not_exist_is_refused() {
    let bad = |old: Value, text: &str| {
        refused([("x", old.clone())], [set(text, n(1))], NO_PATH);
        refused([("x", old.clone())], [remove(text)], NO_PATH);
        refused([("x", old.clone())], [add(text, n(1))], NO_PATH);
        refused([("x", old)], [delete(text, ss(["a"]))], NO_PATH);
    };
    bad(n(1), "x.y");
    bad(n(1), "x[0]");
    bad(n(1), "nope.y");
    bad(n(1), "nope[0]");
    bad(map([]), "x[0]");
    bad(map([]), "x.y.z");
    bad(list([]), "x.y");
    bad(list([list([])]), "x[7][0]");
    bad(ss(["a"]), "x[0]");
}

#[test]
fn add_is_for_numbers_and_sets() {
    check([], [add("x", n(2))], [("x", n(2))]);
    check([("x", n(1))], [add("x", n(-2))], [("x", n(-1))]);
    check([], [add("x", ss(["a"]))], [("x", ss(["a"]))]);
    check([("x", ss(["a", "b"]))], [add("x", ss(["b", "c"]))], [("x", ss(["a", "b", "c"]))]);
    check([("x", ns([1]))], [add("x", ns([2]))], [("x", ns([1, 2]))]);
    check([("x", map([]))], [add("x.y", n(2))], [("x", map([("y", n(2))]))]);
    check([("x", list([n(1)]))], [add("x[0]", n(2))], [("x", list([n(3)]))]);
    for (old, addend) in
        [(ns([1]), ss(["a"])), (ns([1]), n(2)), (s("q"), n(2)), (Value::Null, n(2)), (n(2), ns([1]))]
    {
        refused([("x", old)], [add("x", addend)], WRONG_TYPE);
    }
    refused([], [add("x", s("text"))], WRONG_TYPE);
    refused([("x", list([]))], [add("x", list([n(1)]))], WRONG_TYPE);
}

#[test]
fn delete_takes_members_and_never_leaves_an_empty_set() {
    check([("x", ss(["a", "b"]))], [delete("x", ss(["a", "q"]))], [("x", ss(["b"]))]);
    check([("x", ss(["a"]))], [delete("x", ss(["a"]))], []);
    check([("x", ss(["q"]))], [delete("x", ss(["a"]))], [("x", ss(["q"]))]);
    check([], [delete("x", ss(["a"]))], []);
    check([("x", map([("y", ns([1]))]))], [delete("x.y", ns([1]))], [("x", map([]))]);
    check([("x", list([ss(["a"]), n(1)]))], [delete("x[0]", ss(["a"]))], [("x", list([n(1)]))]);
    check([("x", list([n(1)]))], [delete("x[5]", ss(["a"]))], [("x", list([n(1)]))]);
    refused([("x", n(1))], [delete("x", ss(["a"]))], WRONG_TYPE);
    refused([("x", ns([1]))], [delete("x", ss(["a"]))], WRONG_TYPE);
    refused([("x", s("a"))], [delete("x", s("a"))], WRONG_TYPE);
}

#[test]
fn values_nest_31_deep_in_an_item() {
    check([], [set("x", nest(31))], [("x", nest(31))]);
    refused([], [set("x", nest(32))], TOO_DEEP);
    check([("x", map([]))], [set("x.y", nest(30))], [("x", map([("y", nest(30))]))]);
    refused([("x", map([]))], [set("x.y", nest(31))], TOO_DEEP);
    refused([("x", list([]))], [set("x[0]", nest(31))], TOO_DEEP);
    refused([("x", nest(31))], [set_to("y", append(value(list([nest(31)])), at("x")))], TOO_DEEP);
}

#[test]
fn only_setting_and_adding_create() {
    assert!(update([remove("a"), set("b", n(1))]).creates());
    assert!(update([add("b", n(1))]).creates());
    assert!(!update([remove("a"), delete("b.c", ss(["a"]))]).creates());
    assert!(!Update::default().creates());
}

#[test]
fn attributes_are_sorted_and_unique() {
    let many =
        [set("b.x", n(1)), set_to("c", at("z")), remove("b.y[0]"), add("a", n(1)), delete("d", ss(["a"]))];
    assert_eq!(update(many).attributes(), ["a", "b", "c", "d"]);
}

#[test]
fn updated_parts_are_found_at_the_same_paths_before_and_after() {
    let old = Item::from([("a", map([("b", s("dog")), ("c", list([n(1), n(2), n(3)]))])), ("d", s("cat"))]);
    let check = |update: Update, before: Vec<(&str, Value)>, after: Vec<(&str, Value)>| {
        assert_eq!(update.updated(&old), before.into_iter().collect());
        assert_eq!(update.updated(&update.apply(&old).unwrap()), after.into_iter().collect());
    };
    let (b, c) = (|value| ("a", map([("b", value)])), |value| ("a", map([("c", value)])));
    check(update([set("d", n(1))]), vec![("d", s("cat"))], vec![("d", n(1))]);
    check(update([set("a.b", n(1))]), vec![b(s("dog"))], vec![b(n(1))]);
    check(update([set("a.c[1]", n(7))]), vec![c(list([n(2)]))], vec![c(list([n(7)]))]);
    check(
        update([set("a.c[2]", n(7)), set("a.c[0]", n(8))]),
        vec![c(list([n(1), n(3)]))],
        vec![c(list([n(8), n(7)]))],
    );
    check(update([set("a.new", n(1))]), vec![], vec![("a", map([("new", n(1))]))]);
    check(update([set("a.c[100]", n(1))]), vec![], vec![]);
    check(update([remove("a.c[1]"), remove("a.c[7]")]), vec![c(list([n(2)]))], vec![c(list([n(3)]))]);
    check(update([remove("d")]), vec![("d", s("cat"))], vec![]);
    check(update([remove("nope")]), vec![], vec![]);
}

fn any_action() -> impl Strategy<Value = Action> {
    let operand = prop_oneof![any_path().prop_map(SetOperand::Path), any_value().prop_map(SetOperand::Value)];
    let operand = operand.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            (any_path(), inner.clone())
                .prop_map(|(path, inner)| SetOperand::IfNotExists(path, Box::new(inner))),
            (inner.clone(), inner).prop_map(|(first, second)| append(first, second)),
        ]
    });
    prop_oneof![
        (any_path(), operand.clone()).prop_map(|(path, value)| Action::Set(path, SetValue::Operand(value))),
        (any_path(), operand.clone(), operand)
            .prop_map(|(path, a, b)| Action::Set(path, SetValue::Plus(a, b))),
        any_path().prop_map(Action::Remove),
        (any_path(), any_value()).prop_map(|(path, value)| Action::Add(path, value)),
        (any_path(), any_value()).prop_map(|(path, value)| Action::Delete(path, value)),
    ]
}

proptest! {
    #[test]
    fn an_update_without_actions_changes_nothing(item in any_item()) {
        prop_assert_eq!(Update::default().apply(&item), Ok(item));
    }

    #[test]
    fn whole_attributes_that_are_set_are_there_and_removed_ones_are_gone(item in any_item(), value in any_value()) {
        let set_a = update([set("a", value.clone()), remove("b")]).apply(&item).unwrap();
        prop_assert_eq!(set_a.get("a"), Some(&value));
        prop_assert_eq!(set_a.get("b"), None);
        prop_assert_eq!(set_a.get("c"), item.get("c"));
    }

    #[test]
    fn what_was_set_is_read_back(item in any_item(), path in any_path(), value in any_value()) {
        let set = Update { actions: vec![Action::Set(path.clone(), SetValue::Operand(SetOperand::Value(value.clone())))] };
        match (path.slot(&item), set.apply(&item)) {
            (Ok(Slot::Filled | Slot::Vacant), after) => {
                prop_assert_eq!(path.get(&after.unwrap()).cloned(), Some(value));
            }
            (Ok(Slot::PastEnd), after) => prop_assert_ne!(after, Ok(item)),
            (Err(refused), after) => prop_assert_eq!(after, Err(refused)),
        }
    }

    #[test]
    fn attributes_that_are_not_named_stay(item in any_item(), actions in vec(any_action(), 0..4)) {
        // Paths may overlap here, as they may not once checked: even so nothing may panic.
        let update = Update { actions };
        if let Ok(after) = update.apply(&item) {
            let others = |item: Item| {
                item.into_iter().filter(|(name, _)| !update.attributes().contains(&name.as_str())).collect::<Item>()
            };
            prop_assert_eq!(others(after), others(item));
        }
    }
}

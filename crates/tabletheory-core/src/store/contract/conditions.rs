//! Every operator of a condition, true and false, asked of one item.

use super::words::*;
use super::world::World;
use crate::expr::Comparator::{Eq, Ge, Gt, Le, Lt, Ne};
use crate::expr::{Condition, Operand, Path};
use crate::item::Item;
use crate::store::op::{DeleteItem, PutItem};
use crate::value::Value;

/// A table with one item, and the questions that can be asked of it.
struct Subject {
    world: World,
    table: Table,
    item: Item,
}

impl Subject {
    async fn new(world: World) -> Self {
        let table = world.plain_table().await;
        let item = item! {
            "pk": "a", "s": "hello", "n": 5, "m": 7, "b": bytes([1, 2, 3]), "yes": true, "null": Value::Null,
            "l": list([Value::from("x"), Value::from(2)]), "ss": strings(["x", "y"]), "ns": numbers([1, 2]),
            "bs": binaries([b"p", b"q"]), "doc": item! { "in": list([1, 2]), "name": "inner" }, "dotted.name": 1,
        };
        world.ok(table.put(item.clone())).await;
        Self { world, table, item }
    }

    /// Each condition must hold or not, as it says. Putting the same item again makes the question harmless.
    async fn check<const COUNT: usize>(&self, questions: [(Condition, bool); COUNT]) {
        for (condition, expected) in questions {
            let shown = format!("{condition:?}");
            let put = PutItem { condition: Some(condition), ..self.table.put(self.item.clone()) };
            let held = match self.world.attempt(put).await {
                Ok(_) => true,
                Err(error) if error.code() == CONDITION_FAILED => false,
                Err(error) => panic!("{shown} was refused: {error}"),
            };
            assert_eq!(held, expected, "{shown}");
        }
    }

    /// Each condition must be refused before anything is looked at.
    async fn refuses<const COUNT: usize>(&self, conditions: [Condition; COUNT]) {
        for condition in conditions {
            let put = PutItem { condition: Some(condition), ..self.table.put(self.item.clone()) };
            self.world.refused_saying(put, VALIDATION, "Invalid ConditionExpression").await;
        }
    }
}

pub(super) async fn equality_compares_type_and_value(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (equals("s", "hello"), true),
            (equals("s", "Hello"), false),
            (equals("n", 5), true),
            (equals("n", number("5.0")), true),
            (equals("n", "5"), false),
            (equals("b", bytes([1, 2, 3])), true),
            (equals("yes", true), true),
            (equals("yes", false), false),
            (equals("null", Value::Null), true),
            (equals("l", list([Value::from("x"), Value::from(2)])), true),
            (equals("l", list([Value::from(2), Value::from("x")])), false),
            (equals("ss", strings(["y", "x"])), true),
            (equals("ns", numbers([2, 1])), true),
            (equals("bs", binaries([b"q", b"p"])), true),
            (equals("bs", binaries([b"q"])), false),
            (equals("doc", item! { "in": list([1, 2]), "name": "inner" }), true),
            (equals("nothing", 1), false),
        ])
        .await;
}

pub(super) async fn inequality_is_true_of_what_is_missing_or_of_another_type(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (when("n", Ne, 5), false),
            (when("n", Ne, 6), true),
            (when("n", Ne, "5"), true),
            (when("nothing", Ne, 5), true),
        ])
        .await;
}

pub(super) async fn order_compares_values_of_one_type(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (when("n", Lt, 6), true),
            (when("n", Lt, 5), false),
            (when("n", Le, 5), true),
            (when("n", Gt, number("4.999")), true),
            (when("n", Gt, 5), false),
            (when("n", Ge, 5), true),
            (when("s", Lt, "help"), true),
            (when("s", Gt, "Z"), true),
            (when("b", Lt, bytes([1, 2, 200])), true),
            (when("b", Gt, bytes([1, 2])), true),
            (when("n", Lt, "6"), false),
            (when("n", Gt, "6"), false),
            (when("nothing", Lt, 6), false),
            (when("yes", Lt, 6), false),
        ])
        .await;
}

pub(super) async fn order_is_refused_for_values_without_order(world: World) {
    let subject = Subject::new(world).await;
    subject
        .refuses([
            when("n", Lt, true),
            when("n", Ge, Value::Null),
            when("n", Gt, list([1])),
            when("n", Le, item! { "a": 1 }),
            when("n", Lt, strings(["a"])),
            between("n", false, true),
        ])
        .await;
}

pub(super) async fn two_paths_can_be_compared(world: World) {
    let subject = Subject::new(world).await;
    let compare = |left, comparator, right| Condition::Compare(of(left), comparator, of(right));
    subject
        .check([
            (compare("n", Lt, "m"), true),
            (compare("m", Lt, "n"), false),
            (compare("n", Eq, "s"), false),
            (compare("l[1]", Eq, "doc.in[1]"), true),
            (Condition::Compare(this(5), Eq, of("n")), true),
            (Condition::Between(this(6), of("n"), of("m")), true),
        ])
        .await;
}

pub(super) async fn a_path_is_not_compared_with_itself(world: World) {
    let subject = Subject::new(world).await;
    subject.refuses([Condition::Compare(of("n"), Eq, of("n")), Condition::In(of("n"), vec![of("n")])]).await;
}

pub(super) async fn between_includes_both_ends(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (between("n", 5, 9), true),
            (between("n", 1, 5), true),
            (between("n", 6, 9), false),
            (between("s", "h", "i"), true),
            (between("n", "1", "9"), false),
            (between("nothing", 1, 9), false),
        ])
        .await;
}

pub(super) async fn between_wants_its_ends_in_order_and_of_one_type(world: World) {
    let subject = Subject::new(world).await;
    subject.refuses([between("n", 9, 1), between("n", 1, "9")]).await;
}

pub(super) async fn in_finds_one_of_its_candidates(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (among("n", [1, 5, 9]), true),
            (among("n", [1, 9]), false),
            (among("n", ["5"]), false),
            (among("nothing", [1]), false),
            (Condition::In(of("n"), vec![this("x"), this(5)]), true),
            (Condition::In(of("n"), vec![of("m"), this(5)]), true),
            (among("ss", [strings(["x", "y"])]), true),
        ])
        .await;
}

pub(super) async fn in_takes_a_hundred_candidates(world: World) {
    let subject = Subject::new(world).await;
    subject.check([(among("n", 5..105), true), (among("n", 6..106), false)]).await;
    subject.refuses([among("n", 0..101)]).await;
}

pub(super) async fn existence_is_asked_of_paths(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (exists("s"), true),
            (exists("null"), true),
            (exists("nothing"), false),
            (absent("nothing"), true),
            (absent("s"), false),
            (exists("doc.name"), true),
            (exists("doc.in[1]"), true),
            (exists("doc.in[2]"), false),
            (exists("doc.name.deeper"), false),
            (absent("nothing.at.all"), true),
            (exists("dotted.name"), false),
            (Condition::AttributeExists(Path::attribute("dotted.name")), true),
        ])
        .await;
}

pub(super) async fn the_type_of_an_attribute_can_be_asked(world: World) {
    let subject = Subject::new(world).await;
    for (name, kind) in [
        ("s", "S"),
        ("n", "N"),
        ("b", "B"),
        ("yes", "BOOL"),
        ("null", "NULL"),
        ("l", "L"),
        ("doc", "M"),
        ("ss", "SS"),
        ("ns", "NS"),
        ("bs", "BS"),
    ] {
        let other = if kind == "S" { "N" } else { "S" };
        subject.check([(typed(name, kind), true), (typed(name, other), false)]).await;
    }
    subject.check([(typed("nothing", "S"), false)]).await;
    subject.refuses([typed("s", "STRING"), Condition::AttributeType(at("s"), this(1))]).await;
}

pub(super) async fn a_prefix_is_of_text_or_of_bytes(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (begins("s", "hel"), true),
            (begins("s", "hello"), true),
            (begins("s", "ello"), false),
            (begins("b", bytes([1, 2])), true),
            (begins("b", bytes([2])), false),
            (begins("n", "5"), false),
            (begins("nothing", "x"), false),
        ])
        .await;
    subject.refuses([begins("s", 5), begins("s", strings(["h"]))]).await;
}

pub(super) async fn contains_looks_into_text_sets_and_lists(world: World) {
    let subject = Subject::new(world).await;
    subject
        .check([
            (contains("s", "ell"), true),
            (contains("s", "elk"), false),
            (contains("b", bytes([2, 3])), true),
            (contains("ss", "x"), true),
            (contains("ss", "z"), false),
            (contains("ns", 2), true),
            (contains("ns", "2"), false),
            (contains("bs", bytes(*b"p")), true),
            (contains("l", "x"), true),
            (contains("l", 2), true),
            (contains("l", "2"), false),
            (contains("n", 5), false),
            (contains("nothing", "x"), false),
            (Condition::Contains(of("doc.name"), this("nn")), true),
        ])
        .await;
}

pub(super) async fn size_counts_bytes_and_members(world: World) {
    let subject = Subject::new(world).await;
    let sized = |path, expected: i64| Condition::Compare(size(path), Eq, this(expected));
    subject
        .check([
            (sized("s", 5), true),
            (sized("b", 3), true),
            (sized("l", 2), true),
            (sized("doc", 2), true),
            (sized("ss", 2), true),
            (sized("ns", 2), true),
            (sized("bs", 2), true),
            (sized("s", 4), false),
            (sized("n", 1), false),
            (sized("nothing", 0), false),
            (Condition::Compare(size("s"), Gt, size("b")), true),
            (Condition::Between(size("s"), this(1), this(5)), true),
        ])
        .await;
    subject.refuses([Condition::Compare(Operand::Size(Box::new(this(5))), Eq, this(1))]).await;
}

pub(super) async fn conditions_are_joined_and_turned(world: World) {
    let subject = Subject::new(world).await;
    let (yes, no) = (|| equals("n", 5), || equals("n", 6));
    subject
        .check([
            (yes().and(yes()), true),
            (yes().and(no()), false),
            (no().or(yes()), true),
            (no().or(no()), false),
            (!no(), true),
            (!yes(), false),
            (!(yes().and(no())), true),
            (no().and(no()).or(yes()), true),
            (no().and(no().or(yes())), false),
            (!when("nothing", Lt, 5), true),
        ])
        .await;
}

pub(super) async fn a_condition_on_nothing_sees_no_attributes(world: World) {
    let table = world.plain_table().await;
    let delete =
        |condition| DeleteItem { condition: Some(condition), ..table.delete(item! { "pk": "nobody" }) };
    world.ok(delete(absent("pk"))).await;
    world.ok(delete(when("n", Ne, 1))).await;
    world.refused(delete(equals("pk", "nobody")), CONDITION_FAILED).await;
    world.refused(delete(exists("pk")), CONDITION_FAILED).await;
}

pub(super) async fn a_condition_can_look_at_keys(world: World) {
    let subject = Subject::new(world).await;
    subject.check([(equals("pk", "a"), true), (equals("pk", "b"), false), (begins("pk", "a"), true)]).await;
}

pub(super) async fn a_condition_has_at_most_300_operators(world: World) {
    let subject = Subject::new(world).await;
    // n comparisons joined by n - 1 ANDs.
    let chain =
        |comparisons: usize| (1..comparisons).fold(equals("n", 5), |joined, _| joined.and(equals("n", 5)));
    subject.check([(chain(150), true)]).await;
    let put = PutItem { condition: Some(chain(151)), ..subject.table.put(subject.item.clone()) };
    subject.world.refused(put, VALIDATION).await;
}

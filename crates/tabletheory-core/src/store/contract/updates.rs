//! Every action of an update: SET, REMOVE, ADD, DELETE, and what they refuse.

use super::words::*;
use super::world::World;
use crate::expr::Action;
use crate::item::Item;
use crate::store::op::{ReturnValues, UpdateItem, WriteReturns};
use crate::value::Value;

const WRONG_TYPE: &str = "An operand in the update expression has an incorrect data type";
const NO_SUCH_PATH: &str = "The document path provided in the update expression is invalid for update";
const NO_SUCH_ATTRIBUTE: &str =
    "The provided expression refers to an attribute that does not exist in the item";

/// A table for changes; each change starts from the same item.
struct Subject {
    world: World,
    table: Table,
}

fn before() -> Item {
    item! {
        "pk": "a", "n": 5, "s": "text", "l": list([1, 2, 3]), "ss": strings(["x", "y"]), "ns": numbers([1, 2]),
        "bs": binaries([b"p"]), "doc": item! { "x": 1, "l": list([item! { "deep": 1 }]) },
    }
}

impl Subject {
    async fn new(world: World) -> Self {
        let table = world.plain_table().await;
        Self { world, table }
    }

    async fn update<const COUNT: usize>(&self, actions: [Action; COUNT]) -> UpdateItem {
        self.world.ok(self.table.put(before())).await;
        let returns = WriteReturns { values: ReturnValues::AllNew, ..WriteReturns::default() };
        UpdateItem { returns, ..self.table.update(item! { "pk": "a" }, actions) }
    }

    /// The item after these actions has these attributes changed, and those named by `Null` markers gone.
    async fn check<const COUNT: usize>(&self, actions: [Action; COUNT], changed: Item) {
        let shown = format!("{actions:?}");
        let update = self.update(actions).await;
        let after = self.world.ok(update).await.attributes.expect("the new item");
        let mut expected = before();
        for (name, value) in changed {
            if value == Value::Null {
                expected.remove(&name);
            } else {
                expected.insert(name, value);
            }
        }
        assert_eq!(after, expected, "{shown}");
    }

    async fn refuses<const COUNT: usize>(&self, actions: [Action; COUNT], words: &'static str) {
        let update = self.update(actions).await;
        self.world.refused_saying(update, VALIDATION, words).await;
        let after = self.world.item(&self.table, item! { "pk": "a" }).await;
        assert_eq!(after, Some(before()), "a refused update changes nothing");
    }
}

pub(super) async fn set_makes_and_replaces_attributes(world: World) {
    let subject = Subject::new(world).await;
    subject.check([set("new", "v")], item! { "new": "v" }).await;
    subject.check([set("n", "now text")], item! { "n": "now text" }).await;
    subject.check([set("n", 6), set("s", "other")], item! { "n": 6, "s": "other" }).await;
}

pub(super) async fn set_reaches_into_documents(world: World) {
    let subject = Subject::new(world).await;
    let deep = |deep: i64| list([item! { "deep": deep }]);
    subject.check([set("doc.x", 2)], item! { "doc": item! { "x": 2, "l": deep(1) } }).await;
    subject.check([set("doc.y", 2)], item! { "doc": item! { "x": 1, "y": 2, "l": deep(1) } }).await;
    subject.check([set("doc.l[0].deep", 9)], item! { "doc": item! { "x": 1, "l": deep(9) } }).await;
    subject
        .check([set("l[1]", "two")], item! { "l": Value::L(vec![1.into(), "two".into(), 3.into()]) })
        .await;
}

pub(super) async fn set_beyond_the_end_of_a_list_appends(world: World) {
    let subject = Subject::new(world).await;
    subject.check([set("l[3]", 4)], item! { "l": list([1, 2, 3, 4]) }).await;
    subject.check([set("l[50]", 4)], item! { "l": list([1, 2, 3, 4]) }).await;
    subject.check([set("l[60]", 5), set("l[50]", 4)], item! { "l": list([1, 2, 3, 4, 5]) }).await;
}

pub(super) async fn set_needs_the_document_it_reaches_into(world: World) {
    let subject = Subject::new(world).await;
    for path in ["nothing.x", "s.x", "n[0]", "doc.nothing.x", "l.x", "doc[0]"] {
        subject.refuses([set(path, 1)], NO_SUCH_PATH).await;
    }
}

pub(super) async fn set_copies_values_as_they_were_before(world: World) {
    let subject = Subject::new(world).await;
    subject.check([assign("copy", old("doc.l"))], item! { "copy": list([item! { "deep": 1 }]) }).await;
    let swapped = item! { "n": "text", "s": 5 };
    subject.check([assign("n", old("s")), assign("s", old("n"))], swapped).await;
    subject.check([assign("kept", old("n")), remove("n")], item! { "kept": 5, "n": Value::Null }).await;
    subject.refuses([assign("copy", old("nothing"))], NO_SUCH_ATTRIBUTE).await;
}

pub(super) async fn set_adds_and_subtracts(world: World) {
    let subject = Subject::new(world).await;
    subject.check([plus("n", old("n"), given(2))], item! { "n": 7 }).await;
    subject.check([minus("n", old("n"), given(number("0.5")))], item! { "n": number("4.5") }).await;
    subject.check([plus("sum", old("n"), old("doc.x"))], item! { "sum": 6 }).await;
    subject.check([minus("n", given(1), old("n"))], item! { "n": -4 }).await;
    subject.check([plus("hits", old_or("hits", 0), given(1))], item! { "hits": 1 }).await;
}

pub(super) async fn sums_are_exact(world: World) {
    let subject = Subject::new(world).await;
    let large = number("99999999999999999999999999999999999990");
    subject
        .check(
            [plus("sum", given(large), given(9))],
            item! { "sum": number("99999999999999999999999999999999999999") },
        )
        .await;
    let tenth = given(number("0.1"));
    subject.check([plus("sum", tenth, given(number("0.2")))], item! { "sum": number("0.3") }).await;
}

pub(super) async fn sums_are_of_numbers(world: World) {
    let subject = Subject::new(world).await;
    subject.refuses([plus("n", old("s"), given(1))], WRONG_TYPE).await;
    subject.refuses([plus("n", old("n"), given("1"))], "").await;
    subject.refuses([plus("n", old("nothing"), given(1))], NO_SUCH_ATTRIBUTE).await;
}

pub(super) async fn a_sum_stays_in_the_range_of_numbers(world: World) {
    let subject = Subject::new(world).await;
    let large = || given(number("9E+125"));
    subject.refuses([plus("n", large(), large())], "Number overflow").await;
    let small = || given(number("1E-130"));
    subject.check([minus("n", small(), small())], item! { "n": 0 }).await;
}

pub(super) async fn a_default_is_used_only_where_nothing_is(world: World) {
    let subject = Subject::new(world).await;
    subject.check([assign("n", old_or("n", 0))], item! {}).await;
    subject.check([assign("new", old_or("new", 0))], item! { "new": 0 }).await;
    subject.check([assign("new", old_or("n", 0))], item! { "new": 5 }).await;
    subject.check([assign("new", old_or("doc.nothing", "d"))], item! { "new": "d" }).await;
}

pub(super) async fn lists_are_joined_at_either_end(world: World) {
    let subject = Subject::new(world).await;
    let more = || given(list([8, 9]));
    subject.check([assign("l", append(old("l"), more()))], item! { "l": list([1, 2, 3, 8, 9]) }).await;
    subject.check([assign("l", append(more(), old("l")))], item! { "l": list([8, 9, 1, 2, 3]) }).await;
    let begun = append(old_or("log", list::<Value>([])), more());
    subject.check([assign("log", begun)], item! { "log": list([8, 9]) }).await;
    subject.refuses([assign("l", append(old("s"), more()))], WRONG_TYPE).await;
    subject.refuses([assign("l", append(old("l"), given(1)))], "").await;
    subject.refuses([assign("l", append(old("nothing"), more()))], NO_SUCH_ATTRIBUTE).await;
}

pub(super) async fn remove_takes_attributes_away(world: World) {
    let subject = Subject::new(world).await;
    subject.check([remove("n"), remove("s")], item! { "n": Value::Null, "s": Value::Null }).await;
    subject.check([remove("nothing")], item! {}).await;
    subject.check([remove("doc.l")], item! { "doc": item! { "x": 1 } }).await;
    subject.check([remove("doc.nothing")], item! {}).await;
    subject.refuses([remove("nothing.x")], NO_SUCH_PATH).await;
}

pub(super) async fn removed_list_elements_close_up(world: World) {
    let subject = Subject::new(world).await;
    subject.check([remove("l[0]")], item! { "l": list([2, 3]) }).await;
    subject.check([remove("l[0]"), remove("l[2]")], item! { "l": list([2]) }).await;
    subject.check([remove("l[7]")], item! {}).await;
    subject.check([remove("l[0]"), remove("l[1]"), remove("l[2]")], item! { "l": list::<Value>([]) }).await;
}

pub(super) async fn add_counts_from_nothing(world: World) {
    let subject = Subject::new(world).await;
    subject.check([add("n", 2)], item! { "n": 7 }).await;
    subject.check([add("n", -8)], item! { "n": -3 }).await;
    subject.check([add("hits", 1)], item! { "hits": 1 }).await;
    subject
        .check([add("doc.x", 1)], item! { "doc": item! { "x": 2, "l": list([item! { "deep": 1 }]) } })
        .await;
}

pub(super) async fn add_unites_sets(world: World) {
    let subject = Subject::new(world).await;
    subject.check([add("ss", strings(["y", "z"]))], item! { "ss": strings(["x", "y", "z"]) }).await;
    subject.check([add("ns", numbers([2, 3]))], item! { "ns": numbers([1, 2, 3]) }).await;
    subject.check([add("bs", binaries([b"q"]))], item! { "bs": binaries([b"p", b"q"]) }).await;
    subject.check([add("tags", strings(["t"]))], item! { "tags": strings(["t"]) }).await;
}

pub(super) async fn add_takes_numbers_and_sets_of_the_same_type(world: World) {
    let subject = Subject::new(world).await;
    subject.refuses([add("s", 1)], WRONG_TYPE).await;
    subject.refuses([add("ss", numbers([1]))], WRONG_TYPE).await;
    subject.refuses([add("n", numbers([1]))], WRONG_TYPE).await;
    subject.refuses([add("s", "more")], "Invalid UpdateExpression: Incorrect operand type").await;
    subject.refuses([add("l", list([1]))], "Invalid UpdateExpression: Incorrect operand type").await;
}

pub(super) async fn delete_takes_members_from_a_set(world: World) {
    let subject = Subject::new(world).await;
    subject.check([take("ss", strings(["x", "never there"]))], item! { "ss": strings(["y"]) }).await;
    subject.check([take("ns", numbers([2]))], item! { "ns": numbers([1]) }).await;
    subject.check([take("nothing", strings(["x"]))], item! {}).await;
}

pub(super) async fn a_set_without_members_is_gone(world: World) {
    let subject = Subject::new(world).await;
    subject.check([take("ss", strings(["x", "y"]))], item! { "ss": Value::Null }).await;
}

pub(super) async fn delete_takes_sets_of_the_same_type(world: World) {
    let subject = Subject::new(world).await;
    subject.refuses([take("ss", numbers([1]))], WRONG_TYPE).await;
    subject.refuses([take("n", numbers([5]))], WRONG_TYPE).await;
    subject.refuses([take("ss", "x")], "Invalid UpdateExpression: Incorrect operand type").await;
    subject.refuses([take("n", 5)], "Invalid UpdateExpression: Incorrect operand type").await;
}

pub(super) async fn actions_do_not_overlap(world: World) {
    let subject = Subject::new(world).await;
    let words = "Two document paths overlap with each other";
    subject.refuses([set("n", 1), set("n", 2)], words).await;
    subject.refuses([set("doc", item! {}), set("doc.x", 2)], words).await;
    subject.refuses([set("doc.x", 1), remove("doc")], words).await;
    subject.refuses([set("l[1]", 1), remove("l[1]")], words).await;
    subject.check([set("l[0]", 7), remove("l[1]")], item! { "l": list([7, 3]) }).await;
}

pub(super) async fn paths_do_not_treat_a_document_as_list_and_map(world: World) {
    let subject = Subject::new(world).await;
    subject.refuses([set("doc.x", 1), set("doc[0]", 2)], "Two document paths conflict with each other").await;
}

pub(super) async fn an_update_makes_a_missing_item_with_its_key(world: World) {
    let subject = Subject::new(world).await;
    let key = item! { "pk": "fresh" };
    subject.world.ok(subject.table.update(key.clone(), [add("hits", 1), set("s", "v")])).await;
    let expected = item! { "pk": "fresh", "hits": 1, "s": "v" };
    assert_eq!(subject.world.item(&subject.table, key).await, Some(expected));
    let key = item! { "pk": "refused" };
    let update = subject.table.update(key.clone(), [plus("n", old("n"), given(1))]);
    subject.world.refused_saying(update, VALIDATION, NO_SUCH_ATTRIBUTE).await;
    assert_eq!(subject.world.item(&subject.table, key).await, None);
}

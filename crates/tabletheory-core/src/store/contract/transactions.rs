//! Transactions: all or nothing, reasons in order, safe to repeat.

use super::words::*;
use super::world::World;
use crate::error::{CancellationCode, CancellationReason, StoreError};
use crate::item::Item;
use crate::store::op::{
    OnConditionFailure, TransactGet, TransactGetItems, TransactWrite, TransactWriteItems,
};

fn key(pk: &str) -> Item {
    item! { "pk": pk }
}

fn together(writes: impl IntoIterator<Item = TransactWrite>) -> TransactWriteItems {
    TransactWriteItems { writes: writes.into_iter().collect(), ..TransactWriteItems::default() }
}

fn reads(gets: impl IntoIterator<Item = TransactGet>) -> TransactGetItems {
    TransactGetItems { gets: gets.into_iter().collect(), ..TransactGetItems::default() }
}

/// Performs a transaction that must be canceled, and tells why.
async fn reasons(world: &World, transaction: TransactWriteItems) -> Vec<CancellationReason> {
    match world.refused(transaction, CANCELED).await {
        StoreError::TransactionCanceled { reasons } => reasons,
        other => panic!("{other:?} is not a cancellation"),
    }
}

fn codes(reasons: &[CancellationReason]) -> Vec<CancellationCode> {
    reasons.iter().map(|reason| reason.code).collect()
}

pub(super) async fn a_transaction_writes_all_it_holds(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    world.all([first.put(item! { "pk": "u", "n": 1 }), first.put(key("d")), second.put(key("c"))]).await;
    let check = TransactWrite { condition: Some(exists("pk")), ..second.transact_check(key("c")) };
    world
        .ok(together([
            first.transact_put(item! { "pk": "p", "n": 7 }),
            first.transact_update(key("u"), [add("n", 1)]),
            first.transact_delete(key("d")),
            second.transact_put(key("q")),
            check,
        ]))
        .await;
    assert_eq!(world.item(&first, key("p")).await, Some(item! { "pk": "p", "n": 7 }));
    assert_eq!(world.item(&first, key("u")).await, Some(item! { "pk": "u", "n": 2 }));
    assert_eq!(world.item(&first, key("d")).await, None);
    assert_eq!(world.item(&second, key("q")).await, Some(key("q")));
    assert_eq!(world.item(&second, key("c")).await, Some(key("c")));
}

pub(super) async fn one_false_condition_cancels_everything(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "u", "n": 1 })).await;
    let reasons = reasons(
        &world,
        together([
            table.transact_put(key("p")),
            TransactWrite {
                condition: Some(equals("n", 9)),
                ..table.transact_update(key("u"), [set("n", 2)])
            },
            table.transact_delete(key("d")),
        ]),
    )
    .await;
    use CancellationCode::{ConditionalCheckFailed, None as Fine};
    assert_eq!(codes(&reasons), [Fine, ConditionalCheckFailed, Fine]);
    assert_eq!(reasons[1].message.as_deref(), Some("The conditional request failed"));
    assert_eq!((&reasons[0].message, &reasons[1].item), (&None, &None));
    assert_eq!(world.item(&table, key("p")).await, None);
    assert_eq!(world.item(&table, key("u")).await, Some(item! { "pk": "u", "n": 1 }));
}

pub(super) async fn the_message_of_a_cancellation_lists_its_codes(world: World) {
    let table = world.plain_table().await;
    let failing = TransactWrite { condition: Some(exists("pk")), ..table.transact_put(key("a")) };
    let words = "Transaction cancelled, please refer cancellation reasons for specific reasons \
                 [ConditionalCheckFailed, None]";
    world.refused_saying(together([failing, table.transact_put(key("b"))]), CANCELED, words).await;
}

pub(super) async fn every_kind_of_write_can_fail_by_its_condition(world: World) {
    let table = world.plain_table().await;
    let condition = || Some(exists("pk"));
    let reasons = reasons(
        &world,
        together([
            TransactWrite { condition: condition(), ..table.transact_put(key("a")) },
            TransactWrite { condition: condition(), ..table.transact_update(key("b"), [set("n", 1)]) },
            TransactWrite { condition: condition(), ..table.transact_delete(key("c")) },
            TransactWrite { condition: condition(), ..table.transact_check(key("d")) },
            TransactWrite { condition: Some(absent("pk")), ..table.transact_put(key("e")) },
        ]),
    )
    .await;
    use CancellationCode::{ConditionalCheckFailed as Failed, None as Fine};
    assert_eq!(codes(&reasons), [Failed, Failed, Failed, Failed, Fine]);
    assert_eq!(world.ok(table.scan()).await.count, 0);
}

pub(super) async fn a_reason_tells_the_old_item_only_when_asked(world: World) {
    let table = world.plain_table().await;
    let item = item! { "pk": "a", "n": 1 };
    world.all([table.put(item.clone()), table.put(key("b"))]).await;
    let failing = |write: TransactWrite, on_condition_failure| TransactWrite {
        condition: Some(equals("n", 9)),
        on_condition_failure,
        ..write
    };
    let reasons = reasons(
        &world,
        together([
            failing(table.transact_delete(key("a")), OnConditionFailure::AllOld),
            failing(table.transact_delete(key("b")), OnConditionFailure::None),
            failing(table.transact_put(key("nobody")), OnConditionFailure::AllOld),
        ]),
    )
    .await;
    assert_eq!(reasons[0].item.as_deref(), Some(&item));
    assert_eq!((&reasons[1].item, &reasons[2].item), (&None, &None));
}

pub(super) async fn a_transaction_touches_each_item_once(world: World) {
    let table = world.plain_table().await;
    let words = "Transaction request cannot include multiple operations on one item";
    let twice = together([table.transact_put(key("a")), table.transact_delete(key("a"))]);
    world.refused_saying(twice, VALIDATION, words).await;
    let check = TransactWrite { condition: Some(absent("pk")), ..table.transact_check(key("a")) };
    world.refused_saying(together([check, table.transact_put(key("a"))]), VALIDATION, words).await;
    let twice = reads([table.transact_get(key("a")), table.transact_get(key("a"))]);
    world.refused_saying(twice, VALIDATION, words).await;
}

pub(super) async fn items_of_two_tables_are_two_items(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    world.ok(together([first.transact_put(key("a")), second.transact_put(key("a"))])).await;
    assert_eq!(world.item(&second, key("a")).await, Some(key("a")));
}

pub(super) async fn a_transaction_has_one_to_a_hundred_writes(world: World) {
    let table = world.plain_table().await;
    let puts = |count: usize| together((0..count).map(|at| table.transact_put(key(&format!("p{at}")))));
    world.refused(puts(0), VALIDATION).await;
    world.refused(puts(101), VALIDATION).await;
    world.ok(puts(100)).await;
    assert_eq!(world.ok(table.scan()).await.count, 100);
    let gets = |count: usize| reads((0..count).map(|at| table.transact_get(key(&format!("p{at}")))));
    world.refused(gets(0), VALIDATION).await;
    world.refused(gets(101), VALIDATION).await;
    assert_eq!(world.ok(gets(100)).await.items.iter().flatten().count(), 100);
}

pub(super) async fn a_transaction_has_at_most_4_megabytes(world: World) {
    let table = world.plain_table().await;
    let puts =
        (0..11).map(|at| table.transact_put(item! { "pk": format!("p{at}"), "data": text(390 * 1024) }));
    let error = world.attempt(together(puts)).await.expect_err("4.2 MB are too much");
    assert!([VALIDATION, CANCELED].contains(&error.code()), "{error:?}");
    assert_eq!(world.ok(table.scan()).await.count, 0);
}

pub(super) async fn a_repeated_token_does_not_write_again(world: World) {
    let table = world.plain_table().await;
    let once = TransactWriteItems {
        client_request_token: Some(world.token()),
        ..together([table.transact_update(key("a"), [add("n", 1)]), table.transact_put(key("b"))])
    };
    world.ok(once.clone()).await;
    world.ok(once.clone()).await;
    assert_eq!(world.item(&table, key("a")).await, Some(item! { "pk": "a", "n": 1 }));
    // The answer is that of the first time, whatever happened in between.
    world.ok(table.delete(key("b"))).await;
    world.ok(once).await;
    assert_eq!(world.item(&table, key("b")).await, None);
}

pub(super) async fn a_token_belongs_to_one_request(world: World) {
    let table = world.plain_table().await;
    let put = |n: i64| TransactWriteItems {
        client_request_token: Some(world.token()),
        ..together([table.transact_put(item! { "pk": "a", "n": n })])
    };
    world.ok(put(1)).await;
    world.refused(put(2), MISMATCH).await;
    assert_eq!(world.item(&table, key("a")).await, Some(item! { "pk": "a", "n": 1 }));
}

pub(super) async fn a_token_is_free_after_a_cancellation(world: World) {
    let table = world.plain_table().await;
    let conditional = TransactWriteItems {
        client_request_token: Some(world.token()),
        ..together([TransactWrite {
            condition: Some(exists("n")),
            ..table.transact_update(key("a"), [add("n", 1)])
        }])
    };
    world.refused(conditional.clone(), CANCELED).await;
    world.ok(table.put(item! { "pk": "a", "n": 1 })).await;
    world.ok(conditional).await;
    assert_eq!(world.item(&table, key("a")).await, Some(item! { "pk": "a", "n": 2 }));
}

pub(super) async fn a_token_has_1_to_36_letters(world: World) {
    let table = world.plain_table().await;
    let with_token = |token: String| TransactWriteItems {
        client_request_token: Some(token),
        ..together([table.transact_put(key("a"))])
    };
    world.refused(with_token(String::new()), VALIDATION).await;
    world.refused(with_token(format!("{:x<37}", world.token())), VALIDATION).await;
    world.ok(with_token(format!("{:x<36}", world.token()))).await;
}

pub(super) async fn a_transaction_reads_in_the_order_asked(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    world.all([first.put(item! { "pk": "a", "n": 1, "s": "x" }), second.put(key("b"))]).await;
    let projected = TransactGet { projection: only(["n"]), ..first.transact_get(key("a")) };
    let gets = reads([second.transact_get(key("b")), first.transact_get(key("nobody")), projected]);
    let found = world.ok(gets).await.items;
    assert_eq!(found, [Some(key("b")), None, Some(item! { "n": 1 })]);
}

pub(super) async fn a_transaction_with_a_missing_table_does_nothing(world: World) {
    let table = world.plain_table().await;
    let missing = Table { name: world.name() };
    let words = "Requested resource not found";
    let writes = together([table.transact_put(key("a")), missing.transact_put(key("a"))]);
    world.refused_saying(writes, NOT_FOUND, words).await;
    world.refused_saying(reads([missing.transact_get(key("a"))]), NOT_FOUND, words).await;
    assert_eq!(world.item(&table, key("a")).await, None);
}

pub(super) async fn a_rule_broken_by_the_stored_item_is_a_reason(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "a", "s": "text" })).await;
    let reasons = reasons(
        &world,
        together([table.transact_put(key("b")), table.transact_update(key("a"), [add("s", 1)])]),
    )
    .await;
    assert_eq!(codes(&reasons), [CancellationCode::None, CancellationCode::ValidationError]);
    let words = "An operand in the update expression has an incorrect data type";
    assert_eq!(reasons[1].message.as_deref(), Some(words));
    assert_eq!(world.item(&table, key("b")).await, None);
}

pub(super) async fn a_key_of_the_wrong_type_is_a_reason(world: World) {
    let table = world.plain_table().await;
    let reasons =
        reasons(&world, together([table.transact_put(key("a")), table.transact_put(item! { "pk": 1 })]))
            .await;
    assert_eq!(codes(&reasons), [CancellationCode::None, CancellationCode::ValidationError]);
    assert_eq!(world.item(&table, key("a")).await, None);
}

pub(super) async fn a_misfit_is_one_reason_among_the_others(world: World) {
    let table = world.plain_table().await;
    let failing = TransactWrite { condition: Some(exists("pk")), ..table.transact_put(key("a")) };
    let misfit = table.transact_delete(item! { "pk": 1 });
    let reasons = reasons(&world, together([failing, misfit, table.transact_put(key("b"))])).await;
    let expected =
        [CancellationCode::ConditionalCheckFailed, CancellationCode::ValidationError, CancellationCode::None];
    assert_eq!(codes(&reasons), expected);
    let words = "The provided key element does not match the schema";
    world.says(reasons[1].message.as_deref(), words);
}

pub(super) async fn an_empty_key_refuses_the_whole_request(world: World) {
    let table = world.plain_table().await;
    let words = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
                 empty string value. Key: pk";
    for empty in [table.transact_put(key("")), table.transact_delete(key(""))] {
        let misfit = table.transact_put(item! { "pk": 1 });
        world.refused_saying(together([misfit, empty]), VALIDATION, words).await;
    }
}

pub(super) async fn a_read_that_does_not_fit_is_canceled_with_reasons(world: World) {
    let table = world.plain_table().await;
    let gets = reads([table.transact_get(key("a")), table.transact_get(item! { "pk": 1 })]);
    let StoreError::TransactionCanceled { reasons } = world.refused(gets, CANCELED).await else {
        panic!("it is canceled");
    };
    assert_eq!(codes(&reasons), [CancellationCode::None, CancellationCode::ValidationError]);
}

pub(super) async fn a_condition_check_has_a_condition(world: World) {
    let table = world.plain_table().await;
    world.refused(together([table.transact_check(key("a"))]), VALIDATION).await;
}

pub(super) async fn an_update_in_a_transaction_sees_the_item_before_it(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "a", "n": 1, "old": "x" })).await;
    let actions = [plus("n", old("n"), given(4)), assign("copy", old("n")), remove("old")];
    world.ok(together([table.transact_update(key("a"), actions)])).await;
    assert_eq!(world.item(&table, key("a")).await, Some(item! { "pk": "a", "n": 5, "copy": 1 }));
    let fresh = [plus("n", old_or("n", 0), given(1))];
    world.ok(together([table.transact_update(key("fresh"), fresh)])).await;
    assert_eq!(world.item(&table, key("fresh")).await, Some(item! { "pk": "fresh", "n": 1 }));
}

pub(super) async fn a_malformed_expression_refuses_the_whole_request(world: World) {
    let table = world.plain_table().await;
    let overlapping = table.transact_update(key("a"), [set("n", 1), set("n", 2)]);
    world.refused(together([overlapping, table.transact_put(key("b"))]), VALIDATION).await;
    assert_eq!(world.item(&table, key("b")).await, None);
}

//! PartiQL: statements as text, alone, in batches and in transactions.

use super::words::*;
use super::world::World;
use crate::error::{CancellationCode, StoreError};
use crate::item::Item;
use crate::schema::KeyType;
use crate::store::op::{
    BatchExecuteStatement, BatchStatement, ExecuteStatement, ExecuteTransaction, Statement,
};
use crate::value::Value;

fn statement<const COUNT: usize>(text: impl Into<String>, parameters: [Value; COUNT]) -> Statement {
    Statement { text: text.into(), parameters: parameters.into(), ..Statement::default() }
}

fn execute<const COUNT: usize>(text: impl Into<String>, parameters: [Value; COUNT]) -> ExecuteStatement {
    ExecuteStatement {
        statement: statement(text, parameters),
        consistent: false,
        ..ExecuteStatement::default()
    }
}

fn select<const COUNT: usize>(text: impl Into<String>, parameters: [Value; COUNT]) -> ExecuteStatement {
    ExecuteStatement { consistent: true, ..execute(text, parameters) }
}

fn batch<const COUNT: usize>(statements: [Statement; COUNT]) -> BatchExecuteStatement {
    let statements =
        statements.into_iter().map(|statement| BatchStatement { statement, consistent: false }).collect();
    BatchExecuteStatement { statements, ..BatchExecuteStatement::default() }
}

fn transaction<const COUNT: usize>(statements: [Statement; COUNT]) -> ExecuteTransaction {
    ExecuteTransaction { statements: statements.into(), ..ExecuteTransaction::default() }
}

fn insert(table: &Table, pk: &str, n: i64) -> Statement {
    statement(format!(r#"INSERT INTO "{}" VALUE {{'pk': ?, 'n': ?}}"#, table.name), [pk.into(), n.into()])
}

fn numbered(pk: &str, n: i64) -> Item {
    item! { "pk": pk, "n": n }
}

fn key(pk: &str) -> Item {
    item! { "pk": pk }
}

pub(super) async fn a_statement_inserts_an_item(world: World) {
    let table = world.plain_table().await;
    let text = format!(
        r#"INSERT INTO "{}" VALUE {{'pk': 'it''s', 'n': -1.5, 'b': true, 'z': NULL, 'l': [1, 'x'], 'm': {{'k': 'v'}}, 'p': ?, 'ss': <<'a', 'b'>>}}"#,
        table.name
    );
    world.ok(execute(text, ["given".into()])).await;
    let expected = item! {
        "pk": "it's", "n": number("-1.5"), "b": true, "z": Value::Null, "l": Value::L(vec![1.into(), "x".into()]),
        "m": item! { "k": "v" }, "p": "given", "ss": strings(["a", "b"]),
    };
    assert_eq!(world.item(&table, key("it's")).await, Some(expected));
}

pub(super) async fn an_insert_never_replaces(world: World) {
    let table = world.plain_table().await;
    let insert = |n| ExecuteStatement { statement: insert(&table, "a", n), ..ExecuteStatement::default() };
    world.ok(insert(1)).await;
    world.refused_saying(insert(2), DUPLICATE, "Duplicate primary key exists in table").await;
    assert_eq!(world.item(&table, key("a")).await, Some(numbered("a", 1)));
}

pub(super) async fn a_select_by_key_reads_one_item(world: World) {
    let table = world.plain_table().await;
    world.all([table.put(numbered("a", 1)), table.put(numbered("b", 2))]).await;
    let text = format!(r#"SELECT * FROM "{}" WHERE pk = ?"#, table.name);
    assert_eq!(world.ok(select(text.clone(), ["a".into()])).await.items, [numbered("a", 1)]);
    assert_eq!(world.ok(select(text, ["nobody".into()])).await.items, []);
    let text = format!(r#"SELECT n FROM "{}" WHERE pk = 'b'"#, table.name);
    assert_eq!(world.ok(select(text, [])).await.items, [item! { "n": 2 }]);
}

pub(super) async fn a_select_of_a_partition_keeps_its_order(world: World) {
    let table = world.table(Shape::sorted(KeyType::N)).await;
    world.all([3, 1, 2, 4].map(|sk| table.put(item! { "pk": "a", "sk": sk, "even": sk % 2 == 0 }))).await;
    let text = format!(r#"SELECT * FROM "{}" WHERE pk = 'a' AND sk >= ? ORDER BY sk DESC"#, table.name);
    let found = world.ok(select(text, [2.into()])).await.items;
    assert_eq!(column(&found, "sk"), values([4, 3, 2]));
    let text = format!(r#"SELECT sk FROM "{}" WHERE pk = 'a' AND even = true"#, table.name);
    assert_eq!(world.ok(select(text, [])).await.items, [item! { "sk": 2 }, item! { "sk": 4 }]);
}

pub(super) async fn a_select_without_key_reads_everything(world: World) {
    let table = world.plain_table().await;
    world.all([1, 2, 3].map(|n| table.put(numbered(&format!("p{n}"), n)))).await;
    let text = format!(r#"SELECT * FROM "{}" WHERE n > 1 AND begins_with(pk, 'p')"#, table.name);
    assert_eq!(world.ok(select(text, [])).await.items.len(), 2);
    let text = format!(r#"SELECT * FROM "{}" WHERE n IN [1, 3] OR attribute_type(n, 'S')"#, table.name);
    assert_eq!(world.ok(select(text, [])).await.items.len(), 2);
}

pub(super) async fn a_select_reads_through_an_index(world: World) {
    let index = Index::named("by_owner").hash("owner", KeyType::S);
    let table = world.table(Shape::plain().global(index)).await;
    world.all([table.put(item! { "pk": "a", "owner": "ann" }), table.put(key("b"))]).await;
    let text = format!(r#"SELECT pk FROM "{}"."by_owner" WHERE owner = 'ann'"#, table.name);
    let found = world.settled(execute(text, []), |found| !found.items.is_empty()).await;
    assert_eq!(found.items, [key("a")]);
}

pub(super) async fn a_select_is_read_in_pages(world: World) {
    let table = world.table(Shape::sorted(KeyType::N)).await;
    world.all([1, 2, 3].map(|sk| table.put(item! { "pk": "a", "sk": sk }))).await;
    let text = format!(r#"SELECT sk FROM "{}" WHERE pk = 'a'"#, table.name);
    let mut next_token = None;
    let mut seen = Vec::new();
    loop {
        let page = ExecuteStatement { limit: Some(2), next_token, ..select(text.clone(), []) };
        let output = world.ok(page).await;
        seen.extend(column(&output.items, "sk"));
        next_token = output.next_token;
        if next_token.is_none() {
            break;
        }
    }
    assert_eq!(seen, values([1, 2, 3]));
}

pub(super) async fn an_update_changes_one_item(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "a", "n": 1, "old": true })).await;
    let text = format!(
        r#"UPDATE "{}" SET n = n + ? SET s = 'new' REMOVE old WHERE pk = 'a' RETURNING ALL NEW *"#,
        table.name
    );
    let expected = item! { "pk": "a", "n": 5, "s": "new" };
    assert_eq!(world.ok(execute(text, [4.into()])).await.items, std::slice::from_ref(&expected));
    assert_eq!(world.item(&table, key("a")).await, Some(expected));
}

pub(super) async fn an_update_returns_what_it_is_asked_for(world: World) {
    let table = world.plain_table().await;
    for (returning, expected) in [
        ("ALL OLD *", item! { "pk": "a", "n": 1, "kept": "k" }),
        ("ALL NEW *", item! { "pk": "a", "n": 2, "kept": "k" }),
        ("MODIFIED OLD *", item! { "n": 1 }),
        ("MODIFIED NEW *", item! { "n": 2 }),
    ] {
        world.ok(table.put(item! { "pk": "a", "n": 1, "kept": "k" })).await;
        let text = format!(r#"UPDATE "{}" SET n = 2 WHERE pk = 'a' RETURNING {returning}"#, table.name);
        assert_eq!(world.ok(execute(text, [])).await.items, [expected], "{returning}");
    }
}

pub(super) async fn an_update_needs_an_item_and_its_condition(world: World) {
    let table = world.plain_table().await;
    let update =
        |more: &str| execute(format!(r#"UPDATE "{}" SET n = 9 WHERE pk = 'a' {more}"#, table.name), []);
    world.refused(update(""), CONDITION_FAILED).await;
    assert_eq!(world.item(&table, key("a")).await, None);
    world.ok(table.put(numbered("a", 1))).await;
    world.refused(update("AND n > 5"), CONDITION_FAILED).await;
    world.ok(update("AND n < 5")).await;
    assert_eq!(world.item(&table, key("a")).await, Some(numbered("a", 9)));
}

pub(super) async fn a_delete_removes_one_item(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(numbered("a", 1))).await;
    let delete = |more: &str| execute(format!(r#"DELETE FROM "{}" WHERE pk = 'a' {more}"#, table.name), []);
    world.refused(delete("AND n = 2"), CONDITION_FAILED).await;
    assert_eq!(world.ok(delete("RETURNING ALL OLD *")).await.items, [numbered("a", 1)]);
    assert_eq!(world.item(&table, key("a")).await, None);
    assert_eq!(world.ok(delete("")).await.items, [], "deleting nothing succeeds");
}

pub(super) async fn a_write_names_the_whole_key(world: World) {
    let table = world.sorted_table().await;
    world
        .refused(execute(format!(r#"UPDATE "{}" SET n = 1 WHERE pk = 'a'"#, table.name), []), VALIDATION)
        .await;
    world.refused(execute(format!(r#"DELETE FROM "{}" WHERE pk = 'a'"#, table.name), []), VALIDATION).await;
    let half = format!(r#"INSERT INTO "{}" VALUE {{'pk': 'a'}}"#, table.name);
    world.refused(execute(half, []), VALIDATION).await;
}

pub(super) async fn a_statement_is_well_formed(world: World) {
    let table = world.plain_table().await;
    for text in ["", "SELEKT * FROM x", "SELECT * FROM", "INSERT INTO \"abc\" VALUE {'pk': }"] {
        world.refused(execute(text, []), VALIDATION).await;
    }
    let text = format!(r#"SELECT * FROM "{}" WHERE pk = ?"#, table.name);
    world.refused(execute(text, []), VALIDATION).await;
    let text = format!(r#"SELECT * FROM "{}""#, Table { name: world.name() }.name);
    world.refused(execute(text, []), NOT_FOUND).await;
}

pub(super) async fn statements_of_a_batch_stand_alone(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(numbered("a", 1))).await;
    let output = world.ok(batch([insert(&table, "a", 2), insert(&table, "b", 2)])).await.responses;
    assert_eq!(output.len(), 2);
    // Inside a batch the service shortens its exceptions' names; the store gives them as they are everywhere.
    let error = output[0].result.as_ref().expect_err("the item is there");
    assert_eq!(error.code(), DUPLICATE);
    assert_eq!(output[1].result, Ok(None));
    assert_eq!(world.item(&table, key("a")).await, Some(numbered("a", 1)));
    assert_eq!(world.item(&table, key("b")).await, Some(numbered("b", 2)));
}

pub(super) async fn a_batch_selects_by_key(world: World) {
    let table = world.plain_table().await;
    world.all([table.put(numbered("a", 1)), table.put(numbered("b", 2))]).await;
    let select = |pk: &str| statement(format!(r#"SELECT * FROM "{}" WHERE pk = ?"#, table.name), [pk.into()]);
    let mut request = batch([select("b"), select("nobody"), select("a")]);
    request.statements.iter_mut().for_each(|statement| statement.consistent = true);
    let output = world.ok(request).await.responses;
    let found: Vec<_> = output.into_iter().map(|response| response.result).collect();
    assert_eq!(found, [Ok(Some(numbered("b", 2))), Ok(None), Ok(Some(numbered("a", 1)))]);
}

pub(super) async fn a_batch_has_1_to_25_statements_of_one_kind(world: World) {
    let table = world.plain_table().await;
    let select = statement(format!(r#"SELECT * FROM "{}" WHERE pk = 'a'"#, table.name), []);
    world.refused(batch([insert(&table, "b", 1), select]), VALIDATION).await;
    world.refused(batch([]), VALIDATION).await;
    let statements = (0..26).map(|at| insert(&table, &format!("p{at}"), at));
    let statements = statements.map(|statement| BatchStatement { statement, consistent: false }).collect();
    world.refused(BatchExecuteStatement { statements, ..BatchExecuteStatement::default() }, VALIDATION).await;
    assert_eq!(world.ok(table.scan()).await.count, 0);
}

pub(super) async fn statements_of_a_transaction_stand_together(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(numbered("a", 1))).await;
    let update = |condition: &str| {
        statement(format!(r#"UPDATE "{}" SET n = n + 1 WHERE pk = 'a' AND {condition}"#, table.name), [])
    };
    let error = world.refused(transaction([insert(&table, "b", 1), update("n = 7")]), CANCELED).await;
    let StoreError::TransactionCanceled { reasons } = error else { panic!("{error:?} has reasons") };
    let codes: Vec<_> = reasons.iter().map(|reason| reason.code).collect();
    assert_eq!(codes, [CancellationCode::None, CancellationCode::ConditionalCheckFailed]);
    assert_eq!(world.item(&table, key("b")).await, None);
    world.ok(transaction([insert(&table, "b", 1), update("n = 1")])).await;
    assert_eq!(world.item(&table, key("a")).await, Some(numbered("a", 2)));
    assert_eq!(world.item(&table, key("b")).await, Some(numbered("b", 1)));
}

pub(super) async fn a_duplicate_insert_cancels_its_transaction(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(numbered("a", 1))).await;
    let error = world.refused(transaction([insert(&table, "b", 1), insert(&table, "a", 2)]), CANCELED).await;
    let StoreError::TransactionCanceled { reasons } = error else { panic!("{error:?} has reasons") };
    assert_eq!(reasons[1].code, CancellationCode::DuplicateItem);
    assert_eq!(world.item(&table, key("b")).await, None);
}

pub(super) async fn a_transaction_requires_what_exists(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(numbered("a", 1))).await;
    let requires = |n: i64| {
        statement(format!(r#"EXISTS(SELECT * FROM "{}" WHERE pk = 'a' AND n = ?)"#, table.name), [n.into()])
    };
    world.refused(transaction([requires(7), insert(&table, "b", 1)]), CANCELED).await;
    assert_eq!(world.item(&table, key("b")).await, None);
    world.ok(transaction([requires(1), insert(&table, "b", 1)])).await;
    assert_eq!(world.item(&table, key("b")).await, Some(numbered("b", 1)));
}

pub(super) async fn a_transaction_selects_in_order(world: World) {
    let table = world.plain_table().await;
    world.all([table.put(numbered("a", 1)), table.put(numbered("b", 2))]).await;
    let select = |pk: &str| statement(format!(r#"SELECT * FROM "{}" WHERE pk = ?"#, table.name), [pk.into()]);
    let found = world.ok(transaction([select("b"), select("nobody"), select("a")])).await.items;
    assert_eq!(found, [Some(numbered("b", 2)), None, Some(numbered("a", 1))]);
}

//! One request of every operation, with a canary in every value that it can carry.

use std::collections::BTreeMap;

use tabletheory_core::expr::{Action, Condition, KeyCondition, Operand, SetOperand, SetValue, Update};
use tabletheory_core::store::capacity::ReturnCapacity;
use tabletheory_core::store::op::*;
use tabletheory_core::{Item, Request, Value};

/// What no log may show.
pub(crate) const CANARY: &str = "canary";

fn table() -> String {
    "Pages".to_owned()
}

fn secret() -> Value {
    Value::s(CANARY)
}

pub(crate) fn key() -> Item {
    Item::from([("pk", secret())])
}

fn item() -> Item {
    let nested = Item::from([("inner", secret())]);
    Item::from([
        ("pk", secret()),
        ("bytes", Value::B(CANARY.into())),
        ("list", Value::L(vec![secret()])),
        ("map", Value::M(nested)),
        ("set", Value::Ss([CANARY.to_owned()].into())),
    ])
}

pub(crate) fn condition() -> Condition {
    Condition::AttributeNotExists("guard".into())
}

fn comparison() -> Option<Condition> {
    Some(Condition::BeginsWith(Operand::Path("guard".into()), Operand::Value(secret())))
}

fn update() -> Update {
    let set = SetValue::Operand(SetOperand::Value(secret()));
    Update { actions: vec![Action::Set("changed".into(), set), Action::Add("seen".into(), secret())] }
}

fn statement(text: &str) -> Statement {
    Statement { text: text.to_owned(), parameters: vec![secret()], ..Statement::default() }
}

fn statements() -> [Statement; 2] {
    [
        statement(&format!("SELECT * FROM \"Pages\" WHERE pk = ? AND name = '{CANARY}'")),
        statement(&format!("no statement, but ? and '{CANARY}'")),
    ]
}

fn writes() -> Vec<TransactWrite> {
    let actions = [
        TransactAction::Put { item: item() },
        TransactAction::Update { key: key(), update: update() },
        TransactAction::Delete { key: key() },
        TransactAction::ConditionCheck { key: key() },
    ];
    let write = |action| TransactWrite {
        table: table(),
        action,
        condition: comparison(),
        on_condition_failure: OnConditionFailure::AllOld,
    };
    actions.into_iter().map(write).collect()
}

/// A transaction of every kind of write, with a token.
pub(crate) fn transaction() -> TransactWriteItems {
    TransactWriteItems {
        writes: writes(),
        client_request_token: Some(CANARY.to_owned()),
        ..TransactWriteItems::default()
    }
}

/// One request of every operation.
pub(crate) fn every() -> Vec<Request> {
    let mut every = of_tables();
    every.extend(of_items());
    every.extend(of_streams_and_statements());
    every
}

fn of_tables() -> Vec<Request> {
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Pages".to_owned();
    vec![
        CreateTable { table: table(), ..CreateTable::default() }.into(),
        DescribeTable { table: table() }.into(),
        ListTables::default().into(),
        UpdateTable { table: table(), ..UpdateTable::default() }.into(),
        DeleteTable { table: table() }.into(),
        UpdateTimeToLive { table: table(), attribute: "ttl".to_owned(), enabled: true }.into(),
        DescribeTimeToLive { table: table() }.into(),
        TagResource { arn: arn.clone(), ..TagResource::default() }.into(),
        UntagResource { arn: arn.clone(), ..UntagResource::default() }.into(),
        ListTagsOfResource { arn, next_token: Some(CANARY.to_owned()) }.into(),
    ]
}

fn of_items() -> Vec<Request> {
    let keys = KeysAndProjection { keys: vec![key()], ..KeysAndProjection::default() };
    let batch = vec![BatchWrite::Put(item()), BatchWrite::Delete(key())];
    let get = TransactGet { table: table(), key: key(), ..TransactGet::default() };
    vec![
        GetItem {
            table: table(),
            key: key(),
            return_capacity: ReturnCapacity::Indexes,
            ..GetItem::default()
        }
        .into(),
        PutItem { table: table(), item: item(), condition: comparison(), ..PutItem::default() }.into(),
        UpdateItem {
            table: table(),
            key: key(),
            update: Some(update()),
            condition: comparison(),
            ..UpdateItem::default()
        }
        .into(),
        DeleteItem { table: table(), key: key(), condition: comparison(), ..DeleteItem::default() }.into(),
        Query {
            table: table(),
            key_condition: KeyCondition::partition("pk", CANARY),
            filter: comparison(),
            start_key: Some(key()),
            ..Query::default()
        }
        .into(),
        Scan { table: table(), filter: comparison(), start_key: Some(key()), ..Scan::default() }.into(),
        BatchGetItem { tables: BTreeMap::from([(table(), keys)]), ..BatchGetItem::default() }.into(),
        BatchWriteItem { tables: BTreeMap::from([(table(), batch)]), ..BatchWriteItem::default() }.into(),
        TransactGetItems { gets: vec![get], ..TransactGetItems::default() }.into(),
        transaction().into(),
    ]
}

fn of_streams_and_statements() -> Vec<Request> {
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Pages/stream/1".to_owned();
    let [select, broken] = statements();
    let of_batch = |statement| BatchStatement { statement, ..BatchStatement::default() };
    vec![
        ListStreams { table: Some(table()), ..ListStreams::default() }.into(),
        DescribeStream { arn: arn.clone(), ..DescribeStream::default() }.into(),
        GetShardIterator { arn, shard: "shard".to_owned(), start: IteratorStart::At(CANARY.to_owned()) }
            .into(),
        GetRecords { iterator: CANARY.to_owned(), ..GetRecords::default() }.into(),
        ExecuteStatement { statement: select.clone(), ..ExecuteStatement::default() }.into(),
        BatchExecuteStatement {
            statements: [select.clone(), broken.clone()].map(of_batch).into(),
            ..BatchExecuteStatement::default()
        }
        .into(),
        ExecuteTransaction {
            statements: vec![select, broken],
            client_request_token: Some(CANARY.to_owned()),
            ..ExecuteTransaction::default()
        }
        .into(),
    ]
}

#[test]
fn there_is_a_request_of_every_operation() {
    let names: Vec<&str> = every().iter().map(Request::name).collect();
    assert_eq!(names, Request::NAMES);
}

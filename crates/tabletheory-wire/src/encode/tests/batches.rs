//! Batches, transactions and statements.

use tabletheory_core::expr::{Path, ProjectionExpression};
use tabletheory_core::store::capacity::{ConsumedCapacity, Units};
use tabletheory_core::store::op::{
    BatchExecuteStatementOutput, BatchGetItemOutput, BatchStatementOutput, BatchWrite, BatchWriteItemOutput,
    ExecuteStatementOutput, ExecuteTransactionOutput, KeysAndProjection, TransactGetItemsOutput,
    TransactWriteItemsOutput,
};
use tabletheory_core::{Item, Response, StoreError, Value};

use super::{COLLECTION, ITEM, collection, exactly, item, means, total};

fn key() -> Item {
    Item::from([("pk", Value::s("a"))])
}

#[test]
fn a_batch_of_reads_names_every_table_and_what_was_left() {
    let output =
        BatchGetItemOutput { items: [("t".to_owned(), vec![])].into(), ..BatchGetItemOutput::default() };
    exactly(Response::BatchGetItem, output, r#"{"Responses":{"t":[]},"UnprocessedKeys":{}}"#);

    let paths = vec![Path::attribute("name"), Path::attribute("a").field("b.c").index(2)];
    let projected = KeysAndProjection {
        keys: vec![key()],
        projection: Some(ProjectionExpression { paths }),
        consistent: true,
    };
    let plain = KeysAndProjection { keys: vec![key(), key()], ..KeysAndProjection::default() };
    let output = BatchGetItemOutput {
        items: [("t".to_owned(), vec![item()]), ("u".to_owned(), vec![])].into(),
        unprocessed: [("t".to_owned(), projected), ("u".to_owned(), plain)].into(),
        capacity: vec![total("t", 1.0), total("u", 0.5)],
    };
    means(
        Response::BatchGetItem,
        output,
        &format!(
            r##"{{
                "Responses": {{"t": [{ITEM}], "u": []}},
                "UnprocessedKeys": {{
                    "t": {{
                        "Keys": [{{"pk": {{"S": "a"}}}}], "ConsistentRead": true,
                        "ProjectionExpression": "#n0, #n1.#n2[2]",
                        "ExpressionAttributeNames": {{"#n0": "name", "#n1": "a", "#n2": "b.c"}}
                    }},
                    "u": {{"Keys": [{{"pk": {{"S": "a"}}}}, {{"pk": {{"S": "a"}}}}]}}
                }},
                "ConsumedCapacity": [
                    {{"TableName": "t", "CapacityUnits": 1.0}}, {{"TableName": "u", "CapacityUnits": 0.5}}
                ]
            }}"##
        ),
    );
}

#[test]
fn a_batch_of_writes_returns_what_was_left_as_requests() {
    exactly(Response::BatchWriteItem, BatchWriteItemOutput::default(), r#"{"UnprocessedItems":{}}"#);
    let output = BatchWriteItemOutput {
        unprocessed: [("t".to_owned(), vec![BatchWrite::Put(item()), BatchWrite::Delete(key())])].into(),
        capacity: vec![total("t", 3.0)],
        collection_metrics: [("t".to_owned(), vec![collection()])].into(),
    };
    means(
        Response::BatchWriteItem,
        output,
        &format!(
            r#"{{
                "UnprocessedItems": {{"t": [
                    {{"PutRequest": {{"Item": {ITEM}}}}},
                    {{"DeleteRequest": {{"Key": {{"pk": {{"S": "a"}}}}}}}}
                ]}},
                "ConsumedCapacity": [{{"TableName": "t", "CapacityUnits": 3.0}}],
                "ItemCollectionMetrics": {{"t": [{COLLECTION}]}}
            }}"#
        ),
    );
}

#[test]
fn a_transaction_of_reads_leaves_an_empty_object_where_nothing_was_found() {
    let units = Units { total: 4.0, read: 4.0, write: 0.0 };
    let cost = ConsumedCapacity { table: "t".to_owned(), units, split: true, ..ConsumedCapacity::default() };
    let expected = format!(
        r#"{{"ConsumedCapacity":[{{"CapacityUnits":4.0,"ReadCapacityUnits":4.0,"TableName":"t"}}],"Responses":[{{}},{{"Item":{ITEM}}}]}}"#
    );
    let (items, capacity) = (vec![None, Some(item())], vec![cost]);
    let output = TransactGetItemsOutput { items: items.clone(), capacity: capacity.clone() };
    exactly(Response::TransactGetItems, output, &expected);
    exactly(Response::ExecuteTransaction, ExecuteTransactionOutput { items, capacity }, &expected);
    let output = ExecuteTransactionOutput { items: vec![None, None], capacity: vec![] };
    exactly(Response::ExecuteTransaction, output, r#"{"Responses":[{},{}]}"#);
}

#[test]
fn a_transaction_of_writes_answers_only_what_was_asked_for() {
    exactly(Response::TransactWriteItems, TransactWriteItemsOutput::default(), "{}");
    let output = TransactWriteItemsOutput {
        capacity: vec![total("t", 2.0)],
        collection_metrics: [("t".to_owned(), vec![collection()])].into(),
    };
    means(
        Response::TransactWriteItems,
        output,
        &format!(
            r#"{{
                "ConsumedCapacity": [{{"TableName": "t", "CapacityUnits": 2.0}}],
                "ItemCollectionMetrics": {{"t": [{COLLECTION}]}}
            }}"#
        ),
    );
}

#[test]
fn a_statement_always_has_items() {
    exactly(Response::ExecuteStatement, ExecuteStatementOutput::default(), r#"{"Items":[]}"#);
    let output = ExecuteStatementOutput {
        items: vec![item()],
        next_token: Some("on".to_owned()),
        last_evaluated_key: Some(key()),
        capacity: Some(total("t", 0.5)),
    };
    means(
        Response::ExecuteStatement,
        output,
        &format!(
            r#"{{
                "Items": [{ITEM}], "NextToken": "on", "LastEvaluatedKey": {{"pk": {{"S": "a"}}}},
                "ConsumedCapacity": {{"TableName": "t", "CapacityUnits": 0.5}}
            }}"#
        ),
    );
}

#[test]
fn each_statement_of_a_batch_fails_by_itself() {
    let outcome = |result| BatchStatementOutput { table: Some("t".to_owned()), result };
    let failed = StoreError::ConditionalCheckFailed { item: Some(Box::new(item())) };
    let output = BatchExecuteStatementOutput {
        responses: vec![
            outcome(Ok(Some(item()))),
            outcome(Ok(None)),
            outcome(Err(failed)),
            BatchStatementOutput { table: None, result: Err(StoreError::validation("no")) },
        ],
        capacity: vec![total("t", 1.0)],
    };
    means(
        Response::BatchExecuteStatement,
        output,
        &format!(
            r#"{{
                "Responses": [
                    {{"TableName": "t", "Item": {ITEM}}},
                    {{"TableName": "t"}},
                    {{"TableName": "t", "Error": {{
                        "Code": "ConditionalCheckFailed", "Message": "The conditional request failed", "Item": {ITEM}
                    }}}},
                    {{"Error": {{"Code": "ValidationError", "Message": "no"}}}}
                ],
                "ConsumedCapacity": [{{"TableName": "t", "CapacityUnits": 1.0}}]
            }}"#
        ),
    );
}

#[test]
fn a_statement_s_error_has_the_name_that_batches_give_it() {
    let check = |make: fn(String) -> StoreError, code: &str| {
        let outcome = BatchStatementOutput { table: None, result: Err(make("why".to_owned())) };
        let output = BatchExecuteStatementOutput { responses: vec![outcome], capacity: vec![] };
        let expected = format!(r#"{{"Responses":[{{"Error":{{"Code":"{code}","Message":"why"}}}}]}}"#);
        exactly(Response::BatchExecuteStatement, output, &expected);
    };
    check(StoreError::Validation, "ValidationError");
    check(StoreError::ItemCollectionSizeLimitExceeded, "ItemCollectionSizeLimitExceeded");
    check(StoreError::RequestLimitExceeded, "RequestLimitExceeded");
    check(StoreError::ProvisionedThroughputExceeded, "ProvisionedThroughputExceeded");
    check(StoreError::TransactionConflict, "TransactionConflict");
    check(StoreError::Throttling, "ThrottlingError");
    check(StoreError::Internal, "InternalServerError");
    check(StoreError::ResourceNotFound, "ResourceNotFound");
    check(StoreError::AccessDenied, "AccessDenied");
    check(StoreError::DuplicateItem, "DuplicateItem");
    check(StoreError::ResourceInUse, "InternalServerError");
}

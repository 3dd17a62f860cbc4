//! What answers of the service become, down to the items inside refusals, and what becomes of answers that say little.

use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::store::op::{
    BatchExecuteStatement, BatchStatement, ExecuteTransaction, GetItem, PutItem, Statement, TransactGet,
    TransactGetItems, TransactWriteItems,
};
use tabletheory_core::{Item, Request, Store, StoreError, StoreExt, Value};

use crate::client::connect;
use crate::requests;
use crate::server::{Answer, Server};

fn get() -> GetItem {
    GetItem { table: "t".to_owned(), key: requests::key(), ..GetItem::default() }
}

#[tokio::test]
async fn a_failed_condition_brings_the_item() {
    let body = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message":"The conditional request failed","Item":{"pk":{"S":"a"},"n":{"N":"1"}}}"#;
    let server = Server::start(vec![Answer::Status(400, body.to_owned())]);
    let condition = Some(requests::condition());
    let put = PutItem { table: "t".to_owned(), item: requests::key(), condition, ..PutItem::default() };
    let answer = connect(server.endpoint_url()).await.put_item(put).await;
    let item = Item::from([("pk", Value::s("a")), ("n", Value::n(1))]);
    assert_eq!(answer, Err(StoreError::ConditionalCheckFailed { item: Some(Box::new(item)) }));
}

#[tokio::test]
async fn a_canceled_transaction_brings_its_reasons_and_items() {
    let body = r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message":"Transaction cancelled","CancellationReasons":[{"Code":"None"},
        {"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"pk":{"S":"a"}}},
        {"Code":"Newfangled","Message":"what"}]}"#;
    let server = Server::start(vec![Answer::Status(400, body.to_owned())]);
    let answer =
        connect(server.endpoint_url()).await.transact_write_items(TransactWriteItems::default()).await;
    let failed = CancellationReason {
        code: CancellationCode::ConditionalCheckFailed,
        message: Some("The conditional request failed".to_owned()),
        item: Some(Box::new(Item::from([("pk", Value::s("a"))]))),
    };
    let unknown = CancellationReason {
        code: CancellationCode::ValidationError,
        message: Some("Newfangled: what".to_owned()),
        item: None,
    };
    let reasons = vec![CancellationReason::default(), failed, unknown];
    assert_eq!(answer, Err(StoreError::TransactionCanceled { reasons }));
}

#[tokio::test]
async fn a_code_without_a_variant_stands_in_the_text() {
    let server = Server::start(vec![Answer::refusal(400, "PolicyNotFoundException", "no policy")]);
    let answer = connect(server.endpoint_url()).await.get_item(get()).await;
    assert_eq!(answer, Err(StoreError::Validation("PolicyNotFoundException: no policy".to_owned())));
}

/// Operations that have nothing to tell when they succeed.
const NOTHING_TO_TELL: [&str; 2] = ["TagResource", "UntagResource"];

/// Operations that may have nothing to tell: no item, no page, nothing left over. What is missing from the others' answers
/// was promised for each part of the request, or cannot be made up.
const MAY_HAVE_NOTHING_TO_TELL: [&str; 17] = [
    "ListTables",
    "UpdateTimeToLive",
    "DescribeTimeToLive",
    "ListTagsOfResource",
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactWriteItems",
    "ListStreams",
    "GetRecords",
    "ExecuteStatement",
    "ExecuteTransaction",
];

/// A proxy, or something else than DynamoDB, may answer without the fields that the service always sends.
#[tokio::test]
async fn answers_without_fields_are_answers_only_where_nothing_is_one() {
    for (body, says_nothing) in [("{}", true), ("", true), ("null", false)] {
        let server = Server::start(vec![Answer::ok(body)]);
        let store = connect(server.endpoint_url()).await;
        for request in requests::every() {
            let name = request.name();
            let expected =
                NOTHING_TO_TELL.contains(&name) || says_nothing && MAY_HAVE_NOTHING_TO_TELL.contains(&name);
            let answer = store.call(request).await;
            assert_eq!(answer.is_ok(), expected, "{name} answered {body:?}: {answer:?}");
            if let Err(error) = answer {
                assert!(error.is_ambiguous(), "{name} answered {body:?}: {}: {error}", error.code());
            }
        }
    }
}

fn select() -> Statement {
    Statement { text: "SELECT * FROM t WHERE pk = 'a'".to_owned(), ..Statement::default() }
}

/// Nobody could tell which of them belongs to which part of the request.
#[tokio::test]
async fn fewer_or_more_answers_than_questions_are_no_answers() {
    let get = TransactGet { table: "t".to_owned(), key: requests::key(), ..TransactGet::default() };
    let gets = TransactGetItems { gets: vec![get; 2], ..TransactGetItems::default() };
    let statement = BatchStatement { statement: select(), ..BatchStatement::default() };
    let batch = BatchExecuteStatement { statements: vec![statement; 2], ..BatchExecuteStatement::default() };
    let transaction = ExecuteTransaction { statements: vec![select(); 2], ..ExecuteTransaction::default() };
    for (responses, answers) in [("", 0), ("{}", 1), ("{},{}", 2), ("{},{},{}", 3)] {
        let server = Server::start(vec![Answer::ok(&format!(r#"{{"Responses":[{responses}]}}"#))]);
        let store = connect(server.endpoint_url()).await;
        for request in [gets.clone().into(), batch.clone().into(), transaction.clone().into()] {
            let request: Request = request;
            let name = request.name();
            let answer = store.call(request).await;
            assert_eq!(answer.is_ok(), answers == 2, "{name}, {answers} answers: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_transaction_of_writing_statements_answers_each_with_nothing() {
    let insert = Statement { text: "INSERT INTO t VALUE {'pk': 'a'}".to_owned(), ..Statement::default() };
    let insert = ExecuteTransaction { statements: vec![insert; 2], ..ExecuteTransaction::default() };
    for body in ["{}", r#"{"Responses":[]}"#, r#"{"Responses":[{},{}]}"#] {
        let server = Server::start(vec![Answer::ok(body)]);
        let answer = connect(server.endpoint_url()).await.execute_transaction(insert.clone()).await;
        assert_eq!(answer.expect("it was carried out").items, [None, None], "{body}");
    }
}

#[tokio::test]
async fn a_refusal_without_a_code_is_told_by_its_status() {
    for (status, code) in [
        (400, "ValidationException"),
        (403, "AccessDeniedException"),
        (404, "ValidationException"),
        (408, "ServiceUnavailable"),
        (429, "ThrottlingException"),
    ] {
        let server = Server::start(vec![Answer::Status(status, "<html>go away</html>".to_owned())]);
        let error = connect(server.endpoint_url()).await.get_item(get()).await.unwrap_err();
        assert_eq!(error.code(), code, "{status}: {error}");
        assert!(error.to_string().contains(&status.to_string()), "{error}");
    }
}

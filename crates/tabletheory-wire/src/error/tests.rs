//! Refusals against what the service writes.

use http::StatusCode;
use serde_json::Value as Json;
use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::{Item, StoreError, Value};

use super::{encode, refused};

fn check(error: &StoreError, expected: &str) {
    let (status, body) = encode(error);
    assert_eq!(String::from_utf8(body).unwrap(), expected);
    let internal = matches!(error, StoreError::Internal(_));
    assert_eq!(status, if internal { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::BAD_REQUEST });
}

#[test]
fn a_false_condition_returns_the_item_that_was_asked_for() {
    check(
        &StoreError::ConditionalCheckFailed { item: None },
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}"#,
    );
    let item = Item::from([("pk", Value::s("a")), ("n", Value::n(1))]);
    check(
        &StoreError::ConditionalCheckFailed { item: Some(Box::new(item)) },
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Item":{"n":{"N":"1"},"pk":{"S":"a"}},"message":"The conditional request failed"}"#,
    );
}

#[test]
fn a_cancelled_transaction_tells_of_every_operation() {
    let failed = |item| CancellationReason {
        code: CancellationCode::ConditionalCheckFailed,
        message: Some("The conditional request failed".to_owned()),
        item,
    };
    let item = Box::new(Item::from([("pk", Value::s("a"))]));
    check(
        &StoreError::TransactionCanceled {
            reasons: vec![CancellationReason::default(), failed(None), failed(Some(item))],
        },
        concat!(
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":["#,
            r#"{"Code":"None"},"#,
            r#"{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"},"#,
            r#"{"Code":"ConditionalCheckFailed","Item":{"pk":{"S":"a"}},"Message":"The conditional request failed"}],"#,
            r#""Message":"Transaction cancelled, please refer cancellation reasons for specific reasons "#,
            r#"[None, ConditionalCheckFailed, ConditionalCheckFailed]"}"#,
        ),
    );
}

#[test]
fn every_exception_has_its_namespace_and_its_spelling_of_message() {
    let check = |make: fn(String) -> StoreError, namespace: &str, key: &str| {
        let error = make("why \"so\"\n".to_owned());
        let code = error.code();
        check(&error, &format!(r#"{{"__type":"{namespace}#{code}","{key}":"why \"so\"\n"}}"#));
    };
    let dynamodb = "com.amazonaws.dynamodb.v20120810";
    check(StoreError::Validation, "com.amazon.coral.validate", "message");
    check(StoreError::Throttling, "com.amazon.coral.availability", "message");
    check(StoreError::AccessDenied, "com.amazon.coral.service", "Message");
    check(StoreError::Serialization, "com.amazon.coral.service", "Message");
    check(StoreError::UnknownOperation, "com.amazon.coral.service", "Message");
    check(StoreError::TrimmedDataAccess, "com.amazonaws.dynamodb.streams.v20120810", "message");
    check(StoreError::ExpiredIterator, "com.amazonaws.dynamodb.streams.v20120810", "message");
    check(StoreError::TransactionInProgress, dynamodb, "Message");
    check(StoreError::IdempotentParameterMismatch, dynamodb, "Message");
    check(StoreError::ResourceNotFound, dynamodb, "message");
    check(StoreError::ResourceInUse, dynamodb, "message");
    check(StoreError::TransactionConflict, dynamodb, "message");
    check(StoreError::DuplicateItem, dynamodb, "message");
    check(StoreError::ProvisionedThroughputExceeded, dynamodb, "message");
    check(StoreError::RequestLimitExceeded, dynamodb, "message");
    check(StoreError::LimitExceeded, dynamodb, "message");
    check(StoreError::ItemCollectionSizeLimitExceeded, dynamodb, "message");
    check(StoreError::Internal, dynamodb, "message");
}

#[test]
fn an_empty_message_is_left_out() {
    check(
        &StoreError::Serialization(String::new()),
        r#"{"__type":"com.amazon.coral.service#SerializationException"}"#,
    );
    check(
        &StoreError::UnknownOperation(String::new()),
        r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#,
    );
}

#[test]
fn a_bad_signature_is_refused_in_the_framework_s_words() {
    let body =
        refused("UnrecognizedClientException", "The security token included in the request is invalid.");
    let body: Json = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        body,
        serde_json::json!({
            "__type": "com.amazon.coral.service#UnrecognizedClientException",
            "message": "The security token included in the request is invalid.",
        })
    );
}

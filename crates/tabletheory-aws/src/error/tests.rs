//! Codes of the service and what they become, one line each.

use aws_sdk_dynamodb::types::{BatchStatementError, BatchStatementErrorCodeEnum};
use tabletheory_core::{Item, Value};

use super::*;

#[test]
fn every_code_of_the_store_is_read_as_itself() {
    let codes = [
        "ValidationException",
        "ResourceNotFoundException",
        "ResourceInUseException",
        "ConditionalCheckFailedException",
        "TransactionCanceledException",
        "TransactionConflictException",
        "TransactionInProgressException",
        "IdempotentParameterMismatchException",
        "DuplicateItemException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "LimitExceededException",
        "ItemCollectionSizeLimitExceededException",
        "TrimmedDataAccessException",
        "ExpiredIteratorException",
        "AccessDeniedException",
        "SerializationException",
        "UnknownOperationException",
        "InternalServerError",
    ];
    for code in codes {
        assert_eq!(of_code(Some(code), Some("text"), 400).code(), code);
    }
}

#[track_caller]
fn check(code: &str, status: u16, expected: StoreError) {
    assert_eq!(of_code(Some(code), Some("text"), status), expected);
}

#[test]
fn other_codes_keep_their_name_in_the_text() {
    let text = |code: &str| format!("{code}: text");
    check("Newfangled", 400, StoreError::Validation(text("Newfangled")));
    check("Newfangled", 503, StoreError::Internal(text("Newfangled")));
    check("Newfangled", 401, StoreError::AccessDenied(text("Newfangled")));
    check("Newfangled", 403, StoreError::AccessDenied(text("Newfangled")));
    check("Newfangled", 408, StoreError::Unavailable(text("Newfangled")));
    check("Newfangled", 429, StoreError::Throttling(text("Newfangled")));
    check("RequestTimeout", 400, StoreError::Unavailable(text("RequestTimeout")));
    check("RequestTimeoutException", 400, StoreError::Unavailable(text("RequestTimeoutException")));
    check("ServiceUnavailable", 503, StoreError::Internal(text("ServiceUnavailable")));
    check("ExpiredTokenException", 400, StoreError::AccessDenied(text("ExpiredTokenException")));
    check("IndexNotFoundException", 400, StoreError::ResourceNotFound(text("IndexNotFoundException")));
    assert_eq!(of_code(Some("Newfangled"), None, 400), StoreError::Validation("Newfangled".to_owned()));
}

#[test]
fn every_name_of_throttling_is_throttling() {
    for code in [
        "Throttling",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "TooManyRequestsException",
        "BandwidthLimitExceeded",
        "SlowDown",
        "PriorRequestNotComplete",
        "EC2ThrottledException",
    ] {
        check(code, 400, StoreError::Throttling(format!("{code}: text")));
    }
}

#[test]
fn a_message_that_is_missing_is_the_code() {
    let error = of_code(Some("ThrottlingException"), None, 400);
    assert_eq!(error, StoreError::Throttling("ThrottlingException".to_owned()));
}

#[test]
fn every_code_of_a_batch_statement_has_its_error() {
    for (short, long) in [
        ("ItemCollectionSizeLimitExceeded", "ItemCollectionSizeLimitExceededException"),
        ("RequestLimitExceeded", "RequestLimitExceeded"),
        ("ValidationError", "ValidationException"),
        ("ProvisionedThroughputExceeded", "ProvisionedThroughputExceededException"),
        ("TransactionConflict", "TransactionConflictException"),
        ("ThrottlingError", "ThrottlingException"),
        ("InternalServerError", "InternalServerError"),
        ("ResourceNotFound", "ResourceNotFoundException"),
        ("AccessDenied", "AccessDeniedException"),
        ("DuplicateItem", "DuplicateItemException"),
        ("Newfangled", "ValidationException"),
    ] {
        let error = BatchStatementError::builder().code(short.into()).message("text").build();
        assert_eq!(of_statement(error).code(), long, "{short}");
    }
    assert_eq!(of_statement(BatchStatementError::builder().build()).code(), "ValidationException");
}

#[test]
fn a_failed_condition_of_a_batch_statement_brings_the_item() {
    let item = Item::from([("pk", Value::s("a"))]);
    let error = BatchStatementError::builder()
        .code(BatchStatementErrorCodeEnum::ConditionalCheckFailed)
        .set_item(Some(value::write_item(item.clone())))
        .build();
    assert_eq!(of_statement(error), StoreError::ConditionalCheckFailed { item: Some(Box::new(item)) });
}

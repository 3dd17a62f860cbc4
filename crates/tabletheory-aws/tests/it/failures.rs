//! What failures mean: whether something may have been written, and how often the network was asked.

use tabletheory_aws::{Config, DynamoDb, Retry};
use tabletheory_core::store::op::{GetItem, PutItem, TransactWriteItems, UpdateItem};
use tabletheory_core::{StoreError, StoreExt};

use crate::client::{config, connect, connect_briefly, connect_impatient};
use crate::requests;
use crate::server::{Answer, Server, nobody};

fn get() -> GetItem {
    GetItem { table: "t".to_owned(), key: requests::key(), ..GetItem::default() }
}

fn plain_put() -> PutItem {
    PutItem { table: "t".to_owned(), item: requests::key(), ..PutItem::default() }
}

fn update() -> UpdateItem {
    UpdateItem { table: "t".to_owned(), key: requests::key(), ..UpdateItem::default() }
}

fn guarded_put() -> PutItem {
    PutItem { condition: Some(requests::condition()), ..plain_put() }
}

fn throttled() -> Answer {
    Answer::refusal(400, "ProvisionedThroughputExceededException", "slow down")
}

fn failed() -> Answer {
    Answer::refusal(500, "InternalServerError", "something broke")
}

/// Sends a read, a plain write and a guarded write to servers that always answer like this, all at once. Nobody knows what happened
/// then; the first two are sent `repeated` times, the last once.
async fn check_lost(answer: Answer, repeated: usize, store: impl AsyncFn(&str) -> DynamoDb) {
    let read = async {
        let server = Server::start(vec![answer.clone()]);
        let error =
            store(server.endpoint_url()).await.get_item(get()).await.expect_err("no answer, no success");
        assert!(matches!(error, StoreError::Internal(_)), "{answer:?}: {error:?}");
        assert_eq!(server.count_from(repeated).await, repeated, "a read is repeated after {answer:?}");
    };
    let plain = async {
        let server = Server::start(vec![answer.clone()]);
        let error = store(server.endpoint_url())
            .await
            .put_item(plain_put())
            .await
            .expect_err("no answer, no success");
        assert!(error.is_ambiguous(), "{answer:?}: {error:?}");
        assert_eq!(server.count_from(repeated).await, repeated, "a plain put is repeated after {answer:?}");
    };
    let guarded = async {
        let server = Server::start(vec![answer.clone()]);
        let error = store(server.endpoint_url())
            .await
            .put_item(guarded_put())
            .await
            .expect_err("no answer, no success");
        assert!(error.is_ambiguous(), "{answer:?}: {error:?}");
        assert_eq!(server.count_from(1).await, 1, "a guarded put is not repeated after {answer:?}");
    };
    tokio::join!(read, plain, guarded);
}

#[tokio::test]
async fn a_connection_that_is_refused_means_that_nothing_happened() {
    let store = connect(&nobody()).await;
    for error in [
        store.get_item(get()).await.unwrap_err(),
        store.put_item(plain_put()).await.unwrap_err(),
        store.put_item(guarded_put()).await.unwrap_err(),
        store.update_item(update()).await.unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        assert!(error.is_retryable() && !error.is_ambiguous());
    }
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_leaves_the_outcome_unknown() {
    check_lost(Answer::Close, 3, connect).await;
}

#[tokio::test]
async fn half_an_answer_leaves_the_outcome_unknown() {
    check_lost(Answer::Half, 3, connect).await;
}

#[tokio::test]
async fn a_fault_of_the_service_leaves_the_outcome_unknown() {
    check_lost(failed(), 3, connect).await;
    check_lost(Answer::Status(503, "<html>later</html>".to_owned()), 3, connect).await;
}

#[tokio::test]
async fn silence_leaves_the_outcome_unknown() {
    check_lost(Answer::Silence, 3, connect_impatient).await;
}

#[tokio::test]
async fn a_request_whose_time_is_over_leaves_the_outcome_unknown() {
    // The second attempt would have its own thirty seconds.
    check_lost(Answer::Silence, 1, connect_briefly).await;
}

#[tokio::test]
async fn an_answer_that_is_not_json_leaves_the_outcome_unknown() {
    // Whoever answers like this will do so again: the SDK does not ask a second time.
    check_lost(Answer::ok("<html>hello</html>"), 1, connect).await;
}

#[tokio::test]
async fn throttled_requests_are_sent_as_often_as_configured() {
    for (max_attempts, succeeds) in [(1, false), (2, false), (3, true), (4, true)] {
        let server = Server::start(vec![throttled(), throttled(), Answer::ok("{}")]);
        let retry = Retry { max_attempts, ..config("").retry };
        let store = DynamoDb::connect(Config { retry, ..config(server.endpoint_url()) }).await.unwrap();
        // Throttling means that nothing happened, so even a guarded write is sent again.
        let answer = store.put_item(guarded_put()).await;
        let attempts = usize::try_from(max_attempts).unwrap().min(3);
        assert_eq!((answer.is_ok(), server.count()), (succeeds, attempts), "{answer:?}");
        if let Err(error) = answer {
            assert_eq!(error, StoreError::ProvisionedThroughputExceeded("slow down".to_owned()));
        }
    }
}

#[tokio::test]
async fn each_kind_of_throttling_keeps_its_name() {
    for code in ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"] {
        let server = Server::start(vec![Answer::refusal(400, code, "slow down")]);
        let error = connect(server.endpoint_url()).await.put_item(guarded_put()).await.unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.is_retryable() && !error.is_ambiguous());
        assert_eq!(server.count(), 3, "{code}");
    }
}

#[tokio::test]
async fn a_conflict_is_left_to_the_caller() {
    let server = Server::start(vec![Answer::refusal(400, "TransactionConflictException", "busy")]);
    let error = connect(server.endpoint_url()).await.put_item(guarded_put()).await.unwrap_err();
    assert_eq!(error, StoreError::TransactionConflict("busy".to_owned()));
    assert_eq!(server.count(), 1);
}

/// The SDK alone would send the write again, meet the item that the first attempt wrote, and call the condition false.
#[tokio::test]
async fn a_guarded_write_does_not_meet_its_own_ghost() {
    let ghost = Answer::refusal(400, "ConditionalCheckFailedException", "The conditional request failed");
    let server = Server::start(vec![Answer::Close, ghost]);
    let error = connect(server.endpoint_url()).await.put_item(guarded_put()).await.unwrap_err();
    assert!(error.is_ambiguous(), "{error:?}");
}

#[tokio::test]
async fn a_refusal_after_a_lost_answer_does_not_say_that_nothing_happened() {
    let server = Server::start(vec![Answer::Close, throttled()]);
    let error = connect(server.endpoint_url()).await.put_item(plain_put()).await.unwrap_err();
    assert!(error.is_ambiguous(), "{error:?}");
    assert!(error.to_string().contains("ProvisionedThroughputExceededException: slow down"), "{error}");
    // A read has nothing to fear from its first attempt.
    let server = Server::start(vec![Answer::Close, throttled()]);
    let error = connect(server.endpoint_url()).await.get_item(get()).await.unwrap_err();
    assert_eq!(error, StoreError::ProvisionedThroughputExceeded("slow down".to_owned()));
}

/// A proxy, or a name that we do not know, does not tell that the service would have refused the first attempt too.
#[tokio::test]
async fn only_the_service_itself_can_refuse_a_lost_attempt_afterwards() {
    let html = Answer::Status(404, "<html>not here</html>".to_owned());
    for refusal in [html, Answer::refusal(400, "Newfangled", "what")] {
        let server = Server::start(vec![Answer::Close, refusal.clone()]);
        let error = connect(server.endpoint_url()).await.put_item(plain_put()).await.unwrap_err();
        assert!(error.is_ambiguous(), "{refusal:?}: {error:?}");
        assert_eq!(server.count(), 2);
    }
    let invalid = Answer::refusal(400, "ValidationException", "no key");
    let server = Server::start(vec![Answer::Close, invalid]);
    let error = connect(server.endpoint_url()).await.put_item(plain_put()).await.unwrap_err();
    assert_eq!(error, StoreError::Validation("no key".to_owned()));
}

/// The SDK lends every client of a process the same budget of attempts unless it is told otherwise.
#[tokio::test]
async fn failures_of_one_store_take_no_attempts_from_another() {
    let server = Server::start(vec![failed()]);
    let store = connect(server.endpoint_url()).await;
    for _ in 0..100 {
        store.get_item(get()).await.unwrap_err();
    }
    assert!(server.count() < 300, "its own budget is not spent after {} attempts", server.count());
    let server = Server::start(vec![failed()]);
    connect(server.endpoint_url()).await.get_item(get()).await.unwrap_err();
    assert_eq!(server.count(), 3);
}

fn token(body: &str) -> &str {
    let (_, rest) = body.split_once(r#""ClientRequestToken":""#).expect("the request has a token");
    rest.split('"').next().expect("a token ends")
}

#[tokio::test]
async fn attempts_of_a_transaction_share_a_token() {
    let server = Server::start(vec![Answer::Close, failed(), Answer::ok("{}")]);
    let store = connect(server.endpoint_url()).await;
    store.transact_write_items(TransactWriteItems::default()).await.expect("the third attempt succeeds");
    let bodies = server.bodies();
    assert_eq!(bodies.len(), 3);
    assert!(!token(&bodies[0]).is_empty());
    assert!(bodies.iter().all(|body| token(body) == token(&bodies[0])), "{bodies:?}");
}

/// A service may compare what a token was used for by its bytes, as DynamoDB Local does.
#[tokio::test]
async fn a_transaction_sent_again_has_the_same_bytes() {
    let server = Server::start(vec![Answer::ok("{}")]);
    let store = connect(server.endpoint_url()).await;
    for _ in 0..8 {
        store.transact_write_items(requests::transaction()).await.expect("it succeeds");
    }
    let bodies = server.bodies();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
}

#[tokio::test]
async fn a_token_of_the_caller_is_kept() {
    let server = Server::start(vec![Answer::ok("{}")]);
    let client_request_token = Some("mine".to_owned());
    let write = TransactWriteItems { client_request_token, ..TransactWriteItems::default() };
    connect(server.endpoint_url()).await.transact_write_items(write).await.expect("it succeeds");
    assert_eq!(token(&server.bodies()[0]), "mine");
}

/// The service knows the transaction by its token, so its last word is about all attempts.
#[tokio::test]
async fn a_transaction_canceled_after_a_lost_answer_is_canceled() {
    let canceled = Answer::refusal(400, "TransactionCanceledException", "Transaction cancelled");
    let server = Server::start(vec![Answer::Close, canceled]);
    let store = connect(server.endpoint_url()).await;
    let error = store.transact_write_items(TransactWriteItems::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::TransactionCanceled { .. }), "{error:?}");
}

#[tokio::test]
async fn a_request_that_the_sdk_refuses_is_not_sent() {
    let server = Server::start(vec![Answer::ok("{}")]);
    let error = connect(server.endpoint_url()).await.get_item(GetItem::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Validation(_)), "{error:?}");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn an_endpoint_that_is_none_is_an_error_without_a_panic() {
    let error = connect("not an endpoint").await.put_item(guarded_put()).await.unwrap_err();
    assert!(!error.is_ambiguous(), "{error:?}");
}

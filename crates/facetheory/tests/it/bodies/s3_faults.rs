//! What an S3 that fails does to bodies: a miss or a typed error after a bounded number of attempts, and never wrong bytes.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use facetheory::body::{Bodies, BodyError, BodyKey, S3Credentials, S3Settings, Stored};
use tabletheory_core::Timestamp;

use super::s3_server::{self, settings};
use super::scripted::{Answer, Scripted};

const RETRIES: usize = 2;

fn key() -> BodyKey {
    BodyKey::new("CACHE#1", "token")
}

/// Bodies on a server that answers, so the time it may take is ample.
async fn scripted(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> (Scripted, Bodies) {
    scripted_within(Duration::from_secs(10), answer).await
}

async fn scripted_within(
    timeout: Duration,
    answer: impl Fn(usize) -> Answer + Send + Sync + 'static,
) -> (Scripted, Bodies) {
    let server = Scripted::start(answer).await;
    let settings = S3Settings {
        retries_max: RETRIES,
        connect_timeout: timeout,
        request_timeout: timeout,
        ..settings(&format!("http://127.0.0.1:{}", server.port))
    };
    let bodies = Bodies::s3(&settings).unwrap();
    (server, bodies)
}

async fn get(bodies: &Bodies) -> Result<Option<Bytes>, BodyError> {
    let (key, expected) = (key(), Stored::of(b"page"));
    let found = bodies.get(key.as_str(), Some(&expected));
    let found = tokio::time::timeout(Duration::from_secs(60), found).await.expect("it ends by itself");
    Ok(found?.map(|body| body.bytes().clone()))
}

async fn put(bodies: &Bodies) -> Result<Stored, BodyError> {
    let key = key();
    let put = bodies.put(&key, Bytes::from("page"));
    tokio::time::timeout(Duration::from_secs(60), put).await.expect("it ends by itself")
}

fn is_unavailable<T>(outcome: &Result<T, BodyError>) -> bool {
    matches!(outcome, Err(BodyError::Unavailable { .. }))
}

#[tokio::test]
async fn not_found_is_a_miss_at_once() {
    let (server, bodies) = scripted(|_| Answer::Whole(404, "<Error><Code>NoSuchKey</Code></Error>")).await;
    assert_eq!(get(&bodies).await.unwrap(), None);
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_server_error_is_tried_again_and_then_an_error() {
    let (server, bodies) = scripted(|_| Answer::Whole(500, "")).await;
    let found = get(&bodies).await;
    assert!(is_unavailable(&found), "{found:?}");
    assert_eq!(server.requests(), 1 + RETRIES);
    let stored = put(&bodies).await;
    assert!(is_unavailable(&stored), "{stored:?}");
    assert_eq!(server.requests(), 2 * (1 + RETRIES));
    assert!(bodies.cached(key().as_str(), None).is_none(), "what was not stored is not in memory");
    let swept = bodies.sweep(Timestamp::from_millis(i64::MAX), &|_| false).await;
    assert!(is_unavailable(&swept), "{swept:?}");
}

#[tokio::test]
async fn a_server_error_that_passes_is_not_seen() {
    let (server, bodies) = scripted(|request| match request {
        0 => Answer::Whole(503, ""),
        1 => Answer::Nothing,
        _ => Answer::Whole(200, "page"),
    })
    .await;
    assert_eq!(get(&bodies).await.unwrap().unwrap(), "page");
    assert_eq!(server.requests(), 3);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let (server, bodies) = scripted_within(Duration::from_millis(200), |_| Answer::Hang).await;
    let found = get(&bodies).await;
    assert!(is_unavailable(&found), "{found:?}");
    assert!(server.requests() <= 1 + RETRIES);
    let stored = put(&bodies).await;
    assert!(is_unavailable(&stored), "{stored:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error() {
    let (server, bodies) = scripted(|_| Answer::Hang).await;
    drop(server);
    tokio::task::yield_now().await;
    let found = get(&bodies).await;
    assert!(is_unavailable(&found), "{found:?}");
}

#[tokio::test]
async fn an_answer_cut_short_is_never_a_body() {
    for body in ["", "p", "pag"] {
        let (server, bodies) = scripted(move |_| Answer::Half(4, body)).await;
        let found = get(&bodies).await;
        assert!(matches!(found, Ok(None)) || is_unavailable(&found), "{found:?}");
        assert!(server.requests() <= 2 * (1 + RETRIES));
    }
}

#[tokio::test]
async fn an_answer_of_other_bytes_is_never_a_body() {
    for answer in [
        Answer::Whole(200, "PAGE"),
        Answer::Whole(200, "pages"),
        Answer::Whole(200, ""),
        Answer::Whole(204, ""),
        Answer::Raw("HTTP/1.1 200 OK\r\n\r\npage"),
        Answer::Raw("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\npage"),
        Answer::Raw("HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\npage"),
        Answer::Raw("not HTTP at all\r\n\r\n"),
    ] {
        let (_server, bodies) = scripted(move |_| answer).await;
        let found = get(&bodies).await;
        assert!(matches!(found, Ok(None) | Err(_)), "{answer:?}: {found:?}");
    }
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_a_typed_error() {
    // `s3s-fs` makes a bucket when something is put into it; S3 answers like this.
    let (_server, bodies) =
        scripted(|_| Answer::Whole(404, "<Error><Code>NoSuchBucket</Code></Error>")).await;
    let stored = put(&bodies).await;
    assert!(matches!(stored, Err(BodyError::NoPlace { .. })), "{stored:?}");
    assert_eq!(get(&bodies).await.unwrap(), None);
    let swept = bodies.sweep(Timestamp::from_millis(i64::MAX), &|_| false).await;
    assert!(is_unavailable(&swept), "{swept:?}");
}

#[tokio::test]
async fn wrong_keys_are_refused_and_not_shown() {
    let server = s3_server::start().await;
    let canary = "canary-secret".to_owned();
    let credentials = S3Credentials::Keys {
        id: local_s3::ACCESS_KEY_ID.to_owned(),
        secret: canary.clone(),
        session: Some("canary-session".to_owned()),
    };
    let settings = S3Settings { credentials, ..settings(server.endpoint()) };
    let bodies = Bodies::s3(&settings).unwrap();
    let refused = bodies.put(&key(), Bytes::from("canary-body")).await.unwrap_err();
    assert!(matches!(refused, BodyError::Refused { .. }), "{refused:?}");
    let mut texts = vec![format!("{settings:?} {bodies:?} {refused:?} {refused}")];
    let mut cause = refused.source();
    while let Some(error) = cause {
        texts.push(error.to_string());
        cause = error.source();
    }
    assert!(texts.iter().all(|text| !text.contains("canary")), "{texts:?}");
}

#[tokio::test]
async fn a_deletion_that_fails_is_counted_and_the_sweep_goes_on() {
    const LIST: &str = "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>\
        <Contents><Key>ca/cae662172fd450bb0cd710a769079c05bfc5d8e35efa6576edc7d0377afdd4a2/00000000000000000000000000000001</Key>\
        <LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>4</Size><ETag>e</ETag></Contents>\
        <Contents><Key>ca/cae662172fd450bb0cd710a769079c05bfc5d8e35efa6576edc7d0377afdd4a2/00000000000000000000000000000002</Key>\
        <LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>4</Size><ETag>e</ETag></Contents></ListBucketResult>";
    let (_server, bodies) = scripted(|request| match request {
        0 => Answer::Whole(200, LIST),
        1 => Answer::Whole(403, ""),
        _ => Answer::Whole(204, ""),
    })
    .await;
    let swept = bodies.sweep(Timestamp::from_seconds(2_000_000_000), &|_| false).await.unwrap();
    assert_eq!((swept.seen, swept.failed, swept.deleted, swept.deleted_bytes), (2, 1, 1, 4));
}

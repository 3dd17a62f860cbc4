//! The archive as Lambda runs it: what time to live removed is in the bucket, once, and what could not be written comes again.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

use std::time::Duration;

use local_s3::LocalS3;
use serde_json::{Value, json};
use theory_lambda::testing::{Launched, Outcome, Runtime};
use theory_synth::metric;

const TIME: Duration = Duration::from_secs(20);

/// The event of a stream with these records: their numbers, and whether time to live removed them.
fn event(records: &[(u32, bool)]) -> Value {
    let record = |(number, by_ttl): &(u32, bool)| {
        let who = if *by_ttl {
            json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" })
        } else {
            Value::Null
        };
        json!({
            "eventID": format!("event-{number}"), "eventName": "REMOVE", "eventSource": "aws:dynamodb",
            "awsRegion": "us-east-1", "userIdentity": who,
            "eventSourceARN": "arn:aws:dynamodb:us-east-1:123456789012:table/app/stream/2023-11-14T22:13:20.000",
            "dynamodb": {
                "ApproximateCreationDateTime": 1_704_067_260, "SequenceNumber": format!("{number:021}"),
                "SizeBytes": 59, "StreamViewType": "NEW_AND_OLD_IMAGES", "Keys": { "id": { "S": number.to_string() } },
                "OldImage": { "id": { "S": number.to_string() }, "ends": { "N": "1704067200" }, "blob": { "B": "AAEC" } },
            },
        })
    };
    json!({ "Records": records.iter().map(record).collect::<Vec<_>>() })
}

fn launch(lambda: &Runtime, bucket: &LocalS3) -> Launched {
    let own = bucket.environment().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut environment = Vec::from(own);
    let names = [
        ("ARCHIVE_BUCKET_NAME", bucket.bucket()),
        ("ARCHIVE_PREFIX", "ttl-archive"),
        ("TTL_ATTRIBUTE_NAME", "ends"),
    ];
    environment.extend(names.map(|(name, value)| (name.to_owned(), value.to_owned())));
    lambda.launch(env!("CARGO_BIN_EXE_lambda-archive"), environment).unwrap()
}

async fn told(function: &Launched, figure: &str) -> u64 {
    // It is printed before the answer, and read beside this task, which therefore steps aside more than once: whoever wakes from a
    // machine that stood still may be the first to go on.
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let lines = function.lines();
    let figures = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    figures.filter_map(|line| line[figure].as_u64()).sum()
}

#[tokio::test]
async fn what_time_to_live_removed_is_written_once_however_often_it_comes() {
    let (lambda, bucket) = (Runtime::start().await.unwrap(), LocalS3::start("archive").await.unwrap());
    let function = launch(&lambda, &bucket);
    let records = [(1, true), (2, false), (3, true)];
    for _ in 0..2 {
        let answer = lambda.invoke(event(&records), TIME).await.answer();
        assert_eq!(answer, json!({ "batchItemFailures": [] }));
    }
    let objects = bucket.objects("ttl-archive");
    assert_eq!(objects.len(), 2, "{objects:?}");
    let archived: Value = serde_json::from_slice(&std::fs::read(&objects[0]).unwrap()).unwrap();
    assert_eq!(archived["old_image"]["blob"], json!({ "B": "AAEC" }), "{archived}");
    assert_eq!(archived["ttl_attribute"], "ends");
    assert_eq!(told(&function, metric::ARCHIVED).await, 2);
    assert_eq!(told(&function, metric::ARCHIVE_FAILED).await, 0);
    assert_eq!(
        lambda.invoke(json!({ "Records": [] }), TIME).await.answer(),
        json!({ "batchItemFailures": [] })
    );
}

#[tokio::test]
async fn what_cannot_be_written_comes_again_from_its_sequence_number_on() {
    let (lambda, bucket) = (Runtime::start().await.unwrap(), LocalS3::start("archive").await.unwrap());
    // An answer may take a while on its way through a busy machine.
    let lambda = lambda.with_grace(Duration::from_secs(5));
    let function = launch(&lambda, &bucket);
    let _ = lambda.invoke(event(&[(1, true)]), TIME).await.answer();
    drop(bucket);
    let answer =
        lambda.invoke(event(&[(2, false), (3, true), (4, true)]), Duration::from_secs(6)).await.answer();
    let failures = answer["batchItemFailures"].as_array().expect("a list");
    assert_eq!(failures.len(), 1, "{answer}");
    let failed = failures[0]["itemIdentifier"].as_str().expect("a sequence number");
    assert!(failed <= "000000000000000000003", "nothing that is not written is passed over: {failed}");
    assert!(told(&function, metric::ARCHIVE_FAILED).await >= 1);
}

#[tokio::test]
async fn hostile_events_and_requests_are_refused_and_the_next_is_archived() {
    let (lambda, bucket) = (Runtime::start().await.unwrap(), LocalS3::start("archive").await.unwrap());
    let _function = launch(&lambda, &bucket);
    let hostile = json!({ "Records": [{ "eventSource": "aws:dynamodb", "dynamodb": { "Keys": 7 } }] });
    for event in
        [hostile, json!({ "rawPath": "/", "requestContext": { "http": { "method": "GET" } } }), json!(null)]
    {
        let outcome = lambda.invoke(event.clone(), TIME).await;
        assert!(matches!(outcome, Outcome::Failed { .. }), "{event}: {outcome:?}");
    }
    let _ = lambda.invoke(event(&[(1, true)]), TIME).await.answer();
    assert_eq!(bucket.objects("ttl-archive").len(), 1);
}

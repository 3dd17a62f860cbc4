//! Records that cannot be archived hold up nobody, and are not lost.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use object_store::memory::InMemory;
use tabletheory::stream::LambdaEvent;
use theory_archive::{Archive, Days, Shelf};

use crate::faulty::{Fault, Faulty};
use crate::world::{archive_in, entries, everything};

/// Removals by time to live with these identifiers and sequence numbers; those in `bare` have no old image.
fn event(ids: &[&str], bare: &[&str]) -> LambdaEvent {
    let records: Vec<serde_json::Value> = ids
        .iter()
        .enumerate()
        .map(|(number, id)| {
            let mut changed = serde_json::json!({
                "ApproximateCreationDateTime": 1_704_067_260, "SequenceNumber": format!("{}", 100 + number),
                "StreamViewType": "NEW_AND_OLD_IMAGES", "Keys": {"id": {"S": id}},
            });
            if !bare.contains(id) {
                changed["OldImage"] = serde_json::json!({"id": {"S": id}, "secret": {"S": "s3cr3t"}});
            }
            serde_json::json!({
                "eventID": id, "eventName": "REMOVE", "dynamodb": changed, "eventSourceARN": "arn:aws:dynamodb:x:1:table/app/stream/1",
                "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
            })
        })
        .collect();
    LambdaEvent::parse(&serde_json::json!({ "Records": records }).to_string()).unwrap()
}

async fn letters(archive: &Archive) -> Vec<String> {
    let mut names = Vec::new();
    for day in archive.days(Shelf::DeadLetters, &Days::default()).await.unwrap() {
        let listed: Vec<_> = archive.list(Shelf::DeadLetters, day).try_collect().await.unwrap();
        names.extend(listed.into_iter().map(|listed| listed.name));
    }
    names
}

#[tokio::test(start_paused = true)]
async fn a_removal_without_its_item_is_a_dead_letter_and_the_others_go_on() {
    let objects = Arc::new(InMemory::new());
    let archive = archive_in(objects.clone());
    let event = event(&["a", "b", "c"], &["b"]);
    for _ in 0..2 {
        let outcome = archive.handle(&event).await;
        assert_eq!((outcome.archived + outcome.present, outcome.dead), (2, 1), "{outcome:?}");
        assert!(outcome.failures().is_empty(), "Lambda is not asked to try for ever");
    }
    assert_eq!(letters(&archive).await.len(), 1, "one letter, however often it comes");
    let all = everything(&*objects).await;
    let (_, letter) = all.iter().find(|(name, _)| name.contains("dead-letters")).unwrap();
    let letter: serde_json::Value = serde_json::from_slice(letter).unwrap();
    assert_eq!(letter["reason"], "record 101 carries no old image, so there is nothing to archive");
    assert_eq!((&letter["sequence_number"], &letter["keys"]["id"]["S"]), (&"101".into(), &"b".into()));
    assert_eq!(entries(&archive).await.len(), 2, "a letter is no archived item");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_refused_for_good_is_a_dead_letter() {
    let objects =
        Faulty::over(Arc::new(InMemory::new()), |_, path| match path.as_ref().ends_with("/b.json") {
            true => Fault::Denied,
            false => Fault::None,
        });
    let archive = archive_in(objects);
    let outcome = archive.handle(&event(&["a", "b", "c"], &[])).await;
    assert_eq!((outcome.archived, outcome.dead), (2, 1), "{outcome:?}");
    assert!(outcome.failure.is_none());
    assert_eq!(letters(&archive).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_failed_only_for_a_while_leaves_no_dead_letter() {
    // Four attempts fail, the letter is taken, and then the object as well.
    let objects =
        Faulty::over(
            Arc::new(InMemory::new()),
            |write, _| if write < 4 { Fault::Refused } else { Fault::None },
        );
    let archive = archive_in(objects);
    let outcome = archive.handle(&event(&["a"], &[])).await;
    assert_eq!((outcome.archived, outcome.dead), (1, 0), "{outcome:?}");
    assert!(letters(&archive).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn if_even_the_dead_letter_is_refused_the_first_such_record_is_reported_by_its_sequence_number() {
    let objects = Faulty::over(Arc::new(InMemory::new()), |_, path| match path.as_ref().contains("/a") {
        true => Fault::None,
        false => Fault::Refused,
    });
    let outcome = archive_in(objects).handle(&event(&["a", "b", "c"], &["c"])).await;
    assert_eq!(outcome.archived, 1);
    let answer = serde_json::to_string(&outcome.failures()).unwrap();
    assert_eq!(answer, r#"{"batchItemFailures":[{"itemIdentifier":"101"}]}"#);
    let failure = format!("{:?}", outcome.failure.unwrap());
    assert!(failure.contains("b.json") && !failure.contains("s3cr3t"), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn identifiers_of_strangers_stay_inside_the_archive() {
    let objects = Arc::new(InMemory::new());
    let archive = archive_in(objects.clone());
    let long = "x".repeat(5000);
    let ids = ["../../../etc/passwd", "a/b", ".", "", "\u{0}", "%2e%2e", "con", &long];
    let outcome = archive.handle(&event(&ids, &[])).await;
    assert_eq!(outcome.archived, 8, "{outcome:?}");
    for name in everything(&*objects).await.into_keys() {
        assert!(name.starts_with("ttl-archive/2024/01/01/") && name.matches('/').count() == 4, "{name}");
        assert!(name.len() < 200, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_engines_that_count_alike_lose_nothing_in_one_archive() {
    let archive = archive_in(Arc::new(InMemory::new()));
    let (one, mut other) = (event(&["e1"], &[]), event(&["e1"], &[]));
    other.stream = Some("arn:aws:dynamodb:x:1:table/other/stream/2".to_owned());
    for expected in [1, 0] {
        assert_eq!(archive.handle(&one).await.archived, expected);
        assert_eq!(archive.handle(&other).await.archived, expected);
    }
    assert_eq!(entries(&archive).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_not_removed_by_time_to_live_is_passed_over() {
    let archive = archive_in(Arc::new(InMemory::new()));
    let mut event = event(&["a", "b", "c"], &[]);
    event.records[0].identity = None;
    event.records[1].event = tabletheory_core::store::op::EventName::Modify;
    event.records[2].identity.as_mut().unwrap().kind = "User".to_owned();
    let outcome = archive.handle(&event).await;
    assert_eq!((outcome.passed, outcome.archived), (3, 0), "{outcome:?}");
    assert!(archive.days(Shelf::Items, &Days::default()).await.unwrap().is_empty());
}

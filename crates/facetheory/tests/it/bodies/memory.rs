//! Bodies in memory, by a clock that moves by hand or in a store that takes its time.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use facetheory::body::{Bodies, BodyKey, BodySettings, Stored};
use futures_util::future::join_all;
use object_store::memory::InMemory;
use object_store::throttle::{ThrottleConfig, ThrottledStore};
use tabletheory_core::{Clock, ManualClock, Seconds, Timestamp};

#[tokio::test]
async fn the_age_of_a_body_is_by_the_given_clock() {
    let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_000)));
    let bodies = Bodies::memory_at(Arc::clone(&clock) as Arc<dyn Clock>);
    let (old, young) = (BodyKey::new("p", "old"), BodyKey::new("p", "young"));
    bodies.put(&old, Bytes::from("old")).await.unwrap();
    clock.advance(Seconds(10));
    bodies.put(&young, Bytes::from("young")).await.unwrap();

    // A body written at the moment itself is not older than it.
    let swept = bodies.sweep(Timestamp::from_seconds(1_000), &|_| false).await.unwrap();
    assert_eq!((swept.kept_young, swept.deleted), (2, 0));
    let swept = bodies.sweep(Timestamp::from_seconds(1_010), &|_| false).await.unwrap();
    assert_eq!((swept.kept_young, swept.deleted), (1, 1));
    assert!(bodies.get(old.as_str(), None).await.unwrap().is_none());
    assert!(bodies.get(young.as_str(), None).await.unwrap().is_some());
}

#[test]
fn bodies_need_no_runtime() {
    let folder = tempfile::tempdir().unwrap();
    for bodies in [Bodies::memory(), Bodies::folder(folder.path()).unwrap()] {
        futures_executor::block_on(async {
            let key = BodyKey::new("p", "t");
            let stored = bodies.put(&key, Bytes::from(vec![1; 1 << 20])).await.unwrap();
            assert!(bodies.get(key.as_str(), Some(&stored)).await.unwrap().is_some());
            assert_eq!(bodies.sweep(Timestamp::from_millis(i64::MAX), &|_| false).await.unwrap().deleted, 1);
        });
    }
}

#[tokio::test(start_paused = true)]
async fn readers_at_the_same_time_share_one_read_of_what_memory_does_not_keep() {
    let slow = ThrottleConfig { wait_get_per_call: Duration::from_secs(1), ..ThrottleConfig::default() };
    let store = Arc::new(ThrottledStore::new(InMemory::new(), slow));
    let nothing_is_kept = BodySettings { hot_bytes: 0, ..BodySettings::default() };
    let bodies = Bodies::over(store).with_settings(nothing_is_kept).unwrap();
    let key = BodyKey::new("p", "t");
    let stored = bodies.put(&key, Bytes::from("page")).await.unwrap();

    let found = join_all((0..50).map(|_| bodies.get(key.as_str(), Some(&stored)))).await;
    assert!(found.into_iter().all(|found| found.unwrap().is_some()));
    assert_eq!(bodies.usage().gets, 1);
    let missing = join_all((0..50).map(|_| bodies.get("missing", None))).await;
    assert!(missing.into_iter().all(|found| found.unwrap().is_none()));
    assert_eq!(bodies.usage().gets, 2);
    // Who expects other bytes does not share a read.
    let other = Stored::of(b"PAGE");
    let (one, two) =
        tokio::join!(bodies.get(key.as_str(), Some(&stored)), bodies.get(key.as_str(), Some(&other)));
    assert!(one.unwrap().is_some() && two.unwrap().is_none());
    assert_eq!(bodies.usage().gets, 4);
}

#[tokio::test]
async fn bodies_work_in_tasks_of_their_own() {
    let bodies = Bodies::memory();
    let task = tokio::spawn(async move {
        let key = BodyKey::new("p", "t");
        let stored = bodies.put(&key, Bytes::from("page")).await.unwrap();
        let body = bodies.get(key.as_str(), Some(&stored)).await.unwrap().unwrap();
        let live = key.as_str().to_owned();
        let swept =
            bodies.sweep(Timestamp::from_millis(i64::MAX), &move |pointer| pointer == live).await.unwrap();
        (body.len(), swept.kept_live)
    });
    assert_eq!(task.await.unwrap(), (4, 1));
}

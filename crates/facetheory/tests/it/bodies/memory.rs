//! Bodies in memory by a clock that moves by hand.

use std::sync::Arc;

use bytes::Bytes;
use facetheory::body::{Bodies, BodyKey};
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

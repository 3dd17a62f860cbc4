//! Consumers of queues and streams.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use idempotent::{Consumer, ProcessError, Processed};
use tabletheory_core::{Clock, Item, Value};
use tokio::time::sleep;

use crate::world::World;

#[tokio::test(start_paused = true)]
async fn an_event_that_comes_again_is_not_handled_again() {
    let world = World::new().await;
    let handled = RefCell::new(Vec::new());
    let consumer = Consumer::new(world.requests.clone(), "mail");
    let handle = |event: &'static (&'static str, bool)| {
        handled.borrow_mut().push(event.0);
        async move { if event.1 { Ok(()) } else { Err("no") } }
    };
    static FIRST: [(&str, bool); 4] = [("m1", true), ("m2", false), ("m1", true), ("m3", true)];
    static SECOND: [(&str, bool); 3] = [("m2", true), ("m3", true), ("m1", true)];
    let failures = consumer.batch(&FIRST, |event| event.0, handle).await;
    assert_eq!(failures.sequences().collect::<Vec<_>>(), ["m2"]);
    let failures = consumer.batch(&SECOND, |event| event.0, handle).await;
    assert!(failures.is_empty());
    assert_eq!(*handled.borrow(), ["m1", "m2", "m3", "m2"]);
}

#[tokio::test(start_paused = true)]
async fn two_consumers_of_one_queue_handle_each_event_each() {
    let world = World::new().await;
    let handle = || async { Ok::<_, ()>(()) };
    for function in ["mail", "ledger"] {
        let consumer = Consumer::new(world.requests.clone(), function);
        assert_eq!(consumer.once("m1", handle).await.unwrap(), Processed::Done(()));
        assert_eq!(consumer.once("m1", handle).await.unwrap(), Processed::Replayed(()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_without_an_identifier_has_to_come_again() {
    let world = World::new().await;
    let consumer = Consumer::new(world.requests.clone(), "mail");
    let failures = consumer.batch(&["", "m1"], |id| *id, |_| async { Ok::<_, ()>(()) }).await;
    assert_eq!(failures.sequences().collect::<Vec<_>>(), [""]);
}

#[tokio::test(start_paused = true)]
async fn a_function_that_is_stopped_leaves_an_event_that_is_free_when_it_comes_again() {
    let world = World::new().await;
    let lambda = Consumer::new(world.requests.clone(), "mail").within(Duration::from_secs(31)).unwrap();
    let begun = world.store.clock().now().seconds();
    let slow = lambda.once::<(), (), _>("m1", || async {
        let record = world.record().await;
        let locked_until = record.get("LockedUntil").and_then(Value::as_s).unwrap().to_owned();
        assert_eq!(locked_until, "2024-01-01T00:00:30Z");
        sleep(Duration::from_secs(60)).await;
        Ok(())
    });
    let slow = slow.await;
    assert!(matches!(slow, Err(ProcessError::Lost)), "{slow:?}");
    // No heartbeat: a claim, and nothing else.
    assert_eq!(world.store.count("UpdateItem"), 1);
    world.store.clock().set(tabletheory_core::Timestamp::from_seconds(begun + 32));
    let again = lambda.once("m1", || async { Ok::<_, ()>(()) }).await;
    assert_eq!(again.unwrap(), Processed::Done(()));
}

#[tokio::test(start_paused = true)]
async fn a_function_without_time_does_not_begin() {
    let world = World::new().await;
    for millis in [0, 500, 1000, 1999] {
        let consumer = Consumer::new(world.requests.clone(), "mail");
        assert!(consumer.within(Duration::from_millis(millis)).is_err(), "{millis}");
    }
    let consumer = Consumer::new(world.requests.clone(), "mail");
    assert!(consumer.clone().within(Duration::from_secs(2)).is_ok());
    assert!(consumer.within(Duration::MAX).is_ok());
}

/// The locks of late events were as long as that of the first, and outlived their function.
#[tokio::test(start_paused = true)]
async fn each_event_has_the_time_that_is_left_and_without_time_none_begins() {
    let world = World::new().await;
    let lambda = Consumer::new(world.requests.clone(), "mail").within(Duration::from_secs(10)).unwrap();
    let locks = RefCell::new(Vec::new());
    let handle = |event: &'static &'static str| {
        let (world, locks) = (&world, &locks);
        async move {
            let running = |row: &&Item| row.get("Status").and_then(Value::as_s) == Some("PROCESSING");
            // Time to wait is not time of the store, so the lock that was asked for last ends first.
            let rows = world.rows().await;
            let until = rows.iter().filter(running).filter_map(|row| row.get("LockedUntil")?.as_s());
            locks.borrow_mut().push((*event, until.min().unwrap().to_owned()));
            sleep(Duration::from_secs(3)).await;
            Ok::<_, ()>(())
        }
    };
    static EVENTS: [&str; 5] = ["m1", "m2", "m3", "m4", "m5"];
    let failures = lambda.batch(&EVENTS, |event| event, handle).await;
    // The third is dropped when a sixth of its three seconds is left.
    assert_eq!(failures.sequences().collect::<Vec<_>>(), ["m3", "m4", "m5"]);
    let lock = |event, second: u8| (event, format!("2024-01-01T00:00:0{second}Z"));
    assert_eq!(*locks.borrow(), [lock("m1", 9), lock("m2", 6), lock("m3", 3)]);
    let late = lambda.once("m6", || async { Ok::<_, ()>(()) }).await;
    assert!(matches!(late, Err(ProcessError::NoTime)), "{late:?}");
}

/// Records after one that failed were handled before it.
#[tokio::test(start_paused = true)]
async fn in_order_nothing_is_handled_after_a_failure() {
    let world = World::new().await;
    let handled = RefCell::new(Vec::new());
    let consumer = Consumer::new(world.requests.clone(), "ledger");
    let works = Cell::new(false);
    let handle = |sequence: &'static &'static str| {
        handled.borrow_mut().push(*sequence);
        let works = works.get() || *sequence != "2";
        async move { if works { Ok(()) } else { Err("no") } }
    };
    static RECORDS: [&str; 5] = ["1", "2", "3", "1", "4"];
    let failures = consumer.batch_in_order(&RECORDS, |sequence| sequence, handle).await;
    assert_eq!(failures.sequences().collect::<Vec<_>>(), ["2", "3", "4"]);
    works.set(true);
    let failures = consumer.batch_in_order(&RECORDS, |sequence| sequence, handle).await;
    assert!(failures.is_empty());
    assert_eq!(*handled.borrow(), ["1", "2", "2", "3", "4"]);
}

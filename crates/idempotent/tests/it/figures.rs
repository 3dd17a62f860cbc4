//! The figures, counted and not timed: how often the store is asked, and how large the record is.

use idempotent::{Completion, Response};
use tabletheory_core::size::item_bytes;

use crate::world::{World, answer, granted, intent, replayed};

#[tokio::test(start_paused = true)]
async fn the_first_request_takes_two_calls_a_replay_one_and_a_cached_replay_none() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    assert_eq!((world.store.calls().len(), world.store.count("UpdateItem")), (2, 2));

    world.store.forget_calls();
    let other = world.other();
    replayed(other.claim(&intent("k", "a")).await.unwrap());
    assert_eq!((world.store.calls().len(), world.store.count("UpdateItem")), (1, 1));

    world.store.forget_calls();
    for process in [&other, &world.requests] {
        assert!(replayed(process.claim(&intent("k", "a")).await.unwrap()).is_cached);
    }
    assert!(world.store.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn by_the_meter_a_request_costs_two_write_units_and_a_replay_one_call() {
    let (db, meter) = tabletheory::testing::TestStore::new().db().metered();
    let requests = idempotent::Idempotency::new(db.clone());
    requests.create_table().await.unwrap();
    let _ = meter.take();
    let attempt = granted(requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    let usage = meter.take();
    assert_eq!((usage.calls, usage.write_units, usage.read_units), (2, 2.0, 0.0));
    replayed(idempotent::Idempotency::new(db).claim(&intent("k", "a")).await.unwrap());
    assert_eq!(meter.take().calls, 1);
}

#[tokio::test(start_paused = true)]
async fn a_large_answer_takes_one_call_more_each_way() {
    let world = World::new().await;
    let large = answer(&"x".repeat(100_000));
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&large).await.unwrap(), Completion::Completed);
    assert_eq!((world.store.calls().len(), world.store.count("PutItem")), (3, 1));
    world.store.forget_calls();
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, large);
    assert_eq!((world.store.calls().len(), world.store.count("GetItem")), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn whatever_the_answer_the_record_stays_under_a_kilobyte() {
    let long: &str = Box::leak("/long".repeat(100).into_boxed_str());
    for length in [0, 1, 100, 400, 450, 480, 500, 511, 512, 513, 600, 5000, 300_000] {
        for location in ["/orders/7", long] {
            let world = World::new().await;
            let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
            let response = Response::new(201, vec![b'x'; length]).unwrap();
            let response =
                response.with_header("content-type", "text/plain").with_header("location", location);
            assert_eq!(attempt.complete(&response).await.unwrap(), Completion::Completed);
            let bytes = item_bytes(&world.record().await);
            assert!(bytes < 1024, "{bytes} bytes for an answer of {length}");
            assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, response);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_short_answer_is_in_the_record_where_people_can_read_it() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("{\"id\":7}")).await.unwrap(), Completion::Completed);
    let record = world.record().await;
    assert_eq!(record.get("Response").and_then(|response| response.as_s()), Some("{\"id\":7}"));
    assert_eq!(world.rows().await.len(), 1);
}

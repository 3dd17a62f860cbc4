//! Many at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use idempotent::{Claim, Completion, Idempotency, ProcessError, Processed};
use tabletheory::Db;

use crate::world::{answer, intent};

const DUPLICATES: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_duplicates_at_once_one_runs() {
    let requests = Idempotency::new(Db::memory());
    requests.create_table().await.unwrap();
    for round in 0..5 {
        let runs = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..DUPLICATES)
            .map(|_| {
                // Each is a process of its own: nothing is shared but the store.
                let (requests, runs) = (Idempotency::new(requests.db().clone()), Arc::clone(&runs));
                tokio::spawn(async move {
                    let intent = intent(&format!("k{round}"), "a");
                    loop {
                        match requests.claim(&intent).await.unwrap() {
                            Claim::Granted(attempt) => {
                                runs.fetch_add(1, Ordering::SeqCst);
                                tokio::task::yield_now().await;
                                let completion = attempt.complete(&answer("done")).await.unwrap();
                                assert_eq!(completion, Completion::Completed);
                                return answer("done");
                            }
                            Claim::Replay(replay) => return replay.response,
                            Claim::Running { .. } => tokio::time::sleep(Duration::from_millis(2)).await,
                            other => panic!("{other:?}"),
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), answer("done"));
        }
        assert_eq!(runs.load(Ordering::SeqCst), 1, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_calls_of_a_function_one_runs_and_all_get_its_value() {
    let settings =
        idempotent::Settings { wait_up_to: Duration::from_secs(30), ..idempotent::Settings::default() };
    let requests = Idempotency::new(Db::memory()).with_settings(settings).unwrap();
    requests.create_table().await.unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..DUPLICATES)
        .map(|_| {
            let (requests, runs) = (requests.clone(), Arc::clone(&runs));
            tokio::spawn(async move {
                let charge = || async {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    Ok(runs.fetch_add(1, Ordering::SeqCst) + 41)
                };
                let done: Result<Processed<usize>, ProcessError<()>> =
                    requests.process("order-7", "charge", &5, charge).await;
                done.map(Processed::into_value).map_err(|error| error.to_string())
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(41));
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_who_find_an_orphan_one_runs() {
    let store = tabletheory::testing::TestStore::new();
    let requests = Idempotency::new(store.db());
    requests.create_table().await.unwrap();
    let Claim::Granted(_silent) = requests.claim(&intent("k", "a")).await.unwrap() else {
        panic!("it is new")
    };
    store.clock().advance(tabletheory_core::Seconds(100));
    let tasks: Vec<_> = (0..DUPLICATES)
        .map(|_| {
            let requests = Idempotency::new(store.db());
            tokio::spawn(
                async move { matches!(requests.claim(&intent("k", "a")).await, Ok(Claim::Granted(_))) },
            )
        })
        .collect();
    let mut granted = 0;
    for task in tasks {
        granted += usize::from(task.await.unwrap());
    }
    assert_eq!(granted, 1);
}

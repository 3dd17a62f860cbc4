//! What those who put jobs into a queue rely on.

use std::collections::BTreeMap;
use std::time::Duration;

use queue::job::Outcome;
use queue::{Queue, Verdict};
use tabletheory::core::Seconds;
use tabletheory::testing::{TestStore, Trouble};

async fn open() -> (TestStore, Queue) {
    let store = TestStore::new();
    let queue = Queue::open(store.db(), "q", Duration::from_secs(30)).await.expect("memory does not fail");
    (store, queue)
}

#[tokio::test]
async fn the_job_that_has_waited_longest_comes_first() {
    let (store, queue) = open().await;
    for id in ["b", "a", "c"] {
        queue.put(id, "x").await.expect("put");
        store.advance(Seconds(1));
    }
    let mut order = Vec::new();
    while let Some(job) = queue.take().await.expect("taken") {
        order.push(job.id);
    }
    assert_eq!(order, ["b", "a", "c"]);
}

#[tokio::test]
async fn a_job_put_twice_is_one_job() {
    let (_, queue) = open().await;
    queue.put("a", "first").await.expect("put");
    queue.put("a", "second").await.expect("put again");
    assert_eq!(queue.len().await.expect("counted"), 1);
    assert_eq!(queue.job("a").await.expect("read").map(|job| job.payload).as_deref(), Some("first"));
}

#[tokio::test]
async fn many_workers_do_each_job_once() {
    let (_, queue) = open().await;
    for n in 0..60 {
        queue.put(&format!("job-{n:02}"), "x").await.expect("put");
    }
    let workers = (0..6).map(|_| {
        let queue = queue.clone();
        tokio::spawn(async move {
            let mut done = Vec::new();
            while !queue.is_empty().await.expect("counted") {
                // The engine answers at once, so a worker that waits has to let the others work.
                tokio::task::yield_now().await;
                if let Some(job) = queue.take().await.expect("taken") {
                    tokio::task::yield_now().await;
                    assert!(queue.finish(&job, "ok").await.expect("finished").is_some());
                    done.push(job.id);
                }
            }
            done
        })
    });
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for worker in workers.collect::<Vec<_>>() {
        for id in worker.await.expect("no worker panics") {
            *times.entry(id).or_default() += 1;
        }
    }
    assert_eq!(times.len(), 60);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

#[tokio::test]
async fn a_job_whose_worker_died_comes_back_and_the_dead_worker_cannot_end_it() {
    let (store, queue) = open().await;
    queue.put("a", "x").await.expect("put");
    let dead = queue.take().await.expect("taken").expect("there is one");
    assert!(queue.take().await.expect("asked").is_none());
    store.advance(Seconds(31));
    let alive = queue.take().await.expect("taken").expect("it came back");
    assert_eq!(alive.attempts, 2);
    assert!(queue.finish(&dead, "late").await.expect("asked").is_none());
    let ended = queue.finish(&alive, "in time").await.expect("finished").expect("it is ours");
    assert_eq!(ended.outcome, Some(Outcome::Done("in time".into())));
}

#[tokio::test]
async fn a_worker_that_keeps_its_job_does_not_lose_it() {
    let (store, queue) = open().await;
    queue.put("a", "x").await.expect("put");
    let mut job = queue.take().await.expect("taken").expect("there is one");
    for _ in 0..3 {
        store.advance(Seconds(20));
        job = queue.keep(&job).await.expect("kept").expect("it is ours");
        assert!(queue.take().await.expect("asked").is_none());
    }
}

#[tokio::test]
async fn a_job_that_fails_is_tried_later_and_then_dead() {
    let (store, queue) = open().await;
    queue.put("a", "x").await.expect("put");
    for attempt in 1..=3 {
        let job = queue.take().await.expect("taken").expect("it is due");
        let expected = if attempt < 3 { Verdict::Again } else { Verdict::Dead };
        assert_eq!(queue.give_back(&job, "no luck").await.expect("given back"), expected);
        assert!(queue.take().await.expect("asked").is_none(), "not at once");
        store.advance(Seconds(300));
    }
    let job = queue.job("a").await.expect("read").expect("it is kept for a week");
    assert_eq!(job.outcome, Some(Outcome::Dead("no luck".into())));
    assert!(queue.is_empty().await.expect("counted"));
    store.advance(Seconds(8 * 24 * 3600));
    assert_eq!(queue.job("a").await.expect("read"), None);
}

#[tokio::test]
async fn a_job_that_kills_its_workers_is_dead_in_the_end() {
    let (store, queue) = open().await;
    queue.put("a", "x").await.expect("put");
    for _ in 0..3 {
        assert!(queue.take().await.expect("taken").is_some());
        store.advance(Seconds(31));
    }
    assert!(queue.take().await.expect("asked").is_none());
    let outcome = queue.job("a").await.expect("read").and_then(|job| job.outcome);
    assert_eq!(outcome, Some(Outcome::Dead("its workers died".into())));
}

#[tokio::test]
async fn a_lost_answer_neither_loses_nor_doubles_a_job() {
    let (store, queue) = open().await;
    store.trouble("PutItem", Trouble::LostAnswer);
    queue.put("a", "x").await.expect("put");
    store.trouble("PutItem", Trouble::LostAnswer);
    let job = queue.take().await.expect("taken").expect("it is ours, the answer was only lost");
    assert_eq!(job.attempts, 1);
    store.trouble("PutItem", Trouble::LostAnswer);
    assert!(queue.finish(&job, "ok").await.expect("finished").is_some());
}

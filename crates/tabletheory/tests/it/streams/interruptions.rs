//! Trouble on the way: throttling, stores that do not answer, and callers that stop waiting.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tabletheory::stream::{Checkpoint, ReadError, ReadSettings, Reader};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::{Request, Store, StoreError};

use super::world::{TABLE, counts, drain, put, reader, visit, world};

const OPERATIONS: [&str; 3] = ["DescribeStream", "GetShardIterator", "GetRecords"];

#[tokio::test(start_paused = true)]
async fn throttling_is_waited_out() {
    let store = world(StreamView::NewImage).await;
    put(&*store, &visit("ada", 1)).await;
    for operation in OPERATIONS {
        store.trouble(operation, Trouble::Throttled);
        store.trouble(operation, Trouble::Refused(StoreError::LimitExceeded("too often".to_owned())));
        store.trouble(operation, Trouble::NotReached);
    }
    // No look at the stream comes to its end before the tenth.
    let settings = ReadSettings { attempts: 10, ..ReadSettings::default() };
    let mut reader = reader(&store).await.with_settings(settings);
    assert_eq!(counts(&reader.next().await.unwrap().unwrap().records), [1]);
    assert!(store.count("GetRecords") >= 4);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stays_away_is_told_and_the_reader_can_be_asked_again() {
    let store = world(StreamView::NewImage).await;
    put(&*store, &visit("ada", 1)).await;
    let settings = ReadSettings { attempts: 3, ..ReadSettings::default() };
    let mut reader = reader(&store).await.with_settings(settings);
    for _ in 0..3 {
        store.trouble("GetRecords", Trouble::NotReached);
    }
    let error = reader.next().await.unwrap_err();
    assert!(matches!(error, ReadError::Store(StoreError::Unavailable(_))));
    assert_eq!(store.count("GetRecords"), 3);
    assert_eq!(counts(&reader.next().await.unwrap().unwrap().records), [1]);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_will_not_pass_is_told_at_once() {
    let store = world(StreamView::NewImage).await;
    let mut reader = reader(&store).await;
    store.trouble("GetRecords", Trouble::Refused(StoreError::AccessDenied("no".to_owned())));
    let error = reader.next().await.unwrap_err();
    assert!(matches!(error, ReadError::Store(StoreError::AccessDenied(_))));
    assert_eq!(store.count("GetRecords"), 1);
}

#[tokio::test(start_paused = true)]
async fn next_waits_until_something_happens() {
    let store = world(StreamView::NewImage).await;
    let mut reader = reader(&store).await;
    let writer = async {
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        put(&*store, &visit("ada", 1)).await;
    };
    let (batch, ()) = tokio::join!(reader.next(), writer);
    assert_eq!(counts(&batch.unwrap().unwrap().records), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_reader_can_wait_in_a_task() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let store = world(StreamView::NewImage).await;
    put(&*store, &visit("ada", 1)).await;
    let mut reader = reader(&store).await;
    let batch = is_send(reader.next()).await.unwrap().unwrap();
    assert_eq!(batch.records.len(), 1);
}

/// A store that lets its caller wait once before each answer and once behind it.
#[derive(Debug)]
struct Hesitant(Arc<TestStore>);

impl Store for Hesitant {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async {
            Hesitation::default().await;
            let answer = self.0.call(request).await;
            Hesitation::default().await;
            answer
        })
    }
}

#[derive(Default)]
struct Hesitation(bool);

impl Future for Hesitation {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Polls at most so often; none if that was not enough.
fn poll_some<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

#[tokio::test]
async fn a_caller_that_stops_waiting_at_any_point_loses_and_doubles_nothing() {
    let store = world(StreamView::NewImage).await;
    for count in 1..=6 {
        put(&*store, &visit("ada", count)).await;
    }
    for polls in 1..12 {
        let hesitant = Arc::new(Hesitant(Arc::clone(&store)));
        let settings = ReadSettings { records_max: 2, ..ReadSettings::default() };
        let mut reader = Reader::of_table(hesitant, TABLE).await.unwrap().with_settings(settings);
        let mut seen = Vec::new();
        // Whatever was given up, the next wait is long enough.
        for round in 0.. {
            let patience = if round % 2 == 0 { polls } else { 100 };
            match poll_some(reader.try_next(), patience) {
                Some(Ok(Some(batch))) => seen.extend(counts(&batch.records)),
                Some(Ok(None)) => break,
                Some(Err(error)) => panic!("{error}"),
                None => assert_ne!(patience, 100, "a hundred polls are enough"),
            }
        }
        assert_eq!(seen, [1, 2, 3, 4, 5, 6], "given up after {polls} polls");
    }
}

#[tokio::test]
async fn a_stream_that_does_not_exist_is_an_error() {
    let store = world(StreamView::NewImage).await;
    let mut stranger = Reader::new(Arc::clone(&store) as _, "arn:of:nothing");
    let error = drain(&mut stranger).await.unwrap_err();
    assert!(matches!(error, ReadError::Store(StoreError::ResourceNotFound(_))));
}

#[tokio::test]
async fn a_checkpoint_that_someone_made_up_is_an_error_and_not_another_place() {
    let store = world(StreamView::NewImage).await;
    put(&*store, &visit("ada", 1)).await;
    let mut reader = reader(&store).await;
    let batch = reader.try_next().await.unwrap().unwrap();
    let mut made_up = Checkpoint::new(reader.checkpoint().stream.clone());
    made_up.advance(batch.shard, "nonsense");
    let error = drain(&mut reader.resume(made_up).unwrap()).await.unwrap_err();
    assert!(matches!(error, ReadError::Store(StoreError::Validation(_))));
}

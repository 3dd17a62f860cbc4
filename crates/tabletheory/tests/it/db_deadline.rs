//! A database for the rest of an invocation: its calls end before the deadline, and say whether they were sent.

use std::sync::Arc;
use std::time::Duration;

use tabletheory::deadline::{Deadline, Within};
use tabletheory::encryption::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, SecretKey};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Error, Model};
use tabletheory_core::store::op::ListTables;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock, StoreError, StoreExt, Timestamp};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "users")]
struct User {
    #[model(pk)]
    id: String,
    name: String,
}

fn ada() -> User {
    User { id: "1".into(), name: "Ada".into() }
}

async fn world() -> TestStore {
    let store = TestStore::new();
    store.db().create_table::<User>().await.unwrap();
    store.forget_calls();
    store
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_in_time_is_as_without_a_deadline() {
    let store = world().await;
    let db = store.db().within(3 * SECOND);
    store.trouble("PutItem", Trouble::Slow(2 * SECOND));
    db.create(&ada()).await.unwrap();
    assert_eq!(db.get(User::key("1")).await.unwrap(), Some(ada()));
    let refused = db.create(&ada()).await.unwrap_err();
    assert!(refused.is_condition_failed() && !refused.is_deadline_exceeded());
}

#[tokio::test(start_paused = true)]
async fn a_write_that_is_cut_off_may_have_happened_and_the_next_one_is_not_sent() {
    let store = world().await;
    let began = Instant::now();
    let db = store.db().within(3 * SECOND);
    store.trouble("PutItem", Trouble::Slow(MINUTE));
    let late = db.create(&ada()).await.unwrap_err();
    assert!(late.is_deadline_exceeded() && late.is_ambiguous(), "{late:?}");
    assert_eq!(began.elapsed(), Duration::from_millis(2_500), "half a second is left to answer");
    assert_eq!(store.count("PutItem"), 1, "there is no time to send it again");

    let later = db.get(User::key("1")).await.unwrap_err();
    assert!(matches!(later, Error::Store(StoreError::DeadlineExceeded { sent: false })), "{later:?}");
    assert!(!later.is_ambiguous());
    assert_eq!((store.count("GetItem"), began.elapsed()), (0, Duration::from_millis(2_500)));

    store.db().put(&ada()).await.expect("the database without the deadline has none");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_is_one_for_all_calls_and_not_for_each() {
    let store = world().await;
    let db = store.db().within(Deadline::after(10 * SECOND).with_buffer(Duration::ZERO));
    for _ in 0..3 {
        store.trouble("GetItem", Trouble::Slow(4 * SECOND));
    }
    assert!(db.get(User::key("1")).await.is_ok());
    assert!(db.get(User::key("1")).await.is_ok());
    assert!(db.get(User::key("1")).await.unwrap_err().is_deadline_exceeded());
}

#[tokio::test(start_paused = true)]
async fn a_moment_is_told_by_the_database_s_clock_and_a_passed_one_sends_nothing() {
    let store = world().await;
    let now = store.clock().now();
    let in_time = |seconds| store.db().within(now + tabletheory_core::Seconds(seconds));
    for (seconds, expected) in [(3, true), (1, true), (0, false), (-1, false)] {
        let answer = in_time(seconds).get(User::key("1")).await;
        assert_eq!(answer.is_ok(), expected, "{seconds} s: {answer:?}");
    }
    assert_eq!(store.count("GetItem"), 2);
    // The buffer is as good as the end.
    let close = store.db().within(Timestamp::from_millis(now.millis() + 500));
    assert!(close.get(User::key("1")).await.unwrap_err().is_deadline_exceeded());
}

#[tokio::test(start_paused = true)]
async fn the_earlier_of_two_deadlines_counts() {
    for (outer, inner) in [(SECOND, MINUTE), (MINUTE, SECOND)] {
        let store = world().await;
        let began = Instant::now();
        let db = store.db().within(outer).within(inner);
        store.trouble("GetItem", Trouble::Slow(2 * MINUTE));
        assert!(db.get(User::key("1")).await.unwrap_err().is_deadline_exceeded());
        assert_eq!(began.elapsed(), Duration::from_millis(500));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_is_very_far_away_is_none() {
    let store = world().await;
    let far = [Deadline::after(Duration::MAX), Deadline::at(Timestamp::from_millis(i64::MAX))];
    for deadline in far {
        store.trouble("GetItem", Trouble::Slow(MINUTE));
        assert_eq!(store.db().within(deadline).get(User::key("1")).await.unwrap(), None);
    }
    let long_ago = Deadline::at(Timestamp::from_millis(i64::MIN));
    assert!(store.db().within(long_ago).get(User::key("1")).await.unwrap_err().is_deadline_exceeded());
}

#[tokio::test(start_paused = true)]
async fn what_is_cut_off_is_not_asked_for_again_by_anyone() {
    let store = world().await;
    store.trouble("ListTables", Trouble::Slow(MINUTE));
    let hurried = Within::new(store.clone(), Deadline::after(SECOND), &*store.clock());
    let late = hurried.list_tables(ListTables::default()).await.unwrap_err();
    assert_eq!((late.code(), late.is_retryable()), ("DeadlineExceeded", false));
    assert_eq!(late.to_string(), "the deadline came before the answer");
    let unsent = StoreError::DeadlineExceeded { sent: false };
    assert_eq!(unsent.to_string(), "the deadline came before the request was sent");
}

/// A key service that never answers.
#[derive(Debug)]
struct Silent;

impl KeyProvider for Silent {
    fn generate<'a>(&'a self, _: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        Box::pin(std::future::pending())
    }

    fn decrypt<'a>(&'a self, _: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_for_a_key_ends_before_the_deadline_too() {
    let began = Instant::now();
    let keys: Arc<dyn KeyProvider> = Arc::new(Within::new(Silent, Deadline::after(SECOND), &SystemClock));
    let context = KeyContext { model: "User", attribute: "name" };
    assert_eq!(keys.generate(context).await.unwrap_err(), KeyError::DeadlineExceeded);
    assert_eq!(keys.decrypt(&[1], context).await.unwrap_err(), KeyError::DeadlineExceeded);
    assert_eq!(began.elapsed(), Duration::from_millis(500));
    assert!(!KeyError::DeadlineExceeded.is_retryable());
}

#[derive(Model, Debug)]
#[model(table = "users")]
struct Patient {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    diagnosis: String,
}

#[tokio::test(start_paused = true)]
async fn a_database_whose_keys_do_not_come_writes_nothing_and_says_why() {
    let store = world().await;
    let db = store.db().with_keys(Silent).within(SECOND);
    let late = db.put(&Patient { id: "1".into(), diagnosis: "influenza".into() }).await.unwrap_err();
    assert!(matches!(late, Error::Encryption { .. }) && late.is_deadline_exceeded(), "{late:?}");
    assert!(!late.is_ambiguous());
    assert_eq!(store.count("PutItem"), 0);
}

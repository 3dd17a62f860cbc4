//! A store that is slow, gone, throttled or loses answers: each policy of failure does what it says, and nothing fails in silence.

mod clocks;
mod damage;

use std::time::Duration;

use limited::{Ask, Error, Limit, Limiter, LimiterSettings, OnFailure, Policy, Source};
use tabletheory::Model;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::{Clock as _, Seconds, StoreError, Timestamp};
use tokio::task::JoinSet;

const UPDATE: &str = "UpdateItem";

async fn limiter(store: &TestStore, on_failure: OnFailure) -> Limiter {
    let limiter = Limiter::new(store.db());
    limiter.create_table().await.unwrap();
    store.forget_calls();
    let settings = LimiterSettings { on_failure, deny_cache: Duration::ZERO, ..LimiterSettings::default() };
    limiter.with_settings(settings).unwrap()
}

fn policy() -> Policy {
    Policy::new("api", [Limit::per_minute(4).fixed_window()]).unwrap()
}

/// The table that another toolkit makes for its limiter: the keys have other names.
#[derive(Model, Debug)]
#[model(table = "rate-limits")]
struct OtherShape {
    #[model(pk)]
    pk: String,
    #[model(sk)]
    sk: String,
}

/// Each trouble that is an outage, and whether the store is left alone after it.
fn outages() -> [(Trouble, bool); 6] {
    [
        (Trouble::NotReached, true),
        (Trouble::LostRequest, true),
        (Trouble::LostAnswer, true),
        (Trouble::Slow(Duration::from_secs(5)), true),
        (Trouble::Throttled, false),
        (Trouble::Conflict, false),
    ]
}

#[tokio::test(start_paused = true)]
async fn each_outage_is_answered_as_the_settings_say_and_shows_in_the_counts() {
    for (trouble, pauses) in outages() {
        let choices = [OnFailure::Open, OnFailure::Closed, OnFailure::Local { nodes: 2 }];
        let sources = [Source::FailedOpen, Source::FailedClosed, Source::Local];
        for (on_failure, source) in choices.into_iter().zip(sources) {
            let store = TestStore::new();
            let limiter = limiter(&store, on_failure).await;
            store.trouble(UPDATE, trouble.clone());
            let decision = limiter.check(&policy(), "a", 1).await.unwrap();
            let case = format!("{on_failure:?} after {trouble:?}");
            assert_eq!(decision.source, source, "{case}");
            assert_eq!(decision.is_allowed(), on_failure != OnFailure::Closed, "{case}");
            assert_eq!(decision.retry_after.is_some(), on_failure == OnFailure::Closed, "{case}");
            let counts = limiter.counts();
            assert_eq!(counts.failed_open, u64::from(source == Source::FailedOpen), "{case}");
            assert_eq!(counts.failed_closed, u64::from(source == Source::FailedClosed), "{case}");
            assert_eq!(counts.counted_alone, u64::from(source == Source::Local), "{case}");
            assert_eq!((counts.store_failures, counts.store_calls), (1, 1), "{case}");
            let next = limiter.check(&policy(), "a", 1).await.unwrap();
            assert_eq!(next.source != Source::Store, pauses, "{case}: the store is left alone, or not");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_one_request_tries_the_store_and_all_go_back_to_it_when_it_answers() {
    let store = TestStore::new();
    let limiter = limiter(&store, OnFailure::Open).await;
    store.trouble(UPDATE, Trouble::NotReached);
    let _ = limiter.check(&policy(), "a", 1).await.unwrap();
    for _ in 0..50 {
        assert_eq!(limiter.check(&policy(), "a", 1).await.unwrap().source, Source::FailedOpen);
    }
    assert_eq!(store.count(UPDATE), 1, "the store is left alone");
    store.advance(Seconds(1));
    // The one that tries waits; those beside it do not.
    store.trouble(UPDATE, Trouble::Slow(Duration::from_secs(5)));
    let trying = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.check(&policy(), "a", 1).await }
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    for _ in 0..50 {
        assert_eq!(limiter.check(&policy(), "a", 1).await.unwrap().source, Source::FailedOpen);
    }
    assert_eq!(trying.await.unwrap().unwrap().source, Source::FailedOpen);
    assert_eq!(store.count(UPDATE), 2, "one tried");
    store.advance(Seconds(1));
    for _ in 0..4 {
        assert_eq!(limiter.check(&policy(), "a", 1).await.unwrap().source, Source::Store);
    }
    assert!(!limiter.check(&policy(), "a", 1).await.unwrap().is_allowed(), "and limits hold again");
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_leave_the_store_alone_for_an_hour() {
    let store = TestStore::new();
    let limiter = limiter(&store, OnFailure::Open).await;
    store.trouble(UPDATE, Trouble::NotReached);
    let _ = limiter.check(&policy(), "a", 1).await.unwrap();
    store.clock().advance(Seconds(-3_600));
    assert_eq!(limiter.check(&policy(), "a", 1).await.unwrap().source, Source::Store);
}

#[tokio::test]
async fn with_lost_answers_nothing_is_admitted_uncounted_when_closed() {
    for limit in [
        Limit::per_minute(20),
        Limit::per_minute(20).fixed_window(),
        Limit::per_minute(20).sliding_window(),
        Limit::per_minute(20).sliding_log(),
    ] {
        let store = TestStore::new();
        let settings = LimiterSettings {
            pause: Duration::ZERO,
            on_failure: OnFailure::Closed,
            ..LimiterSettings::default()
        };
        let limiter = limiter(&store, OnFailure::Closed).await.with_settings(settings).unwrap();
        let policy = Policy::new("api", [limit]).unwrap();
        let mut allowed = 0;
        for number in 0..60 {
            if number % 3 == 0 {
                store.trouble(UPDATE, Trouble::LostAnswer);
            }
            allowed += u64::from(limiter.check(&policy, "a", 1).await.unwrap().is_allowed());
            store.clock().set(Timestamp::from_millis(store.clock().now().millis() + 1));
        }
        let used = limiter.peek(&policy, "a").await.unwrap().limits[0].used;
        assert!(allowed <= used && used <= 20, "{}: {allowed} allowed, {used} counted", limit.text());
    }
}

#[tokio::test]
async fn no_table_is_an_error_and_never_open() {
    for on_failure in [OnFailure::Open, OnFailure::Local { nodes: 1 }, OnFailure::Closed] {
        let limiter = Limiter::new(TestStore::new().db());
        let limiter =
            limiter.with_settings(LimiterSettings { on_failure, ..LimiterSettings::default() }).unwrap();
        for _ in 0..3 {
            let refused = limiter.check(&policy(), "a", 1).await;
            assert!(matches!(refused, Err(Error::Store(StoreError::ResourceNotFound(_)))), "{refused:?}");
        }
        assert_eq!((limiter.counts().failed_open, limiter.counts().allowed), (0, 0));
    }
}

#[tokio::test]
async fn a_table_of_another_shape_is_an_error_and_never_open() {
    let store = TestStore::new();
    store.db().create_table::<OtherShape>().await.unwrap();
    let settings = LimiterSettings { on_failure: OnFailure::Open, ..LimiterSettings::default() };
    let limiter = Limiter::new(store.db()).with_settings(settings).unwrap();
    for _ in 0..100 {
        let refused = limiter.check(&policy(), "a", 1).await;
        assert!(matches!(refused, Err(Error::Store(StoreError::Validation(_)))), "{refused:?}");
    }
    assert_eq!((limiter.counts().failed_open, limiter.counts().allowed), (0, 0));
}

#[tokio::test]
async fn a_table_that_is_gone_after_an_outage_is_loud_for_everyone() {
    let store = TestStore::new();
    let settings = LimiterSettings { on_failure: OnFailure::Open, ..LimiterSettings::default() };
    let limiter = Limiter::new(store.db()).with_settings(settings).unwrap();
    store.trouble(UPDATE, Trouble::NotReached);
    assert_eq!(limiter.check(&policy(), "a", 1).await.unwrap().source, Source::FailedOpen);
    store.advance(Seconds(2));
    for _ in 0..10 {
        assert!(limiter.check(&policy(), "a", 1).await.is_err(), "a store that refuses has answered");
    }
}

#[tokio::test]
async fn alone_a_process_keeps_its_part_of_each_limit() {
    let store = TestStore::new();
    let limiter = limiter(&store, OnFailure::Local { nodes: 4 }).await;
    let policy = Policy::new("api", [Limit::per_hour(40).fixed_window(), Limit::per_hour(100)]).unwrap();
    store.trouble(UPDATE, Trouble::NotReached);
    let mut allowed = 0;
    for _ in 0..30 {
        allowed += u64::from(limiter.check(&policy, "a", 1).await.unwrap().is_allowed());
    }
    assert_eq!((allowed, limiter.counts().counted_alone), (10, 30));
}

#[tokio::test]
async fn when_the_store_dies_between_two_identifiers_the_first_stays_counted_and_the_second_follows_the_settings()
 {
    let store = TestStore::new();
    let limiter = limiter(&store, OnFailure::Closed).await;
    let (first, second) = (
        Policy::new("ip", [Limit::per_minute(4)]).unwrap(),
        Policy::new("user", [Limit::per_minute(4)]).unwrap(),
    );
    // The second question is lost, and so is what would give the first back.
    store.trouble(UPDATE, Trouble::Slow(Duration::ZERO));
    store.trouble(UPDATE, Trouble::NotReached);
    store.trouble(UPDATE, Trouble::NotReached);
    let decisions = limiter.check_all(&[Ask::new(&first, "a", 1), Ask::new(&second, "b", 1)]).await.unwrap();
    assert_eq!(decisions[1].source, Source::FailedClosed);
    assert_eq!(limiter.counts().store_failures, 2, "that nothing could be given back is counted");
    assert_eq!(limiter.peek(&first, "a").await.unwrap().limits[0].used, 1);
    assert_eq!(limiter.peek(&second, "b").await.unwrap().limits[0].used, 0);
}

#[tokio::test]
async fn an_error_at_the_second_identifier_gives_the_first_back() {
    let store = TestStore::new();
    let limiter = limiter(&store, OnFailure::Open).await;
    let (first, second) = (
        Policy::new("ip", [Limit::per_minute(4)]).unwrap(),
        Policy::new("user", [Limit::per_minute(4)]).unwrap(),
    );
    store.trouble(UPDATE, Trouble::Slow(Duration::ZERO));
    store.trouble(UPDATE, Trouble::Refused(StoreError::AccessDenied("no".to_owned())));
    let asks = [Ask::new(&first, "a", 1), Ask::new(&second, "b", 1)];
    assert!(limiter.check_all(&asks).await.is_err());
    assert_eq!(limiter.peek(&first, "a").await.unwrap().limits[0].used, 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_waits_for_any_more_harms_nobody() {
    for limit in [
        Limit::per_minute(5),
        Limit::per_minute(5).sliding_window(),
        Limit::per_minute(5).sliding_log(),
        Limit::per_minute(5).fixed_window(),
    ] {
        for is_leased in [false, true] {
            let store = TestStore::new();
            let limiter = limiter(&store, OnFailure::Closed).await;
            let mut policy = Policy::new("api", [limit]).unwrap();
            if is_leased {
                let Ok(leased) = policy.clone().leased(2) else { continue };
                policy = leased;
            }
            store.trouble(UPDATE, Trouble::Slow(Duration::from_millis(100)));
            let asked = tokio::time::timeout(Duration::from_millis(10), limiter.check(&policy, "a", 1)).await;
            assert!(asked.is_err(), "it was dropped in the middle");
            let mut allowed = 0;
            for _ in 0..8 {
                allowed += u64::from(limiter.check(&policy, "a", 1).await.unwrap().is_allowed());
            }
            assert_eq!(allowed, 5, "{} leased {is_leased}", limit.text());
        }
    }
}

/// Each of them waited for its turn and asked the store for itself, though the first ones had learnt that nobody gets through.
#[tokio::test(start_paused = true)]
async fn those_who_wait_for_their_turn_are_denied_by_what_the_first_have_learnt() {
    const VISITORS: usize = 50;
    let store = TestStore::new();
    let limiter = limiter(&store, OnFailure::Closed).await;
    let limiter = limiter.with_settings(LimiterSettings::default()).unwrap();
    let policy = Policy::new("api", [Limit::per_minute(1).sliding_log()]).unwrap();
    for _ in 0..VISITORS {
        store.trouble(UPDATE, Trouble::Slow(Duration::from_millis(100)));
    }
    let mut visitors = JoinSet::new();
    for _ in 0..VISITORS {
        let (limiter, policy) = (limiter.clone(), policy.clone());
        visitors.spawn(async move { limiter.check(&policy, "a", 1).await.unwrap().is_allowed() });
    }
    let allowed = visitors.join_all().await.into_iter().filter(|is_allowed| *is_allowed).count();
    assert_eq!(allowed, 1);
    assert!(store.count(UPDATE) < 10, "the store was asked {} times", store.count(UPDATE));
}

//! Many at once: on threads, for one identifier and for very many.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_executor::block_on;
use limited::{Limit, Limiter, LimiterSettings, OnFailure, Policy, Source};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::StoreFuture;
use tabletheory_core::{Item, ManualClock, Request, Store, StoreError, Timestamp, Value};

use super::rules;
use crate::world::{World, check, strict};

const TASKS: u64 = 200;

/// As many tasks as that ask once each; how many were allowed.
async fn crowd(limiters: &[Limiter], policy: &Policy) -> u64 {
    let allowed = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for number in 0..TASKS {
        let (limiter, policy) =
            (limiters[usize::try_from(number).unwrap() % limiters.len()].clone(), policy.clone());
        let allowed = Arc::clone(&allowed);
        tasks.push(tokio::spawn(async move {
            let decision = limiter.check(&policy, "a", 1).await.unwrap();
            assert!(matches!(decision.source, Source::Store | Source::Lease), "{:?}", decision.source);
            allowed.fetch_add(u64::from(decision.is_allowed()), Ordering::Relaxed);
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    allowed.load(Ordering::Relaxed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_200_at_once_exactly_the_limit_is_allowed_in_one_process_and_in_four() {
    for policy in rules(90) {
        for processes in [1, 4] {
            let world = tokio::task::spawn_blocking(World::new).await.unwrap();
            let limiters: Vec<Limiter> = (0..processes).map(|_| world.limiter(strict())).collect();
            assert_eq!(crowd(&limiters, &policy).await, 90, "{} in {processes} processes", policy.name());
            let calls: u64 = limiters.iter().map(|limiter| limiter.counts().store_calls).sum();
            println!("{}: {calls} calls for {TASKS} decisions in {processes} processes", policy.name());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_200_at_once_leases_allow_the_limit_at_most() {
    for policy in rules(90) {
        let Ok(policy) = policy.leased(20) else { continue };
        let world = tokio::task::spawn_blocking(World::new).await.unwrap();
        let limiters: Vec<Limiter> = (0..4).map(|_| world.limiter(strict())).collect();
        let allowed = crowd(&limiters, &policy).await;
        assert!((70..=90).contains(&allowed), "{}: {allowed}", policy.name());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn alone_and_all_at_once_a_process_keeps_its_part() {
    for policy in rules(90) {
        let store = TestStore::new();
        let limiter = Limiter::new(store.db());
        limiter.create_table().await.unwrap();
        let settings = LimiterSettings { on_failure: OnFailure::Local { nodes: 2 }, ..strict() };
        let limiter = limiter.with_settings(settings).unwrap();
        store.trouble("UpdateItem", Trouble::NotReached);
        assert_eq!(limiter.check(&policy, "somebody else", 1).await.unwrap().source, Source::Local);
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let (limiter, policy) = (limiter.clone(), policy.clone());
                tokio::spawn(async move { limiter.check(&policy, "a", 1).await.unwrap().is_allowed() })
            })
            .collect();
        let mut allowed = 0;
        for task in tasks {
            allowed += u64::from(task.await.unwrap());
        }
        assert_eq!(allowed, 45, "{}", policy.name());
    }
}

#[test]
fn of_200000_identifiers_only_so_many_are_remembered_as_the_settings_say() {
    const REMEMBERED: usize = 1_000;
    let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_704_067_200)));
    let settings = LimiterSettings { remembered: REMEMBERED, ..LimiterSettings::default() };
    let limiter = Limiter::new(Db::new(Spent).with_clock(clock)).with_settings(settings).unwrap();
    let policy = Policy::new("p", [Limit::per_hour(1).fixed_window()]).unwrap();
    for number in 0..200_000 {
        assert!(!check(&limiter, &policy, &format!("ip:{number}"), 1).is_allowed());
    }
    assert_eq!(limiter.counts().store_calls, 200_000);
    // What is remembered is what can be denied without a call.
    for number in (0..200_000).rev().take(50_000) {
        assert!(
            !check(&limiter, &policy, &format!("ip:{number}"), 1).is_allowed(),
            "forgetting lets nobody through"
        );
    }
    let from_memory = limiter.counts().denied_from_memory;
    println!("{from_memory} were denied from memory");
    assert!((1..=REMEMBERED as u64).contains(&from_memory), "{from_memory} were remembered");
}

/// G23: after a few conflicts a request was denied below the limit, or let through uncounted.
#[test]
fn who_loses_a_log_to_others_again_and_again_is_decided_by_the_store_all_the_same() {
    for (others, is_allowed) in [(20, true), (99, true), (100, false), (500, false)] {
        let store = TestStore::new();
        let other = Limiter::new(store.db());
        block_on(other.create_table()).unwrap();
        let policy = Policy::new("p", [Limit::per_hour(100).sliding_log()]).unwrap();
        let between =
            Between { store: store.clone(), other, policy: policy.clone(), left: AtomicU64::new(others) };
        let limiter =
            Limiter::new(Db::new(between).with_clock(store.clock())).with_settings(strict()).unwrap();
        let decision = check(&limiter, &policy, "a", 1);
        assert_eq!(
            (decision.source, decision.is_allowed()),
            (Source::Store, is_allowed),
            "{others} came between"
        );
    }
}

/// A store to which somebody else comes first, so many times.
#[derive(Debug)]
struct Between {
    store: TestStore,
    other: Limiter,
    policy: Policy,
    left: AtomicU64,
}

impl Store for Between {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            let left = self.left.load(Ordering::Relaxed);
            if left > 0 && matches!(request, Request::UpdateItem(_)) {
                self.left.store(left - 1, Ordering::Relaxed);
                let _ = self.other.check(&self.policy, "a", 1).await.unwrap();
            }
            self.store.call(request).await
        })
    }
}

/// A store in which every window is full.
#[derive(Debug)]
struct Spent;

impl Store for Spent {
    fn call(&self, _: Request) -> StoreFuture<'_> {
        let item = Item::from([("Count", Value::n(1))]);
        Box::pin(std::future::ready(Err(StoreError::ConditionalCheckFailed { item: Some(Box::new(item)) })))
    }
}

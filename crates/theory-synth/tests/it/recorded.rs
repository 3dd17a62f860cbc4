//! What the crates really send to their tables, recorded while they do their work: templates grant exactly that. An operation that is
//! missing would fail in production; one that is too many is a permission that nobody needs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use facetheory::meta::{Acquire, Group, Intent, Purge};
use facetheory::render::{Render, RenderError, Rendered, Renderer};
use facetheory::{Bodies, Isr, IsrSettings, MetaStore, PageKey, Policy, Served, Visit};
use idempotent::{Claim, Idempotency, IdempotencyKey, Response, Scope};
use limited::{Limit, Limiter, slots::Slots};
use tabletheory::testing::TestStore;
use tabletheory_core::store::op::TransactAction;
use tabletheory_core::{Request, Seconds};
use theory_synth::Kind;

/// The operations of some calls, and the permissions that these need.
fn seen(store: &TestStore) -> (BTreeSet<&'static str>, BTreeSet<String>) {
    let mut actions = BTreeSet::new();
    let calls = store.calls();
    for call in &calls {
        match call {
            Request::TransactWriteItems(transaction) => {
                for write in &transaction.writes {
                    let action = match write.action {
                        TransactAction::Put { .. } => "PutItem",
                        TransactAction::Update { .. } => "UpdateItem",
                        TransactAction::Delete { .. } => "DeleteItem",
                        TransactAction::ConditionCheck { .. } => "ConditionCheckItem",
                    };
                    actions.insert(format!("dynamodb:{action}"));
                }
            }
            other => {
                actions.insert(format!("dynamodb:{}", other.name()));
            }
        }
    }
    (calls.iter().map(Request::name).collect(), actions)
}

#[track_caller]
fn check(kind: Kind, store: &TestStore) {
    let (operations, actions) = seen(store);
    assert_eq!(operations, kind.operations().iter().copied().collect(), "operations of {}", kind.name());
    let granted: BTreeSet<String> = kind.actions().iter().map(|&action| action.to_owned()).collect();
    assert_eq!(actions, granted, "permissions of {}", kind.name());
}

fn origin(body: &'static str) -> Arc<dyn Renderer> {
    Arc::new(move |_: Render| async move { Ok(Rendered::html(body).tagged("news")) })
}

async fn later(served: Served) {
    if let Some(work) = served.later {
        work.run().await;
    }
}

/// Pages are rendered, served, regenerated, fail, are published with history, purged, and brought back.
async fn pages(store: &TestStore) {
    let isr = Isr::new(MetaStore::new(store.db()), Bodies::memory());
    isr.meta().create_table().await.unwrap();
    store.forget_calls();
    let policy = Policy { versions: true, ..Policy::fresh_for(Seconds(60)) };
    let key = || PageKey::path("/news").tenant("acme".parse().unwrap());
    let visit = || Visit::to(key()).policy(policy.clone());
    for body in ["one", "two", "three"] {
        let _ = isr.serve(&visit(), &origin(body)).await.unwrap();
        later(isr.serve(&visit(), &origin(body)).await.unwrap()).await;
        store.advance(Seconds(61));
    }
    let broken: Arc<dyn Renderer> =
        Arc::new(|_: Render| async { Err::<Rendered, _>(RenderError::new("the origin is gone")) });
    later(isr.serve(&visit(), &broken).await.unwrap()).await;
    store.advance(Seconds(600));
    let intent = Intent::from_message_id("message-1");
    later(isr.serve(&visit().intent(intent), &origin("four")).await.unwrap()).await;
    let _ = isr.invalidate(&key(), Purge::Stale).await.unwrap();
    later(isr.serve(&visit(), &origin("five")).await.unwrap()).await;

    let page = isr.meta().partition(&key()).unwrap();
    let versions = isr.meta().versions(&page, None).await.unwrap();
    let oldest = versions.versions.last().unwrap().id.clone();
    let _ = isr.rollback(&key(), &oldest, Seconds(60)).await.unwrap();
    let Acquire::Granted(mut lease) = isr.meta().try_acquire(&page, Seconds(10)).await.unwrap() else {
        panic!("nobody has it")
    };
    let _ = isr.meta().refresh(&mut lease, Seconds(10)).await.unwrap();
    let _ = isr.meta().watch(&page).await.unwrap();
    let _ = isr.meta().release(lease).await.unwrap();
    let _ = isr.invalidate_group(None, Group::Tag("news"), Purge::Stale).await.unwrap();
    let _ = isr.invalidate(&key(), Purge::Gone).await.unwrap();
}

#[tokio::test]
async fn a_function_that_serves_pages_may_do_what_it_does_and_nothing_else() {
    let store = TestStore::new();
    pages(&store).await;
    check(Kind::Cache, &store);
}

#[tokio::test]
async fn a_sweep_may_do_what_it_does_and_nothing_else() {
    let store = TestStore::new();
    pages(&store).await;
    store.forget_calls();
    let settings = IsrSettings { versions_kept: 0, ..IsrSettings::default() };
    // Versions are forgotten when they are old.
    store.advance(Seconds(7 * 86_400));
    let isr = Isr::new(MetaStore::new(store.db()), Bodies::memory()).with_settings(settings);
    let _ = isr.sweep().await.unwrap();
    let (_, actions) = seen(&store);
    let granted = Kind::sweep_grant("Table");
    assert_eq!(actions, granted.action_names().map(str::to_owned).collect());
}

#[tokio::test]
async fn a_function_with_rate_limits_may_do_what_it_does_and_nothing_else() {
    let store = TestStore::new();
    let limiter = Limiter::new(store.db());
    limiter.create_table().await.unwrap();
    store.forget_calls();
    let rules = ["2/s burst 2", "3/min sliding", "3/min log", "2/h fixed", "2/month quota"];
    for (at, rule) in rules.iter().enumerate() {
        let policy = limited::Policy::new(&format!("rule{at}"), [rule.parse::<Limit>().unwrap()]).unwrap();
        for _ in 0..5 {
            let _ = limiter.check(&policy, "user:ada", 1).await.unwrap();
        }
    }
    let batches = limited::Policy::new("batches", [Limit::per_minute(100)]).unwrap().leased(10).unwrap();
    let spread = limited::Policy::new("spread", [Limit::per_minute(100_000)]).unwrap().sharded(4).unwrap();
    for policy in [&batches, &spread] {
        let _ = limiter.check(policy, "user:ada", 1).await.unwrap();
    }
    let _ = limiter.reserve(&spread, "user:ada", 5).await.unwrap();
    let slots = Slots::new(store.db(), "exports", 2, Duration::from_secs(30)).unwrap();
    if let limited::slots::Acquire::Acquired(slot) = slots.try_acquire("user:ada").await.unwrap() {
        let _ = slot.release().await.unwrap();
    }
    check(Kind::Limits, &store);

    store.forget_calls();
    let own = limited::Policy::new("own", [Limit::per_minute(5)]).unwrap().with_overrides();
    let _ = limiter.check(&own, "user:ada", 1).await.unwrap();
    let (operations, _) = seen(&store);
    let overrides = Kind::overrides_grant("Table").action_names().next();
    assert_eq!(operations, BTreeSet::from(["BatchGetItem", "UpdateItem"]));
    assert_eq!(overrides, Some("dynamodb:BatchGetItem"));
}

#[tokio::test]
async fn a_function_whose_requests_happen_once_may_do_what_it_does_and_nothing_else() {
    let store = TestStore::new();
    let requests = Idempotency::new(store.db());
    requests.create_table().await.unwrap();
    store.forget_calls();
    let intent = |key: &str| {
        let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
        idempotent::Intent::of_bytes(scope, IdempotencyKey::parse(key).unwrap(), b"{}")
    };
    // A short answer, a long one, one that failed, and each of them again.
    for (key, length) in [("short", 10), ("long", 200_000)] {
        let Claim::Granted(attempt) = requests.claim(&intent(key)).await.unwrap() else {
            panic!("it is new")
        };
        let Claim::Running { .. } = requests.claim(&intent(key)).await.unwrap() else { panic!("it runs") };
        let _ = attempt.complete(&Response::new(201, "x".repeat(length)).unwrap()).await.unwrap();
        let again = Idempotency::new(store.db());
        let Claim::Replay(_) = again.claim(&intent(key)).await.unwrap() else { panic!("it is done") };
    }
    let Claim::Granted(attempt) = requests.claim(&intent("lost")).await.unwrap() else { panic!("it is new") };
    let _ = attempt.release().await.unwrap();
    let Claim::Granted(_) = requests.claim(&intent("lost")).await.unwrap() else { panic!("it is free") };
    store.advance(Seconds(3600));
    let _ = requests.claim(&intent("lost")).await.unwrap();
    check(Kind::Requests, &store);
}

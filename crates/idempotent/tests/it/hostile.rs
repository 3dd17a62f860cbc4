//! Input that means harm, and rows that say what they should not.

use std::sync::Arc;

use idempotent::{Claim, Completion, Error, Idempotency, IdempotencyKey, Intent, Scope, Settings};
use proptest::prelude::*;
use tabletheory::Db;
use tabletheory_core::{Seconds, Value};

use crate::world::{World, answer, granted, intent};

#[tokio::test(start_paused = true)]
async fn a_row_that_is_not_understood_runs_nothing_and_is_named() {
    let cases: [(&str, Value, &str); 6] = [
        ("Status", Value::s("DONE"), "Status"),
        ("Status", Value::n(7), "Status"),
        ("StatusCode", Value::n(99_999), "StatusCode"),
        ("StatusCode", Value::n(-1), "StatusCode"),
        ("Response", Value::n(1), "Response"),
        ("ResponseKey", Value::s("BODY#x"), "ResponseKey"),
    ];
    for (attribute, value, named) in cases {
        let world = World::new().await;
        let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
        assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
        world.tamper(|record| drop(record.insert(attribute, value.clone()))).await;
        let claim = world.other().claim(&intent("k", "a")).await;
        let Err(Error::Unreadable { attribute }) = claim else { panic!("{attribute} {value:?}: {claim:?}") };
        assert_eq!(attribute, named);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lock_that_cannot_be_read_runs_nothing() {
    for value in [Value::s("whenever"), Value::n(1), Value::s("")] {
        let world = World::new().await;
        let _ = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
        world.tamper(|record| drop(record.insert("LockedUntil", value.clone()))).await;
        world.pass(3600);
        let claim = world.other().claim(&intent("k", "a")).await;
        assert!(matches!(claim, Err(Error::Unreadable { attribute: "LockedUntil" })), "{value:?}: {claim:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_without_its_fingerprint_answers_nobody() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    world.tamper(|record| drop(record.remove("RequestHash"))).await;
    assert!(matches!(world.other().claim(&intent("k", "a")).await.unwrap(), Claim::Mismatch));
}

#[tokio::test(start_paused = true)]
async fn nothing_that_is_shown_tells_keys_tokens_or_bodies() {
    let world = World::new().await;
    let scope = Scope::route("POST", "/orders").tenant("tenant-secret").principal("principal-secret");
    let key = IdempotencyKey::parse("key-secret").unwrap();
    let intent = Intent::of_bytes(scope, key.clone(), b"body-secret");
    let claim = world.requests.claim(&intent).await.unwrap();
    let granted_text = format!("{claim:?}");
    let attempt = granted(claim);
    let token = world.record().await.get("LockToken").and_then(Value::as_s).unwrap().to_owned();
    let response = answer("answer-secret");
    let completion = attempt.complete(&response).await.unwrap();
    let replay = world.other().claim(&intent).await.unwrap();
    let shown = format!(
        "{granted_text} {intent:?} {key:?} {attempt:?} {response:?} {completion:?} {replay:?} {:?} {:?}",
        world.requests,
        intent.fingerprint(),
    );
    for secret in ["secret", &token, intent.fingerprint().as_hex()] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn scopes_of_any_size_have_a_place() {
    let world = World::new().await;
    let long = "x\u{0}\n#".repeat(2500);
    let scope = Scope::route(&long, &*long).tenant(&*long).principal(&*long);
    let intent = Intent::of_bytes(scope, IdempotencyKey::parse("k").unwrap(), &vec![0xff; 100_000]);
    let attempt = granted(world.requests.claim(&intent).await.unwrap());
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    assert!(tabletheory_core::size::item_bytes(&world.record().await) < 1024);
}

#[tokio::test]
async fn absurd_settings_and_terms_are_typed_errors() {
    let requests = Idempotency::new(Db::memory());
    let settings = Settings { keep_for: Seconds(-5), ..Settings::default() };
    assert!(matches!(
        requests.clone().with_settings(settings),
        Err(Error::Setting { setting: "keep_for", .. })
    ));
    for term in [0, -1, i64::MIN, i64::MAX] {
        let claim = requests.claim_for(&intent("k", "a"), Seconds(term)).await;
        assert!(matches!(claim, Err(Error::Setting { setting: "lock_for", .. })), "{term}");
    }
}

#[tokio::test]
async fn without_a_table_the_error_is_the_stores() {
    let claim = Idempotency::new(Db::memory()).claim(&intent("k", "a")).await;
    assert!(matches!(claim, Err(Error::Table(_))), "{claim:?}");
}

/// Any value at all, in the place of one that we write.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        "\\PC{0,24}".prop_map(Value::s),
        any::<i64>().prop_map(Value::n),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        proptest::collection::vec(any::<u8>(), 0..9).prop_map(Value::B),
        Just(Value::s("2023-01-01T00:00:00Z")),
        Just(Value::s("PENDING")),
    ]
}

const NAMES: [&str; 12] = [
    "Status",
    "RequestHash",
    "Response",
    "StatusCode",
    "LockToken",
    "LockedUntil",
    "Attempt",
    "ResponseHeaders",
    "ResponseBytes",
    "ResponseKey",
    "ResponseLength",
    "ResponseSha256",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_a_completed_row_says_nobody_else_sees_the_answer_and_nothing_panics(
        changes in proptest::collection::vec((0..NAMES.len(), value()), 1..4),
    ) {
        let world = Arc::new(futures_executor::block_on(World::new()));
        let tampered = Arc::clone(&world);
        futures_executor::block_on(async move {
            let attempt = granted(tampered.requests.claim(&intent("k", "a")).await.unwrap());
            assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
            tampered.tamper(|record| {
                for (name, value) in changes {
                    record.insert(NAMES[name], value);
                }
            }).await;
            let other = tampered.other().claim(&intent("k", "other")).await;
            assert!(!matches!(other, Ok(Claim::Replay(_))), "{other:?}");
            let _ = tampered.other().claim(&intent("k", "a")).await;
        });
    }
}

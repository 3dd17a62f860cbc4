//! Functions that happen once for each key.

use std::cell::Cell;
use std::time::Duration;

use idempotent::{Error, Failure, KeyError, KeyScheme, ProcessError, Processed};
use serde::{Deserialize, Serialize};
use tabletheory::testing::Trouble;
use tabletheory_core::Value;
use tokio::time::sleep;

use crate::world::World;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Receipt {
    number: u64,
    to: String,
}

fn receipt(number: u64) -> Receipt {
    Receipt { number, to: "ada".into() }
}

#[tokio::test(start_paused = true)]
async fn a_value_comes_back_as_it_was() {
    let world = World::new().await;
    let runs = Cell::new(0);
    let charge = || async {
        runs.set(runs.get() + 1);
        Ok::<_, ()>(receipt(runs.get()))
    };
    let first = world.requests.process("k", "charge", &5, charge).await.unwrap();
    assert_eq!(first, Processed::Done(receipt(1)));
    for process in [world.requests.clone(), world.other()] {
        assert_eq!(
            process.process("k", "charge", &5, charge).await.unwrap(),
            Processed::Replayed(receipt(1))
        );
    }
    assert!(matches!(world.requests.process("k", "charge", &6, charge).await, Err(ProcessError::Mismatch)));
    let elsewhere = world.requests.process("k", "refund", &5, charge).await.unwrap();
    assert_eq!(elsewhere, Processed::Done(receipt(2)));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_fails_is_tried_again_unless_it_failed_for_good() {
    let world = World::new().await;
    let fail = || async { Err::<u8, _>("no money") };
    let failed = world.requests.process("k", "charge", &5, fail).await;
    assert!(matches!(failed, Err(ProcessError::Handler("no money"))), "{failed:?}");
    assert_eq!(world.record().await.get("Status"), Some(&Value::s("FAILED")));
    let again = world.requests.process("k", "charge", &5, || async { Ok::<_, ()>(7) }).await;
    assert_eq!(again.unwrap(), Processed::Done(7));

    let stolen = world.requests.process_where("l", "charge", &5, fail, |_| Failure::Final).await;
    assert!(matches!(stolen, Err(ProcessError::Handler("no money"))), "{stolen:?}");
    let never = world.requests.process("l", "charge", &5, || async { Ok::<_, ()>(7) }).await;
    assert!(matches!(never, Err(ProcessError::Failed)), "{never:?}");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_handler_is_not_hidden_by_trouble_of_the_store() {
    let world = World::new().await;
    let fail = || async {
        for _ in 0..10 {
            world.store.trouble("UpdateItem", Trouble::NotReached);
        }
        Err::<u8, _>("no money")
    };
    let failed = world.requests.process("k", "charge", &5, fail).await;
    assert!(matches!(failed, Err(ProcessError::Handler("no money"))), "{failed:?}");
}

#[tokio::test(start_paused = true)]
async fn without_the_store_the_handler_does_not_run() {
    let world = World::new().await;
    for _ in 0..10 {
        world.store.trouble("UpdateItem", Trouble::NotReached);
    }
    let refused: Result<Processed<u8>, ProcessError<()>> =
        world.requests.process("k", "charge", &5, || async { panic!("it must not run") }).await;
    assert!(matches!(refused, Err(ProcessError::Machine(Error::Table(_)))), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_stored_has_the_shape_of_the_seed() {
    let world = World::new().await;
    let shared = world.set(|settings| {
        settings.scheme = KeyScheme::Raw;
        settings.store_requests = true;
    });
    let request = serde_json::json!({"b": 1, "a": [2]});
    shared.process("order-1", "charge", &request, || async { Ok::<_, ()>(receipt(1)) }).await.unwrap();
    let record = world.record().await;
    for (name, text) in [
        ("IdempotencyKey", "order-1"),
        ("SK", "IDEMPOTENCY"),
        ("FunctionName", "charge"),
        ("Status", "COMPLETED"),
        ("Timestamp", "2024-01-01T00:00:00Z"),
        ("RequestBody", r#"{"a":[2],"b":1}"#),
        ("Response", r#"{"number":1,"to":"ada"}"#),
        ("CreatedAt", "2024-01-01T00:00:00Z"),
        ("UpdatedAt", "2024-01-01T00:00:00Z"),
        ("CompletedAt", "2024-01-01T00:00:00Z"),
    ] {
        assert_eq!(record.get(name), Some(&Value::s(text)), "{name}");
    }
    assert_eq!(record.get("StatusCode"), Some(&Value::n(200)));
    assert_eq!(record.get("ExpiresAt"), Some(&Value::n(1_704_067_200 + 86_400)));
    assert_eq!(record.get("Attempt"), Some(&Value::n(1)));
    assert!(
        record.get("LockToken").is_some() && !record.contains("LockedUntil") && !record.contains("TenantID")
    );
    assert_eq!(record.get("RequestHash").and_then(Value::as_s).map(str::len), Some(64));
}

#[tokio::test(start_paused = true)]
async fn keys_that_are_none_are_refused_and_nothing_is_asked() {
    let world = World::new().await;
    let long = "k".repeat(10_000);
    for (key, expected) in [
        ("", KeyError::Empty),
        ("a\u{7}b", KeyError::ControlCharacter),
        (long.as_str(), KeyError::TooLong { bytes: 10_000 }),
    ] {
        let refused = world.requests.process(key, "f", &1, || async { Ok::<u8, ()>(1) }).await;
        let Err(ProcessError::Machine(Error::Key(error))) = refused else { panic!("{refused:?}") };
        assert_eq!(error, expected);
    }
    assert!(world.store.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_value_of_another_type_is_an_error_and_not_a_second_run() {
    let world = World::new().await;
    world.requests.process("k", "f", &1, || async { Ok::<_, ()>("text".to_owned()) }).await.unwrap();
    let wrong: Result<Processed<u64>, ProcessError<()>> =
        world.requests.process("k", "f", &1, || async { panic!("it must not run") }).await;
    assert!(matches!(wrong, Err(ProcessError::Machine(Error::NoJson))), "{wrong:?}");
}

/// The lock of a function that was done ended while its value was on its way, and the next who came did it again.
#[tokio::test(start_paused = true)]
async fn the_lock_is_kept_while_a_value_is_written_down() {
    let world = World::new().await;
    world.store.trouble("PutItem", Trouble::Slow(Duration::from_secs(100)));
    let large = || async { Ok::<_, ()>("x".repeat(100_000)) };
    let meanwhile = async {
        for _ in 0..90 {
            sleep(Duration::from_secs(1)).await;
            world.pass(1);
        }
        let second = world.other().process("k", "f", &1, large).await;
        assert!(matches!(second, Err(ProcessError::Running { .. })), "{second:?}");
    };
    let (first, ()) = tokio::join!(world.requests.process("k", "f", &1, large), meanwhile);
    assert!(matches!(first, Ok(Processed::Done(_))));
}

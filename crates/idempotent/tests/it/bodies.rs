//! Answers that are too large for their record: where they are, and what happens when they are not.

use std::sync::Arc;

use futures_util::TryStreamExt;
use idempotent::{Bodies, Claim, Completion, Error, Idempotency, Response};
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};
use tabletheory::testing::Trouble;
use tabletheory_core::{Item, Value};

use crate::world::{World, answer, granted, intent, replayed};

const LARGE: usize = 100_000;

fn is_body(row: &Item) -> bool {
    row.get("SK").and_then(Value::as_s).is_some_and(|sk| sk.starts_with("BODY#"))
}

async fn complete(requests: &Idempotency, response: &Response) -> Completion {
    let attempt = granted(requests.claim(&intent("k", "a")).await.expect("it works"));
    attempt.complete(response).await.expect("it works")
}

#[tokio::test(start_paused = true)]
async fn bytes_of_any_kind_and_length_come_back() {
    for length in [0, 1, 512, 513, 4096, 350_000] {
        for byte in [b'a', 0xff, 0] {
            let world = World::new().await;
            let response = Response::new(200, vec![byte; length]).unwrap();
            assert_eq!(complete(&world.requests, &response).await, Completion::Completed);
            let replay = replayed(world.other().claim(&intent("k", "a")).await.unwrap());
            assert_eq!(replay.response, response, "{length} of {byte}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_too_large_to_be_kept_is_done_and_not_done_again() {
    let world = World::new().await;
    let response = answer(&"x".repeat(360_000));
    assert_eq!(complete(&world.requests, &response).await, Completion::CompletedWithoutBody);
    for process in [world.requests.clone(), world.other()] {
        let claim = process.claim(&intent("k", "a")).await;
        let Err(Error::ResponseTooLarge { status: 201, bytes }) = claim else { panic!("{claim:?}") };
        assert!(bytes > 360_000);
    }
}

#[tokio::test(start_paused = true)]
async fn in_a_transaction_an_answer_too_large_is_refused_before_anything_is_done() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let refused = attempt.completion(&answer(&"x".repeat(360_000))).await;
    assert!(matches!(refused.err(), Some(Error::ResponseTooLarge { .. })));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_gone_or_was_altered_is_an_error_and_runs_nothing() {
    for alteration in ["gone", "altered", "shorter", "no bytes"] {
        let world = World::new().await;
        assert_eq!(complete(&world.requests, &answer(&"x".repeat(LARGE))).await, Completion::Completed);
        let mut body = world.rows().await.into_iter().find(is_body).unwrap();
        let Some(Value::B(bytes)) = body.get("Body").cloned() else { panic!("it has a body") };
        match alteration {
            "gone" => drop(body.insert("SK", "BODY#elsewhere")),
            "altered" => drop(body.insert("Body", Value::B([&bytes[..bytes.len() - 1], b"y"].concat()))),
            "shorter" => drop(body.insert("Body", Value::B(bytes[..bytes.len() - 1].to_vec()))),
            _ => drop(body.insert("Body", "text")),
        }
        if alteration == "gone" {
            world.tamper(|record| drop(record.insert("ResponseKey", "BODY#nowhere"))).await;
        } else {
            world.put(body).await;
        }
        let claim = world.other().claim(&intent("k", "a")).await;
        assert!(matches!(claim, Err(Error::ResponseLost { status: 201 })), "{alteration}: {claim:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_put_is_done_and_not_done_again() {
    let world = World::new().await;
    let attempt = granted(world.impatient().claim(&intent("k", "a")).await.unwrap());
    for _ in 0..2 {
        world.store.trouble("PutItem", Trouble::NotReached);
    }
    let completion = attempt.complete(&answer(&"x".repeat(LARGE))).await.unwrap();
    assert_eq!(completion, Completion::CompletedWithoutBody);
    let claim = world.other().claim(&intent("k", "a")).await;
    assert!(matches!(claim, Err(Error::ResponseLost { status: 201 })), "{claim:?}");
}

#[tokio::test(start_paused = true)]
async fn objects_hold_more_and_their_keys_hold_no_text_of_users() {
    let world = World::new().await;
    let objects = Arc::new(InMemory::new());
    let requests = world.other().with_bodies(Bodies::objects(objects.clone()).with_prefix("answers"));
    let response = answer(&"x".repeat(1_000_000));
    assert_eq!(complete(&requests, &response).await, Completion::Completed);
    let others = world.other().with_bodies(Bodies::objects(objects.clone()));
    assert_eq!(replayed(others.claim(&intent("k", "a")).await.unwrap()).response, response);

    let listed: Vec<_> = objects.list(None).try_collect().await.unwrap();
    let [object] = &listed[..] else { panic!("{} objects", listed.len()) };
    let name = object.location.filename().unwrap();
    assert!(object.location.to_string().starts_with("answers/"));
    assert!(name.len() == 64 && name.bytes().all(|digit| digit.is_ascii_hexdigit()));

    objects.delete(&object.location).await.unwrap();
    let forgetful = world.other().with_bodies(Bodies::objects(objects));
    let claim = forgetful.claim(&intent("k", "a")).await;
    assert!(matches!(claim, Err(Error::ResponseLost { status: 201 })), "{claim:?}");
}

#[tokio::test(start_paused = true)]
async fn answers_in_rows_are_found_after_a_move_to_objects() {
    let world = World::new().await;
    let response = answer(&"x".repeat(LARGE));
    assert_eq!(complete(&world.requests, &response).await, Completion::Completed);
    let moved = world.other().with_bodies(Bodies::objects(Arc::new(InMemory::new())));
    assert_eq!(replayed(moved.claim(&intent("k", "a")).await.unwrap()).response, response);
}

#[tokio::test(start_paused = true)]
async fn every_attempt_has_a_place_of_its_own() {
    let world = World::new().await;
    let late = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.pass(63);
    let owner = granted(world.other().claim(&intent("k", "a")).await.unwrap());
    let (first, second) = (answer(&"1".repeat(LARGE)), answer(&"2".repeat(LARGE)));
    assert_eq!(owner.complete(&second).await.unwrap(), Completion::Completed);
    let Completion::Lost(Some(theirs)) = late.complete(&first).await.unwrap() else { panic!("it is late") };
    assert_eq!(theirs.response, second);
    let claim = world.other().claim(&intent("k", "a")).await.unwrap();
    assert!(matches!(claim, Claim::Replay(replay) if replay.response == second));
}

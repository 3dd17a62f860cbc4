//! Which answers are kept, and which cannot be.

use super::*;

/// Lift kept failures of the server for a day (G33).
#[tokio::test]
async fn failures_of_the_server_are_not_kept_and_those_of_the_client_are() {
    let world = World::new().await;
    let mut begun = 0;
    for (path, is_kept) in
        [("/200", true), ("/400", true), ("/404", true), ("/500", false), ("/503", false), ("/429", false)]
    {
        let first = world.call(&world.layer(), post(path)).await;
        let second = world.call(&world.layer(), post(path)).await;
        assert_eq!((first.is_replay(), second.is_replay()), (false, is_kept), "{path}");
        assert_eq!(first.status, second.status);
        begun += if is_kept { 1 } else { 2 };
        assert_eq!(world.begun(), begun, "{path}");
    }
}

#[tokio::test]
async fn with_the_rule_of_stripe_a_failure_stays_one() {
    let mut world = World::new().await;
    world.machine = world.machine.with_keep(Keep::stripe_v1());
    world.call(&world.layer(), post("/500")).await;
    let second = world.call(&world.layer(), post("/500")).await;
    assert_eq!((second.status, second.is_replay(), world.begun()), (500, true, 1));
}

#[tokio::test]
async fn an_answer_too_long_to_keep_reaches_the_first_and_is_not_performed_again() {
    let world = World::new().await;
    let first = world.call(&world.layer(), post("/long")).await;
    assert_eq!((first.status, first.body.len()), (201, 500_000));
    for _ in 0..2 {
        let second = world.call(&world.layer(), post("/long")).await;
        assert_eq!((second.status, second.code().as_str()), (500, "answer_lost"));
    }
    assert_eq!(world.begun(), 1);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_told_as_lost_and_not_performed_again() {
    let world = World::new().await;
    for _ in 0..3 {
        let seen = world.call(&world.layer(), post("/broken")).await;
        assert_eq!((seen.status, seen.code().as_str()), (500, "answer_lost"));
    }
    assert_eq!(world.begun(), 1);
}

#[tokio::test]
async fn a_handler_can_complete_its_attempt_itself() {
    let world = World::new().await;
    let first = world.call(&world.layer(), post("/own")).await;
    assert_eq!(first.body, "run 1 of {}");
    let other = World { machine: Idempotency::new(world.store.db()), ..world.clone() };
    let second = other.call(&other.layer(), post("/own")).await;
    assert_eq!((second.status, second.body.as_str(), world.begun()), (200, "own", 1));
}

/// What was read of it before that was too much had room in the record, and stood there as the whole answer.
#[tokio::test]
async fn an_answer_that_is_short_and_too_long_to_keep_is_not_kept_in_part() {
    let mut world = World::new().await;
    let objects = std::sync::Arc::new(object_store::memory::InMemory::new());
    world.machine = world.machine.with_bodies(crate::Bodies::objects(objects).with_bytes_max(100));
    let first = world.call(&world.layer(), post("/pieces")).await;
    assert_eq!((first.status, first.body.len()), (201, 240));
    let second = world.call(&world.layer(), post("/pieces")).await;
    assert_eq!((second.status, second.code().as_str()), (500, "answer_lost"));
    assert_eq!(world.begun(), 1);
}

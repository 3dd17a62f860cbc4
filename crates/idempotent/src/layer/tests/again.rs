//! Requests that come again: while the first still runs, after it, and when its client is gone.

use std::time::Duration;

use futures_util::future::join_all;

use super::*;

#[tokio::test]
async fn a_repetition_gets_the_first_answer_with_its_headers_and_a_mark() {
    let world = World::new().await;
    let first = world.call(&world.layer(), post("/orders")).await;
    assert_eq!((first.status, first.body.as_str(), first.is_replay()), (201, "run 1 of {}", false));
    assert_eq!(first.header("set-cookie"), "session=1");
    // From the memory of this process, and as another process finds it in the table.
    let other = World { machine: Idempotency::new(world.store.db()), ..world.clone() };
    for world in [&world, &other, &other] {
        let again = world.call(&world.layer(), post("/orders")).await;
        let expected =
            [("content-type", "text/plain"), ("location", "/orders/1"), ("idempotent-replayed", "true")];
        let mut headers: Vec<_> =
            again.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        headers.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!((again.status, again.body.as_str()), (201, "run 1 of {}"));
        assert_eq!(headers, expected, "no cookie, and nothing that is not on the list");
    }
    assert_eq!(world.begun(), 1);
}

/// Lift ran duplicates at the same time, because it took a refused claim for a warning (G31).
#[tokio::test]
async fn of_many_at_once_one_is_performed_and_the_others_are_told_to_come_again() {
    let world = World::new().await;
    let layer = world.layer();
    let calls = join_all((0..20).map(|_| world.call(&layer, post("/gate"))));
    let open = async {
        world.until_begun(1).await;
        // Everybody else has been answered before the one may go on.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        world.open();
    };
    let (mut seen, ()) = tokio::join!(calls, open);
    seen.sort_by_key(|seen| seen.status);
    assert_eq!((seen[0].status, seen[0].is_replay()), (201, false));
    for other in &seen[1..] {
        assert_eq!((other.status, other.code().as_str()), (409, "request_running"));
        assert_eq!(other.header("retry-after"), "5");
    }
    assert_eq!(world.begun(), 1);
    assert!(world.call(&layer, post("/gate")).await.is_replay());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_at_once_on_several_threads_are_performed_once() {
    let world = World::new().await;
    let calls = (0..100).map(|_| {
        let world = world.clone();
        tokio::spawn(async move { world.call(&world.layer(), post("/orders")).await })
    });
    let seen: Vec<_> = join_all(calls).await.into_iter().map(|seen| seen.expect("no panic")).collect();
    let firsts = seen.iter().filter(|seen| seen.status == 201 && !seen.is_replay()).count();
    assert_eq!((firsts, world.begun()), (1, 1));
    for other in seen.iter().filter(|seen| seen.status != 201) {
        assert_eq!((other.status, other.code().as_str()), (409, "request_running"));
    }
    assert!(seen.iter().filter(|seen| seen.status == 201).all(|seen| seen.body == "run 1 of {}"));
}

#[tokio::test(start_paused = true)]
async fn who_waits_gets_the_answer_of_the_one_who_runs() {
    let mut world = World::new().await;
    let settings = Settings { wait_up_to: Duration::from_secs(10), ..Settings::default() };
    world.machine = world.machine.with_settings(settings).expect("settings that make sense");
    let layer = world.layer();
    let seen = join_all((0..10).map(|_| world.call(&layer, post("/slow")))).await;
    assert_eq!(seen.iter().filter(|seen| seen.is_replay()).count(), 9, "{seen:?}");
    assert!(seen.iter().all(|seen| (seen.status, seen.body.as_str()) == (201, "run 1 of {}")));
    assert_eq!(world.begun(), 1);
}

#[tokio::test]
async fn a_handler_is_brought_to_its_end_when_its_client_is_gone() {
    let world = World::new().await;
    let layer = world.layer();
    {
        let mut call = std::pin::pin!(world.send(&layer, post("/gate")));
        tokio::select! {
            _ = &mut call => panic!("the gate is closed"),
            () = world.until_begun(1) => {}
        }
    }
    assert_eq!(world.call(&layer, post("/gate")).await.status, 409, "it still runs");
    world.open();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let seen = world.call(&layer, post("/gate")).await;
    assert_eq!((seen.body.as_str(), seen.is_replay()), ("run 1 of {}", true));
    assert_eq!(world.begun(), 1);
}

/// A claim that nobody gives back blocks its key for a minute. The claim, the handler and the completion take a second each.
#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_at_any_moment_blocks_nobody() {
    let world = World::new().await;
    let layer = world.layer();
    for tenths in 0..35 {
        let key = format!("k{tenths}");
        let request = || request("ada", "/slow", &key, "{}");
        world.store.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(1)));
        world.store.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(1)));
        let patience = Duration::from_millis(100 * tenths);
        let _ = tokio::time::timeout(patience, world.send(&layer, request())).await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        let seen = world.call(&layer, request()).await;
        assert_eq!((seen.status, seen.is_replay()), (201, true), "gone after {patience:?}: {seen:?}");
    }
    assert_eq!(world.begun(), 35, "each key was performed once");
}

#[tokio::test]
async fn a_panic_gives_the_claim_back() {
    let world = World::new().await;
    for run in 1..=2 {
        let seen = world.call(&world.layer(), post("/panic")).await;
        assert_eq!((seen.status, seen.code().as_str()), (500, "internal_error"));
        assert_eq!(world.begun(), run);
    }
}

#[tokio::test]
async fn an_error_of_the_service_passes_through_and_gives_the_claim_back() {
    let world = World::new().await;
    for run in 1..=2 {
        assert_eq!(world.send(&world.layer(), post("/error")).await.map(|_| ()), Err(Broken));
        assert_eq!(world.begun(), run);
    }
}

/// Somebody else may have claimed the request by then, and two must not work on it.
#[tokio::test(start_paused = true)]
async fn a_handler_that_loses_its_lock_is_dropped() {
    let world = World::new().await;
    let layer = world.layer();
    let advance = async {
        world.until_begun(1).await;
        world.store.advance(Seconds(90));
    };
    let (seen, ()) = tokio::join!(world.call(&layer, post("/gate")), advance);
    assert_eq!((seen.status, seen.code().as_str()), (409, "request_running"));
    world.open();
    let seen = world.call(&layer, post("/gate")).await;
    assert_eq!((seen.body.as_str(), seen.is_replay()), ("run 2 of {}", false));
}

/// Those who waited for an answer went on asking the store when nobody waited for them any more.
#[tokio::test(start_paused = true)]
async fn who_waits_and_goes_away_asks_no_more() {
    let mut world = World::new().await;
    let settings = Settings { wait_up_to: Duration::from_secs(15), ..Settings::default() };
    world.machine = world.machine.with_settings(settings).expect("settings that make sense");
    let layer = world.layer();
    let meanwhile = async {
        world.until_begun(1).await;
        let patience = Duration::from_secs(3);
        let left = tokio::time::timeout(patience, world.send(&layer, post("/gate"))).await;
        assert!(left.is_err(), "it waits");
        // One call may be under way.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let asked = world.store.count("UpdateItem");
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(world.store.count("UpdateItem"), asked);
        world.open();
    };
    let (first, ()) = tokio::join!(world.call(&layer, post("/gate")), meanwhile);
    assert_eq!((first.status, world.begun()), (201, 1));
}

/// A function whose time was over answered, and its handler went on in the middle of the next invocation.
#[tokio::test(start_paused = true)]
async fn in_place_a_handler_ends_with_who_waits_for_it_and_its_claim_stays_until_its_lock_is_over() {
    for (layer, is_done) in [(IdempotencyLayer::in_place as fn(_) -> _, false), (|layer| layer, true)] {
        let world = World::new().await;
        let layer: IdempotencyLayer = layer(world.layer());
        let cut = tokio::time::timeout(Duration::from_millis(500), world.call(&layer, post("/slow"))).await;
        assert!(cut.is_err());
        tokio::time::sleep(Duration::from_secs(2)).await;
        let again = world.call(&layer, post("/slow")).await;
        assert_eq!(again.is_replay(), is_done, "{again:?}");
        assert_eq!(again.status, if is_done { 201 } else { 409 });
        assert_eq!(world.begun(), 1);
    }
}

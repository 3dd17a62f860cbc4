//! Who gets what when a request comes more than once.

use std::time::Duration;

use idempotent::{Claim, Completion, Failure, IdempotencyKey, Intent, KeyScheme, Release, Response, Scope};
use tabletheory_core::{Clock, Seconds, Value};

use crate::world::{World, answer, granted, intent, is_running, replayed};

#[tokio::test(start_paused = true)]
async fn the_first_runs_the_second_is_told_and_the_third_gets_the_answer() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let Claim::Running { retry_after } = world.other().claim(&intent("k", "a")).await.unwrap() else {
        panic!("it runs")
    };
    assert_eq!(retry_after, Duration::from_secs(60));
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    let replay = replayed(world.other().claim(&intent("k", "a")).await.unwrap());
    assert_eq!(replay.response, answer("done"));
    assert_eq!((replay.attempt, replay.is_cached), (Some(1), false));
    assert_eq!(replay.completed_at, Some(world.store.clock().now()));
    let cached = replayed(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!((cached.response, cached.is_cached), (answer("done"), true));
}

#[tokio::test(start_paused = true)]
async fn another_request_with_the_same_key_is_a_mismatch_in_every_state() {
    let world = World::new().await;
    let mismatch = async |what: &str| {
        for process in [world.requests.clone(), world.other()] {
            let claim = process.claim(&intent("k", "other")).await.unwrap();
            assert!(matches!(claim, Claim::Mismatch), "{what}: {claim:?}");
        }
    };
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    mismatch("running").await;
    world.pass(200);
    mismatch("lapsed").await;
    let attempt_again = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.fail(Failure::Retryable).await.unwrap(), Release::NotOurs);
    assert_eq!(attempt_again.fail(Failure::Retryable).await.unwrap(), Release::Released);
    mismatch("failed").await;
    let last = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(last.number(), 3);
    assert_eq!(last.complete(&answer("done")).await.unwrap(), Completion::Completed);
    mismatch("completed").await;
}

#[tokio::test(start_paused = true)]
async fn two_principals_with_one_key_never_meet() {
    let world = World::new().await;
    let of = |scope: Scope| Intent::of_bytes(scope, IdempotencyKey::parse("k").unwrap(), b"same");
    let route = || Scope::route("POST", "/orders");
    let scopes = [
        route().tenant("acme").principal("ada"),
        route().tenant("acme").principal("bob"),
        route().tenant("other").principal("ada"),
        route().without_tenant().principal("ada"),
        route().without_tenant().anonymous(),
        Scope::route("PATCH", "/orders").tenant("acme").principal("ada"),
        Scope::route("POST", "/refunds").tenant("acme").principal("ada"),
        Scope::function("orders"),
    ];
    for scope in scopes {
        let attempt = granted(world.requests.claim(&of(scope.clone())).await.unwrap());
        let own = answer(&format!("{scope:?}"));
        assert_eq!(attempt.complete(&own).await.unwrap(), Completion::Completed);
        assert_eq!(replayed(world.other().claim(&of(scope)).await.unwrap()).response, own);
    }
    assert_eq!(world.rows().await.len(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_over_means_nothing_though_it_is_still_there() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("old")).await.unwrap(), Completion::Completed);
    world.pass(86_399);
    assert_eq!(replayed(world.requests.claim(&intent("k", "a")).await.unwrap()).response, answer("old"));
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("old"));
    world.pass(1);
    let again = granted(world.requests.claim(&intent("k", "another request")).await.unwrap());
    assert_eq!(again.number(), 2, "the row was there");
    let record = world.record().await;
    for gone in ["Response", "StatusCode", "CompletedAt", "ResponseHeaders"] {
        assert!(!record.contains(gone), "{gone}");
    }
}

#[tokio::test(start_paused = true)]
async fn time_to_live_frees_space_and_answers_nothing() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer(&"long ".repeat(1000))).await.unwrap(), Completion::Completed);
    assert_eq!(world.rows().await.len(), 2);
    world.store.advance(Seconds(86_401));
    assert_eq!(world.rows().await.len(), 1, "the answer is kept longer than what names it");
    world.store.advance(Seconds(7200));
    assert_eq!(world.rows().await.len(), 0);
    let _ = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn what_is_released_runs_at_once_and_what_failed_for_good_does_not() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.release().await.unwrap(), Release::Released);
    assert_eq!(attempt.release().await.unwrap(), Release::NotOurs);
    assert!(world.rows().await.is_empty());
    let attempt = granted(world.other().claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.fail(Failure::Final).await.unwrap(), Release::Released);
    let claim = world.other().claim(&intent("k", "a")).await.unwrap();
    assert!(matches!(claim, Claim::Failed), "{claim:?}");
    world.pass(86_400);
    let _ = granted(world.other().claim(&intent("k", "a")).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_ends_an_attempt() {
    let world = World::new().await;
    let late = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.pass(63);
    let owner = granted(world.other().claim(&intent("k", "a")).await.unwrap());
    assert_eq!(owner.number(), 2);
    assert_eq!(late.release().await.unwrap(), Release::NotOurs);
    assert_eq!(late.fail(Failure::Final).await.unwrap(), Release::NotOurs);
    assert_eq!(late.complete(&answer("late")).await.unwrap(), Completion::Lost(None));
    assert_eq!(owner.complete(&answer("owner")).await.unwrap(), Completion::Completed);
    let Completion::Lost(Some(theirs)) = late.complete(&answer("late")).await.unwrap() else {
        panic!("it is not its own")
    };
    assert_eq!(theirs.response, answer("owner"));
    assert_eq!(late.release().await.unwrap(), Release::NotOurs);
    assert_eq!(owner.release().await.unwrap(), Release::NotOurs, "an answer is not taken back");
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("owner"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_as_the_rule_says() {
    let world = World::new().await;
    for (status, kept) in [(200, true), (404, true), (302, true), (500, false), (429, false), (401, false)] {
        let intent = intent(&format!("k{status}"), "a");
        let attempt = granted(world.requests.claim(&intent).await.unwrap());
        let completion = attempt.finish(&Response::new(status, "x").unwrap()).await.unwrap();
        assert_eq!(completion == Completion::Completed, kept, "{status}");
        assert_eq!(completion == Completion::NotKept, !kept, "{status}");
        let claim = world.other().claim(&intent).await.unwrap();
        assert_eq!(matches!(claim, Claim::Replay(_)), kept, "{status}: {claim:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_gets_the_answer_when_it_is_there_and_is_told_when_it_is_not() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let patient = world.set(|settings| settings.wait_up_to = Duration::from_secs(5));
    let impatient = world.set(|settings| settings.wait_up_to = Duration::from_secs(1));
    let complete = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    };
    let intent = intent("k", "a");
    let (told, got, ()) = tokio::join!(impatient.claim(&intent), patient.claim(&intent), complete);
    is_running(told.unwrap());
    assert_eq!(replayed(got.unwrap()).response, answer("done"));
    assert!(world.store.count("UpdateItem") < 20, "those who wait do not hammer the store");
}

#[tokio::test(start_paused = true)]
async fn who_waits_runs_it_when_the_first_gives_up() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let patient = world.set(|settings| settings.wait_up_to = Duration::from_secs(5));
    let release = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        attempt.release().await.unwrap()
    };
    let intent = intent("k", "a");
    let (claim, _) = tokio::join!(patient.claim(&intent), release);
    let _ = granted(claim.unwrap());
}

#[tokio::test(start_paused = true)]
async fn the_request_is_written_down_only_if_that_is_asked_for() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "secret")).await.unwrap());
    assert!(!world.record().await.contains("RequestBody"));
    attempt.release().await.unwrap();
    let open = world.set(|settings| settings.store_requests = true);
    let _ = granted(open.claim(&intent("k", "secret")).await.unwrap());
    assert_eq!(world.record().await.get("RequestBody"), Some(&Value::s("secret")));
}

#[tokio::test(start_paused = true)]
async fn raw_keys_are_the_clients_own() {
    let world = World::new().await;
    let raw = world.set(|settings| settings.scheme = KeyScheme::Raw);
    let _ = granted(raw.claim(&intent("order-7", "a")).await.unwrap());
    assert_eq!(world.record().await.get("IdempotencyKey"), Some(&Value::s("order-7")));
    // Another principal with the same key has another fingerprint, so it sees nothing of the first.
    let bob = Intent::of_bytes(crate::world::scope("bob"), IdempotencyKey::parse("order-7").unwrap(), b"a");
    assert!(matches!(raw.claim(&bob).await.unwrap(), Claim::Mismatch));
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_does_not_bring_two_answers() {
    let world = World::new().await;
    let first = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    // An hour ahead, another believes that the lock is over.
    let ahead = world.skewed(Seconds(3600));
    let second = granted(ahead.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(first.complete(&answer("first")).await.unwrap(), Completion::Lost(None));
    assert_eq!(second.complete(&answer("second")).await.unwrap(), Completion::Completed);
    for span in [-3600, 0, 3600] {
        let replay = replayed(world.skewed(Seconds(span)).claim(&intent("k", "a")).await.unwrap());
        assert_eq!(replay.response, answer("second"), "{span}");
    }
    // An hour behind, another waits longer than it must, and runs nothing.
    let held = granted(world.requests.claim(&intent("l", "a")).await.unwrap());
    is_running(world.skewed(Seconds(-3600)).claim(&intent("l", "a")).await.unwrap());
    held.release().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_comes_late_does_not_see_the_answer_to_another_request() {
    let world = World::new().await;
    let late = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    // A day later the key means nothing any more, and is used for something else.
    world.pass(86_401);
    let other = granted(world.other().claim(&intent("k", "another request")).await.unwrap());
    assert_eq!(other.complete(&answer("not for you")).await.unwrap(), Completion::Completed);
    assert_eq!(late.complete(&answer("late")).await.unwrap(), Completion::Lost(None));
}

#[tokio::test(start_paused = true)]
async fn a_record_is_not_over_while_it_is_locked() {
    let world = World::new().await;
    let short = world.set(|settings| settings.keep_for = Seconds(120));
    let _attempt = granted(short.claim_for(&intent("k", "a"), Seconds(600)).await.unwrap());
    world.pass(599);
    is_running(world.other().claim(&intent("k", "a")).await.unwrap());
    world.pass(3);
    let _attempt = granted(world.other().claim(&intent("k", "a")).await.unwrap());
}

//! The time of an invocation: what does not fit is answered in time, and blocks nobody.

use std::time::Duration;

use theory_lambda::testing::{Call, HttpAnswer, Outcome};
use theory_synth::metric;

use crate::world::{ENDLESS_MS, TIME, World, lambda, told, until_stale};

/// Half of it is left to work in when the machine stands still for three seconds.
const SHORT: Duration = Duration::from_secs(6);

#[tokio::test]
async fn a_render_that_takes_longer_than_the_invocation_is_given_up_in_time_and_the_next_invocation_goes_on()
{
    let world = World::new().await;
    let function = world.launch_warm().await;
    world.write("one", "slow", ENDLESS_MS).await;
    let late = world.lambda.invoke(Call::get("/news/one").event(), SHORT).await.http();
    assert_eq!((late.status, late.header("retry-after")), (504, "1"), "{late:?}");
    assert!(late.text().contains("did not answer in time"), "{late:?}");
    assert_eq!(told(&function, metric::REGENERATION_FAILED).await, 1);

    // The lease was given back, so nobody waits for its end: another process renders at once, after the pause of a failure.
    let other = lambda().await;
    let _other_function = world.launch_warm_on(&other).await;
    world.write("one", "quick", 0).await;
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    let quick = other.invoke(Call::get("/news/one").event(), SHORT).await.http();
    assert_eq!((quick.status, quick.header("x-facetheory-isr")), (200, "miss"), "{quick:?}");
}

#[tokio::test]
async fn a_stale_page_that_cannot_be_rendered_in_time_is_served_all_the_same() {
    let world = World::new().await;
    let function = world.launch_warm().await;
    world.get("/news/one").await;
    world.write("one", "second", ENDLESS_MS).await;
    until_stale().await;
    let stale = world.lambda.invoke(Call::get("/news/one").event(), SHORT).await.http();
    assert_eq!((stale.status, stale.header("x-facetheory-isr")), (200, "stale"), "{stale:?}");
    assert_eq!(told(&function, metric::REGENERATION_FAILED).await, 1);
    // What is stale and has no time at all is left alone.
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    let hurried = hurried(&world, &Call::get("/news/one")).await;
    assert_eq!((hurried.status, hurried.header("x-facetheory-isr")), (200, "stale"), "{hurried:?}");
    assert_eq!(told(&function, metric::REGENERATION_FAILED).await, 1, "nothing was begun");
}

/// What is answered within a second. An answer that comes later, because the machine stood still, says nothing about that.
async fn hurried(world: &World, call: &Call) -> HttpAnswer {
    const SECOND: Duration = Duration::from_secs(1);
    for _ in 0..10 {
        let began = tokio::time::Instant::now();
        let answer = world.lambda.invoke(call.event(), SECOND).await.http();
        if began.elapsed() < SECOND {
            return answer;
        }
    }
    panic!("no answer comes within a second");
}

#[tokio::test]
async fn a_process_that_is_killed_in_the_middle_of_a_render_is_followed_by_another_after_its_lease() {
    let world = World::new().await;
    let function = world.launch_warm().await;
    world.write("one", "first", ENDLESS_MS).await;
    // The other is there before, so that what is measured is the wait for the lease.
    let other_lambda = lambda().await;
    let other = world.launch_warm_on(&other_lambda).await;
    let event = Call::get("/news/one").event();
    let (outcome, ()) = tokio::join!(world.lambda.invoke(event.clone(), TIME), async {
        world.until_rendering().await;
        function.kill().await;
    });
    assert_eq!(outcome, Outcome::Ended);
    world.write("one", "second", 0).await;
    let began = tokio::time::Instant::now();
    let page = other_lambda.invoke(event, TIME).await.http();
    assert_eq!((page.status, page.header("x-facetheory-isr")), (200, "miss"), "{page:?}");
    assert_eq!(page.text(), "<h1>News</h1>\n<p>second</p>\n");
    assert!(began.elapsed() < Duration::from_secs(12), "the lease is of four seconds: {:?}", began.elapsed());
    assert_eq!(told(&other, metric::REGENERATION_MS).await, 1);
}

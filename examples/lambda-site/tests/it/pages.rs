//! Pages as visitors of the function see them: rendered, kept, not sent again, rendered again when their time is over.

use theory_lambda::testing::{Call, Launched};
use theory_synth::metric;

use crate::world::{TIME, World, lambda, told, until_stale};

#[tokio::test]
async fn a_page_is_rendered_once_and_then_found_by_every_process() {
    let mut world = World::new().await;
    world.set("SITE_FRESH_SECONDS", "600");
    let function = world.launch_warm().await;
    let limited_before = limited(&function).await;
    let miss = world.get("/news/one").await;
    assert_eq!((miss.status, miss.header("x-facetheory-isr")), (200, "miss"));
    assert_eq!(miss.text(), "<h1>News</h1>\n<p>first</p>\n");
    assert_eq!(miss.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(world.get("/news/one").await.header("x-facetheory-isr"), "hit");

    let unmodified =
        world.send(Call::get("/news/one").header("if-none-match", miss.header("etag"))).await.http();
    assert_eq!((unmodified.status, unmodified.body.len()), (304, 0));
    let head = world.send(Call::of("HEAD", "/news/one")).await.http();
    assert_eq!((head.status, head.header("content-length")), (200, miss.body.len().to_string().as_str()));
    let part = world.send(Call::get("/news/one").header("range", "bytes=0-3")).await.http();
    assert_eq!((part.status, part.text()), (206, "<h1>"));
    assert_eq!((told(&function, metric::ISR_MISS).await, told(&function, metric::ISR_HIT).await), (1, 4));
    assert_eq!(told(&function, metric::REGENERATION_MS).await, 1);
    assert_eq!(limited(&function).await - limited_before, 5);
    assert_eq!(world.bucket.objects("isr").len(), 1);
    function.kill().await;

    let function = world.launch_warm().await;
    assert_eq!(
        world.get("/news/one").await.header("x-facetheory-isr"),
        "hit",
        "it is in the table and the bucket"
    );
    assert_eq!(told(&function, metric::REGENERATION_MS).await, 0);
}

/// How many visitors the limiter let pass; also those whom it let pass without its table, which may stand still for longer than it waits.
async fn limited(function: &Launched) -> u64 {
    told(function, metric::LIMIT_ALLOWED).await + told(function, metric::LIMIT_FAIL_OPEN).await
}

#[tokio::test]
async fn who_finds_a_page_stale_renders_it_before_the_answer_and_the_next_gets_it_fresh() {
    let mut world = World::new().await;
    // Twice as long as usual, so that the page is still fresh for the next if the machine stands still before.
    world.set("SITE_FRESH_SECONDS", "6");
    let function = world.launch_warm().await;
    world.get("/news/one").await;
    world.write("one", "second", 100).await;
    until_stale().await;
    until_stale().await;
    let stale = world.get("/news/one").await;
    assert_eq!((stale.header("x-facetheory-isr"), stale.text()), ("stale", "<h1>News</h1>\n<p>first</p>\n"));
    // The process is frozen between the two: it was rendered before, or it is not rendered at all.
    let fresh = world.get("/news/one").await;
    assert_eq!((fresh.header("x-facetheory-isr"), fresh.text()), ("hit", "<h1>News</h1>\n<p>second</p>\n"));
    assert_eq!(told(&function, metric::ISR_STALE).await, 1);
    assert_eq!(told(&function, metric::REGENERATION_MS).await, 2);
}

#[tokio::test]
async fn what_is_no_page_and_what_is_not_there_is_answered_by_the_application() {
    let world = World::new().await;
    let _function = world.launch_warm().await;
    let about = world.get("/").await;
    assert_eq!((about.status, about.header("x-facetheory-isr")), (200, ""));
    let gone = world.get("/news/none").await;
    assert_eq!((gone.status, gone.header("x-facetheory-isr")), (404, "miss"));
    assert_eq!(
        world.get("/news/none").await.header("x-facetheory-isr"),
        "hit",
        "that there is none is kept a while"
    );
    let known = world.send(Call::get("/news/one").header("authorization", "Bearer x")).await.http();
    assert_eq!(
        (known.status, known.header("x-facetheory-isr")),
        (200, ""),
        "who is known goes past the cache"
    );
    assert_eq!(world.send(Call::post("/news/one")).await.http().status, 405);
    let compressed = world.send(Call::get("/news/one").header("accept-encoding", "br")).await.http();
    assert_eq!(compressed.status, 200);
}

#[tokio::test]
async fn two_processes_that_are_asked_for_the_same_page_at_once_render_it_once() {
    const ROUNDS_MAX: u64 = 5;
    let world = World::new().await;
    let other_lambda = lambda().await;
    // Both are there before either is asked, so that neither comes when the other is done.
    let (one, other) = (world.launch_warm().await, world.launch_warm_on(&other_lambda).await);
    for round in 1..=ROUNDS_MAX {
        world.write(&round.to_string(), "first", 1_000).await;
        let event = Call::get(format!("/news/{round}")).event();
        let (first, second) =
            tokio::join!(world.lambda.invoke(event.clone(), TIME), other_lambda.invoke(event, TIME));
        let mut states = [first.http(), second.http()].map(|answer| {
            assert_eq!((answer.status, answer.text()), (200, "<h1>News</h1>\n<p>first</p>\n"));
            answer.header("x-facetheory-isr").to_owned()
        });
        states.sort();
        let renders = told(&one, metric::REGENERATION_MS).await + told(&other, metric::REGENERATION_MS).await;
        assert_eq!(renders, round);
        if states == ["miss", "wait-hit"] {
            return;
        }
        // Whoever stood still for the second of the render found it done. That shows nothing, and another page is asked for.
        assert_eq!(states, ["hit", "miss"]);
    }
    panic!("nobody waited for the other");
}

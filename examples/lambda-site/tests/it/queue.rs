//! Stale pages that are handed to a queue: one message, one render, whoever finds them stale and however often it is delivered.

use std::time::Duration;

use serde_json::json;
use theory_lambda::testing::{Call, Outcome};
use theory_synth::metric;

use crate::world::sqs::{Sqs, event};
use crate::world::{ENDLESS_MS, TIME, World, lambda, told, until_stale};

/// A site with a queue, and a page that was rendered and is stale.
async fn stale_world(queue: &str) -> Option<(World, Sqs, String)> {
    let sqs = Sqs::start().await?;
    let url = sqs.create(queue).await;
    let mut world = World::new().await;
    world.set("FACETHEORY_REGENERATION_QUEUE_URL", &url);
    world.set("AWS_ENDPOINT_URL_SQS", &sqs.endpoint);
    Some((world, sqs, url))
}

#[tokio::test]
async fn a_stale_page_is_one_message_and_whoever_reads_it_publishes_the_page() {
    let Some((world, sqs, url)) = stale_world("pages").await else { return };
    let (function, reader_lambda) = (world.launch_warm().await, lambda().await);
    world.get("/news/one").await;
    // It takes longer to render than anybody would wait for, which would be ten seconds.
    world.write("one", "second", ENDLESS_MS).await;
    until_stale().await;
    for _ in 0..5 {
        let began = tokio::time::Instant::now();
        let stale = world.get("/news/one").await;
        assert_eq!(
            (stale.header("x-facetheory-isr"), stale.text()),
            ("stale", "<h1>News</h1>\n<p>first</p>\n")
        );
        assert!(began.elapsed().as_millis() < 9_000, "nobody waits for the render: {:?}", began.elapsed());
    }
    let messages = sqs.receive(&url).await;
    let bodies: Vec<_> = messages.iter().map(|message| message.body().expect("a body")).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");

    // The queue delivers it twice in one batch, and once more afterwards. The render takes longer than the second for which the site's
    // process believes what it knows of the page.
    world.write("one", "second", 1_500).await;
    let reader = world.launch_on(&reader_lambda);
    for batch in [vec![("m-1", bodies[0]), ("m-2", bodies[0])], vec![("m-3", bodies[0])]] {
        let answer = reader_lambda.invoke(event(&batch), TIME).await.answer();
        assert_eq!(answer, json!({ "batchItemFailures": [] }));
    }
    assert_eq!(told(&reader, metric::REGENERATION_MS).await, 1, "it is rendered once");
    let page = world.get("/news/one").await;
    assert_eq!(page.text(), "<h1>News</h1>\n<p>second</p>\n", "{page:?}");
    assert_eq!(
        told(&function, metric::REGENERATION_MS).await,
        1,
        "the site itself rendered it the first time"
    );
    assert_eq!(told(&function, metric::REGENERATION_NOT_QUEUED).await, 0);
}

#[tokio::test]
async fn a_queue_that_tells_repetitions_apart_is_told_how() {
    let Some((world, sqs, url)) = stale_world("pages.fifo").await else { return };
    // Two processes find the page stale, and know nothing of each other.
    let (one, other_lambda) = (world.launch_warm().await, lambda().await);
    world.get("/news/one").await;
    until_stale().await;
    assert_eq!(world.get("/news/one").await.header("x-facetheory-isr"), "stale");
    let _other = world.launch_on(&other_lambda);
    let stale = other_lambda.invoke(Call::get("/news/one").event(), TIME).await.http();
    assert_eq!(stale.header("x-facetheory-isr"), "stale");
    assert_eq!(sqs.receive(&url).await.len(), 1);
    assert_eq!(told(&one, metric::REGENERATION_NOT_QUEUED).await, 0);
}

#[tokio::test]
async fn messages_that_are_none_come_again_and_the_others_are_done() {
    let Some((world, sqs, url)) = stale_world("pages").await else { return };
    let function = world.launch_warm().await;
    world.get("/news/one").await;
    world.write("one", "second", 0).await;
    until_stale().await;
    world.get("/news/one").await;
    let messages = sqs.receive(&url).await;
    let good = messages[0].body().expect("a body");
    let elsewhere = good.replace("/news/one", "/");
    let forged = good.replace("/news/one", "/news/two");
    let hostile = good.replace("/news/one", "/news/../one");
    let batch = [
        ("m-1", "{}"),
        ("m-2", good),
        ("m-3", "not JSON"),
        ("m-4", elsewhere.as_str()),
        ("m-5", forged.as_str()),
        ("m-6", hostile.as_str()),
    ];
    let answer = world.lambda.invoke(event(&batch), TIME).await.answer();
    let mut failed: Vec<_> = answer["batchItemFailures"].as_array().expect("a list").iter().collect();
    failed.sort_by_key(|failure| failure["itemIdentifier"].to_string());
    let expected = ["m-1", "m-3", "m-4", "m-6"].map(|id| json!({ "itemIdentifier": id }));
    assert_eq!(
        failed,
        expected.iter().collect::<Vec<_>>(),
        "a page that nobody found stale is nothing to do"
    );
    assert_eq!(told(&function, metric::REGENERATION_MS).await, 2);
    assert_eq!(world.get("/news/one").await.text(), "<h1>News</h1>\n<p>second</p>\n");
}

#[tokio::test]
async fn a_page_is_awaited_if_the_queue_does_not_take_it() {
    let mut world = World::new().await;
    // Nobody listens there.
    world.set("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:9");
    world.set("FACETHEORY_REGENERATION_QUEUE_URL", "http://127.0.0.1:9/123456789012/pages");
    let function = world.launch_warm().await;
    world.get("/news/one").await;
    world.write("one", "second", 0).await;
    until_stale().await;
    let stale = world.get("/news/one").await;
    assert_eq!((stale.status, stale.header("x-facetheory-isr")), (200, "stale"));
    // Before the next visitor, who finds it stale again if the machine stands still meanwhile.
    assert_eq!(told(&function, metric::REGENERATION_NOT_QUEUED).await, 1);
    assert_eq!(world.get("/news/one").await.text(), "<h1>News</h1>\n<p>second</p>\n");
}

#[tokio::test]
async fn a_message_whose_render_fails_comes_again_and_then_is_done() {
    let Some((world, sqs, url)) = stale_world("pages").await else { return };
    let function = world.launch_warm().await;
    world.get("/news/one").await;
    world.write("one", "second", ENDLESS_MS).await;
    until_stale().await;
    world.get("/news/one").await;
    let messages = sqs.receive(&url).await;
    let batch = [("m-1", messages[0].body().expect("a body"))];
    // Half of it is left to work in when the machine stands still for three seconds.
    let short = Duration::from_secs(6);
    let answer = world.lambda.invoke(event(&batch), short).await.answer();
    assert_eq!(answer, json!({ "batchItemFailures": [{ "itemIdentifier": "m-1" }] }));
    assert_eq!(told(&function, metric::REGENERATION_FAILED).await, 1);
    // It comes again after the pause of a failure.
    world.write("one", "third", 0).await;
    tokio::time::sleep(Duration::from_millis(2_000)).await;
    let answer = world.lambda.invoke(event(&batch), TIME).await.answer();
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
    assert_eq!(world.get("/news/one").await.text(), "<h1>News</h1>\n<p>third</p>\n");
}

#[tokio::test]
async fn a_reader_that_is_killed_in_the_middle_of_a_render_is_followed_by_another_when_the_message_comes_again()
 {
    let Some((world, sqs, url)) = stale_world("pages").await else { return };
    let _function = world.launch_warm().await;
    world.get("/news/one").await;
    world.write("one", "second", ENDLESS_MS).await;
    until_stale().await;
    world.get("/news/one").await;
    let messages = sqs.receive(&url).await;
    let batch = event(&[("m-1", messages[0].body().expect("a body"))]);
    let (reader_lambda, other_lambda) = (lambda().await, lambda().await);
    let (reader, other) = (world.launch_on(&reader_lambda), world.launch_warm_on(&other_lambda).await);
    let (outcome, ()) = tokio::join!(reader_lambda.invoke(batch.clone(), TIME), async {
        world.until_rendering().await;
        reader.kill().await;
    });
    assert_eq!(outcome, Outcome::Ended);
    world.write("one", "third", 0).await;
    // The message comes again at once, while the lease of the dead one holds, and again until somebody can do it.
    let deliver = || async { other_lambda.invoke(batch.clone(), TIME).await.answer() };
    let first = deliver().await;
    // It holds, unless the machine stood still for most of its four seconds.
    if world.is_leased().await {
        assert_eq!(first, json!({ "batchItemFailures": [{ "itemIdentifier": "m-1" }] }));
    }
    let done = async {
        while deliver().await != json!({ "batchItemFailures": [] }) {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::time::timeout(TIME, done).await.expect("the lease is of four seconds");
    assert_eq!(told(&other, metric::REGENERATION_MS).await, 1);
    assert_eq!(world.get("/news/one").await.text(), "<h1>News</h1>\n<p>third</p>\n");
}

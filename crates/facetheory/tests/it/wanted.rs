//! Renders that somebody wants although the page is fresh, and stores that hang while a page is wanted.

use std::sync::Arc;
use std::time::Duration;

use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{Intent, Mode, PageKey, Policy, Purge, Regenerated, State, Visit};
use http::{HeaderMap, StatusCode};
use tabletheory::testing::Trouble;
use tabletheory_core::Seconds;
use tokio::time::{Instant, sleep};

use crate::scene::{Fleet, Origin};

fn visit() -> Visit {
    Visit::to(PageKey::path("/news"))
}

fn origin(fleet: &Fleet, takes: Duration) -> Arc<dyn Renderer> {
    Arc::new(Origin::of(&fleet.tally, "/news", "news", takes))
}

#[tokio::test(start_paused = true)]
async fn a_fresh_page_is_rendered_when_somebody_wants_it() {
    let fleet = Fleet::new().await;
    let (origin, worker) = (origin(&fleet, Duration::ZERO), fleet.worker("a"));
    worker.isr.serve(&visit(), &origin).await.unwrap();
    assert_eq!(worker.isr.regenerate(&visit(), &origin).unwrap().run().await, Regenerated::Published);
    assert_eq!(fleet.tally.get("renders"), 2);
    assert_eq!(worker.isr.serve(&visit(), &origin).await.unwrap().state, State::Hit);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_delivered_twice_renders_a_fresh_page_once() {
    let fleet = Fleet::new().await;
    let origin = origin(&fleet, Duration::from_secs(1));
    let workers = [fleet.worker("a"), fleet.worker("b")];
    workers[0].isr.serve(&visit(), &origin).await.unwrap();
    let message = visit().intent(Intent::from_message_id("m-1"));
    let deliver = |worker: usize| workers[worker].isr.regenerate(&message, &origin).unwrap().run();
    // At once, and once more after the first has ended.
    let mut ends = Vec::from(<[_; 2]>::from(tokio::join!(deliver(0), deliver(1))));
    ends.push(deliver(1).await);
    assert_eq!(ends.iter().filter(|end| **end == Regenerated::Published).count(), 1, "{ends:?}");
    assert_eq!(fleet.tally.get("renders"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_cannot_be_kept_is_refused_before_anything_is_rendered() {
    let fleet = Fleet::new().await;
    let origin = origin(&fleet, Duration::ZERO);
    let visit = visit().policy(Policy { retention: Seconds(-1), ..Policy::default() });
    assert!(fleet.worker("a").isr.regenerate(&visit, &origin).is_err());
    assert_eq!(fleet.tally.get("renders"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_does_not_hold_a_visitor() {
    let fleet = Fleet::new().await;
    let (origin, worker) = (origin(&fleet, Duration::ZERO), fleet.worker("a"));
    worker.isr.serve(&visit(), &origin).await.unwrap();
    sleep(Duration::from_secs(10)).await;
    fleet.store.trouble("BatchGetItem", Trouble::Slow(Duration::from_secs(300)));
    let came = Instant::now();
    let served = worker.isr.serve(&visit(), &origin).await.unwrap();
    assert_eq!((served.state, &served.body.bytes()[..]), (State::StaleError, &b"news"[..]));
    assert!(came.elapsed() < Duration::from_secs(300), "it waited for the store");
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_hangs_is_tried_again_in_time() {
    let fleet = Fleet::new().await;
    let (origin, worker) = (origin(&fleet, Duration::from_secs(30)), fleet.worker("a"));
    let policy = Policy { lease: Seconds(6), mode: Mode::Blocking, ..Policy::default() };
    let visit = visit().policy(policy);
    let served = async {
        // The lease is won when this begins.
        sleep(Duration::from_secs(1)).await;
        fleet.store.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(300)));
    };
    let (served, ()) = tokio::join!(worker.isr.serve(&visit, &origin), served);
    assert_eq!(served.unwrap().state, State::Miss);
    assert_eq!((fleet.tally.get("renders"), fleet.tally.get("published")), (1, 1));
}

/// Whoever asks for pages that are not there must not fill the table for a month. But where a page was, its row stays as long as it would have:
/// a worker whose clock is behind would begin its generations anew below the old ones.
#[tokio::test(start_paused = true)]
async fn that_there_is_no_page_is_soon_forgotten_by_the_table_where_none_was() {
    let fleet = Fleet::new().await;
    let missing: Arc<dyn Renderer> =
        Arc::new(|_: Render| async { Ok(Rendered::new(StatusCode::NOT_FOUND, HeaderMap::new(), "none")) });
    let there: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });
    let worker = fleet.worker("a");
    let store = worker.isr.meta();
    let kept = async |renderer: &Arc<dyn Renderer>| {
        worker.isr.invalidate(visit().key(), Purge::Gone).await.unwrap();
        worker.isr.serve(&visit(), renderer).await.unwrap();
        let look = store.get(&store.partition(visit().key()).unwrap()).await.unwrap();
        look.meta.and_then(|meta| meta.ttl).expect("it is kept for a while")
            - store.db().clock().now().seconds()
    };
    let alone = kept(&missing).await;
    assert!((180..=300).contains(&alone), "longer than clocks are apart, and minutes only: {alone} s");
    assert_eq!(kept(&missing).await, alone, "asking again keeps it no longer");
    let page = kept(&there).await;
    assert!(page > 86_400, "{page} s");
    assert_eq!(kept(&missing).await, page);
}

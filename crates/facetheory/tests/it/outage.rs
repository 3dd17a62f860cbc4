//! A store that does not answer: one visitor finds out, the others hardly wait for it.

use std::sync::Arc;
use std::time::Duration;

use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{Bodies, Isr, MetaStore, PageKey, State, Visit};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::Seconds;
use tokio::time::{Instant, advance};

const READ: &str = "BatchGetItem";

#[tokio::test(start_paused = true)]
async fn only_who_tries_a_silent_store_waits_for_it() {
    let store = TestStore::new();
    let meta = MetaStore::new(store.db());
    meta.create_table().await.unwrap();
    let isr = Isr::new(meta, Bodies::memory());
    let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });
    let news = Visit::to(PageKey::path("/news"));
    let ask = async || {
        let (began, served) = (Instant::now(), isr.serve(&news, &origin).await.unwrap());
        (served.state, began.elapsed())
    };
    assert_eq!(ask().await, (State::Miss, Duration::ZERO));

    advance(Duration::from_secs(2)).await;
    store.advance(Seconds(2));
    let before = store.count(READ);
    for _ in 0..8 {
        store.trouble(READ, Trouble::Slow(Duration::from_secs(3600)));
    }
    let (wait, little) = (Duration::from_secs(2), Duration::from_millis(50));
    assert_eq!(ask().await, (State::StaleError, wait), "the first waits as long as is allowed");
    for _ in 0..5 {
        assert_eq!(ask().await, (State::StaleError, little), "the others need not");
    }
    assert_eq!(store.count(READ), before + 6, "all have asked");

    advance(Duration::from_secs(1)).await;
    let (trial, beside) = tokio::join!(ask(), ask());
    assert_eq!((trial, beside), ((State::StaleError, wait), (State::StaleError, little)));
    assert_eq!(store.count(READ), before + 7, "one read for both");

    // It answers again, and one visit is enough to see it.
    assert_eq!(ask().await, (State::StaleError, little));
    assert_eq!(ask().await, (State::Hit, Duration::ZERO));
    assert_eq!(ask().await, (State::Hit, Duration::ZERO));
}

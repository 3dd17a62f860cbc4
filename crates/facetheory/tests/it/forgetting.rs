//! What a process remembers for an hour, as it may where nobody else changes the rows: a purge makes it forget also if the purge
//! fails or is given up, and what it remembers is bounded.

use std::sync::Arc;
use std::time::Duration;

use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{Bodies, Group, Isr, IsrSettings, MetaStore, PageKey, Purge, State, Visit};
use tabletheory::testing::{TestStore, Trouble};
use tokio::time::timeout;

const READ: &str = "BatchGetItem";
const WRITE: &str = "TransactWriteItems";

/// A cache that believes what it read for an hour, and the store below it.
struct Alone {
    store: TestStore,
    isr: Isr,
    origin: Arc<dyn Renderer>,
}

impl Alone {
    async fn remembering(known_bytes: usize) -> Self {
        let store = TestStore::new();
        let meta = MetaStore::new(store.db());
        meta.create_table().await.unwrap();
        let settings =
            IsrSettings { meta_cache: Duration::from_secs(3600), known_bytes, ..IsrSettings::default() };
        let isr = Isr::new(meta, Bodies::memory()).with_settings(settings);
        let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });
        Self { store, isr, origin }
    }

    /// What comes of a visit, and how often the store was read for it.
    async fn visit(&self, path: &str) -> (State, usize) {
        let before = self.store.count(READ);
        let served = self.isr.serve(&Visit::to(PageKey::path(path)), &self.origin).await.unwrap();
        (served.state, self.store.count(READ) - before)
    }

    /// Renders the page, and makes sure that it is known.
    async fn render(&self, path: &str) {
        assert_eq!(self.visit(path).await.0, State::Miss);
        assert_eq!(self.visit(path).await, (State::Hit, 0), "it is known, and nobody is asked");
    }
}

const USUAL_BYTES: usize = 96 << 20;

#[tokio::test(start_paused = true)]
async fn a_purge_whose_answers_are_lost_is_seen_by_the_next_visitor() {
    let alone = Alone::remembering(USUAL_BYTES).await;
    alone.render("/news").await;
    // More than anybody tries again.
    for _ in 0..100 {
        alone.store.trouble(WRITE, Trouble::LostAnswer);
    }
    let purge = alone.isr.invalidate(&PageKey::path("/news"), Purge::Stale).await;
    assert!(purge.is_err(), "nobody can know that it happened: {purge:?}");
    assert_eq!(alone.visit("/news").await, (State::Stale, 1));
}

#[tokio::test(start_paused = true)]
async fn a_purge_whose_caller_left_makes_the_next_visitor_ask() {
    let alone = Alone::remembering(USUAL_BYTES).await;
    for (path, write) in [("/one", WRITE), ("/group", "PutItem")] {
        alone.render(path).await;
        alone.store.trouble(write, Trouble::Slow(Duration::from_secs(3600)));
        let key = PageKey::path(path);
        let left = match path {
            "/one" => timeout(Duration::from_secs(1), alone.isr.invalidate(&key, Purge::Stale)).await,
            _ => {
                timeout(Duration::from_secs(1), alone.isr.invalidate_group(None, Group::All, Purge::Stale))
                    .await
            }
        };
        assert!(left.is_err(), "it waits for the store: {left:?}");
        assert_eq!(
            alone.visit(path).await,
            (State::Hit, 1),
            "nothing was purged, but nobody here knows that"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_remembered_of_pages_is_bounded_in_bytes() {
    const PAGES: usize = 200;
    // A page takes 512 bytes and more, and less than the two kilobytes that it once took.
    let cases = [(0, 0..=0), (64 << 10, 33..=128), (USUAL_BYTES, PAGES..=PAGES)];
    for (known_bytes, expected) in cases {
        let alone = Alone::remembering(known_bytes).await;
        let paths: Vec<String> = (0..PAGES).map(|number| format!("/{number}")).collect();
        for path in &paths {
            assert_eq!(alone.visit(path).await.0, State::Miss);
        }
        let mut known = 0;
        // The last are known, and reading the first would make it forget them.
        for path in paths.iter().rev() {
            let (state, reads) = alone.visit(path).await;
            assert_eq!(state, State::Hit);
            known += usize::from(reads == 0);
        }
        assert!(
            expected.contains(&known),
            "{known} were known, and not {expected:?}, in {known_bytes} bytes"
        );
    }
}

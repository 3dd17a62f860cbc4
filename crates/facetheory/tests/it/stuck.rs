//! What never ends, or ends badly, keeps nobody else from a page: a place of bodies that does not answer, a renderer that panics.

use std::sync::Arc;
use std::time::Duration;

use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{Bodies, Error, Isr, MetaStore, PageKey, Policy, State, Visit};
use futures_util::future::{join, pending};
use local_objects::Troubled;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, PutOptions, PutPayload, PutResult};
use tabletheory::testing::TestStore;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// Writes never end.
#[derive(Debug)]
struct Silent(InMemory);

impl local_objects::Trouble for Silent {
    fn objects(&self) -> &dyn ObjectStore {
        &self.0
    }

    async fn put(&self, _: &Path, _: PutPayload, _: PutOptions) -> object_store::Result<PutResult> {
        pending().await
    }
}

/// How long a render may take, and then again what stores it.
const RENDER_MAX: Duration = Duration::from_secs(5);

fn news() -> Visit {
    Visit::to(PageKey::path("/news")).policy(Policy { render_max: RENDER_MAX, ..Policy::default() })
}

#[tokio::test(start_paused = true)]
async fn a_place_of_bodies_that_never_answers_keeps_the_lease_from_nobody() {
    let store = TestStore::new();
    let meta = || MetaStore::new(store.db());
    meta().create_table().await.unwrap();
    let silent = Bodies::over(Arc::new(Troubled(Arc::new(Silent(InMemory::new())))));
    let (stuck, well) = (Isr::new(meta(), silent), Isr::new(meta(), Bodies::memory()));
    let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });

    let (began, visit) = (Instant::now(), news());
    let served = stuck.serve(&visit, &origin).await.unwrap();
    assert_eq!((served.state, began.elapsed()), (State::Uncached, RENDER_MAX));
    assert_eq!(well.serve(&visit, &origin).await.unwrap().state, State::Miss, "the lease was given back");
    assert_eq!(began.elapsed(), RENDER_MAX);
}

#[tokio::test(start_paused = true)]
async fn when_a_renderer_panics_all_who_wait_are_told() {
    let store = TestStore::new();
    let meta = MetaStore::new(store.db());
    meta.create_table().await.unwrap();
    let isr = Isr::new(meta, Bodies::memory());
    let begun = Arc::new(Notify::new());
    let last = Arc::clone(&begun);
    let origin: Arc<dyn Renderer> = Arc::new(move |_: Render| {
        let last = Arc::clone(&last);
        async move {
            last.notified().await;
            panic!("as told")
        }
    });
    let visit = news();
    let visitors = async {
        let told = join(isr.serve(&visit, &origin), isr.serve(&visit, &origin));
        let ring = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            begun.notify_one();
        };
        join(told, ring).await.0
    };
    let (first, second) = timeout(Duration::from_secs(1), visitors).await.expect("nobody is left waiting");
    for told in [first, second] {
        let Err(Error::Render(reason)) = told else { panic!("there is no page: {told:?}") };
        assert!(reason.to_string().contains("panicked"), "{reason}");
    }
}

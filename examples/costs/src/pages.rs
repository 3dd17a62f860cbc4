//! Pages: served from memory, from the table and the bucket, and regenerated.

use std::sync::Arc;

use anyhow::ensure;
use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{Bodies, Isr, MetaStore, PageKey, Policy, State, Visit};
use tabletheory::core::Seconds;
use tabletheory::meter::Meter;
use tabletheory::testing::TestStore;

use crate::counted::Counted;

/// A page of ten kilobytes.
const PAGE: &str = "0123456789";

struct Site {
    store: TestStore,
    meter: Meter,
    isr: Isr,
    origin: Arc<dyn Renderer>,
    visit: Visit,
}

impl Site {
    async fn new() -> anyhow::Result<Self> {
        let store = TestStore::new();
        let (db, meter) = store.db().metered();
        let meta = MetaStore::new(db);
        meta.create_table().await?;
        let isr = Isr::new(meta, Bodies::memory());
        let origin: Arc<dyn Renderer> =
            Arc::new(|_: Render| async { Ok(Rendered::html(PAGE.repeat(1024)).tagged("news")) });
        let visit = Visit::to(PageKey::path("/news")).policy(Policy::fresh_for(Seconds(60)));
        Ok(Self { store, meter, isr, origin, visit })
    }

    /// A process that remembers nothing, on the same rows and bodies.
    fn other(&self) -> Isr {
        Isr::new(self.isr.meta().clone(), self.isr.bodies().clone())
    }

    async fn serve(&self, isr: &Isr, expected: State) -> anyhow::Result<()> {
        let served = isr.serve(&self.visit, &self.origin).await?;
        ensure!(served.state == expected, "served {:?} and not {expected:?}", served.state);
        if let Some(later) = served.later {
            let _ = later.run().await;
        }
        Ok(())
    }
}

pub(crate) async fn count() -> anyhow::Result<Vec<Counted>> {
    let site = Site::new().await?;
    let counted = |what| Counted::of(what, site.meter.take(), 1, 0);
    let _ = site.meter.take();

    site.serve(&site.isr, State::Miss).await?;
    let first = counted("pages rendered for the first time").with_objects(0.0, 1.0);
    site.serve(&site.isr, State::Hit).await?;
    let at_hand = counted("pages at hand: known for less than `meta_cache`, body in memory");
    site.serve(&site.other(), State::Hit).await?;
    let read = counted("pages read: by a process that knows nothing of them").with_objects(1.0, 0.0);
    site.store.advance(Seconds(61));
    site.serve(&site.other(), State::Stale).await?;
    let regenerated = counted("stale pages served and regenerated, by a process that knows nothing of them")
        .with_objects(1.0, 1.0);
    Ok(vec![at_hand, read, regenerated, first])
}

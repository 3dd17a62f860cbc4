//! How long a visitor of a page that is there takes inside this process: `cargo bench -p facetheory --bench hit`. The embedded engine
//! and the bodies lie in a folder; the page has 10 KB.

#![allow(missing_docs, reason = "a bench is a program")]
#![expect(clippy::disallowed_methods, reason = "measuring time is what a bench does")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{Bodies, History, Isr, IsrSettings, MetaStore, PageKey, Policy, State, Visit};
use tabletheory::Db;
use tabletheory_core::Seconds;

const BODY_BYTES: usize = 10_000;
const SAMPLES: usize = 2_000;
/// So many visits are timed together, because a clock is read slower than a page.
const VISITS: u32 = 50;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    println!("| visit | median | p99 |\n|---|---|---|");
    runtime.block_on(async {
        let db = Db::embedded(folder.path().join("data")).expect("an engine");
        let meta = MetaStore::new(db.clone());
        meta.create_table().await.expect("a table");
        let bodies = Bodies::folder(folder.path().join("bodies")).expect("a folder");
        let isr = Isr::new(meta, bodies).with_observer(Arc::new(History::new(Arc::clone(db.clock()))));
        let remembering = IsrSettings { meta_cache: Duration::from_secs(3600), ..IsrSettings::default() };
        let asking = IsrSettings { meta_cache: Duration::ZERO, ..IsrSettings::default() };
        row("hit, metadata remembered", &isr.clone().with_settings(remembering)).await;
        row("hit, one read of the engine", &isr.with_settings(asking)).await;
    });
}

async fn row(name: &str, isr: &Isr) {
    let origin: Arc<dyn Renderer> =
        Arc::new(|_: Render| async { Ok(Rendered::html(vec![b'x'; BODY_BYTES])) });
    let visit = Visit::to(PageKey::path("/news").host("example.com").query("page", "2"))
        .policy(Policy::fresh_for(Seconds(86_400 * 7)));
    isr.serve(&visit, &origin).await.expect("a page");
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let started = Instant::now();
        for _ in 0..VISITS {
            let served = isr.serve(black_box(&visit), &origin).await.expect("a page");
            assert_eq!(served.state, State::Hit);
            black_box(served);
        }
        samples.push(started.elapsed() / VISITS);
    }
    samples.sort_unstable();
    let at = |part: usize| samples[SAMPLES * part / 100].as_nanos();
    println!("| {name} | {} ns | {} ns |", at(50), at(99));
}

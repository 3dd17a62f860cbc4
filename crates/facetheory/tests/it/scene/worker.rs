//! A worker of a scene: one process with a cache, a clock and a way to the store. It can be frozen and killed.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Poll, Waker};
use std::time::Duration;

use facetheory::body::BodySettings;
use facetheory::meta::MetaSettings;
use facetheory::{Bodies, Isr, IsrSettings, KeyScheme, MetaStore};
use local_objects::Troubled;
use parking_lot::Mutex;
use tabletheory::Db;
use tabletheory::testing::TestStore;
use tabletheory_core::SeededEntropy;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::Instant;

use super::link::Link;
use super::objects::SceneObjects;
use super::tally::Tally;
use super::time::SceneClock;

/// What all workers of a scene have in common.
#[derive(Debug, Clone)]
pub(crate) struct Fleet {
    pub(crate) store: TestStore,
    pub(crate) objects: Arc<SceneObjects>,
    pub(crate) tally: Tally,
    pub(crate) started: Instant,
    pub(crate) settings: IsrSettings,
    pub(crate) hot_bytes: usize,
    pub(crate) scheme: KeyScheme,
    /// How long each call of the store takes.
    pub(crate) latency: Duration,
    /// So many processes were started: each has its own randomness, the same in each run.
    pub(crate) processes: Arc<AtomicU64>,
}

/// One process.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) isr: Isr,
    pub(crate) link: Arc<Link>,
    pub(super) clock: Arc<SceneClock>,
    pub(crate) process: Process,
}

/// What runs in one process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Process {
    freezer: Arc<Freezer>,
    tasks: Arc<Mutex<Vec<AbortHandle>>>,
}

/// Whether a process is stopped, and what waits for it to go on.
#[derive(Debug, Default)]
struct Freezer(Mutex<(bool, Vec<Waker>)>);

impl Fleet {
    /// A table that forgets, and nothing in it.
    pub(crate) async fn new() -> Self {
        let (store, tally, started) = (TestStore::new(), Tally::default(), Instant::now());
        MetaStore::new(store.db()).create_table().await.unwrap();
        let clock = Arc::new(SceneClock::new(started));
        Self {
            objects: Arc::new(SceneObjects::new(clock, tally.clone())),
            store,
            tally,
            started,
            settings: IsrSettings::default(),
            hot_bytes: 1 << 20,
            scheme: KeyScheme::Hashed,
            latency: Duration::ZERO,
            processes: Arc::default(),
        }
    }

    pub(crate) fn worker(&self, name: &str) -> Worker {
        let clock = Arc::new(SceneClock::new(self.started));
        let link = Arc::new(Link::new(self.store.clone(), self.tally.clone(), name, self.latency));
        let isr = self.isr(&clock, &link);
        Worker { isr, link, clock, process: Process::default() }
    }

    fn isr(&self, clock: &Arc<SceneClock>, link: &Arc<Link>) -> Isr {
        let entropy = SeededEntropy::new(self.processes.fetch_add(1, Ordering::Relaxed));
        let db = Db::new(Arc::clone(link)).with_clock(Arc::clone(clock) as _).with_entropy(Arc::new(entropy));
        let settings = MetaSettings { scheme: self.scheme, ..MetaSettings::default() };
        let meta = MetaStore::new(db).with_settings(settings);
        let bodies = Bodies::over(Arc::new(Troubled(Arc::clone(&self.objects))));
        let bodies = bodies
            .with_settings(BodySettings { hot_bytes: self.hot_bytes, ..BodySettings::default() })
            .expect("settings without a prefix");
        Isr::new(meta, bodies)
            .with_settings(self.settings.clone())
            .with_observer(Arc::new(self.tally.clone()))
    }
}

impl Process {
    /// Begins something in this process.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        let task = tokio::spawn(gated(Arc::clone(&self.freezer), Box::pin(work)));
        self.tasks.lock().push(task.abort_handle());
        task
    }

    /// Stops the process, as SIGSTOP does, or lets it go on.
    pub(super) fn freeze(&self, frozen: bool) {
        let mut freezer = self.freezer.0.lock();
        freezer.0 = frozen;
        freezer.1.drain(..).for_each(Waker::wake);
    }
}

impl Worker {
    /// Ends all its tasks, and starts it again without any memory.
    pub(crate) fn kill(&mut self, fleet: &Fleet) {
        self.process.tasks.lock().drain(..).for_each(|task| task.abort());
        self.isr = fleet.isr(&self.clock, &self.link);
    }
}

async fn gated<T>(freezer: Arc<Freezer>, mut work: Pin<Box<dyn Future<Output = T> + Send>>) -> T {
    std::future::poll_fn(move |context| {
        let mut frozen = freezer.0.lock();
        if frozen.0 {
            frozen.1.push(context.waker().clone());
            return Poll::Pending;
        }
        drop(frozen);
        work.as_mut().poll(context)
    })
    .await
}

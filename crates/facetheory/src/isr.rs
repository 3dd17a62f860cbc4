//! The cache as one value: its stores, its settings, what it remembers, and the ways in.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;
use tabletheory_core::{Clock, Entropy, Seconds, Timestamp};
use tokio::time::{Instant, timeout};

use crate::adrift::Adrift;
use crate::body::Bodies;
use crate::error::Error;
use crate::event::{Event, Observer, State, Unobserved};
use crate::flight::Flights;
use crate::key::PageKey;
use crate::known::{self, Known, KnownPages, Moment};
use crate::meta::MetaStore;
use crate::outage::Outage;
use crate::outcome::{Flown, Looked, Passed, Watched};

/// For so long a page whose answer could not be kept is rendered for each visitor, without a lease.
const PASSING: Duration = Duration::from_secs(10);
/// About how many of those are remembered.
const PASSING_MAX: usize = 10_000;

/// What concerns all pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsrSettings {
    /// For how long what was read about a page is believed without asking the store again. A purge by another process is
    /// seen after this time at the latest. Who is the only one to change the rows, as on an embedded engine, can believe them for
    /// long: what this cache changes itself it forgets. Whoever gives up a purge before its end has to expect that it is seen
    /// after this time, too: the store may still be at it.
    pub meta_cache: Duration,
    /// How long a read of the table may take. After that the visitor is served without it.
    pub store_wait: Duration,
    /// How many bytes what is remembered about pages may take, bodies aside: a page takes eight hundred or so.
    pub known_bytes: usize,
    /// How old a body that nothing names must be before the sweep removes it: longer than any lease, render and request in
    /// flight, and the difference of clocks.
    pub sweep_grace: Seconds,
    /// How many versions of a page the sweep leaves.
    pub versions_kept: usize,
}

impl Default for IsrSettings {
    fn default() -> Self {
        Self {
            meta_cache: Duration::from_secs(1),
            store_wait: Duration::from_secs(2),
            known_bytes: 96 << 20,
            sweep_grace: Seconds(3600),
            versions_kept: 10,
        }
    }
}

/// The cache of rendered pages. Cheap to clone; clones are the same cache.
///
/// ```
/// use std::sync::Arc;
///
/// use facetheory::render::{Render, Rendered, Renderer};
/// use facetheory::{Bodies, Isr, MetaStore, PageKey, State, Visit};
/// use tabletheory::Db;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let meta = MetaStore::new(Db::memory());
/// meta.create_table().await?;
/// let isr = Isr::new(meta, Bodies::memory());
///
/// let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });
/// let news = Visit::to(PageKey::path("/news"));
/// assert_eq!(isr.serve(&news, &origin).await?.state, State::Miss);
///
/// let served = isr.serve(&news, &origin).await?;
/// assert_eq!(served.state, State::Hit);
/// assert_eq!(served.body.bytes(), "<h1>News");
/// # Ok::<(), facetheory::Error>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Isr {
    pub(crate) inner: Arc<Inner>,
}

/// What the clones share.
pub(crate) struct Inner {
    pub(crate) meta: MetaStore,
    pub(crate) bodies: Bodies,
    pub(crate) settings: IsrSettings,
    observer: Arc<dyn Observer>,
    /// What was read last about each page. It outlives its time, for the hour when the store is gone.
    pub(crate) known: KnownPages,
    /// How often something was forgotten.
    forgotten: AtomicU64,
    /// Pages whose last answer could not be kept, and until when they are rendered for each visitor.
    passing: Cache<PageKey, Instant>,
    pub(crate) adrift: Adrift,
    pub(crate) outage: Outage,
    pub(crate) looks: Flights<PageKey, Looked>,
    pub(crate) regenerations: Flights<PageKey, Flown>,
    pub(crate) watches: Flights<PageKey, Watched>,
    pub(crate) passes: Flights<PageKey, Passed>,
}

impl Isr {
    /// A cache with these rows and bodies.
    #[must_use]
    pub fn new(meta: MetaStore, bodies: Bodies) -> Self {
        Self::build(meta, bodies, IsrSettings::default(), Arc::new(Unobserved))
    }

    /// The same stores with other settings, remembering nothing.
    #[must_use]
    pub fn with_settings(self, settings: IsrSettings) -> Self {
        let inner = &*self.inner;
        Self::build(inner.meta.clone(), inner.bodies.clone(), settings, Arc::clone(&inner.observer))
    }

    /// The same stores with somebody who is told what happens, remembering nothing.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn Observer>) -> Self {
        let inner = &*self.inner;
        Self::build(inner.meta.clone(), inner.bodies.clone(), inner.settings.clone(), observer)
    }

    /// The rows.
    #[must_use]
    pub fn meta(&self) -> &MetaStore {
        &self.inner.meta
    }

    /// The bodies.
    #[must_use]
    pub fn bodies(&self) -> &Bodies {
        &self.inner.bodies
    }

    fn build(meta: MetaStore, bodies: Bodies, settings: IsrSettings, observer: Arc<dyn Observer>) -> Self {
        let known = known::cache(settings.known_bytes);
        let inner = Inner {
            meta,
            bodies,
            settings,
            observer,
            known,
            forgotten: AtomicU64::new(0),
            passing: Cache::new(PASSING_MAX),
            adrift: Adrift::default(),
            outage: Outage::none(),
            looks: Flights::new(),
            regenerations: Flights::new(),
            watches: Flights::new(),
            passes: Flights::new(),
        };
        Self { inner: Arc::new(inner) }
    }
}

impl Inner {
    pub(crate) fn now(&self) -> Timestamp {
        self.clock().now()
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        self.meta.db().clock()
    }

    pub(crate) fn entropy(&self) -> &Arc<dyn Entropy> {
        self.meta.db().entropy()
    }

    pub(crate) fn tell(&self, page: &PageKey, event: &Event) {
        self.observer.saw(Some(page), event);
    }

    pub(crate) fn tell_all(&self, event: &Event) {
        self.observer.saw(None, event);
    }

    /// The page's answer could not be kept, so the next ones probably cannot either.
    pub(crate) fn pass_for_a_while(&self, page: &PageKey) {
        self.passing.insert(page.clone(), Instant::now() + PASSING);
    }

    /// Whether the page's last answer could not be kept.
    pub(crate) fn is_passing(&self, page: &PageKey) -> bool {
        self.passing.get(page).is_some_and(|until| Instant::now() < until)
    }

    /// What a read of the table gives, if it does in time.
    pub(crate) async fn in_time<T>(&self, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        timeout(self.settings.store_wait, read).await.unwrap_or(Err(Error::StoreTooSlow))
    }

    pub(crate) fn store_failed(&self, page: &PageKey, error: &Error) {
        self.tell(page, &Event::StoreFailed { why: error.to_string() });
    }

    /// Now, for what is about to be read.
    pub(crate) fn moment(&self) -> Moment {
        Moment { wall: self.now(), steady: Instant::now(), mark: self.mark() }
    }

    /// How often something was forgotten until now.
    fn mark(&self) -> u64 {
        self.forgotten.load(Ordering::SeqCst)
    }

    /// Remembers what was read about a page, unless something newer is known or something was forgotten since the read began:
    /// what was under way during a purge must not bring back what the purge made this process forget.
    pub(crate) fn remember(&self, page: &PageKey, known: &Arc<Known>) {
        let mark = known.read.mark;
        let is_older = |other: Arc<Known>| other.read.steady > known.read.steady;
        if self.mark() != mark || self.known.get(page).is_some_and(is_older) {
            return;
        }
        self.known.insert(page.clone(), Arc::clone(known));
        // Who forgets counts first and removes then, so between the two looks here it cannot be missed.
        if self.mark() != mark {
            self.known.remove(page);
        }
    }

    /// Nothing that was known about a page, or is under way for it, counts for whoever comes from now on.
    pub(crate) fn forget(&self, page: &PageKey) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.leave(|other| other == page);
        self.known.remove(page);
        self.passing.remove(page);
    }

    /// As [`forget`](Self::forget), for every page.
    pub(crate) fn forget_all(&self) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.leave(|_| true);
        self.known.clear();
        self.passing.clear();
    }

    fn leave(&self, is_left: impl Fn(&PageKey) -> bool) {
        self.looks.leave(&is_left);
        self.regenerations.leave(&is_left);
        self.watches.leave(&is_left);
        self.passes.leave(&is_left);
    }

    pub(crate) fn served(&self, page: &PageKey, state: State) {
        self.tell(page, &Event::Served(state));
    }
}

impl fmt::Debug for Isr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Isr").field("settings", &self.inner.settings).finish_non_exhaustive()
    }
}

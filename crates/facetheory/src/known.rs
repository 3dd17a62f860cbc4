//! What this process knows about a page: what it read last, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use tabletheory_core::Timestamp;
use tabletheory_core::keyed_hash::KeyedHash;
use tokio::time::Instant;

use crate::freshness::{self, Lifetime, Plan, Purged};
use crate::key::PageKey;
use crate::meta::Look;
use crate::page::{Kept, Page};
use crate::policy::Policy;

/// What a page takes beside the bytes of its key, its headers and the pointer to its body.
const BARE_BYTES: usize =
    size_of::<Known>() + size_of::<Page>() + size_of::<(PageKey, Arc<Known>)>() + KEEPING_BYTES;
/// What it takes to keep it: counts of references, what allocators round up five times, and places in the cache, also of pages that
/// were there before.
const KEEPING_BYTES: usize = 192;
/// Used to guess how many pages there will be.
const USUAL_BYTES: usize = 896;

/// What is known about pages, bounded in bytes.
pub(crate) type KnownPages = Cache<PageKey, Arc<Known>, KnownBytes, KeyedHash>;

/// An empty cache of at most so many bytes.
pub(crate) fn cache(bytes: usize) -> KnownPages {
    let (pages, lifecycle) = ((bytes / USUAL_BYTES).max(1), DefaultLifecycle::default());
    Cache::with(pages, bytes as u64, KnownBytes, KeyedHash::default(), lifecycle)
}

/// Weighs what is known: its weight never changes.
#[derive(Debug, Clone)]
pub(crate) struct KnownBytes;

impl Weighter<PageKey, Arc<Known>> for KnownBytes {
    fn weight(&self, key: &PageKey, known: &Arc<Known>) -> u64 {
        let beside = known.page.as_deref().map_or(0, Page::bytes_beside);
        (BARE_BYTES + key.bytes() + beside) as u64
    }
}

/// The moment before something was read: by the clock that can be set, by the one that cannot, and by what this process has
/// forgotten.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) wall: Timestamp,
    pub(crate) steady: Instant,
    /// How often something was forgotten until then.
    pub(crate) mark: u64,
}

/// What was read about a page.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) page: Option<Arc<Page>>,
    pub(crate) purged: Purged,
    /// The number of the site's last purge, as it was read.
    site_epoch: Option<u64>,
    pub(crate) read: Moment,
    /// Milliseconds since 1970 before which nobody here tries to render it again: another process does, or it failed.
    quiet_until: AtomicI64,
    /// Milliseconds since 1970 before which nobody at all renders it again, because it failed.
    put_off_until: AtomicI64,
}

impl Known {
    pub(crate) fn new(look: Look, read: Moment) -> Self {
        let purged = match &look {
            look if look.is_gone() => Purged::Gone,
            look if look.is_purged_stale() => Purged::Stale,
            _ => Purged::No,
        };
        let site_epoch = look.journal.as_ref().map(|journal| journal.epoch);
        Self { purged, site_epoch, ..Self::with(look.meta.as_ref().map(Page::of).map(Arc::new), read) }
    }

    /// A page that was just published here. What was purged with a group since its render began is not known, so it is
    /// believed from then on only.
    pub(crate) fn published(page: Arc<Page>, looked: Moment) -> Self {
        let site_epoch = page.kept().and_then(|kept| kept.site_epoch);
        Self { site_epoch, ..Self::with(Some(page), looked) }
    }

    fn with(page: Option<Arc<Page>>, read: Moment) -> Self {
        let (quiet_until, put_off_until) = (AtomicI64::new(i64::MIN), AtomicI64::new(i64::MIN));
        Self { page, purged: Purged::No, site_epoch: None, read, quiet_until, put_off_until }
    }

    /// Whether it was read so lately that it is believed. A clock that was put back does not make it younger.
    pub(crate) fn is_recent(&self, now: Moment, believed: Duration) -> bool {
        let age_ms = now.wall.millis().saturating_sub(self.read.wall.millis());
        let is_young = u128::try_from(age_ms).is_ok_and(|age_ms| age_ms < believed.as_millis());
        is_young && now.steady.saturating_duration_since(self.read.steady) < believed
    }

    /// Whether it knows of a purge or a publish that came after this page, which others have made or found.
    pub(crate) fn is_newer_than(&self, page: &Page) -> bool {
        let Some(other) = page.kept() else { return false };
        self.site_epoch > other.site_epoch || self.kept().is_some_and(|kept| kept.version > other.version)
    }

    /// Whether it knows of a purge or a publish that whoever read the other did not. A page that was rendered before a purge may have been
    /// read after it: then the purge is accounted for.
    pub(crate) fn knows_more_than(&self, other: &Self) -> bool {
        let version = |known: &Self| known.kept().and_then(|kept| kept.version);
        self.site_epoch > other.site_epoch || version(self) > version(other)
    }

    pub(crate) fn plan(&self, now: Timestamp, policy: &Policy) -> Plan {
        freshness::plan(self.lifetime(), self.purged, now, policy)
    }

    pub(crate) fn may_serve_on_error(&self, now: Timestamp, policy: &Policy) -> bool {
        freshness::may_serve_on_error(self.lifetime(), self.purged, now, policy)
    }

    /// Whether a visitor who waited for it can have it: also if its time was over when it came, but not if it was purged
    /// while it was rendered.
    pub(crate) fn can_be_served(&self, now: Timestamp, policy: &Policy) -> bool {
        let is_purged =
            self.purged != Purged::No || self.lifetime().is_some_and(|page| page.purged_since.is_some());
        self.is_fresh(now, policy) || !is_purged && self.may_serve_on_error(now, policy)
    }

    /// Whether its time is not over.
    pub(crate) fn is_fresh(&self, now: Timestamp, policy: &Policy) -> bool {
        matches!(self.plan(now, policy), Plan::Serve | Plan::Negative)
    }

    /// Where its body is.
    pub(crate) fn pointer(&self) -> Option<&str> {
        self.kept().map(|kept| &*kept.pointer)
    }

    pub(crate) fn be_quiet_until(&self, moment: Timestamp) {
        self.quiet_until.store(moment.millis(), Ordering::Relaxed);
    }

    pub(crate) fn is_quiet(&self, now: Timestamp) -> bool {
        now.millis() < self.quiet_until.load(Ordering::Relaxed) || self.put_off(now).is_some()
    }

    pub(crate) fn put_off_until(&self, moment: Timestamp) {
        self.put_off_until.store(moment.millis(), Ordering::Relaxed);
    }

    /// Until when nobody renders it again.
    pub(crate) fn put_off(&self, now: Timestamp) -> Option<Timestamp> {
        let until = Timestamp::from_millis(self.put_off_until.load(Ordering::Relaxed));
        (now < until).then_some(until)
    }

    fn kept(&self) -> Option<&Kept> {
        self.page.as_deref().and_then(Page::kept)
    }

    fn lifetime(&self) -> Option<Lifetime> {
        self.kept().map(|kept| kept.lifetime)
    }
}

//! What this process knows about a page: what it read last, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tabletheory_core::Timestamp;

use crate::freshness::{self, Plan, Purged};
use crate::meta::Look;
use crate::page::Page;
use crate::policy::Policy;
use crate::record::Meta;

/// What was read about a page.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) page: Option<Arc<Page>>,
    pub(crate) purged: Purged,
    read_at: Timestamp,
    /// Milliseconds since 1970 before which nobody here tries to render it again: another process does, or it failed.
    quiet_until: AtomicI64,
    /// Milliseconds since 1970 before which nobody at all renders it again, because it failed.
    put_off_until: AtomicI64,
}

impl Known {
    pub(crate) fn new(look: Look, read_at: Timestamp) -> Self {
        let purged = match &look {
            look if look.is_gone() => Purged::Gone,
            look if look.is_purged_stale() => Purged::Stale,
            _ => Purged::No,
        };
        Self { purged, ..Self::with(look.meta.map(Page::of).map(Arc::new), read_at) }
    }

    /// A page that was just published here.
    pub(crate) fn published(page: Arc<Page>, read_at: Timestamp) -> Self {
        Self::with(Some(page), read_at)
    }

    fn with(page: Option<Arc<Page>>, read_at: Timestamp) -> Self {
        let (quiet_until, put_off_until) = (AtomicI64::new(i64::MIN), AtomicI64::new(i64::MIN));
        Self { page, purged: Purged::No, read_at, quiet_until, put_off_until }
    }

    /// Whether it was read so lately that it is believed. A clock that went back believes nothing.
    pub(crate) fn is_recent(&self, now: Timestamp, believed: Duration) -> bool {
        let age_ms = now.millis().saturating_sub(self.read_at.millis());
        u128::try_from(age_ms).is_ok_and(|age_ms| age_ms < believed.as_millis())
    }

    pub(crate) fn plan(&self, now: Timestamp, policy: &Policy) -> Plan {
        freshness::plan(self.meta(), self.purged, now, policy)
    }

    pub(crate) fn may_serve_on_error(&self, now: Timestamp, policy: &Policy) -> bool {
        freshness::may_serve_on_error(self.meta(), self.purged, now, policy)
    }

    /// Whether a visitor who waited for it can have it: also if its time was over when it came, but not if it was purged
    /// while it was rendered.
    pub(crate) fn can_be_served(&self, now: Timestamp, policy: &Policy) -> bool {
        self.is_fresh(now, policy) || (self.purged == Purged::No && self.may_serve_on_error(now, policy))
    }

    /// Whether its time is not over.
    pub(crate) fn is_fresh(&self, now: Timestamp, policy: &Policy) -> bool {
        matches!(self.plan(now, policy), Plan::Serve | Plan::Negative)
    }

    /// Where its body is.
    pub(crate) fn pointer(&self) -> Option<&str> {
        self.meta().map(|meta| meta.s3_key.as_str())
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

    fn meta(&self) -> Option<&Meta> {
        self.page.as_deref().and_then(Page::meta)
    }
}

//! How often each kind of decision was made: numbers for metrics, so that a limiter that fails open never does so in silence.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::decision::{Source, Verdict};

/// How often each thing has happened since the limiter was made.
///
/// ```
/// use limited::Counts;
///
/// assert_eq!(Counts::default().failed_open, 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Requests that limits allowed.
    pub allowed: u64,
    /// Requests that limits denied, those of watching policies among them.
    pub denied: u64,
    /// Of these, requests that a policy would have denied and only watched.
    pub denied_in_shadow: u64,
    /// Requests that were allowed without a call, from units charged before.
    pub leased: u64,
    /// Requests that were denied without a call, because the store had said no.
    pub denied_from_memory: u64,
    /// Requests that this process counted alone, because the store did not answer.
    pub counted_alone: u64,
    /// Requests that nobody counted, because the store did not answer, and that went on.
    pub failed_open: u64,
    /// Requests that nobody counted, because the store did not answer, and that were refused.
    pub failed_closed: u64,
    /// Calls of the store for decisions. Those for overrides are not among them.
    pub store_calls: u64,
    /// Calls of the store that failed or took too long.
    pub store_failures: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    allowed: AtomicU64,
    denied: AtomicU64,
    denied_in_shadow: AtomicU64,
    leased: AtomicU64,
    denied_from_memory: AtomicU64,
    counted_alone: AtomicU64,
    failed_open: AtomicU64,
    failed_closed: AtomicU64,
    store_calls: AtomicU64,
    store_failures: AtomicU64,
}

fn bump(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Tally {
    pub(crate) fn decided(&self, verdict: Verdict, source: Source, shadow: bool) {
        match source {
            Source::Store => {}
            Source::Lease => bump(&self.leased),
            Source::DenyCache => bump(&self.denied_from_memory),
            Source::Local => bump(&self.counted_alone),
            Source::FailedOpen => return bump(&self.failed_open),
            Source::FailedClosed => return bump(&self.failed_closed),
        }
        match verdict {
            Verdict::Allowed => bump(&self.allowed),
            Verdict::Denied => {
                bump(&self.denied);
                if shadow {
                    bump(&self.denied_in_shadow);
                }
            }
        }
    }

    pub(crate) fn called(&self) {
        bump(&self.store_calls);
    }

    pub(crate) fn failed(&self) {
        bump(&self.store_failures);
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            allowed: read(&self.allowed),
            denied: read(&self.denied),
            denied_in_shadow: read(&self.denied_in_shadow),
            leased: read(&self.leased),
            denied_from_memory: read(&self.denied_from_memory),
            counted_alone: read(&self.counted_alone),
            failed_open: read(&self.failed_open),
            failed_closed: read(&self.failed_closed),
            store_calls: read(&self.store_calls),
            store_failures: read(&self.store_failures),
        }
    }
}

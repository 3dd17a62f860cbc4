//! What happened: one event for each decision, told to an observer. Who counts, logs or draws them is not decided here.

use std::fmt;
use std::time::Duration;

use tabletheory_core::Timestamp;

use crate::key::PageKey;
use crate::meta::{LostTo, Purge};
use crate::render::Refusal;

/// How a visitor was served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// From the cache, fresh.
    Hit,
    /// From the cache, its time over.
    Stale,
    /// Rendered for this visitor, and kept.
    Miss,
    /// Rendered for another visitor, for whom this one waited.
    WaitHit,
    /// From the cache although its time is over, because it could not be rendered.
    StaleError,
    /// Rendered for this visitor, and not kept.
    Uncached,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Hit, Self::Stale, Self::Miss, Self::WaitHit, Self::StaleError, Self::Uncached];

    /// The word in the header `x-facetheory-isr`.
    ///
    /// ```
    /// assert_eq!(facetheory::State::WaitHit.as_str(), "wait-hit");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Stale => "stale",
            Self::Miss => "miss",
            Self::WaitHit => "wait-hit",
            Self::StaleError => "stale-error",
            Self::Uncached => "uncached",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A visitor was served.
    Served(State),
    /// A visitor got an error.
    Refused,
    /// A render began. It ends with one of the three that follow.
    Rendering,
    /// A render ended with an answer that is no failure.
    Rendered {
        /// How long it took.
        took: Duration,
    },
    /// A render failed.
    RenderFailed {
        /// How long it took.
        took: Duration,
        /// Why.
        why: String,
    },
    /// A render was given up before its end: nobody waited for it any more, or its lease was lost.
    RenderDropped {
        /// How long it took until then.
        took: Duration,
    },
    /// A page was published.
    Published,
    /// A publish did nothing, because of this.
    PublishLost(LostTo),
    /// Whether a publish was done is not known.
    PublishUnknown,
    /// An answer was not kept, because of this.
    NotKept(Refusal),
    /// Another process renders the page.
    Contended,
    /// The lease of a process that stopped was taken.
    TakenOver,
    /// The lease was lost while rendering, and the render given up.
    LeaseLost,
    /// After winning the lease, the page was found fresh.
    FoundFresh,
    /// Nobody tries again before this moment.
    BackedOff {
        /// The moment.
        until: Timestamp,
    },
    /// The store failed, and the visitor was served without it, or the work left to the next.
    StoreFailed {
        /// Why.
        why: String,
    },
    /// The store had not answered lately, so a visitor waited for it only a little, and was served without it.
    StoreNotAwaited,
    /// The body store failed.
    BodyFailed {
        /// Why.
        why: String,
    },
    /// A page's body was gone, or not what was stored.
    BodyMissing,
    /// A row could not be read.
    Malformed,
    /// Something was purged.
    Purged(Purge),
    /// An older version is shown.
    RolledBack,
    /// Bodies that nothing names were removed.
    Swept {
        /// How many.
        bodies: u64,
        /// Their size.
        bytes: u64,
    },
}

impl Event {
    /// In a word, for metrics.
    ///
    /// ```
    /// use facetheory::{Event, State};
    ///
    /// assert_eq!(Event::Served(State::Hit).name(), "served");
    /// ```
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Served(_) => "served",
            Self::Refused => "refused",
            Self::Rendering => "rendering",
            Self::Rendered { .. } => "rendered",
            Self::RenderFailed { .. } => "render-failed",
            Self::RenderDropped { .. } => "render-dropped",
            Self::Published => "published",
            Self::PublishLost(_) => "publish-lost",
            Self::PublishUnknown => "publish-unknown",
            Self::NotKept(_) => "not-kept",
            Self::Contended => "contended",
            Self::TakenOver => "taken-over",
            Self::LeaseLost => "lease-lost",
            Self::FoundFresh => "found-fresh",
            Self::BackedOff { .. } => "backed-off",
            Self::StoreFailed { .. } => "store-failed",
            Self::StoreNotAwaited => "store-not-awaited",
            Self::BodyFailed { .. } => "body-failed",
            Self::BodyMissing => "body-missing",
            Self::Malformed => "malformed",
            Self::Purged(_) => "purged",
            Self::RolledBack => "rolled-back",
            Self::Swept { .. } => "swept",
        }
    }
}

/// Is told what happens. It is called in the middle of everything, so it must be quick and must not panic.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use facetheory::{Event, Observer, PageKey};
///
/// #[derive(Debug, Default)]
/// struct Renders(AtomicU64);
///
/// impl Observer for Renders {
///     fn saw(&self, _page: Option<&PageKey>, event: &Event) {
///         if matches!(event, Event::Rendered { .. }) {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
/// # let renders = Renders::default();
/// # renders.saw(None, &Event::Rendered { took: Default::default() });
/// # assert_eq!(renders.0.into_inner(), 1);
/// ```
pub trait Observer: fmt::Debug + Send + Sync {
    /// Something happened, to a page or to all.
    fn saw(&self, page: Option<&PageKey>, event: &Event);
}

/// Nobody looks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn saw(&self, _page: Option<&PageKey>, _event: &Event) {}
}

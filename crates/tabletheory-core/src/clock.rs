//! Time as a component. Everything that needs the time is given a [`Clock`]; only [`crate::sys`] reads the machine's.

use std::fmt::Debug;
use std::ops::{Add, Sub};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// A moment: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// A span of time in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds(pub i64);

impl Timestamp {
    /// A moment from milliseconds since the epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// A moment from seconds since the epoch.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// How long it is since `earlier`, and nothing if that is yet to come.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tabletheory_core::Timestamp;
    ///
    /// let (one, two) = (Timestamp::from_millis(100), Timestamp::from_millis(350));
    /// assert_eq!(two.saturating_since(one), Duration::from_millis(250));
    /// assert_eq!(one.saturating_since(two), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn saturating_since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Add<Seconds> for Timestamp {
    type Output = Self;

    fn add(self, span: Seconds) -> Self {
        Self(self.0.saturating_add(span.0.saturating_mul(1000)))
    }
}

impl Sub<Seconds> for Timestamp {
    type Output = Self;

    fn sub(self, span: Seconds) -> Self {
        Self(self.0.saturating_sub(span.0.saturating_mul(1000)))
    }
}

/// Tells the time.
pub trait Clock: Debug + Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// A clock that moves only when it is told to.
///
/// ```
/// use tabletheory_core::{Clock, ManualClock, Seconds, Timestamp};
///
/// let clock = ManualClock::at(Timestamp::from_seconds(100));
/// clock.advance(Seconds(5));
/// assert_eq!(clock.now(), Timestamp::from_seconds(105));
/// ```
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `now`.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.millis()))
    }

    /// Moves the clock forward, or back if `span` is negative.
    pub fn advance(&self, span: Seconds) {
        self.0.fetch_add(span.0.saturating_mul(1000), Ordering::SeqCst);
    }

    /// Puts the clock to `now`.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.millis(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

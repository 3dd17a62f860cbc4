//! Calls that end before a deadline, whatever they are waiting for: a function that is killed at the end of its time never
//! learns how its last write came out. Nothing runs in the background; a call that is cut off is dropped.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tabletheory_core::store::StoreFuture;
use tabletheory_core::{Clock, Request, Store, StoreError, Timestamp};
use tokio::time::{Instant, timeout_at};

use crate::encryption::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, Nonce, SecretKey};

/// When calls have to be over: a moment, or a span from when it is first asked, less a buffer for what comes after them.
///
/// ```
/// use std::time::Duration;
///
/// use tabletheory::deadline::Deadline;
/// use tabletheory_core::{ManualClock, Timestamp};
///
/// let clock = ManualClock::at(Timestamp::from_seconds(100));
/// let deadline = Deadline::at(Timestamp::from_seconds(103));
/// assert_eq!(deadline.remaining(&clock), Duration::from_millis(2_500));
/// assert_eq!(deadline.with_buffer(Duration::from_secs(4)).remaining(&clock), Duration::ZERO);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    end: End,
    buffer: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    At(Timestamp),
    After(Duration),
}

impl Deadline {
    /// The buffer that a deadline has unless it is told another: half a second, to answer and to log.
    pub const BUFFER: Duration = Duration::from_millis(500);

    /// At this moment, as a function's context tells it.
    ///
    /// ```
    /// # use tabletheory::deadline::Deadline;
    /// # use tabletheory_core::{ManualClock, Timestamp};
    /// let over = Deadline::at(Timestamp::from_seconds(99));
    /// assert!(over.remaining(&ManualClock::at(Timestamp::from_seconds(100))).is_zero());
    /// ```
    #[must_use]
    pub fn at(end: Timestamp) -> Self {
        Self { end: End::At(end), buffer: Self::BUFFER }
    }

    /// This long after a database or a [`Within`] is given it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::deadline::Deadline;
    /// # use tabletheory_core::sys::SystemClock;
    /// assert_eq!(Deadline::after(Duration::from_secs(3)).remaining(&SystemClock), Duration::from_millis(2_500));
    /// ```
    #[must_use]
    pub fn after(span: Duration) -> Self {
        Self { end: End::After(span), buffer: Self::BUFFER }
    }

    /// With another buffer than [`BUFFER`](Self::BUFFER).
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::deadline::Deadline;
    /// # use tabletheory_core::sys::SystemClock;
    /// let deadline = Deadline::after(Duration::from_secs(3)).with_buffer(Duration::from_secs(1));
    /// assert_eq!(deadline.remaining(&SystemClock), Duration::from_secs(2));
    /// ```
    #[must_use]
    pub fn with_buffer(mut self, buffer: Duration) -> Self {
        self.buffer = buffer;
        self
    }

    /// What is left for calls by this clock: nothing if the deadline, or its buffer, has begun.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::deadline::Deadline;
    /// # use tabletheory_core::{ManualClock, Timestamp};
    /// let clock = ManualClock::at(Timestamp::from_millis(1_000));
    /// assert_eq!(Deadline::at(Timestamp::from_millis(1_600)).remaining(&clock), Duration::from_millis(100));
    /// assert_eq!(Deadline::at(Timestamp::from_millis(1_400)).remaining(&clock), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn remaining(&self, clock: &dyn Clock) -> Duration {
        let whole = match self.end {
            End::After(span) => span,
            End::At(end) => end.saturating_since(clock.now()),
        };
        whole.saturating_sub(self.buffer)
    }
}

impl From<Timestamp> for Deadline {
    fn from(end: Timestamp) -> Self {
        Self::at(end)
    }
}

impl From<Duration> for Deadline {
    fn from(span: Duration) -> Self {
        Self::after(span)
    }
}

impl From<SystemTime> for Deadline {
    fn from(end: SystemTime) -> Self {
        let millis = end.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self::at(Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX)))
    }
}

/// A store, or a provider of keys, whose calls are over before a deadline. Needs a tokio runtime with time.
///
/// A call that is begun after the deadline is not sent; one that is cut off was, and if it was a write, whether it happened
/// is unknown: [`StoreError::DeadlineExceeded`] tells which. The deadline is asked once, here, and time is then measured by
/// the runtime, so a clock that jumps moves nothing.
///
/// ```
/// use std::time::Duration;
///
/// use tabletheory::deadline::{Deadline, Within};
/// use tabletheory::testing::{TestStore, Trouble};
/// use tabletheory_core::store::op::ListTables;
/// use tabletheory_core::{StoreError, StoreExt};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let store = TestStore::new();
/// store.trouble("ListTables", Trouble::Slow(Duration::from_secs(60)));
/// let hurried = Within::new(store.clone(), Deadline::after(Duration::from_secs(3)), &*store.clock());
///
/// let late = hurried.list_tables(ListTables::default()).await.unwrap_err();
/// assert_eq!(late, StoreError::DeadlineExceeded { sent: true });
/// let later = hurried.list_tables(ListTables::default()).await.unwrap_err();
/// assert_eq!(later, StoreError::DeadlineExceeded { sent: false });
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Within<T> {
    inner: T,
    // None is so far away that the runtime cannot count to it.
    until: Option<Instant>,
}

impl<T> Within<T> {
    /// Puts the deadline, as it is by this clock now, before every call.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::deadline::{Deadline, Within};
    /// # use tabletheory::testing::TestStore;
    /// # use tabletheory_core::sys::SystemClock;
    /// let store = Within::new(TestStore::new(), Deadline::after(Duration::from_secs(3)), &SystemClock);
    /// assert!(format!("{store:?}").starts_with("Within"));
    /// ```
    pub fn new(inner: T, deadline: Deadline, clock: &dyn Clock) -> Self {
        Self { inner, until: Instant::now().checked_add(deadline.remaining(clock)) }
    }

    /// The call's outcome, or whether it was begun when there was none in time.
    async fn hurry<F: Future>(&self, call: impl FnOnce() -> F) -> Result<F::Output, Late> {
        let Some(until) = self.until else { return Ok(call().await) };
        if Instant::now() >= until {
            return Err(Late { begun: false });
        }
        timeout_at(until, call()).await.map_err(|_| Late { begun: true })
    }
}

struct Late {
    begun: bool,
}

#[deny(clippy::missing_trait_methods)]
impl<S: Store> Store for Within<S> {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            let answer = self.hurry(|| self.inner.call(request)).await;
            answer.unwrap_or_else(|Late { begun }| Err(StoreError::DeadlineExceeded { sent: begun }))
        })
    }
}

#[deny(clippy::missing_trait_methods)]
impl<P: KeyProvider> KeyProvider for Within<P> {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        Box::pin(async move {
            let answer = self.hurry(|| self.inner.generate(context)).await;
            answer.unwrap_or(Err(KeyError::DeadlineExceeded))
        })
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], context: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(async move {
            let answer = self.hurry(|| self.inner.decrypt(encrypted, context)).await;
            answer.unwrap_or(Err(KeyError::DeadlineExceeded))
        })
    }

    fn nonce(&self, context: KeyContext<'_>) -> Nonce {
        self.inner.nonce(context)
    }
}

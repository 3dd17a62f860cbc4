//! A store whose calls are over before the invocation under way is. It is made once for a process, and asks for each call how
//! long that may take.

use tabletheory_core::store::StoreFuture;
use tabletheory_core::{Request, Store, StoreError};
use tokio::time::Instant;

use crate::time::{Time, before};

/// A store whose calls are over in time. One that is cut off was sent, and if it was a write, whether it happened is unknown:
/// [`StoreError::DeadlineExceeded`] tells which, and whoever wrote settles it as with any lost answer.
#[derive(Debug, Clone)]
pub(crate) struct Timely<S> {
    inner: S,
    time: Time,
}

impl<S> Timely<S> {
    /// The store, hurried by this time.
    pub(crate) fn new(inner: S, time: Time) -> Self {
        Self { inner, time }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: Store> Store for Timely<S> {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            let bound = self.time.bounds().map(|bounds| bounds.calls);
            let is_sent = bound.is_none_or(|bound| Instant::now() < bound);
            let answer = before(bound, self.inner.call(request)).await;
            answer.unwrap_or(Err(StoreError::DeadlineExceeded { sent: is_sent }))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tabletheory::testing::{TestStore, Trouble};
    use tabletheory_core::store::op::ListTables;
    use tabletheory_core::{ManualClock, StoreExt, Timestamp};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_end_with_their_invocation_and_the_next_one_has_its_own_time() {
        let (store, time) = (TestStore::new(), Time::default());
        let timely = Timely::new(store.clone(), time.clone());
        let clock = ManualClock::at(Timestamp::from_seconds(100));
        let begin = || time.begin(Timestamp::from_seconds(103), Duration::from_millis(500), &clock);
        let call = || timely.list_tables(ListTables::default());

        begin();
        store.trouble("ListTables", Trouble::Slow(Duration::from_secs(60)));
        assert_eq!(call().await.unwrap_err(), StoreError::DeadlineExceeded { sent: true });
        assert_eq!(call().await.unwrap_err(), StoreError::DeadlineExceeded { sent: false });
        begin();
        assert!(call().await.is_ok());
        time.end();
        store.trouble("ListTables", Trouble::Slow(Duration::from_secs(60)));
        assert!(call().await.is_ok(), "outside of invocations nothing is bounded");
    }
}

//! Waiting out trouble that passes: longer each time, with jitter, and not for ever.

use std::time::Duration;

use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Operation, Store, StoreError, StoreExt as _, jittered};
use tokio::time::{Instant, sleep_until};

const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// The pauses of one wait.
#[derive(Debug)]
pub(crate) struct Patience {
    next: Duration,
    deadline: Instant,
}

impl Patience {
    pub(crate) fn new(total: Duration) -> Self {
        Self { next: PAUSE_FIRST, deadline: Instant::now() + total }
    }

    /// Sends a request until it is answered, or refused for a reason that does not pass. What is sent may happen twice.
    pub(crate) async fn send<O: Operation + Clone>(
        mut self,
        store: &dyn Store,
        operation: O,
    ) -> Result<O::Output, StoreError> {
        loop {
            match store.send(operation.clone()).await {
                Err(error) if error.is_retryable() && self.wait().await => {}
                answer => return answer,
            }
        }
    }

    /// Waits for the next attempt; `false` if there is no time left for one.
    pub(crate) async fn wait(&mut self) -> bool {
        let now = Instant::now();
        if now >= self.deadline {
            return false;
        }
        sleep_until(self.deadline.min(now + jittered(self.next, &SystemEntropy))).await;
        self.next = (self.next * 2).min(PAUSE_MAX);
        true
    }
}

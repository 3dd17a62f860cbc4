//! Pauses between attempts: each twice as long as the one before, with jitter, and never past a deadline.

use std::time::Duration;

use tabletheory_core::{Entropy, jittered};
use tokio::time::{Instant, sleep_until};

/// No wait is longer.
const TOTAL_MAX: Duration = Duration::from_secs(365 * 86_400);

/// The pauses of one wait.
pub(crate) struct Pauses<'e> {
    next: Duration,
    longest: Duration,
    deadline: Instant,
    entropy: &'e dyn Entropy,
}

impl<'e> Pauses<'e> {
    /// Pauses that begin with `first`, grow up to `longest` and end after `total`.
    pub(crate) fn new(first: Duration, longest: Duration, total: Duration, entropy: &'e dyn Entropy) -> Self {
        Self { next: first, longest, deadline: Instant::now() + total.min(TOTAL_MAX), entropy }
    }

    /// Does not count so long: it was spent on something else than waiting for trouble to pass.
    pub(crate) fn forgive(&mut self, span: Duration) {
        self.deadline += span;
    }

    /// Waits for the next attempt; `false` if there is no time left for one. The last attempt comes at the deadline.
    pub(crate) async fn wait(&mut self) -> bool {
        let now = Instant::now();
        if now >= self.deadline {
            return false;
        }
        sleep_until(self.deadline.min(now + jittered(self.next, self.entropy))).await;
        self.next = (self.next * 2).min(self.longest);
        true
    }
}

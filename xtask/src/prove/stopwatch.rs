//! How long something takes. Minutes are shared out by it; nothing that is proved depends on it.

use std::time::{Duration, Instant};

/// Runs since it was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "tools may look at the clock")]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

//! Time as the scene tells it: tokio's, which stands still until everybody waits, plus what each clock is off.

use std::sync::atomic::{AtomicI64, Ordering};

use tabletheory_core::{Clock, Timestamp};
use tokio::time::Instant;

/// Where the scene begins: 2024-01-01T00:00:00Z, as the test store's own clock.
const BEGINNING: i64 = 1_704_067_200_000;

/// A clock that is right but for its offset.
#[derive(Debug)]
pub(super) struct SceneClock {
    started: Instant,
    offset_ms: AtomicI64,
}

impl SceneClock {
    pub(super) fn new(started: Instant) -> Self {
        Self { started, offset_ms: AtomicI64::new(0) }
    }

    pub(super) fn be_off_by(&self, offset_ms: i64) {
        self.offset_ms.store(offset_ms, Ordering::Relaxed);
    }
}

impl Clock for SceneClock {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).expect("a scene is short");
        Timestamp::from_millis(BEGINNING + passed + self.offset_ms.load(Ordering::Relaxed))
    }
}

//! One store, one clock that moves when it is told to, and as many limiters as a test wants: each remembers for itself, as
//! processes do.

use std::sync::Arc;
use std::time::Duration;

use futures_executor::block_on;
use limited::{Decision, Limiter, LimiterSettings, OnFailure, Policy};
use tabletheory::Db;
use tabletheory::meter::Meter;
use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Clock as _, ManualClock, Timestamp};
use tabletheory_engine::{Engine, Settings};

/// Where clocks stand at first: 2024-01-01T00:00:00Z.
pub(crate) const BEGINNING_MS: i64 = 1_704_067_200_000;

/// Settings under which every denial is the store's, and no answer of a failed store passes for a decision.
pub(crate) fn strict() -> LimiterSettings {
    LimiterSettings {
        on_failure: OnFailure::Closed,
        deny_cache: Duration::ZERO,
        ..LimiterSettings::default()
    }
}

/// A store in memory with the table of the limits.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) db: Db,
    pub(crate) meter: Meter,
}

impl World {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp::from_millis(BEGINNING_MS)));
        let settings = Settings { upkeep_every: None, ..Settings::default() };
        let engine = Engine::memory_with(settings, Arc::clone(&clock) as _, Arc::new(SystemEntropy));
        let (db, meter) = Db::new(engine).with_clock(Arc::clone(&clock) as _).metered();
        block_on(Limiter::new(db.clone()).create_table()).unwrap();
        let _ = meter.take();
        Self { clock, db, meter }
    }

    /// A limiter that remembers nothing yet.
    pub(crate) fn limiter(&self, settings: LimiterSettings) -> Limiter {
        Limiter::new(self.db.clone()).with_settings(settings).unwrap()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now().millis()
    }

    pub(crate) fn set_ms(&self, now_ms: i64) {
        self.clock.set(Timestamp::from_millis(now_ms));
    }

    pub(crate) fn pass_ms(&self, span_ms: i64) {
        self.set_ms(self.now_ms() + span_ms);
    }
}

/// Asks, and takes no failure for an answer.
pub(crate) fn check(limiter: &Limiter, policy: &Policy, identifier: &str, cost: u64) -> Decision {
    block_on(limiter.check(policy, identifier, cost)).unwrap()
}

/// A span in the grain of the clock, rounded up.
pub(crate) fn whole_ms(span: Duration) -> i64 {
    i64::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap()
}

//! What all parts of one run share: the dice, the true time, the log of what happened, the counts, and broken laws.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tabletheory_core::{Clock, Entropy as _, SeededEntropy, Timestamp};
use tokio::time::Instant;

/// True time at the beginning, in milliseconds since 1970.
const BEGINNING_MS: i64 = 1_704_067_200_000;

/// How often each thing happened.
pub(super) type Tally = BTreeMap<String, u64>;

/// What all parts of one run share.
#[derive(Debug)]
pub(super) struct Stage {
    dice: SeededEntropy,
    begun: Instant,
    /// Whether things go wrong.
    troubled: AtomicBool,
    /// Until when hardly anything arrives, in milliseconds since 1970.
    storm_until_ms: AtomicI64,
    log: Mutex<Vec<String>>,
    tally: Mutex<Tally>,
    broken: Mutex<Vec<String>>,
}

impl Stage {
    pub(super) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            dice: SeededEntropy::new(seed.wrapping_add(1).wrapping_mul(0xD134_2543_DE82_EF95)),
            begun: Instant::now(),
            troubled: AtomicBool::new(true),
            storm_until_ms: AtomicI64::new(0),
            log: Mutex::default(),
            tally: Mutex::default(),
            broken: Mutex::default(),
        })
    }

    /// One of `0..sides`.
    pub(super) fn roll(&self, sides: u64) -> u64 {
        u64::try_from(self.dice.bits() % u128::from(sides.max(1))).unwrap_or(0)
    }

    pub(super) fn chance(&self, percent: u64) -> bool {
        self.roll(100) < percent
    }

    /// A span of so many milliseconds.
    pub(super) fn span(&self, least_ms: u64, most_ms: u64) -> Duration {
        Duration::from_millis(least_ms + self.roll(most_ms - least_ms + 1))
    }

    pub(super) fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(BEGINNING_MS + elapsed)
    }

    pub(super) fn is_troubled(&self) -> bool {
        self.troubled.load(Ordering::Relaxed)
    }

    /// For so long hardly anything arrives.
    pub(super) fn storm(&self, span: Duration) {
        let span_ms = i64::try_from(span.as_millis()).unwrap_or(0);
        self.storm_until_ms.store(self.now().millis() + span_ms, Ordering::Relaxed);
    }

    pub(super) fn is_stormy(&self) -> bool {
        self.is_troubled() && self.now().millis() < self.storm_until_ms.load(Ordering::Relaxed)
    }

    pub(super) fn calm_down(&self) {
        self.troubled.store(false, Ordering::Relaxed);
    }

    pub(super) fn count(&self, what: impl Into<String>) {
        *self.tally.lock().entry(what.into()).or_default() += 1;
    }

    pub(super) fn note(&self, line: impl Display) {
        let at_ms = self.now().millis() - BEGINNING_MS;
        self.log.lock().push(format!("{at_ms:>7} {line}"));
    }

    /// A law is broken.
    pub(super) fn accuse(&self, law: impl Display) {
        self.note(format_args!("BROKEN {law}"));
        self.broken.lock().push(law.to_string());
    }

    pub(super) fn broken(&self) -> Vec<String> {
        self.broken.lock().clone()
    }

    pub(super) fn log(&self) -> Vec<String> {
        self.log.lock().clone()
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally.lock().clone()
    }
}

/// The clock of one worker: true time, and how far it is off.
#[derive(Debug)]
pub(super) struct OwnClock {
    stage: Arc<Stage>,
    off_ms: AtomicI64,
    jumps: AtomicI64,
}

impl OwnClock {
    pub(super) fn new(stage: &Arc<Stage>, off_ms: i64) -> Self {
        Self { stage: Arc::clone(stage), off_ms: AtomicI64::new(off_ms), jumps: AtomicI64::new(0) }
    }

    pub(super) fn jump_to(&self, off_ms: i64) {
        self.off_ms.store(off_ms, Ordering::Relaxed);
        self.jumps.fetch_add(1, Ordering::Relaxed);
    }

    /// How often it jumped.
    pub(super) fn jumps(&self) -> i64 {
        self.jumps.load(Ordering::Relaxed)
    }
}

impl Clock for OwnClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.stage.now().millis() + self.off_ms.load(Ordering::Relaxed))
    }
}

//! Randomness as a component: identifiers and tokens come from an [`Entropy`] that tests can seed.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Gives unpredictable bits.
pub trait Entropy: Debug + Send + Sync {
    /// 128 bits that nobody has seen before.
    fn bits(&self) -> u128;
}

/// Between half of a pause and all of it, so that those who lost together do not come back together.
///
/// ```
/// use std::time::Duration;
///
/// use tabletheory_core::{SeededEntropy, jittered};
///
/// let pause = jittered(Duration::from_millis(100), &SeededEntropy::new(1));
/// assert!(pause >= Duration::from_millis(50) && pause <= Duration::from_millis(100));
/// ```
#[must_use]
pub fn jittered(pause: Duration, entropy: &dyn Entropy) -> Duration {
    let half_us = pause.as_micros() / 2;
    let extra_us = entropy.bits() % (half_us + 1);
    pause / 2 + Duration::from_micros(u64::try_from(extra_us).unwrap_or(0))
}

/// Repeatable bits from a seed: for tests and simulations, never for tokens that must not be guessed.
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// The sequence that belongs to `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    fn next(&self) -> u64 {
        // SplitMix64: the state walks by a fixed odd step, the output is the state well mixed.
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut mixed = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

impl Entropy for SeededEntropy {
    fn bits(&self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }
}

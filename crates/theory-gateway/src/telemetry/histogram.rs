//! How long things took: counts in buckets whose width grows with the time, eight to each doubling, so that a quantile is
//! off by an eighth at most. Counting is one addition.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Each doubling is divided in two to the power of this.
const FINE_BITS: u32 = 3;
const FINE: usize = 1 << FINE_BITS;
/// The longest time that is told from longer ones: about 268 s.
const MICROS_MAX: u64 = (1 << 28) - 1;
/// How many buckets there are.
pub(super) const BUCKETS: usize = place(MICROS_MAX) + 1;

/// Counts of times, for many writers.
#[derive(Debug)]
pub(super) struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    micros: AtomicU64,
}

/// Counts of times, as they were at a moment.
///
/// ```
/// use theory_gateway::telemetry::Distribution;
///
/// assert_eq!(Distribution::default().quantile(0.99), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    buckets: [u64; BUCKETS],
    micros: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: [const { AtomicU64::new(0) }; BUCKETS], micros: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Counts a time.
    pub(super) fn record(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        // A bucket ends with its last microsecond and does not begin with it, as Prometheus counts.
        let place = place((nanos.saturating_sub(1) / 1000).min(MICROS_MAX));
        self.buckets[place].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(nanos / 1000, Ordering::Relaxed);
    }

    /// Adds what was counted to `sum`.
    pub(super) fn add_to(&self, sum: &mut Distribution) {
        for (sum, bucket) in sum.buckets.iter_mut().zip(&self.buckets) {
            *sum += bucket.load(Ordering::Relaxed);
        }
        sum.micros = sum.micros.wrapping_add(self.micros.load(Ordering::Relaxed));
    }
}

impl Default for Distribution {
    fn default() -> Self {
        Self { buckets: [0; BUCKETS], micros: 0 }
    }
}

impl Distribution {
    /// How many times there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// All times together, in seconds.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum of seconds that is off by its last digit misleads nobody"
    )]
    pub fn seconds(&self) -> f64 {
        self.micros as f64 / 1e6
    }

    /// How many times were at most two to the power of `exponent` microseconds. Exact.
    #[must_use]
    pub fn count_up_to(&self, exponent: u32) -> u64 {
        self.buckets[..place((1 << exponent.min(27)) - 1) + 1].iter().sum()
    }

    /// The time that this part of all does not exceed; none if there are no times.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "quantiles are rough anyway")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part of a count is one too"
    )]
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let count = self.count();
        let rank = ((count as f64 * part.clamp(0.0, 1.0)).ceil() as u64).clamp(1, count.max(1));
        let mut seen = 0;
        for (place, bucket) in self.buckets.iter().enumerate().filter(|(_, bucket)| **bucket > 0) {
            if seen + bucket >= rank {
                let (from, to) = (start(place), start(place + 1));
                // As if the times of a bucket were spread evenly in it.
                let within = (rank - seen) as f64 / *bucket as f64;
                return Some(Duration::from_nanos(
                    (1000.0 * (from as f64 + (to - from) as f64 * within)) as u64,
                ));
            }
            seen += bucket;
        }
        None
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = Self::default();
        for (place, more) in since.buckets.iter_mut().enumerate() {
            *more = self.buckets[place].saturating_sub(before.buckets[place]);
        }
        since.micros = self.micros.wrapping_sub(before.micros);
        since
    }
}

/// The bucket of a time.
const fn place(micros: u64) -> usize {
    if micros < FINE as u64 {
        return low(micros);
    }
    let exponent = 63 - micros.leading_zeros();
    let octave = (exponent - FINE_BITS + 1) as usize;
    (octave << FINE_BITS) + (low(micros >> (exponent - FINE_BITS)) & (FINE - 1))
}

/// The first microsecond of a bucket.
const fn start(place: usize) -> u64 {
    if place < FINE {
        return place as u64;
    }
    let octave = place >> FINE_BITS;
    ((FINE + (place & (FINE - 1))) as u64) << (octave - 1)
}

/// A number that is small.
#[expect(clippy::cast_possible_truncation, reason = "it is below 16")]
const fn low(number: u64) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(times: &[u64]) -> Distribution {
        let histogram = Histogram::default();
        times.iter().for_each(|micros| histogram.record(Duration::from_micros(*micros)));
        let mut sum = Distribution::default();
        histogram.add_to(&mut sum);
        sum
    }

    #[test]
    fn counts_up_to_a_power_of_two_are_exact() {
        let times = of(&[1, 64, 65, 128, 129, 1_000_000_000]);
        assert_eq!([6, 7, 8, 27].map(|exponent| times.count_up_to(exponent)), [2, 4, 5, 5]);
        assert_eq!(times.count(), 6);
        assert_eq!(of(&[0]).count_up_to(0), 1);
    }

    #[test]
    fn what_was_counted_since_is_told_from_what_was_before() {
        let (before, after) = (of(&[100]), of(&[100, 9000]));
        assert_eq!(after.since(&before), of(&[9000]));
    }

    proptest! {
        #[test]
        fn every_time_lies_in_its_bucket(micros in 0_u64..MICROS_MAX) {
            let place = place(micros);
            prop_assert!(start(place) <= micros && micros < start(place + 1));
        }

        #[test]
        fn a_quantile_is_off_by_an_eighth_at_most(mut times in proptest::collection::vec(8_u64..100_000_000, 1..200)) {
            let quantile = of(&times).quantile(0.5).unwrap().as_micros();
            times.sort_unstable();
            let exact = u128::from(times[(times.len().div_ceil(2)) - 1]);
            prop_assert!(quantile * 8 <= exact * 9 + 8 && quantile * 9 + 9 >= exact * 8, "{quantile} for {exact}");
        }
    }
}

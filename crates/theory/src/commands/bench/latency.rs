//! How long answers took: counts in buckets whose width grows with the time, 128 to each doubling, so that a quantile is off by less than
//! a hundredth. However long a run is, it takes the same memory.

use std::time::Duration;

/// Each doubling is divided in two to the power of this.
const FINE_BITS: u32 = 7;
const FINE: u64 = 1 << FINE_BITS;
/// Longer times count as this one: more than an hour.
const MICROS_MAX: u64 = (1 << 32) - 1;

/// Times of answers.
#[derive(Debug, Clone)]
pub(super) struct Latency {
    buckets: Vec<u64>,
    count: u64,
    sum: Duration,
    max: Duration,
}

impl Default for Latency {
    fn default() -> Self {
        Self { buckets: vec![0; place(MICROS_MAX) + 1], count: 0, sum: Duration::ZERO, max: Duration::ZERO }
    }
}

impl Latency {
    /// Counts a time.
    pub(super) fn record(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(MICROS_MAX).min(MICROS_MAX);
        self.buckets[place(micros)] += 1;
        self.count += 1;
        self.sum = self.sum.saturating_add(took);
        self.max = self.max.max(took);
    }

    /// The longest.
    pub(super) fn max(&self) -> Duration {
        self.max
    }

    /// All together, divided by their number.
    pub(super) fn mean(&self) -> Duration {
        let nanos = self.sum.as_nanos() / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The time that so many of a thousand do not exceed; zero if there are none.
    pub(super) fn quantile(&self, of_thousand: u64) -> Duration {
        let rank = (self.count * of_thousand).div_ceil(1000).max(1);
        let mut seen = 0;
        for (place, bucket) in self.buckets.iter().enumerate() {
            seen += bucket;
            if seen >= rank {
                // The end of the bucket, and never more than there was.
                return Duration::from_micros(start(place + 1)).min(self.max);
            }
        }
        Duration::ZERO
    }
}

/// The bucket of a time.
fn place(micros: u64) -> usize {
    let index = if micros < FINE {
        micros
    } else {
        let shift = micros.ilog2() - FINE_BITS;
        u64::from(shift + 1) * FINE + ((micros >> shift) - FINE)
    };
    usize::try_from(index).expect("there are some thousand buckets")
}

/// The first microsecond of a bucket.
fn start(place: usize) -> u64 {
    let place = place as u64;
    match (place / FINE).checked_sub(1) {
        None => place,
        Some(shift) => (FINE + place % FINE) << shift,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_lies_in_its_bucket() {
        for micros in (0..40_000).chain([1 << 20, (1 << 31) + 5, MICROS_MAX]) {
            let place = place(micros);
            assert!(start(place) <= micros && micros < start(place + 1), "{micros}");
        }
    }

    #[test]
    fn quantiles_are_off_by_less_than_a_hundredth() {
        let mut latency = Latency::default();
        assert_eq!((latency.quantile(500), latency.mean()), (Duration::ZERO, Duration::ZERO));
        (1..=10_000).for_each(|micros| latency.record(Duration::from_micros(micros * 10)));
        for (of_thousand, exact) in [(500, 50_000), (900, 90_000), (990, 99_000), (999, 99_900)] {
            let told = u64::try_from(latency.quantile(of_thousand).as_micros()).unwrap();
            assert!(told >= exact && told <= exact + exact / 100, "{told} for {exact}");
        }
        assert_eq!(latency.quantile(1000), Duration::from_micros(100_000));
        assert_eq!(latency.max(), Duration::from_micros(100_000));
        assert_eq!(latency.mean(), Duration::from_nanos(50_005_000));
        latency.record(Duration::MAX);
        assert_eq!(latency.max(), Duration::MAX);
    }
}

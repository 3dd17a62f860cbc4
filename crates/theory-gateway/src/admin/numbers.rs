//! How numbers are told, whoever reads them: families of one kind, each with its numbers or times by labels.

use crate::telemetry::Distribution;

/// Times are told in buckets that end with two to the power of these, in microseconds: 64 µs to 67 s.
pub(crate) const EXPONENTS: std::ops::RangeInclusive<u32> = 6..=26;

/// What the numbers of a family are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// They only grow.
    Counter,
    /// They are as things are now.
    Gauge,
    /// They are times.
    Histogram,
}

/// Whoever is told numbers.
pub(crate) trait Numbers {
    /// Begins a family. What follows belongs to it.
    fn family(&mut self, name: &'static str, kind: Kind, help: &'static str);

    /// A number.
    fn number(&mut self, labels: &[(&'static str, &str)], value: u64);

    /// How long things took.
    fn times(&mut self, labels: &[(&'static str, &str)], times: &Distribution);

    /// A family of one number.
    fn alone(&mut self, name: &'static str, kind: Kind, help: &'static str, value: u64) {
        self.family(name, kind, help);
        self.number(&[], value);
    }
}

/// The end of a bucket in seconds.
#[expect(clippy::cast_precision_loss, reason = "powers of two are exact")]
pub(crate) fn bucket_end(exponent: u32) -> f64 {
    (1_u64 << exponent) as f64 / 1e6
}

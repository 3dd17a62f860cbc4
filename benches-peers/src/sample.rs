//! What one round of one server gave: how many answers, how soon, and what they cost.

use serde::{Deserialize, Serialize};

use crate::duel::median;

/// What one round gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    /// Processor time of the server for one request.
    pub(crate) server_cpu_us: f64,
    /// How much of that is the kernel's: reading, copying and sending bytes.
    pub(crate) server_kernel_us: f64,
    /// Processor time of the load generator for one request.
    pub(crate) generator_cpu_us: f64,
}

/// The ratio within each round, median over the rounds.
pub(crate) fn ratio(these: &[Sample], others: &[Sample], figure: fn(&Sample) -> f64) -> f64 {
    median(these.iter().zip(others).map(|(this, other)| figure(this) / figure(other)).collect())
}

/// Each figure's median.
pub(crate) fn middle(samples: &[Sample]) -> Sample {
    let of = |figure: fn(&Sample) -> f64| median(samples.iter().map(figure).collect());
    Sample {
        per_second: of(|sample| sample.per_second),
        p50_us: of(|sample| sample.p50_us),
        p99_us: of(|sample| sample.p99_us),
        server_cpu_us: of(|sample| sample.server_cpu_us),
        server_kernel_us: of(|sample| sample.server_kernel_us),
        generator_cpu_us: of(|sample| sample.generator_cpu_us),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_each_round() {
        let sample = |per_second, server_cpu_us| Sample { per_second, server_cpu_us, ..Sample::default() };
        // The machine was busy in the second round: both were slow, and the ratio does not notice.
        let ours = [sample(80.0, 10.0), sample(20.0, 12.0), sample(90.0, 10.0)];
        let peer = [sample(10.0, 40.0), sample(2.5, 48.0), sample(10.0, 41.0)];
        assert_eq!(ratio(&ours, &peer, |sample| sample.per_second), 8.0);
        assert_eq!(ratio(&peer, &ours, |sample| sample.server_cpu_us), 4.0);
        assert_eq!(middle(&ours).per_second, 80.0);
    }
}

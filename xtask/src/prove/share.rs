//! Minutes, shared out by weight.

use std::time::Duration;

/// The share of each weight. Nothing is left over but parts of a millisecond.
pub(super) fn split(minutes: u64, weights: &[u32]) -> Vec<Duration> {
    let all: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    let millis = minutes * 60_000;
    weights.iter().map(|weight| Duration::from_millis(millis * u64::from(*weight) / all.max(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_weights_and_fill_the_minutes() {
        assert_eq!(split(1, &[1, 2, 3]), [10, 20, 30].map(Duration::from_secs));
        assert_eq!(split(12, &[5]), [Duration::from_secs(720)]);
        assert!(split(7, &[]).is_empty());
        let all: Duration = split(7, &[3, 4, 4, 5, 8]).iter().sum();
        assert!(all <= Duration::from_secs(420) && all > Duration::from_secs(419), "{all:?}");
    }
}

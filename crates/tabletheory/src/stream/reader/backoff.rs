//! How long to wait after a failure that may pass.

use std::time::Duration;

use tabletheory_core::{Entropy, StoreError, jittered};

/// The longest wait after the first failure; each may be twice as long as the one before.
const FIRST: Duration = Duration::from_millis(100);

/// Whether the same question may be answered later. A store says so itself, but for one: asked too often, DynamoDB Streams
/// speaks of a limit, which elsewhere is a limit on tables.
pub(super) fn may_pass(error: &StoreError) -> bool {
    error.is_retryable() || matches!(error, StoreError::LimitExceeded(_))
}

/// The wait after so many failures in a row.
pub(super) fn wait(failures: u32, longest: Duration, entropy: &dyn Entropy) -> Duration {
    jittered(FIRST.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(longest), entropy)
}

#[cfg(test)]
mod tests {
    use tabletheory_core::SeededEntropy;

    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let (entropy, longest) = (SeededEntropy::new(1), Duration::from_secs(20));
        for (failures, full_ms) in [(1, 100), (2, 200), (5, 1600), (9, 20_000), (u32::MAX, 20_000)] {
            let waited = wait(failures, longest, &entropy);
            let full = Duration::from_millis(full_ms);
            assert!(full / 2 <= waited && waited <= full, "{failures}: {waited:?}");
        }
        assert_eq!(wait(3, Duration::ZERO, &entropy), Duration::ZERO);
    }

    #[test]
    fn being_asked_too_often_passes() {
        assert!(may_pass(&StoreError::LimitExceeded(String::new())));
        assert!(may_pass(&StoreError::Throttling(String::new())));
        assert!(!may_pass(&StoreError::ResourceNotFound(String::new())));
    }
}

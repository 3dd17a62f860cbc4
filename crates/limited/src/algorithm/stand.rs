//! How a limit stands, from what is used of it.

use std::time::Duration;

use crate::decision::Standing;
use crate::limit::Limit;

/// What is left of a capacity, how much is used, and when there is more.
pub(super) fn stand(limit: &Limit, used: u64, reset_after: Duration) -> Standing {
    let remaining = limit.capacity().saturating_sub(used);
    Standing { limit: *limit, used, remaining, reset_after, violated: false }
}

/// A span of milliseconds that is not negative.
pub(super) fn millis(span: i64) -> Duration {
    Duration::from_millis(u64::try_from(span).unwrap_or(0))
}

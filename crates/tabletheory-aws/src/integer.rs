//! Limits as the wire carries them.

/// A limit, or another number that cannot be negative. What does not fit is larger than any page.
pub(crate) fn limit(limit: Option<u32>) -> Option<i32> {
    limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX))
}

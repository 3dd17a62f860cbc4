//! Whole numbers as the wire carries them: limits, segments.

/// A number that cannot be negative. What does not fit is longer than any page and more segments than the service allows,
/// and so is the largest that does.
pub(crate) fn integer(number: Option<u32>) -> Option<i32> {
    number.map(|number| i32::try_from(number).unwrap_or(i32::MAX))
}

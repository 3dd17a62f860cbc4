//! Moments as the service writes them: seconds since 1970, as a JSON number.

use serde::Serializer;
use tabletheory_core::Timestamp;

/// With milliseconds after the point.
pub(super) fn exact<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    // A moment of our millennia in milliseconds has fewer than 53 bits, so the quotient is the nearest there is and
    // prints with the same three digits.
    serializer.serialize_f64(at.millis() as f64 / 1000.0)
}

/// Whole seconds, as in stream records.
pub(super) fn whole<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(at.seconds())
}

//! The time of a record: seconds since 1970 as a JSON number, whole or with a fraction.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use tabletheory_core::Timestamp;

/// A moment to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moment(pub(super) Timestamp);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

struct MomentVisitor;

impl Visitor<'_> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("seconds since 1970")
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<Moment, E> {
        moment(Duration::from_secs(seconds))
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<Moment, E> {
        let since = Duration::try_from_secs_f64(seconds).map_err(|_| E::custom("no moment after 1970"))?;
        // The nearest binary fraction of 0.123 is a little less, so milliseconds are rounded and not cut off.
        since.checked_add(Duration::from_micros(500)).map_or_else(|| Err(too_late()), moment)
    }
}

fn moment<E: Error>(since_epoch: Duration) -> Result<Moment, E> {
    let millis = i64::try_from(since_epoch.as_millis()).map_err(|_| too_late())?;
    Ok(Moment(Timestamp::from_millis(millis)))
}

fn too_late<E: Error>() -> E {
    E::custom("a moment too far away")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, millis: Option<i64>) {
        let read = serde_json::from_str::<Moment>(json).ok();
        assert_eq!(read, millis.map(|millis| Moment(Timestamp::from_millis(millis))), "{json}");
    }

    #[test]
    fn seconds_are_whole_or_have_a_fraction() {
        check("0", Some(0));
        check("1700000000", Some(1_700_000_000_000));
        check("1700000000.0", Some(1_700_000_000_000));
        check("1.7e9", Some(1_700_000_000_000));
        check("1700000000.001", Some(1_700_000_000_001));
        check("1704067200.123", Some(1_704_067_200_123));
        check("4102444799.999", Some(4_102_444_799_999));
    }

    #[test]
    fn a_number_that_is_no_moment_is_refused() {
        check("-1", None);
        check("-0.5", None);
        check("1e300", None);
        check("18446744073709551615", None);
        check("18446744073709551614.9", None);
        check("\"1700000000\"", None);
        check("null", None);
        check("true", None);
    }
}

//! Moments as numbers: whole seconds since 1970, the only form in which DynamoDB understands until when an item lives.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tabletheory_core::{Number, Value, ValueType};

use super::Attribute;
use super::error::{AttributeError, Fault};
use super::form::Form;

/// A moment that is stored as a number of seconds since 1970. A part of a second is cut off towards the past, so that an
/// item never lives longer than it should. It is the form of a time with `#[model(ttl)]`.
///
/// ```
/// use jiff::Timestamp;
/// use tabletheory::attribute::{Attribute, EpochSeconds};
/// use tabletheory_core::Value;
///
/// let moment: Timestamp = "2023-11-14T22:13:20.999Z".parse()?;
/// let stored = EpochSeconds(moment).to_value()?;
/// assert_eq!(stored, Value::n(1_700_000_000));
/// assert_eq!(EpochSeconds::from_value(stored)?, EpochSeconds("2023-11-14T22:13:20Z".parse::<Timestamp>()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EpochSeconds<T>(pub T);

/// A type whose values are moments in time.
///
/// ```
/// use jiff::Timestamp;
/// use tabletheory::attribute::EpochTime;
///
/// assert_eq!(Timestamp::UNIX_EPOCH.seconds(), 0);
/// assert_eq!(Timestamp::from_seconds(0), Some(Timestamp::UNIX_EPOCH));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a moment in time",
    note = "use `jiff::Timestamp` or `std::time::SystemTime`"
)]
pub trait EpochTime: Copy {
    /// Whole seconds since 1970; a moment within a second counts as its beginning.
    fn seconds(&self) -> i64;

    /// The moment so many seconds after 1970, if the type can hold it.
    fn from_seconds(seconds: i64) -> Option<Self>;
}

impl EpochTime for Timestamp {
    fn seconds(&self) -> i64 {
        // Before 1970 both parts are negative, and leaving out the second one would go towards the future.
        self.as_second() - i64::from(self.subsec_nanosecond() < 0)
    }

    fn from_seconds(seconds: i64) -> Option<Self> {
        Self::from_second(seconds).ok()
    }
}

impl EpochTime for SystemTime {
    fn seconds(&self) -> i64 {
        let whole = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        match self.duration_since(Self::UNIX_EPOCH) {
            Ok(after) => whole(after),
            Err(error) => {
                let before = error.duration();
                -whole(before).saturating_add(i64::from(before.subsec_nanos() > 0))
            }
        }
    }

    fn from_seconds(seconds: i64) -> Option<Self> {
        let distance = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 {
            Self::UNIX_EPOCH.checked_sub(distance)
        } else {
            Self::UNIX_EPOCH.checked_add(distance)
        }
    }
}

impl<T: EpochTime> Attribute for EpochSeconds<T> {
    const TYPE: Option<ValueType> = Some(ValueType::N);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Self::store(&self.0)
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        let seconds = Number::from_value(value)?.to_i64();
        let moment = seconds.and_then(T::from_seconds);
        moment.map(Self).ok_or_else(|| Fault::DoesNotFit { kind: "a moment in seconds since 1970" }.into())
    }

    fn is_omitted(&self) -> bool {
        Self::omits(&self.0)
    }
}

impl<T: EpochTime> Form<T> for EpochSeconds<T> {
    fn store(value: &T) -> Result<Value, AttributeError> {
        Ok(Value::n(value.seconds()))
    }

    fn omits(value: &T) -> bool {
        // Zero is 1970, when no item was meant to end: the other toolkits use it for an item that lives forever.
        value.seconds() == 0
    }

    fn of(value: T) -> Self {
        Self(value)
    }

    fn into_inner(self) -> T {
        self.0
    }
}

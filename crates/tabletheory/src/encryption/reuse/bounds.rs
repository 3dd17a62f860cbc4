//! The bounds within which a data key is used more than once.

use std::time::Duration;

/// How much a data key may be reused.
///
/// ```
/// use tabletheory::encryption::Reuse;
///
/// let hourly = Reuse { age_max: std::time::Duration::from_hours(1), ..Reuse::default() };
/// assert_eq!((hourly.uses_max, hourly.keys_max), (100, 1000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reuse {
    /// How many values one data key encrypts. Up to one, each value has a data key of its own.
    pub uses_max: u32,
    /// How long a data key is kept since it was asked for, to encrypt as to decrypt. A permission that is taken away counts
    /// for the kept keys after this time.
    pub age_max: Duration,
    /// How many data keys are kept to read with, and how many to write with, which are one for each attribute; beyond that
    /// the one goes that was not used for the longest time.
    pub keys_max: usize,
}

impl Default for Reuse {
    /// A hundred values, five minutes, a thousand keys.
    fn default() -> Self {
        Self { uses_max: 100, age_max: Duration::from_mins(5), keys_max: 1000 }
    }
}

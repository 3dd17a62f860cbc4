//! How the machine is set, as plain data. What is a component (object store, rule, recovery) is given to
//! [`Idempotency`](crate::Idempotency) itself.

use std::time::Duration;

use tabletheory_core::Seconds;

use crate::error::Error;
use crate::scope::KeyScheme;

const LOCK_SECONDS_MAX: i64 = 86_400;
const KEPT_SECONDS_MAX: i64 = 10 * 365 * 86_400;
const WAIT_MAX: Duration = Duration::from_secs(900);

/// How the machine is set.
///
/// ```
/// use idempotent::Settings;
/// use tabletheory_core::Seconds;
///
/// let mut settings = Settings::default();
/// assert_eq!((settings.lock_for, settings.keep_for), (Seconds(60), Seconds(86_400)));
/// settings.lock_for = Seconds(0);
/// assert!(settings.check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How scope and key become the key of a row.
    pub scheme: KeyScheme,
    /// For how long a lock holds that nobody makes longer: 1 s to a day. [`Attempt::guard`](crate::Attempt::guard) makes it longer
    /// after each third.
    pub lock_for: Seconds,
    /// For how long an answer is kept: at least twice as long as a lock, at most ten years. A repetition that comes later
    /// runs again.
    pub keep_for: Seconds,
    /// How much longer than its record a large answer is kept, so that no record names one that is gone.
    pub body_buffer: Seconds,
    /// For how long a repetition waits for the attempt that runs, before it is told so: at most 15 minutes. By default not at
    /// all.
    pub wait_up_to: Duration,
    /// Whether the bodies of requests are written down. They are the callers' data; nothing here reads them.
    pub store_requests: bool,
    /// How many answers are remembered in the process, at most; 0 for none.
    pub cache_entries: usize,
    /// How many bytes they have, at most.
    pub cache_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scheme: KeyScheme::Scoped,
            lock_for: Seconds(60),
            keep_for: Seconds(86_400),
            body_buffer: Seconds(3600),
            wait_up_to: Duration::ZERO,
            store_requests: false,
            cache_entries: 1000,
            cache_bytes: 8 << 20,
        }
    }
}

impl Settings {
    /// Whether they can be kept.
    ///
    /// # Errors
    /// [`Error::Setting`], for the first that cannot.
    pub fn check(&self) -> Result<(), Error> {
        let must = |holds: bool, setting, must_be| {
            if holds { Ok(()) } else { Err(Error::Setting { setting, must_be }) }
        };
        must((1..=LOCK_SECONDS_MAX).contains(&self.lock_for.0), "lock_for", "1 second to a day")?;
        let kept = 2 * self.lock_for.0..=KEPT_SECONDS_MAX;
        must(kept.contains(&self.keep_for.0), "keep_for", "twice `lock_for` to ten years")?;
        must((0..=KEPT_SECONDS_MAX).contains(&self.body_buffer.0), "body_buffer", "0 seconds to ten years")?;
        must(self.wait_up_to <= WAIT_MAX, "wait_up_to", "at most 15 minutes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(&mut Settings), expected: Option<&str>) {
        let mut settings = Settings::default();
        change(&mut settings);
        let refused = match settings.check() {
            Ok(()) => None,
            Err(Error::Setting { setting, .. }) => Some(setting),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(refused, expected, "{settings:?}");
    }

    #[test]
    fn absurd_settings_are_refused() {
        check(|_| {}, None);
        for seconds in [0, -1, i64::MIN, i64::MAX, 86_401] {
            check(|settings| settings.lock_for = Seconds(seconds), Some("lock_for"));
        }
        for seconds in [0, -1, i64::MIN, i64::MAX, 119] {
            check(|settings| settings.keep_for = Seconds(seconds), Some("keep_for"));
        }
        check(|settings| settings.keep_for = Seconds(120), None);
        check(|settings| settings.body_buffer = Seconds(-1), Some("body_buffer"));
        check(|settings| settings.body_buffer = Seconds(0), None);
        check(|settings| settings.wait_up_to = Duration::MAX, Some("wait_up_to"));
        check(|settings| settings.cache_bytes = 0, None);
    }
}

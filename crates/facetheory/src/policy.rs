//! How long a page is fresh, how old it may be served, and how its renders are bounded: plain data, checked once.

use std::time::Duration;

use tabletheory_core::Seconds;

use crate::error::Error;

/// No window is longer: ten years.
const WINDOW_MAX: Seconds = Seconds(10 * 365 * 86_400);

/// When somebody waits for a render.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Nobody waits for a stale page: it is served as it is, and rendered again beside it.
    #[default]
    Background,
    /// Whoever finds a stale page waits until it is rendered.
    Blocking,
}

/// The policy of a page.
///
/// ```
/// use facetheory::{Mode, Policy};
/// use tabletheory_core::Seconds;
///
/// let policy = Policy { mode: Mode::Blocking, ..Policy::fresh_for(Seconds(60)) };
/// assert!(policy.check().is_ok());
/// assert!(Policy::fresh_for(Seconds(-1)).check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// For how long a page is fresh.
    pub revalidate: Seconds,
    /// For how long after its time it may be served while it is rendered again.
    pub stale_max: Seconds,
    /// For how long after its time it may be served when it cannot be rendered, or others take too long to render it.
    pub stale_if_error: Seconds,
    /// For how long "not found" and "gone" are kept. With 0 they are not.
    pub negative: Seconds,
    /// For how long the table keeps a page that nobody asks for.
    pub retention: Seconds,
    /// How much longer than that, because the table forgets when it has the time.
    pub ttl_buffer: Seconds,
    /// When somebody waits for a render.
    pub mode: Mode,
    /// How long somebody waits for the render of another process.
    pub wait: Duration,
    /// How long a render may take, and then again what stores it.
    pub render_max: Duration,
    /// For how long the lease of a render is taken. It is renewed while the render goes on.
    pub lease: Seconds,
    /// How long nobody tries again after a first failure; twice as long after each further one.
    pub backoff: Duration,
    /// The longest such pause.
    pub backoff_max: Duration,
    /// How far clocks of a fleet may be apart. A page from further in the future is not fresh.
    pub clock_skew: Seconds,
    /// Whether each publish leaves a version for history and the way back.
    pub versions: bool,
}

impl Policy {
    /// A policy with this time of freshness, and what suits most sites otherwise.
    #[must_use]
    pub fn fresh_for(revalidate: Seconds) -> Self {
        Self {
            revalidate,
            stale_max: Seconds(86_400),
            stale_if_error: Seconds(86_400),
            negative: Seconds(10),
            retention: Seconds(30 * 86_400),
            ttl_buffer: Seconds(3600),
            mode: Mode::Background,
            wait: Duration::from_secs(10),
            render_max: Duration::from_secs(60),
            lease: Seconds(10),
            backoff: Duration::from_secs(1),
            backoff_max: Duration::from_secs(60),
            clock_skew: Seconds(5),
            versions: false,
        }
    }

    /// Whether it can be kept.
    ///
    /// # Errors
    /// If a window is negative, or anything is longer than ten years, if the lease is shorter than two seconds, which whole seconds cannot
    /// tell from none, or if the table would forget a page before it stops being served.
    pub fn check(&self) -> Result<(), Error> {
        let windows = [
            ("revalidate", self.revalidate),
            ("stale_max", self.stale_max),
            ("stale_if_error", self.stale_if_error),
            ("negative", self.negative),
            ("retention", self.retention),
            ("ttl_buffer", self.ttl_buffer),
            ("clock_skew", self.clock_skew),
            ("lease", self.lease),
        ];
        for (name, window) in windows {
            if window < Seconds(0) || window > WINDOW_MAX {
                return Err(Error::Window { name, seconds: window.0 });
            }
        }
        let spans = [
            ("wait", self.wait),
            ("render_max", self.render_max),
            ("backoff", self.backoff),
            ("backoff_max", self.backoff_max),
        ];
        for (name, span) in spans {
            let seconds = i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
            if Seconds(seconds) > WINDOW_MAX {
                return Err(Error::Window { name, seconds });
            }
        }
        if self.lease < Seconds(2) {
            return Err(Error::Window { name: "lease", seconds: self.lease.0 });
        }
        let served =
            Seconds(self.revalidate.0.max(self.negative.0) + self.stale_max.0.max(self.stale_if_error.0));
        if Seconds(self.retention.0 + self.ttl_buffer.0) <= served {
            return Err(Error::RetentionTooShort { retention: self.retention, served });
        }
        Ok(())
    }

    /// How long nobody tries again after so many failures in a row.
    #[must_use]
    pub fn pause_after(&self, failures: u64) -> Duration {
        let doublings = u32::try_from(failures.saturating_sub(1)).unwrap_or(u32::MAX).min(32);
        self.backoff.saturating_mul(2_u32.saturating_pow(doublings)).min(self.backoff_max)
    }
}

impl Default for Policy {
    /// Fresh for a minute.
    fn default() -> Self {
        Self::fresh_for(Seconds(60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Policy)) {
        let mut policy = Policy::default();
        assert!(policy.check().is_ok());
        change(&mut policy);
        assert!(policy.check().is_err(), "{policy:?}");
    }

    #[test]
    fn windows_that_cannot_be_kept_are_refused() {
        refused(|policy| policy.revalidate = Seconds(-1));
        refused(|policy| policy.revalidate = Seconds(i64::MAX));
        refused(|policy| policy.negative = Seconds(i64::MIN));
        refused(|policy| policy.lease = Seconds(1));
        refused(|policy| policy.wait = Duration::MAX);
        refused(|policy| policy.render_max = Duration::MAX);
        refused(|policy| policy.retention = Seconds(60));
    }

    #[test]
    fn pauses_double_up_to_their_bound() {
        let policy = Policy::default();
        let pauses = [0, 1, 2, 3, 7, u64::MAX].map(|failures| policy.pause_after(failures).as_secs());
        assert_eq!(pauses, [1, 1, 2, 4, 60, 60]);
    }
}

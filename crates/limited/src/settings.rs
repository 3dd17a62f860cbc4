//! How a limiter behaves: plain data, checked once.

use std::time::Duration;

use crate::error::Error;

const REMEMBERED_MAX: usize = 10_000_000;
const SPAN_MAX: Duration = Duration::from_secs(600);
const NODES_MAX: u32 = 100_000;

/// What happens to requests while the store does not answer.
///
/// ```
/// use limited::{LimiterSettings, OnFailure};
///
/// assert_eq!(LimiterSettings::default().on_failure, OnFailure::Local { nodes: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnFailure {
    /// They go on, uncounted.
    Open,
    /// They are refused.
    Closed,
    /// This process counts alone, with its part of each limit.
    Local {
        /// Among how many processes the limits are divided. A limit smaller than that is one for each of them.
        nodes: u32,
    },
}

/// How a limiter behaves.
///
/// ```
/// use limited::{LimiterSettings, OnFailure};
///
/// let settings = LimiterSettings { on_failure: OnFailure::Closed, ..LimiterSettings::default() };
/// assert!(settings.check().is_ok());
/// assert!(LimiterSettings { remembered: 0, ..settings }.check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimiterSettings {
    /// What happens while the store does not answer.
    pub on_failure: OnFailure,
    /// How long one call of the store may take. Longer counts as no answer. Needs a tokio runtime with time; without one, calls
    /// take as long as they take.
    pub timeout: Duration,
    /// For how long after no answer the store is left alone, before one request tries it again.
    pub pause: Duration,
    /// For how long a denial is believed without asking again: a reset elsewhere is seen so much later. With zero, never.
    pub deny_cache: Duration,
    /// For how long units of a bucket that were charged in advance may be spent.
    pub lease: Duration,
    /// How many identifiers this process remembers something about.
    pub remembered: usize,
}

impl Default for LimiterSettings {
    fn default() -> Self {
        Self {
            on_failure: OnFailure::Local { nodes: 1 },
            timeout: Duration::from_millis(500),
            pause: Duration::from_secs(1),
            deny_cache: Duration::from_secs(1),
            lease: Duration::from_millis(250),
            remembered: 100_000,
        }
    }
}

impl LimiterSettings {
    /// Whether they make sense together.
    ///
    /// # Errors
    /// [`Error::Setting`], with the one that does not.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |name, reason| Err(Error::Setting { name, reason });
        if self.timeout.is_zero() || self.timeout > SPAN_MAX {
            return refuse("timeout", "it is not more than zero and at most ten minutes");
        }
        if self.lease.is_zero() || self.lease > SPAN_MAX {
            return refuse("lease", "it is not more than zero and at most ten minutes");
        }
        if self.pause > SPAN_MAX {
            return refuse("pause", "it is longer than ten minutes");
        }
        if self.deny_cache > SPAN_MAX {
            return refuse("deny_cache", "it is longer than ten minutes");
        }
        if !(1..=REMEMBERED_MAX).contains(&self.remembered) {
            return refuse("remembered", "it is not 1 to 10000000");
        }
        if let OnFailure::Local { nodes } = self.on_failure
            && !(1..=NODES_MAX).contains(&nodes)
        {
            return refuse("on_failure", "its processes are not 1 to 100000");
        }
        Ok(())
    }
}

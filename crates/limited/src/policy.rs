//! A policy: a name, its limits, and how they are asked. Plain data, checked once.

use std::sync::Arc;

use crate::error::Error;
use crate::gauge::Gauges;
use crate::limit::{Limit, Rule};

const NAME_BYTES_MAX: usize = 64;
/// As many limits as one row and one condition hold with room to spare.
const LIMITS_MAX: usize = 10;
/// A shard holds at least this much: smaller ones would deny while others still have room.
const SHARD_CAPACITY_MIN: u64 = 1_000;
const SHARDS_MAX: u32 = 64;
const BATCH_MAX: u64 = 100_000;
const LOG_IS_NOT_LEASED: &str = "a log has to know every moment and cannot be leased";

/// Limits that are asked together and for one identifier: all of them allow, or nothing is taken.
///
/// ```
/// use limited::{Limit, Policy};
///
/// let policy = Policy::new("api", [Limit::per_second(20).burst(60), Limit::per_hour(10_000).sliding_window()])?;
/// assert_eq!(policy.name(), "api");
/// assert!(Policy::new("api", [Limit::per_second(20), Limit::per_second(30)]).is_err(), "the second says nothing new");
/// # Ok::<(), limited::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    name: Arc<str>,
    limits: Arc<[Limit]>,
    gauges: Arc<Gauges>,
    shadow: bool,
    batch: Option<u64>,
    shards: u32,
    overrides: bool,
}

impl Policy {
    /// A policy of this name with these limits.
    ///
    /// # Errors
    /// [`Error::Policy`] if the name is not 1 to 64 letters, digits, `-`, `_` and `.`, or the limits are none, too many, or two of
    /// one rule and period; [`Error::Limit`] if one of them cannot be kept.
    pub fn new(name: &str, limits: impl IntoIterator<Item = Limit>) -> Result<Self, Error> {
        let limits: Arc<[Limit]> = limits.into_iter().collect();
        let gauges = Arc::new(Gauges::new(&limits));
        let policy = Self {
            name: name.into(),
            limits,
            gauges,
            shadow: false,
            batch: None,
            shards: 1,
            overrides: false,
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_plain) {
            return Err(policy.refused("its name is not 1 to 64 letters, digits, `-`, `_` and `.`"));
        }
        policy.check_limits(&policy.limits)?;
        Ok(policy)
    }

    /// Whether these limits can be asked together.
    pub(crate) fn check_limits(&self, limits: &[Limit]) -> Result<(), Error> {
        if limits.is_empty() || limits.len() > LIMITS_MAX {
            return Err(self.refused("it has no limit, or more than 10"));
        }
        for (position, limit) in limits.iter().enumerate() {
            limit.check()?;
            if self.batch.is_some() && limit.rule() == Rule::SlidingLog {
                return Err(self.refused(LOG_IS_NOT_LEASED));
            }
            if limits[..position].iter().any(|other| other.mark() == limit.mark()) {
                return Err(self
                    .refused("two of its limits have one rule and one period, so the stricter says it all"));
            }
        }
        Ok(())
    }

    /// A policy that only watches: it counts and says what it would do, and lets everyone through.
    ///
    /// ```
    /// # use limited::{Limit, Policy};
    /// assert!(Policy::new("new-limits", [Limit::per_second(1)])?.shadow().is_shadow());
    /// # Ok::<(), limited::Error>(())
    /// ```
    #[must_use]
    pub fn shadow(mut self) -> Self {
        self.shadow = true;
        self
    }

    /// Charges up to `batch` units in one call and spends them in this process. What was charged and not spent is lost with the
    /// window, or after [`LimiterSettings::lease`](crate::LimiterSettings::lease) for a bucket, so nothing is allowed twice: windows
    /// keep their limit, and a bucket allows at most rate × (t + lease) + burst. The batch adapts to what is asked for and to what
    /// is left.
    ///
    /// ```
    /// # use limited::{Limit, Policy};
    /// assert!(Policy::new("hot", [Limit::per_second(5_000)])?.leased(50).is_ok());
    /// assert!(Policy::new("log", [Limit::per_second(50).sliding_log()])?.leased(50).is_err());
    /// # Ok::<(), limited::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Policy`] if the batch is not 2 to 100000, or a limit is a log, which knows every moment.
    pub fn leased(mut self, batch: u64) -> Result<Self, Error> {
        if !(2..=BATCH_MAX).contains(&batch) {
            return Err(self.refused("its batch is not 2 to 100000"));
        }
        self.batch = Some(batch);
        self.check_limits(&self.limits)?;
        Ok(self)
    }

    /// Spreads an identifier over so many rows, each with its part of the limits. Only for what leases cannot carry: a shard may
    /// deny while another still has room.
    ///
    /// ```
    /// # use limited::{Limit, Policy};
    /// assert!(Policy::new("huge", [Limit::per_second(100_000)])?.sharded(10).is_ok());
    /// assert!(Policy::new("small", [Limit::per_second(100)])?.sharded(10).is_err());
    /// # Ok::<(), limited::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Policy`] if there are not 2 to 64 shards, or one would hold less than 1000.
    pub fn sharded(mut self, shards: u32) -> Result<Self, Error> {
        if !(2..=SHARDS_MAX).contains(&shards) {
            return Err(self.refused("it has not 2 to 64 shards"));
        }
        let smallest =
            self.limits.iter().map(|limit| limit.amount().min(limit.capacity())).min().unwrap_or(0);
        if smallest / u64::from(shards) < SHARD_CAPACITY_MIN {
            return Err(self.refused("a shard would hold less than 1000; use a lease instead"));
        }
        self.shards = shards;
        self.gauges = Arc::new(self.gauges_of(&self.limits));
        Ok(self)
    }

    /// Asks the table for limits of the identifier's own, and of its tenant, before the policy's: they are remembered for a
    /// minute. Limits of the same rules and periods go on with what was counted; others begin anew.
    #[must_use]
    pub fn with_overrides(mut self) -> Self {
        self.overrides = true;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its limits.
    #[must_use]
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Whether it only watches.
    #[must_use]
    pub fn is_shadow(&self) -> bool {
        self.shadow
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    pub(crate) fn gauges(&self) -> &Arc<Gauges> {
        &self.gauges
    }

    /// These limits, as each shard has them.
    pub(crate) fn gauges_of(&self, limits: &[Limit]) -> Gauges {
        let parts: Vec<Limit> = limits.iter().map(|limit| limit.divided(self.shards)).collect();
        Gauges::new(&parts)
    }

    pub(crate) fn batch(&self) -> Option<u64> {
        self.batch
    }

    pub(crate) fn shards(&self) -> u32 {
        self.shards
    }

    pub(crate) fn has_overrides(&self) -> bool {
        self.overrides
    }

    fn refused(&self, reason: &'static str) -> Error {
        let name = self.name.chars().filter(|letter| !letter.is_control()).take(NAME_BYTES_MAX).collect();
        Error::Policy { name, reason }
    }
}

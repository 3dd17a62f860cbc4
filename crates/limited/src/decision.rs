//! What was decided, and what a caller may be told about it.

use std::sync::Arc;
use std::time::Duration;

use crate::limit::Limit;

/// A decision: whether a request may go on, and how each limit stands.
///
/// ```
/// use limited::{Limit, Limiter, Policy};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let limiter = Limiter::new(Db::memory());
/// limiter.create_table().await?;
/// let policy = Policy::new("api", [Limit::per_minute(2)])?;
///
/// let decision = limiter.check(&policy, "ip:203.0.113.7", 1).await?;
/// assert!(decision.is_allowed());
/// assert_eq!(decision.limits[0].remaining, 1);
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a decision that nobody looks at limits nothing"]
#[non_exhaustive]
pub struct Decision {
    /// The name of the policy that was asked.
    pub policy: Arc<str>,
    /// What its limits say.
    pub verdict: Verdict,
    /// Whether the policy only watches: then a request goes on whatever the verdict.
    pub shadow: bool,
    /// Who decided.
    pub source: Source,
    /// How each limit stands, in the policy's order. Empty if nobody counted.
    pub limits: Vec<Standing>,
    /// How long to wait before the same request can be allowed, if it was denied and that is known.
    pub retry_after: Option<Duration>,
}

/// What the limits say.
///
/// ```
/// assert_ne!(limited::Verdict::Allowed, limited::Verdict::Denied);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// There is room, and it was taken.
    Allowed,
    /// There is none, and nothing was taken.
    Denied,
}

/// Who decided.
///
/// ```
/// let is_counted = |source| !matches!(source, limited::Source::FailedOpen | limited::Source::FailedClosed);
/// assert!(is_counted(limited::Source::DenyCache));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The store, in one call.
    Store,
    /// This process, from units that it had been charged for before.
    Lease,
    /// This process, because the store had said no and time has not changed that.
    DenyCache,
    /// The store did not answer, and this process counted alone.
    Local,
    /// The store did not answer, and the policy lets everyone through.
    FailedOpen,
    /// The store did not answer, and the policy lets nobody through.
    FailedClosed,
}

/// How one limit stands after a decision.
///
/// ```
/// use limited::{Limit, Limiter, Policy};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let limiter = Limiter::new(Db::memory());
/// limiter.create_table().await?;
/// let policy = Policy::new("api", [Limit::per_hour(5).fixed_window()])?;
/// let standing = limiter.check(&policy, "user:ada", 2).await?.limits[0];
/// assert_eq!((standing.used, standing.remaining, standing.violated), (2, 3, false));
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// The limit.
    pub limit: Limit,
    /// How much of it is used.
    pub used: u64,
    /// How much could be taken now.
    pub remaining: u64,
    /// How long until more can be taken than now.
    pub reset_after: Duration,
    /// Whether it denied the request.
    pub violated: bool,
}

impl Decision {
    /// Whether the request goes on.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.shadow || self.verdict == Verdict::Allowed
    }

    /// The limit that leaves least, by part of its capacity: the one to tell a caller first.
    #[must_use]
    pub fn tightest(&self) -> Option<&Standing> {
        let left = |standing: &&Standing| {
            let capacity = u128::from(standing.limit.capacity().max(1));
            u128::from(standing.remaining) * 1_000_000 / capacity
        };
        self.limits.iter().min_by_key(|standing| (!standing.violated, left(standing)))
    }
}

//! `LOCK`: who renders a page now, until when, and when the next attempt is welcome.

use std::fmt;

use tabletheory::Model;

/// The lease of a page. It is held while `lease_expires_at > now`, in whole seconds, by everyone's rule.
///
/// ```
/// use facetheory::record::Lock;
///
/// let lock = Lock { lease_expires_at: 100, ..Lock::free("CACHE#1") };
/// assert!(lock.is_held(99) && !lock.is_held(100));
/// ```
#[derive(Model, Clone, PartialEq, Eq)]
#[model(
    table = "facetheory-cache",
    table_env("FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"),
    rename_all = "snake_case",
    sk = "LOCK"
)]
pub struct Lock {
    /// The page's partition.
    #[model(pk)]
    pub pk: String,
    /// Whose it is: random for each attempt, and the fence of everything the holder writes.
    pub lease_token: String,
    /// Seconds since 1970 at which it is free.
    pub lease_expires_at: i64,
    /// Seconds since 1970 after which the table may forget the row.
    #[model(ttl)]
    pub ttl: Option<i64>,
    /// How many renders failed since the last one that did not.
    #[model(omit_empty)]
    pub fail_count: u64,
    /// Milliseconds since 1970 before which nobody should try again.
    pub next_attempt_ms: Option<i64>,
}

impl Lock {
    /// A lock that nobody has.
    #[must_use]
    pub fn free(pk: impl Into<String>) -> Self {
        Self {
            pk: pk.into(),
            lease_token: String::new(),
            lease_expires_at: 0,
            ttl: None,
            fail_count: 0,
            next_attempt_ms: None,
        }
    }

    /// Whether somebody has it at this second.
    #[must_use]
    pub fn is_held(&self, now_seconds: i64) -> bool {
        self.lease_expires_at > now_seconds
    }
}

/// Without the token: whoever has it could publish.
impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lock")
            .field("pk", &self.pk)
            .field("lease_expires_at", &self.lease_expires_at)
            .field("fail_count", &self.fail_count)
            .field("next_attempt_ms", &self.next_attempt_ms)
            .finish_non_exhaustive()
    }
}

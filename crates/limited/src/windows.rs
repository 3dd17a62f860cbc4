//! The seed's backend and its service: one row for each identifier and window, and one UpdateItem for each request. For tables
//! that are shared with the other toolkits; the limiter has better rules.

use tabletheory::{Db, Error as DbError};
use tabletheory_core::{Seconds, Timestamp};

use crate::error::Error;
use crate::record::RateLimitRecord;

/// What a partition key holds.
const KEY_BYTES_MAX: usize = 2_048;
/// How long after its beginning the table may forget a window.
const KEPT: Seconds = Seconds(2 * 3_600);
/// How long the windows of [`Windows::check_and_increment`] are.
const WINDOW_SECONDS: i64 = 60;
/// The first and the last second that RFC 3339 can write and `jiff` knows: the beginning of the year 1, and nearly the end of 9999.
const SECONDS_MIN: i64 = -62_135_596_800;
const SECONDS_MAX: i64 = 253_402_207_200;

/// Counts in windows, in the rows of the seed. A request is counted in one call, and the true count comes back with it.
///
/// A call whose answer is lost is not sent again: it may have counted, and would count twice. The caller learns that the store
/// failed.
///
/// ```
/// use limited::{RateLimitRecord, Windows};
/// use tabletheory::Db;
/// use tabletheory_core::Timestamp;
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// RateLimitRecord::ensure_table(&db).await?;
/// let windows = Windows::new(db);
///
/// let window = Timestamp::from_seconds(1_704_067_200);
/// assert_eq!(windows.increment("ip:203.0.113.7", window).await?, 1);
/// assert_eq!(windows.increment("ip:203.0.113.7", window).await?, 2);
/// windows.reset("ip:203.0.113.7", window).await?;
/// assert_eq!(windows.get("ip:203.0.113.7", window).await?, 0);
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Windows {
    db: Db,
}

/// What [`Windows::check_and_increment`] came to.
///
/// ```
/// use limited::Counted;
///
/// let counted = Counted { allowed: false, count: 100 };
/// assert!(!counted.allowed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a decision that nobody looks at limits nothing"]
pub struct Counted {
    /// Whether there was room, and the request was counted.
    pub allowed: bool,
    /// How many were counted in this window, with this one if it was allowed.
    pub count: u64,
}

impl Windows {
    /// Windows in the table that `db` keeps a [`RateLimitRecord`] in.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Counts one more in the window that began at `window`, in one UpdateItem, and tells the count after it.
    ///
    /// # Errors
    /// [`Error::NoIdentifier`] and [`Error::IdentifierTooLong`] for a key that no table holds; [`Error::Store`].
    pub async fn increment(&self, key: &str, window: Timestamp) -> Result<u64, Error> {
        check(key)?;
        let changed = self.counting(key, window).changed().await?;
        count_of(&changed)
    }

    /// How many were counted in the window that began at `window`.
    ///
    /// # Errors
    /// As for [`increment`](Self::increment); [`Error::Row`] if the row is damaged.
    pub async fn get(&self, key: &str, window: Timestamp) -> Result<u64, Error> {
        check(key)?;
        let record = self.db.get(row(key, window)).consistent().await?;
        Ok(record.map_or(0, |record| record.count))
    }

    /// Forgets the window that began at `window`.
    ///
    /// # Errors
    /// As for [`increment`](Self::increment).
    pub async fn reset(&self, key: &str, window: Timestamp) -> Result<(), Error> {
        check(key)?;
        self.db.delete(row(key, window)).await?;
        Ok(())
    }

    /// Counts one more in the minute that is now, if fewer than `limit` were counted in it. Allowed, first and denied requests cost
    /// one UpdateItem each. A store that does not tell the row with a denial, as DynamoDB Local of 2020, costs a GetItem more.
    ///
    /// ```
    /// use limited::{Counted, RateLimitRecord, Windows};
    /// use tabletheory::Db;
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// RateLimitRecord::ensure_table(&db).await?;
    /// let windows = Windows::new(db);
    /// assert_eq!(windows.check_and_increment("user:7", 1).await?, Counted { allowed: true, count: 1 });
    /// # Ok::<(), limited::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for [`increment`](Self::increment); [`Error::Limit`] for a limit of zero, which would never allow anything.
    pub async fn check_and_increment(&self, identifier: &str, limit: u64) -> Result<Counted, Error> {
        check(identifier)?;
        if limit == 0 {
            let reason = "it would never allow anything; leave the limit out or deny by other means";
            return Err(Error::Limit { text: "0".to_owned(), reason });
        }
        let window = self.window();
        // On the first request of a window there is no count, and a bare comparison with it is false.
        let has_room = RateLimitRecord::COUNT.not_exists() | RateLimitRecord::COUNT.lt(limit);
        match self.counting(identifier, window).when(has_room).changed().await {
            Ok(changed) => Ok(Counted { allowed: true, count: count_of(&changed)? }),
            Err(DbError::ConditionFailed { current: Some(record), .. }) => {
                Ok(Counted { allowed: false, count: record.count })
            }
            Err(DbError::ConditionFailed { current: None, .. }) => {
                Ok(Counted { allowed: false, count: self.get(identifier, window).await? })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// How many were counted in the minute that is now.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub async fn get_usage(&self, identifier: &str) -> Result<u64, Error> {
        self.get(identifier, self.window()).await
    }

    /// When the minute that is now began.
    fn window(&self) -> Timestamp {
        let seconds = self.db.clock().now().seconds();
        Timestamp::from_seconds(seconds.saturating_sub(seconds.rem_euclid(WINDOW_SECONDS)))
    }

    /// One more. `ADD` makes a missing count 1; the seed's second change of the same attribute is refused by the service.
    fn counting(&self, key: &str, window: Timestamp) -> tabletheory::db::Update<RateLimitRecord> {
        let expires_at = (window + KEPT).seconds();
        self.db
            .update(row(key, window))
            .or_create()
            .change(RateLimitRecord::COUNT.add(1))
            .change(RateLimitRecord::BUCKET_KEY.set_if_not_exists(key.to_owned()))
            .change(RateLimitRecord::EXPIRES_AT.set_if_not_exists(expires_at))
    }
}

/// Without the database, whose store may show what it holds.
impl std::fmt::Debug for Windows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Windows").finish_non_exhaustive()
    }
}

fn row(key: &str, window: Timestamp) -> tabletheory::key::Key<RateLimitRecord> {
    RateLimitRecord::key(key, window_time(window))
}

/// The sort key of a window: RFC 3339 with whole seconds, always in UTC, so that every process names the same window.
fn window_time(window: Timestamp) -> String {
    let seconds = window.seconds().clamp(SECONDS_MIN, SECONDS_MAX);
    let moment = jiff::Timestamp::from_second(seconds).expect("the bounds are those of the calendar");
    moment.to_string()
}

fn count_of(changed: &tabletheory_core::Item) -> Result<u64, Error> {
    let count = changed.get(RateLimitRecord::COUNT.name()).and_then(|count| count.as_n()?.to_u64());
    count.ok_or_else(|| Error::Row("the store did not tell the `Count` that it changed".to_owned()))
}

fn check(key: &str) -> Result<(), Error> {
    match key.len() {
        0 => Err(Error::NoIdentifier),
        1..=KEY_BYTES_MAX => Ok(()),
        bytes => Err(Error::IdentifierTooLong { bytes, bytes_max: KEY_BYTES_MAX }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_named_in_whole_seconds_of_utc() {
        let check = |millis, expected: &str| {
            assert_eq!(window_time(Timestamp::from_millis(millis)), expected);
        };
        check(0, "1970-01-01T00:00:00Z");
        check(1_704_067_200_999, "2024-01-01T00:00:00Z");
        check(-1, "1969-12-31T23:59:59Z");
        check(i64::MIN, "0001-01-01T00:00:00Z");
        check(i64::MAX, "9999-12-30T22:00:00Z");
    }

    #[test]
    fn later_windows_have_later_names() {
        let name = |seconds| window_time(Timestamp::from_seconds(seconds));
        assert!(name(SECONDS_MIN) < name(-1) && name(-1) < name(0) && name(0) < name(SECONDS_MAX));
    }
}

//! Which leases are held, for operators: who waits for what. Tokens stay in the table, because whoever has one could publish.

use tabletheory_core::Timestamp;

use super::MetaStore;
use super::row::Row;
use crate::error::Error;
use crate::key::Partition;

/// The lease of a page as others see it.
///
/// ```
/// use facetheory::meta::{Acquire, MetaStore};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// let leases = store.leases(100, None).await?;
/// assert_eq!((&leases.leases[0].partition, leases.leases[0].failures), (&page, 0));
/// # store.release(lease).await?;
/// # assert!(store.leases(100, None).await?.leases.is_empty());
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeldLease {
    /// The page's partition.
    pub partition: Partition,
    /// Whether somebody has it. If not, a failure asks for patience.
    pub is_held: bool,
    /// When it is free, if its holder does not make it longer.
    pub expires: Timestamp,
    /// How many renders failed since the last that did not.
    pub failures: u64,
    /// When the next attempt is welcome, if that is not now.
    pub next_attempt: Option<Timestamp>,
}

/// A part of the leases in the table, in no order.
///
/// ```
/// use facetheory::meta::MetaStore;
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let leases = store.leases(100, None).await?;
/// assert!(leases.leases.is_empty() && leases.cursor.is_none());
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeldLeases {
    /// Those that are held, or put off after a failure.
    pub leases: Vec<HeldLease>,
    /// With this the next part is asked for; none if this is the last.
    pub cursor: Option<String>,
}

impl MetaStore {
    /// The leases that somebody has, and those that nobody takes yet because a render failed: about `limit` at a time, in no
    /// order. It reads the whole table, so it is for people and not for decisions.
    ///
    /// # Errors
    /// If the store does not answer, or the cursor is none of this table.
    pub async fn leases(&self, limit: usize, cursor: Option<&str>) -> Result<HeldLeases, Error> {
        let now = self.db.clock().now();
        let is_taken = Row::LEASE_EXPIRES_AT.gt(now.seconds()).or(Row::NEXT_ATTEMPT_MS.gt(now.millis()));
        let scan = self.db.scan::<Row>().filter(Row::SK.eq("LOCK").and(is_taken)).limit(limit.max(1));
        let page = scan.page(cursor).await.map_err(tabletheory::Error::erase)?;
        let leases = page.items.iter().filter_map(|row| held(row, now)).collect();
        Ok(HeldLeases { leases, cursor: page.cursor })
    }
}

/// What a row says. Numbers are read one by one, as they are by those who want the lease: a row that is wrong otherwise holds
/// it all the same.
fn held(row: &Row, now: Timestamp) -> Option<HeldLease> {
    let expires = Timestamp::from_seconds(row.integer("lease_expires_at").unwrap_or(0));
    let next_attempt = row.integer("next_attempt_ms").map(Timestamp::from_millis);
    Some(HeldLease {
        partition: Partition::of_row(row.text("pk")?)?,
        is_held: expires.seconds() > now.seconds(),
        expires,
        failures: row.number("fail_count").unwrap_or(0),
        next_attempt: next_attempt.filter(|next| *next > now),
    })
}

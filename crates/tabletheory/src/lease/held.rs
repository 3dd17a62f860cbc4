//! A lease as its holder has it.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::expr::Condition;
use tabletheory_core::{Item, Seconds, StoreError, Timestamp};

use super::protocol::{Locks, Removal, Renewal};
use crate::error::Error;
use crate::tenure::Tenure;

/// A lease that was granted. It is not given back when it is dropped: release it, or let it run out.
///
/// That there is a `Lease` proves nothing about now: the process may have slept. Work that must stop in time belongs into
/// [`guard`](Self::guard); a write that a former holder must not do carries [`still_held`](Self::still_held).
///
/// ```
/// # use std::sync::Arc;
/// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
/// # use tabletheory_core::{Item, Seconds, StoreError, StoreExt};
/// # use tabletheory_engine::Engine;
/// # futures_executor::block_on(async {
/// # let store = Arc::new(Engine::memory());
/// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
/// # let leases = LeaseManager::new(store, "cache");
/// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { panic!("nobody else is here") };
/// assert_eq!(lease.pk(), "PAGE#1");
/// assert_eq!(lease.key(), Item::from([("pk", "PAGE#1"), ("sk", "LOCK")]));
/// # Ok::<(), StoreError>(()) }).unwrap();
/// ```
#[must_use = "a lease that is dropped stays taken until it runs out"]
pub struct Lease {
    pub(super) locks: Arc<Locks>,
    pk: String,
    token: String,
    fence: u64,
    pub(super) tenure: Tenure,
}

/// What [`Lease::refresh`] came to.
///
/// ```
/// use tabletheory::lease::Refresh;
///
/// assert_ne!(Refresh::Extended, Refresh::Lost);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "work goes on only under a lease that was extended"]
pub enum Refresh {
    /// The lease holds for the term asked for, or for longer if it did already.
    Extended,
    /// The lease ran out, or somebody else has it, or somebody deleted it. It does not come back.
    Lost,
}

impl Refresh {
    /// Nothing, or [`Error::LeaseNotOwned`].
    ///
    /// ```
    /// use tabletheory::Error;
    /// use tabletheory::lease::Refresh;
    ///
    /// assert!(matches!(Refresh::Lost.extended(), Err(Error::LeaseNotOwned)));
    /// ```
    ///
    /// # Errors
    /// If the lease was lost.
    pub fn extended(self) -> Result<(), Error> {
        match self {
            Self::Extended => Ok(()),
            Self::Lost => Err(Error::LeaseNotOwned),
        }
    }
}

/// What [`Lease::release`] came to. In all cases the lease is not ours any more.
///
/// ```
/// use tabletheory::lease::Release;
///
/// let covered = |release| matches!(release, Release::Released);
/// assert!(covered(Release::Released) && !covered(Release::NotOurs) && !covered(Release::Gone));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// It was ours, and is free.
    Released,
    /// It was not ours any more, and nothing was changed.
    NotOurs,
    /// The store's first answer was lost, and then the lease was not ours: either that first try released it, or it was
    /// lost before.
    Gone,
}

impl Lease {
    pub(super) fn new(locks: Arc<Locks>, pk: String, token: String, fence: u64, tenure: Tenure) -> Self {
        Self { locks, pk, token, fence, tenure }
    }

    /// What is leased.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store, "cache");
    /// # let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.pk(), "PAGE#1");
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn pk(&self) -> &str {
        &self.pk
    }

    /// The row's key, for a transaction that touches it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt, Value};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store, "cache");
    /// # let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.key().get("sk"), Some(&Value::s("LOCK")));
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn key(&self) -> Item {
        self.locks.rows.key(&self.pk)
    }

    /// The random token that this grant wrote. Nobody else ever holds the same.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store, "cache");
    /// # let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.token().len(), "00112233-4455-4677-8899-aabbccddeeff".len());
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A number larger than that of every earlier grant, for resources that refuse a smaller one than they have seen.
    /// The [module](crate::lease) says where its promise ends.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{ManualClock, Seconds, StoreError, StoreExt, Timestamp};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
    /// let leases = LeaseManager::new(store, "cache").with_clock(clock.clone());
    /// let Acquire::Granted(first) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// clock.advance(Seconds(30));
    /// let Acquire::Granted(second) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert!(first.fence() < second.fence());
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// When others may take the lease, as the row says it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{ManualClock, Seconds, StoreError, StoreExt, Timestamp};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// let clock = Arc::new(ManualClock::at(Timestamp::from_millis(100_001)));
    /// let leases = LeaseManager::new(store, "cache").with_clock(clock);
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.expires_at(), Timestamp::from_seconds(131), "rounded up to a whole second");
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.tenure.ends_at
    }

    /// How long the lease still holds, by the wall clock or by the process's own, whichever says less.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use std::time::Duration;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{ManualClock, Seconds, StoreError, StoreExt, Timestamp};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
    /// let leases = LeaseManager::new(store, "cache").with_clock(clock.clone());
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert!(lease.time_left() <= Duration::from_secs(30));
    /// clock.advance(Seconds(30));
    /// assert_eq!(lease.time_left(), Duration::ZERO);
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn time_left(&self) -> Duration {
        self.tenure.time_left(&*self.locks.clock)
    }

    /// The condition on the lease row that only its holder's writes pass: put it into the transaction that publishes the
    /// work, on a `ConditionCheck` or on the `Delete` that releases the lease.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// use tabletheory_core::store::op::DeleteItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store.clone(), "cache");
    /// # let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// let delete = DeleteItem { table: "cache".into(), key: lease.key(), condition: Some(lease.still_held()),
    ///     ..DeleteItem::default() };
    /// assert!(store.delete_item(delete.clone()).await.is_ok());
    /// assert!(store.delete_item(delete).await.is_err(), "it is not held any more");
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn still_held(&self) -> Condition {
        self.locks.rows.still_held(&self.token, self.locks.clock.now())
    }

    /// Makes the lease hold for `term` from now on. It never becomes shorter.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings, Refresh};
    /// # use tabletheory_core::{ManualClock, Seconds, StoreError, StoreExt, Timestamp};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
    /// let leases = LeaseManager::new(store, "cache").with_clock(clock.clone());
    /// let Acquire::Granted(mut lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// clock.advance(Seconds(10));
    /// assert_eq!(lease.refresh(Seconds(30)).await?, Refresh::Extended);
    /// assert_eq!(lease.expires_at(), Timestamp::from_seconds(140));
    /// clock.advance(Seconds(30));
    /// assert_eq!(lease.refresh(Seconds(30)).await?, Refresh::Lost);
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The store's. The lease then holds at least as long as it did before.
    pub async fn refresh(&mut self, term: Seconds) -> Result<Refresh, StoreError> {
        match self.locks.refresh(&self.pk, &self.token, term).await? {
            Renewal::Renewed(tenure) => {
                self.tenure = tenure;
                Ok(Refresh::Extended)
            }
            // Only a clock that was set back, or a shorter term, leads here. What we knew before is the cautious answer.
            Renewal::LastsLonger => Ok(Refresh::Extended),
            Renewal::Lost => Ok(Refresh::Lost),
        }
    }

    /// Gives the lease back, if it is still ours.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings, Release};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store, "cache");
    /// # let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.release().await?, Release::Released);
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The store's. The lease then runs out by itself.
    pub async fn release(self) -> Result<Release, StoreError> {
        Ok(match self.locks.release(&self.pk, &self.token).await? {
            Removal::Removed => Release::Released,
            Removal::NotOurs => Release::NotOurs,
            Removal::Gone => Release::Gone,
        })
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lease")
            .field("pk", &self.pk)
            .field("token", &self.token)
            .field("fence", &self.fence)
            .field("expires_at", &self.expires_at())
            .finish_non_exhaustive()
    }
}

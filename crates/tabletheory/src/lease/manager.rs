//! The manager: what grants leases. Waiting for one stands in `wait`.

use std::sync::Arc;

use tabletheory_core::sys::{SystemClock, SystemEntropy};
use tabletheory_core::{Clock, Entropy, Seconds, Store, StoreError, Timestamp};

use super::held::Lease;
use super::protocol::{Attempt, Locks};
use super::row::Rows;
use super::settings::LeaseSettings;
use crate::error::Error;
use crate::token;

/// Grants leases in one table. Clones share everything.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
/// use tabletheory_core::{Seconds, StoreError, StoreExt};
/// use tabletheory_engine::Engine;
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(Engine::memory());
/// store.create_table(LeaseSettings::default().create_table("cache")).await?;
/// let leases = LeaseManager::new(store, "cache");
/// assert!(matches!(leases.try_acquire("PAGE#1", Seconds(30)).await?, Acquire::Granted(_)));
/// # Ok::<(), StoreError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct LeaseManager {
    locks: Arc<Locks>,
}

/// What an attempt to take a lease came to.
///
/// ```
/// use tabletheory::lease::Acquire;
/// use tabletheory_core::Timestamp;
///
/// let acquire = Acquire::HeldUntil(Timestamp::from_seconds(130));
/// assert!(matches!(acquire, Acquire::HeldUntil(until) if until.seconds() == 130));
/// ```
#[derive(Debug)]
#[must_use = "a lease that was granted and dropped stays taken until it runs out"]
pub enum Acquire {
    /// It is ours. An answer that took longer than the term grants a lease that is already over;
    /// [`Lease::time_left`] says so, and [`Lease::guard`] does not begin.
    Granted(Lease),
    /// Somebody else holds it, until this time unless it is refreshed or released. When the row does not say until when,
    /// this is a second from now.
    HeldUntil(Timestamp),
}

impl Acquire {
    /// The lease, or [`Error::LeaseHeld`].
    ///
    /// ```
    /// use tabletheory::Error;
    /// use tabletheory::lease::Acquire;
    /// use tabletheory_core::Timestamp;
    ///
    /// let held = Acquire::HeldUntil(Timestamp::from_seconds(130));
    /// assert!(matches!(held.granted(), Err(Error::LeaseHeld { .. })));
    /// ```
    ///
    /// # Errors
    /// If somebody else holds it.
    pub fn granted(self) -> Result<Lease, Error> {
        match self {
            Self::Granted(lease) => Ok(lease),
            Self::HeldUntil(until) => Err(Error::LeaseHeld { until }),
        }
    }
}

impl LeaseManager {
    /// A manager of the leases in `table`, with the other toolkits' names and the machine's clock and randomness.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::LeaseManager;
    /// # use tabletheory_core::{Seconds, StoreError};
    /// # use tabletheory_engine::Engine;
    /// let leases = LeaseManager::new(Arc::new(Engine::memory()), "missing");
    /// let answer = futures_executor::block_on(leases.try_acquire("PAGE#1", Seconds(30)));
    /// assert!(matches!(answer, Err(StoreError::ResourceNotFound(_))));
    /// ```
    #[must_use]
    pub fn new(store: Arc<dyn Store>, table: impl Into<String>) -> Self {
        let rows = Rows { table: table.into(), settings: LeaseSettings::default() };
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
        Self { locks: Arc::new(Locks { store, rows, clock, entropy }) }
    }

    /// With other names in the rows.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt, Value};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// let settings = LeaseSettings { lock_sk: "MUTEX".into(), ..LeaseSettings::default() };
    /// store.create_table(settings.create_table("cache")).await?;
    /// let leases = LeaseManager::new(store, "cache").with_settings(settings);
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.key().get("sk"), Some(&Value::s("MUTEX")));
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_settings(mut self, settings: LeaseSettings) -> Self {
        Arc::make_mut(&mut self.locks).rows.settings = settings;
        self
    }

    /// With another clock.
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
    /// let leases = LeaseManager::new(store, "cache").with_clock(clock);
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.expires_at(), Timestamp::from_seconds(130));
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        Arc::make_mut(&mut self.locks).clock = clock;
        self
    }

    /// With other randomness. Two managers that draw the same tokens take each other's leases for their own.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, SeededEntropy, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// let leases = LeaseManager::new(store, "cache").with_entropy(Arc::new(SeededEntropy::new(1)));
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { unreachable!() };
    /// assert_eq!(lease.token(), "910a2dec-8902-4cc1-beeb-8da1658eec67");
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        Arc::make_mut(&mut self.locks).entropy = entropy;
        self
    }

    /// Takes the lease of `pk` if nobody holds it. A term is at least one second, and at most ten years.
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
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { panic!("nobody else is here") };
    /// let Acquire::HeldUntil(until) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { panic!("it is held") };
    /// assert_eq!(until, lease.expires_at());
    /// # Ok::<(), StoreError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The store's. If it [is ambiguous](StoreError::is_ambiguous), the lease may be taken, by nobody, for the term.
    pub async fn try_acquire(&self, pk: impl Into<String>, term: Seconds) -> Result<Acquire, StoreError> {
        self.attempt(&pk.into(), &self.draw_token(), term).await
    }

    pub(super) fn draw_token(&self) -> String {
        token::draw(&*self.locks.entropy)
    }

    /// Takes the lease with this token, which an earlier attempt of the same caller may have left in the row.
    pub(super) async fn attempt(&self, pk: &str, token: &str, term: Seconds) -> Result<Acquire, StoreError> {
        Ok(match self.locks.acquire(pk, token, term).await? {
            Attempt::Won { fence, tenure } => {
                Acquire::Granted(Lease::new(Arc::clone(&self.locks), pk.into(), token.into(), fence, tenure))
            }
            Attempt::HeldUntil(until) => Acquire::HeldUntil(until),
        })
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.locks.clock
    }

    pub(super) fn entropy(&self) -> &dyn Entropy {
        &*self.locks.entropy
    }
}

//! The limiter: what a request is asked through. It looks at what this process knows, then asks the store once, and when there is
//! no answer does what its settings say.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use tabletheory::Db;
use tabletheory_core::Timestamp;

use crate::alone::Alone;
use crate::counter::{Counted, Counter, Row};
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::memory::Memory;
use crate::overrides::Overrides;
use crate::policy::Policy;
use crate::receipt::Decided;
use crate::record::{self, RateLimitRecord};
use crate::settings::{LimiterSettings, OnFailure};
use crate::subject::{Subject, partition};
use crate::tally::{Counts, Tally};

/// Asks limits. Clones share everything.
///
/// ```
/// use limited::{Limit, Limiter, Policy};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let limiter = Limiter::new(Db::memory());
/// limiter.create_table().await?;
///
/// let logins = Policy::new("logins", [Limit::per_minute(5).sliding_log()])?;
/// for _ in 0..5 {
///     assert!(limiter.check(&logins, "user:ada", 1).await?.is_allowed());
/// }
/// let sixth = limiter.check(&logins, "user:ada", 1).await?;
/// assert!(!sixth.is_allowed() && sixth.retry_after.is_some());
/// assert!(limiter.check(&logins, "user:bob", 1).await?.is_allowed());
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Limiter {
    pub(crate) inner: Arc<Inner>,
}

/// Without what it remembers: that says who calls.
impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        f.debug_struct("Limiter")
            .field("settings", &self.inner.settings)
            .field("counts", &counts)
            .finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    pub(crate) db: Db,
    pub(crate) counter: Counter,
    pub(crate) settings: LimiterSettings,
    pub(crate) tally: Arc<Tally>,
    pub(crate) overrides: Overrides,
    pub(crate) alone: Alone,
    /// Milliseconds since 1970 before which the store is left alone.
    pub(crate) paused_until_ms: AtomicI64,
}

impl Limiter {
    /// A limiter on this database, with the default settings.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self::build(db, LimiterSettings::default())
    }

    /// A limiter with other settings, that remembers nothing yet.
    ///
    /// # Errors
    /// [`Error::Setting`] if one makes no sense.
    pub fn with_settings(&self, settings: LimiterSettings) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self::build(self.inner.db.clone(), settings))
    }

    fn build(db: Db, settings: LimiterSettings) -> Self {
        let tally = Arc::new(Tally::default());
        let counter = Counter {
            store: Arc::clone(db.store()),
            clock: Arc::clone(db.clock()),
            table: record::table_of(&db),
            timeout: settings.timeout,
            memory: Memory::new(settings.remembered),
            tally: Arc::clone(&tally),
        };
        let nodes = match settings.on_failure {
            OnFailure::Local { nodes } => nodes,
            OnFailure::Open | OnFailure::Closed => 1,
        };
        let overrides = Overrides::new(db.clone());
        let alone = Alone::new(settings.remembered, nodes);
        let paused_until_ms = AtomicI64::new(i64::MIN);
        Self { inner: Arc::new(Inner { db, counter, settings, tally, overrides, alone, paused_until_ms }) }
    }

    /// Makes the table of the limits if there is none.
    ///
    /// # Errors
    /// [`Error::Table`] if there is one of another shape, or the store refuses.
    pub async fn create_table(&self) -> Result<(), Error> {
        record::create_table(&self.inner.db).await
    }

    /// Whether a request of this cost may go on; if so, it is counted. One call of the store, or none.
    ///
    /// # Errors
    /// If the cost is none or above what a limit ever allows, the identifier is empty, or the store refuses in a way that
    /// waiting does not mend: no table, a table of another shape, no permission. A store that does not answer is no error: what
    /// happens then is said by [`LimiterSettings::on_failure`].
    pub async fn check(
        &self,
        policy: &Policy,
        subject: impl Into<Subject<'_>>,
        cost: u64,
    ) -> Result<Decision, Error> {
        Ok(self.ask(policy, subject.into(), cost).await?.decision)
    }

    /// How an identifier stands, without counting anything.
    ///
    /// # Errors
    /// If the identifier is empty, or the store fails.
    pub async fn peek(&self, policy: &Policy, subject: impl Into<Subject<'_>>) -> Result<Decision, Error> {
        match policy.shards() {
            1 => self.peek_row(policy, subject.into(), None).await,
            _ => self.peek_shards(policy, subject.into()).await,
        }
    }

    /// Forgets what was counted for an identifier. Other processes may deny for as long as
    /// [`LimiterSettings::deny_cache`] says.
    ///
    /// # Errors
    /// If the identifier is empty, or the store fails.
    pub async fn reset(&self, policy: &Policy, subject: impl Into<Subject<'_>>) -> Result<(), Error> {
        let (subject, shards) = (subject.into(), policy.shards());
        for shard in 0..shards {
            let row = self.row(policy, subject, (shards > 1).then_some(shard)).await?;
            self.inner.counter.reset(&row).await?;
            self.inner.counter.memory.forget(&row.partition);
        }
        Ok(())
    }

    /// The limits of identifiers and tenants of their own, which policies [with overrides](Policy::with_overrides) ask for.
    #[must_use]
    pub fn overrides(&self) -> &Overrides {
        &self.inner.overrides
    }

    /// Whether the table is there and has the shape that limits need. To be asked once, at the start.
    ///
    /// # Errors
    /// [`Error::Table`] if not, with what is wrong.
    pub async fn verify_table(&self) -> Result<(), Error> {
        RateLimitRecord::verify_table(&self.inner.db).await
    }

    /// How often each thing has happened since this limiter was made.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.inner.tally.counts()
    }

    /// A decision, and what was charged with it.
    pub(crate) async fn ask(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
        cost: u64,
    ) -> Result<Decided, Error> {
        let decided = match policy.shards() {
            1 => self.ask_row(policy, subject, None, cost).await?,
            _ => self.ask_shards(policy, subject, cost).await?,
        };
        let Decision { verdict, source, shadow, .. } = decided.decision;
        self.inner.tally.decided(verdict, source, shadow);
        Ok(decided)
    }

    pub(crate) async fn ask_row(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
        shard: Option<u32>,
        cost: u64,
    ) -> Result<Decided, Error> {
        let row = self.row(policy, subject, shard).await?;
        // Who is only watched is not refused for what a request costs.
        let cost = if policy.is_shadow() { cost.min(row.gauges.capacity()) } else { cost };
        row.gauges.check_cost(cost)?;
        match policy.batch() {
            Some(batch) => self.decide_leased(policy, row, subject, cost, batch).await,
            None => self.decide(policy, row, subject, cost).await,
        }
    }

    pub(crate) async fn peek_row(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
        shard: Option<u32>,
    ) -> Result<Decision, Error> {
        let row = self.row(policy, subject, shard).await?;
        let (states, now) = self.inner.counter.read(&row).await?;
        let counted = match row.gauges.judge(&states, now, 1) {
            Ok(_) => Counted::Taken(states, now),
            Err(_) => Counted::Full(states, now),
        };
        Ok(self.decision(policy, &row, counted, 1, Source::Store))
    }

    pub(crate) async fn row(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
        shard: Option<u32>,
    ) -> Result<Row, Error> {
        let partition = partition(policy.name(), shard, subject.identifier)?;
        let gauges = match policy.has_overrides() {
            true => self.overridden(policy, subject).await?,
            false => Arc::clone(policy.gauges()),
        };
        Ok(Row { partition, gauges })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.inner.db.clock().now()
    }
}

//! The limiter: what a request is asked through. It looks at what this process knows, then asks the store once, and when there is
//! no answer does what its settings say.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tabletheory::Db;
use tabletheory_core::{StoreError, Timestamp};

use crate::alone::Alone;
use crate::counter::{Counted, Counter, Row};
use crate::decision::{Decision, Source, Verdict};
use crate::error::Error;
use crate::gauge::States;
use crate::memory::{Memory, Remembered};
use crate::policy::Policy;
use crate::receipt::{Decided, Receipt};
use crate::record;
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
#[derive(Debug, Clone)]
pub struct Limiter {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) db: Db,
    pub(crate) counter: Counter,
    pub(crate) settings: LimiterSettings,
    pub(crate) tally: Arc<Tally>,
    alone: Alone,
    /// Milliseconds since 1970 before which the store is left alone.
    paused_until_ms: AtomicI64,
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
        let alone = Alone::new(settings.remembered, nodes);
        let paused_until_ms = AtomicI64::new(i64::MIN);
        Self { inner: Arc::new(Inner { db, counter, settings, tally, alone, paused_until_ms }) }
    }

    /// Makes the table of the limits.
    ///
    /// # Errors
    /// If there is one, or the store refuses.
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
        let row = self.row(policy, subject.into()).await?;
        let (states, now) = self.inner.counter.read(&row).await?;
        let denied = row.gauges.judge(&states, now, 1).err();
        let verdict = if denied.is_some() { Verdict::Denied } else { Verdict::Allowed };
        let limits = row.gauges.standings(&states, now, Some(1));
        let (policy, shadow) = (policy.shared_name(), policy.is_shadow());
        Ok(Decision { policy, verdict, shadow, source: Source::Store, limits, retry_after: denied })
    }

    /// Forgets what was counted for an identifier. Other processes may deny for as long as
    /// [`LimiterSettings::deny_cache`] says.
    ///
    /// # Errors
    /// If the identifier is empty, or the store fails.
    pub async fn reset(&self, policy: &Policy, subject: impl Into<Subject<'_>>) -> Result<(), Error> {
        let row = self.row(policy, subject.into()).await?;
        self.inner.counter.memory.forget(&row.partition);
        self.inner.counter.reset(&row).await?;
        self.inner.counter.memory.forget(&row.partition);
        Ok(())
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
        let row = self.row(policy, subject).await?;
        row.gauges.check_cost(cost)?;
        let decided = match policy.batch() {
            Some(batch) => self.decide_leased(policy, row, subject, cost, batch).await?,
            None => self.decide(policy, row, subject, cost).await?,
        };
        let Decision { verdict, source, shadow, .. } = decided.decision;
        self.inner.tally.decided(verdict, source, shadow);
        Ok(decided)
    }

    async fn row(&self, policy: &Policy, subject: Subject<'_>) -> Result<Row, Error> {
        let partition = partition(policy.name(), None, subject.identifier)?;
        Ok(Row { partition, policy: policy.shared_name(), gauges: Arc::clone(policy.gauges()) })
    }

    async fn decide(
        &self,
        policy: &Policy,
        row: Row,
        subject: Subject<'_>,
        cost: u64,
    ) -> Result<Decided, Error> {
        let remembered = self.inner.counter.memory.of(&row.partition, &row.gauges);
        if let Some(decision) = self.denied_from_memory(policy, &row, &remembered, cost) {
            return Ok(Decided { decision, receipt: None });
        }
        if self.is_paused() {
            return Ok(self.without_store(policy, &row, cost));
        }
        let counted = match self.inner.counter.count(&row, subject, cost, true).await {
            Ok(counted) => counted,
            Err(error) => return self.failed(policy, &row, cost, error),
        };
        self.answered();
        let charged = counted.charged();
        let decision = self.counted(policy, &row, counted, cost, Source::Store);
        let receipt = charged.map(|charged| Receipt { row, charged, cost, source: Source::Store });
        Ok(Decided { decision, receipt })
    }

    /// Gives back a part of what was charged. Without a store it stays charged, which only denies more.
    pub(crate) async fn give_back(&self, receipt: Receipt, amount: u64) {
        if self.try_give_back(receipt, amount).await.is_err() {
            self.inner.tally.failed();
        }
    }

    pub(crate) async fn try_give_back(&self, receipt: Receipt, amount: u64) -> Result<(), Error> {
        let Receipt { row, charged, cost: _, source } = receipt;
        if amount == 0 {
            return Ok(());
        }
        if source == Source::Lease {
            self.inner.counter.memory.of(&row.partition, &row.gauges).refund(amount);
            return Ok(());
        }
        Ok(self.inner.counter.give_back(&row, charged, amount).await?)
    }

    /// Charges what has been used already, whether there is room or not.
    pub(crate) async fn charge(&self, row: &Row, amount: u64) -> Result<(), Error> {
        self.inner.counter.count(row, Subject::new(""), amount, false).await?;
        Ok(())
    }

    pub(crate) fn denied_from_memory(
        &self,
        policy: &Policy,
        row: &Row,
        remembered: &Remembered,
        cost: u64,
    ) -> Option<Decision> {
        let believed_ms = i64::try_from(self.inner.settings.deny_cache.as_millis()).unwrap_or(i64::MAX);
        let now = self.now();
        let states = remembered.denies(&row.gauges, now, cost, believed_ms)?;
        Some(self.counted(policy, row, Counted::Full(states, now), cost, Source::DenyCache))
    }

    pub(crate) fn counted(
        &self,
        policy: &Policy,
        row: &Row,
        counted: Counted,
        cost: u64,
        source: Source,
    ) -> Decision {
        let (verdict, states, now) = match counted {
            Counted::Taken(states, now) => (Verdict::Allowed, states, now),
            Counted::Full(states, now) => (Verdict::Denied, states, now),
        };
        let denied = (verdict == Verdict::Denied).then_some(cost);
        let retry_after = denied.and_then(|cost| row.gauges.judge(&states, now, cost).err());
        let limits = row.gauges.standings(&states, now, denied);
        let (policy, shadow) = (policy.shared_name(), policy.is_shadow());
        Decision { policy, verdict, shadow, source, limits, retry_after }
    }

    /// A store that refuses in a way that waiting does not mend is an error, and loud: letting everyone through because the table
    /// has another shape would be no limit at all, in silence.
    pub(crate) fn failed(
        &self,
        policy: &Policy,
        row: &Row,
        cost: u64,
        error: StoreError,
    ) -> Result<Decided, Error> {
        let is_outage = error.is_retryable() || matches!(error, StoreError::DeadlineExceeded { .. });
        if !is_outage {
            return Err(error.into());
        }
        self.inner.tally.failed();
        let paused_until_ms = self.now().millis().saturating_add(self.pause_ms());
        self.inner.paused_until_ms.store(paused_until_ms, Ordering::Relaxed);
        Ok(self.without_store(policy, row, cost))
    }

    pub(crate) fn without_store(&self, policy: &Policy, row: &Row, cost: u64) -> Decided {
        let (name, shadow) = (policy.shared_name(), policy.is_shadow());
        let unlimited = |verdict, source| Decision {
            policy: Arc::clone(&name),
            verdict,
            shadow,
            source,
            limits: Vec::new(),
            retry_after: None,
        };
        let decision = match self.inner.settings.on_failure {
            OnFailure::Open => unlimited(Verdict::Allowed, Source::FailedOpen),
            OnFailure::Closed => {
                let retry_after = Some(self.inner.settings.pause);
                Decision { retry_after, ..unlimited(Verdict::Denied, Source::FailedClosed) }
            }
            OnFailure::Local { .. } => {
                let part = self.inner.alone.part(policy.limits());
                let now = self.now();
                let (said, states): (_, States) = self.inner.alone.count(&row.partition, &part, now, cost);
                let verdict = if said.is_ok() { Verdict::Allowed } else { Verdict::Denied };
                let limits = part.standings(&states, now, said.is_err().then_some(cost));
                Decision { limits, retry_after: said.err(), ..unlimited(verdict, Source::Local) }
            }
        };
        Decided { decision, receipt: None }
    }

    /// Whether the store is left alone for a while. After the pause one request tries it; those beside it stay without.
    pub(crate) fn is_paused(&self) -> bool {
        let paused_until_ms = self.inner.paused_until_ms.load(Ordering::Relaxed);
        if paused_until_ms == i64::MIN {
            return false;
        }
        let (now_ms, pause_ms) = (self.now().millis(), self.pause_ms());
        // A clock that was set back must not leave the store alone for longer than a pause.
        if now_ms < paused_until_ms && paused_until_ms.saturating_sub(now_ms) <= pause_ms {
            return true;
        }
        let next_ms = now_ms.saturating_add(pause_ms);
        let turn = &self.inner.paused_until_ms;
        turn.compare_exchange(paused_until_ms, next_ms, Ordering::Relaxed, Ordering::Relaxed).is_err()
    }

    /// The store has answered, so nobody needs to be without it.
    pub(crate) fn answered(&self) {
        if self.inner.paused_until_ms.load(Ordering::Relaxed) != i64::MIN {
            self.inner.paused_until_ms.store(i64::MIN, Ordering::Relaxed);
        }
    }

    fn pause_ms(&self) -> i64 {
        i64::try_from(self.inner.settings.pause.as_millis()).unwrap_or(i64::MAX)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.inner.db.clock().now()
    }
}

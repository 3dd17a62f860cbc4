//! Comparing a table with its models, and adding what is missing. Nothing is ever taken away.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::StoreError;
use tabletheory_core::schema::{BillingMode, GlobalIndex, IndexDescription, TableDescription, TableStatus};
use tabletheory_core::store::op::{GlobalIndexUpdate, UpdateTable};

use super::difference::Standing;
use super::drift::Drift;
use super::error::TableError;
use super::handle::Table;
use super::layout::Layout;
use super::plan::{Plan, Step};
use super::site::Refusal;

/// How far a migration is.
///
/// ```
/// use tabletheory::table::{MigrationProgress, Step};
///
/// let step = Step::EnableTimeToLive { attribute: "ends".into() };
/// let progress = MigrationProgress::Waiting { step };
/// assert_eq!(progress.to_string(), "waiting: let items expire by `ends`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MigrationProgress {
    /// A step begins.
    Started {
        /// The step.
        step: Step,
        /// How many are left, with this one.
        left: usize,
    },
    /// A step is under way; told again and again while it is.
    Waiting {
        /// The step.
        step: Step,
    },
    /// A step is done.
    Done {
        /// The step.
        step: Step,
    },
}

impl fmt::Display for MigrationProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { step, .. } => write!(f, "started: {step}"),
            Self::Waiting { step } => write!(f, "waiting: {step}"),
            Self::Done { step } => write!(f, "done: {step}"),
        }
    }
}

/// A migration to be awaited.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::Table;
/// use tabletheory::testing::TestStore;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let table = Table::<User>::new(Arc::new(TestStore::new()));
/// let mut told = Vec::new();
/// let plan = table.migrate().on_progress(|progress| told.push(progress.to_string())).await?;
/// assert_eq!(plan.steps().len(), 1);
/// assert_eq!(told.first().unwrap(), "started: make the table `app` with the key (id)");
/// assert!(table.migrate().await?.is_empty());
/// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
/// ```
#[must_use = "a migration does nothing until it is awaited"]
pub struct Migration<'t, M> {
    table: &'t Table<M>,
    tell: Box<dyn FnMut(&MigrationProgress) + Send + 't>,
}

impl<M> fmt::Debug for Migration<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Migration").field("table", self.table).finish_non_exhaustive()
    }
}

impl<M> Table<M> {
    /// Tells how the table differs from what its models need. A table that is missing is a difference, not an error.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let table = Table::<User>::new(Arc::new(TestStore::new()));
    /// assert_eq!(table.verify().await?.differences(), [Difference::NoTable]);
    /// table.ensure().await?;
    /// assert!(table.verify().await?.is_empty());
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`TableError::Conflict`] if the models contradict each other; the store's otherwise.
    pub async fn verify(&self) -> Result<Drift, TableError> {
        let layout = self.layout()?;
        let described = self.site().describe().await?;
        self.drift(&layout, described.as_ref()).await
    }

    /// What [`Table::migrate`] would do, without doing it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let plan = Table::<User>::new(Arc::new(TestStore::new())).plan().await?;
    /// assert!(matches!(plan.steps(), [Step::CreateTable { .. }]));
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Those of [`Table::verify`].
    pub async fn plan(&self) -> Result<Plan, TableError> {
        let layout = self.layout()?;
        let described = self.site().describe().await?;
        Ok(Plan::new(&layout, &self.drift(&layout, described.as_ref()).await?))
    }

    /// Adds to the table what its models need: one index at a time, each waited for; time to live; the stream. It drops
    /// and changes nothing. Awaiting it gives the plan that was carried out.
    ///
    /// It may be stopped anywhere and begun again, and several callers may do it at once: before each step the table is
    /// looked at anew.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city))]
    /// # struct Later {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     city: String,
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let store = Arc::new(TestStore::new());
    /// Table::<User>::new(Arc::clone(&store) as _).ensure().await?;
    /// let later = Table::<Later>::new(Arc::clone(&store) as _);
    /// # // In memory an index is filled when time is moved.
    /// let done = later.migrate().on_progress(|_| store.advance(tabletheory_core::Seconds(1))).await?;
    /// assert!(matches!(done.steps(), [Step::AddIndex(_)]));
    /// assert!(later.verify().await?.is_empty());
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`TableError::Drift`] if something would have to change or go; then nothing was done. Those of [`Table::ensure`]
    /// otherwise.
    pub fn migrate(&self) -> Migration<'_, M> {
        Migration { table: self, tell: Box::new(|_| {}) }
    }
}

impl<'t, M> Migration<'t, M> {
    /// Calls `tell` when a step begins, while it is waited for, and when it is done.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let table = Table::<User>::new(Arc::new(TestStore::new()));
    /// let mut told = 0;
    /// table.migrate().on_progress(|_| told += 1).await?;
    /// assert_eq!(told, 2, "one step has begun and is done");
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    pub fn on_progress(mut self, tell: impl FnMut(&MigrationProgress) + Send + 't) -> Self {
        self.tell = Box::new(tell);
        self
    }

    async fn run(mut self) -> Result<Plan, TableError> {
        let table = self.table;
        let layout = table.layout()?;
        let mut carried_out: Option<Plan> = None;
        let mut described = self.settled(None).await?;
        loop {
            let drift = table.drift(&layout, described.as_ref()).await?;
            if !drift.is_additive() {
                let refused = Drift::new(drift.of(Standing::Refused).cloned().collect());
                return Err(TableError::Drift { table: table.name().to_owned(), drift: refused });
            }
            let plan = Plan::new(&layout, &drift);
            let Some(step) = plan.steps().first().cloned() else { return Ok(carried_out.unwrap_or(plan)) };
            (self.tell)(&MigrationProgress::Started { step: step.clone(), left: plan.steps().len() });
            carried_out.get_or_insert(plan);
            match &step {
                Step::CreateTable { .. } => drop(table.ready(&layout).await?),
                Step::AddIndex(index) => table.add_index(&layout, described.as_ref(), index).await?,
                Step::EnableTimeToLive { attribute } => table.enable_time_to_live(attribute).await?,
                Step::EnableStream { view } => table.enable_stream(*view).await?,
            }
            described = self.settled(Some(&step)).await?;
            (self.tell)(&MigrationProgress::Done { step });
        }
    }

    /// The table when nothing of it is being made or changed any more.
    async fn settled(&mut self, step: Option<&Step>) -> Result<Option<TableDescription>, TableError> {
        let site = self.table.site();
        let mut pauses = site.pauses(site.patience.index);
        loop {
            let Some(described) = site.describe().await? else { return Ok(None) };
            if is_settled(&described) {
                return Ok(Some(described));
            }
            if let Some(step) = step {
                (self.tell)(&MigrationProgress::Waiting { step: step.clone() });
            }
            if !pauses.wait().await {
                return Err(site.still(Some(described.status), site.patience.index));
            }
        }
    }
}

fn is_settled(table: &TableDescription) -> bool {
    let is_filled = |index: &IndexDescription| {
        index.backfilling != Some(true) && index.status.is_none_or(|status| status == TableStatus::Active)
    };
    table.status == TableStatus::Active && table.global_indexes.iter().all(is_filled)
}

impl<M> Table<M> {
    /// Adds an index. It is no error if it is there already.
    async fn add_index(
        &self,
        layout: &Layout,
        described: Option<&TableDescription>,
        index: &GlobalIndex,
    ) -> Result<(), TableError> {
        let site = self.site();
        // An index of a provisioned table is provisioned too: as the options say, or else as the table itself.
        let provisioned = described.filter(|table| table.billing == BillingMode::Provisioned);
        let throughput =
            provisioned.map(|table| self.options().billing.throughput().unwrap_or(table.throughput));
        let add = UpdateTable {
            table: self.name().to_owned(),
            attributes: layout.definitions(&index.keys),
            global_indexes: vec![GlobalIndexUpdate::Create(GlobalIndex { throughput, ..index.clone() })],
            ..UpdateTable::default()
        };
        let mut pauses = site.pauses(site.patience.index);
        loop {
            let Err(Refusal { error, .. }) = site.send(add.clone()).await else { return Ok(()) };
            // Another caller may have been faster, or our own answer was lost.
            let described = site.describe().await?;
            if described
                .is_some_and(|table| table.global_indexes.iter().any(|known| known.name == index.name))
            {
                return Ok(());
            }
            // One index is made at a time, and this is not ours.
            let is_busy = matches!(error, StoreError::ResourceInUse(_));
            if !is_busy || !pauses.wait().await {
                return Err(site.failed("UpdateTable", error));
            }
        }
    }
}

impl<'t, M: 'static> IntoFuture for Migration<'t, M> {
    type Output = Result<Plan, TableError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 't>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

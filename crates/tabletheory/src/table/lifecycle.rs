//! Making a table, waiting for it, and deleting it.

use tabletheory_core::StoreError;
use tabletheory_core::schema::{StreamView, TableDescription, TableStatus};
use tabletheory_core::store::op::{CreateTable, DeleteTable, StreamUpdate, UpdateTable, UpdateTimeToLive};

use super::difference::Difference;
use super::drift::Drift;
use super::error::TableError;
use super::handle::Table;
use super::layout::Layout;
use super::plan::{Plan, Step};
use super::site::Refusal;

/// Whether [`Table::ensure`] made the table.
///
/// ```
/// use tabletheory::table::Ensured;
///
/// assert_ne!(Ensured::Created, Ensured::Existed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// It was missing, and this call made it.
    Created,
    /// It was there, or another caller was faster.
    Existed,
}

impl<M> Table<M> {
    /// Makes the table, waits until it is ready, and switches time to live on if a model has one.
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
    /// assert_eq!(table.create().await?.name, "app");
    /// assert_eq!(table.create().await, Err(TableError::AlreadyExists { table: "app".into() }));
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`TableError::AlreadyExists`] if it is there; those of [`Table::ensure`].
    pub async fn create(&self) -> Result<TableDescription, TableError> {
        let layout = self.layout()?;
        match self.site().send(self.request(&layout)).await {
            Ok(_) => {}
            // An answer was lost on the way: the table that is there now is most likely ours, and is compared below.
            Err(Refusal { error: StoreError::ResourceInUse(_), in_doubt: true }) => {}
            Err(Refusal { error: StoreError::ResourceInUse(_), .. }) => {
                return Err(TableError::AlreadyExists { table: self.name().to_owned() });
            }
            Err(Refusal { error, .. }) => return Err(self.site().failed("CreateTable", error)),
        }
        let (_, described) = self.ready(&layout).await?;
        self.complete(&layout, described).await
    }

    /// Sees to it that the table is there and ready: makes it if it is missing, waits for it, and switches on what can be
    /// switched on (time to live, the stream). Any number of callers may do this at once.
    ///
    /// An index that is missing from an existing table takes long to fill, so it is not added on the way: the error tells
    /// of it, and [`Table::migrate`] adds it.
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
    /// # futures_executor::block_on(async {
    /// let store = Arc::new(TestStore::new());
    /// assert_eq!(Table::<User>::new(Arc::clone(&store) as _).ensure().await?, Ensured::Created);
    /// assert_eq!(Table::<User>::new(Arc::clone(&store) as _).ensure().await?, Ensured::Existed);
    /// let later = Table::<Later>::new(store).ensure().await;
    /// assert!(matches!(later, Err(TableError::Drift { .. })), "an index is missing");
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`TableError::Drift`] if the table is there and is not what its models need; [`TableError::Conflict`] if they
    /// contradict each other; [`TableError::StillBusy`] if it took too long; the store's otherwise.
    pub async fn ensure(&self) -> Result<Ensured, TableError> {
        let layout = self.layout()?;
        let (ensured, described) = self.ready(&layout).await?;
        self.complete(&layout, described).await?;
        Ok(ensured)
    }

    /// The table as the store describes it, or `None` if it is not there.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::Table;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let table = Table::<User>::new(Arc::new(TestStore::new()));
    /// assert!(table.describe().await?.is_none());
    /// table.ensure().await?;
    /// assert_eq!(table.describe().await?.map(|table| table.item_count), Some(0));
    /// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The store's.
    pub async fn describe(&self) -> Result<Option<TableDescription>, TableError> {
        self.site().describe().await
    }

    /// Deletes the table with everything in it and waits until it is gone. Whether there was one to delete. A table that
    /// others make in the meantime under the same name stays.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::Table;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let table = Table::<User>::new(Arc::new(TestStore::new()));
    /// table.ensure().await?;
    /// assert!(table.delete().await?);
    /// assert!(!table.delete().await?);
    /// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`TableError::Protected`] if it is protected against deletion; [`TableError::StillBusy`] if it took too long; the
    /// store's otherwise.
    pub async fn delete(&self) -> Result<bool, TableError> {
        let site = self.site();
        let mut pauses = site.pauses(site.patience.table);
        let mut was_there = false;
        let mut first_id = None;
        loop {
            let described = site.describe().await?;
            if let Some(table) = &described
                && *first_id.get_or_insert_with(|| table.id.clone()) != table.id
            {
                // Somebody has made a new table in the meantime, which nobody asked to delete.
                return Ok(true);
            }
            let status = described.as_ref().map(|table| table.status);
            match described {
                None => return Ok(was_there),
                Some(table) if table.status == TableStatus::Deleting => was_there = true,
                Some(table) if table.deletion_protection => {
                    return Err(TableError::Protected { table: table.name });
                }
                Some(_) => match site.send(DeleteTable { table: self.name().to_owned() }).await {
                    Ok(_) => was_there = true,
                    Err(Refusal { error: StoreError::ResourceNotFound(_), in_doubt }) => {
                        was_there |= in_doubt
                    }
                    // It is being made or changed, and can be deleted after that.
                    Err(Refusal { error: StoreError::ResourceInUse(_), .. }) => {}
                    Err(Refusal { error, .. }) => return Err(site.failed("DeleteTable", error)),
                },
            }
            if site.describe().await?.is_none() {
                return Ok(was_there);
            }
            if !pauses.wait().await {
                return Err(site.still(status, site.patience.table));
            }
        }
    }

    /// Waits until the table is there and ready, and makes it if it is not.
    pub(super) async fn ready(&self, layout: &Layout) -> Result<(Ensured, TableDescription), TableError> {
        let site = self.site();
        let mut pauses = site.pauses(site.patience.table);
        let mut ensured = Ensured::Existed;
        loop {
            let described = site.describe().await?;
            let status = described.as_ref().map(|table| table.status);
            match described {
                Some(table) if table.status == TableStatus::Active => return Ok((ensured, table)),
                Some(_) => {}
                // Right after it was made the service may not know the table yet: then it is in use, and was ours before.
                None => match site.send(self.request(layout)).await {
                    Ok(_) => {
                        ensured = Ensured::Created;
                        continue;
                    }
                    Err(Refusal { error: StoreError::ResourceInUse(_), in_doubt }) => {
                        ensured = if in_doubt { Ensured::Created } else { ensured };
                    }
                    Err(Refusal { error, .. }) => return Err(site.failed("CreateTable", error)),
                },
            }
            if !pauses.wait().await {
                return Err(site.still(status, site.patience.table));
            }
        }
    }

    /// Switches on what a table that is ready lacks and can be switched on. What else it lacks is an error.
    async fn complete(
        &self,
        layout: &Layout,
        described: TableDescription,
    ) -> Result<TableDescription, TableError> {
        let mut described = described;
        let drift = self.drift(layout, Some(&described)).await?;
        let lasting: Vec<Difference> =
            drift.differences().iter().filter(|one| !is_switch(one)).cloned().collect();
        let lasting = Drift::new(lasting);
        if !lasting.is_harmless() {
            return Err(TableError::Drift { table: self.name().to_owned(), drift: lasting });
        }
        for step in Plan::new(layout, &drift).steps() {
            match step {
                Step::EnableTimeToLive { attribute } => self.enable_time_to_live(attribute).await?,
                Step::EnableStream { view } => {
                    self.enable_stream(*view).await?;
                    described = self.ready(layout).await?.1;
                }
                Step::CreateTable { .. } | Step::AddIndex(_) => {}
            }
        }
        Ok(described)
    }

    /// How the described table differs from what its models need.
    pub(super) async fn drift(
        &self,
        layout: &Layout,
        described: Option<&TableDescription>,
    ) -> Result<Drift, TableError> {
        let ttl = if described.is_some() { self.site().time_to_live().await? } else { None };
        let found = described.map(CreateTable::like);
        Ok(Drift::between(layout, self.options().stream, found.as_ref(), ttl.as_deref()))
    }

    /// Lets items expire by this attribute. It is no error if they do already.
    pub(super) async fn enable_time_to_live(&self, attribute: &str) -> Result<(), TableError> {
        let site = self.site();
        let enable = UpdateTimeToLive {
            table: self.name().to_owned(),
            attribute: attribute.to_owned(),
            enabled: true,
        };
        let Err(Refusal { error, .. }) = site.send(enable).await else { return Ok(()) };
        // Another caller may have been faster, or our own answer was lost.
        match site.time_to_live().await? {
            Some(found) if found == attribute => Ok(()),
            Some(found) => {
                let difference = Difference::TimeToLiveOther { expected: attribute.to_owned(), found };
                Err(TableError::Drift { table: self.name().to_owned(), drift: Drift::new(vec![difference]) })
            }
            None => Err(site.failed("UpdateTimeToLive", error)),
        }
    }

    /// Starts a stream. It is no error if there is one with the same view.
    pub(super) async fn enable_stream(&self, view: StreamView) -> Result<(), TableError> {
        let site = self.site();
        let mut pauses = site.pauses(site.patience.table);
        let stream = Some(StreamUpdate::Enable(view));
        let enable = UpdateTable { table: self.name().to_owned(), stream, ..UpdateTable::default() };
        loop {
            let Err(Refusal { error, .. }) = site.send(enable.clone()).await else { return Ok(()) };
            let found = site.describe().await?.and_then(|table| table.stream).filter(|stream| stream.enabled);
            match found {
                Some(stream) if stream.view == view => return Ok(()),
                Some(stream) => {
                    let difference = Difference::StreamOther { expected: view, found: stream.view };
                    let drift = Drift::new(vec![difference]);
                    return Err(TableError::Drift { table: self.name().to_owned(), drift });
                }
                // Another change of the table is under way.
                None if matches!(error, StoreError::ResourceInUse(_)) && pauses.wait().await => {}
                None => return Err(site.failed("UpdateTable", error)),
            }
        }
    }
}

/// Whether a difference ends by switching something on, at once.
fn is_switch(difference: &Difference) -> bool {
    matches!(difference, Difference::TimeToLiveOff { .. } | Difference::StreamOff { .. })
}

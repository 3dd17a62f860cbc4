//! What can be chosen for a [`Table`]: how it is made, how long it is waited for, what opens its encrypted attributes.

use std::sync::Arc;

use tabletheory_core::Entropy;
use tabletheory_core::schema::{StreamView, Tag, Throughput};

use super::handle::Table;
use super::options::{Billing, Patience, TableOptions};
use crate::encryption::KeyProvider;

impl<M> Table<M> {
    /// Makes the table with all of these options.
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
    /// let options = TableOptions { deletion_protection: true, ..TableOptions::default() };
    /// let made = Table::<User>::new(Arc::new(TestStore::new())).with_options(options).create().await?;
    /// assert!(made.deletion_protection);
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_options(mut self, options: TableOptions) -> Self {
        self.options = options;
        self
    }

    /// Pays for the table by provisioned throughput.
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
    /// let made = Table::<User>::new(Arc::new(TestStore::new())).with_throughput(5, 2).create().await?;
    /// assert_eq!((made.throughput.read_units, made.throughput.write_units), (5, 2));
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_throughput(mut self, read_units: u64, write_units: u64) -> Self {
        self.options.billing = Billing::Provisioned(Throughput { read_units, write_units });
        self
    }

    /// Gives the table a stream.
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
    /// use tabletheory_core::schema::StreamView;
    ///
    /// let made = Table::<User>::new(Arc::new(TestStore::new())).with_stream(StreamView::NewImage).create().await?;
    /// assert!(made.stream.is_some_and(|stream| stream.view == StreamView::NewImage));
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_stream(mut self, view: StreamView) -> Self {
        self.options.stream = Some(view);
        self
    }

    /// Protects the table against deletion.
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
    /// let table = Table::<User>::new(Arc::new(TestStore::new())).with_deletion_protection();
    /// table.create().await?;
    /// assert_eq!(table.delete().await, Err(TableError::Protected { table: "app".into() }));
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_deletion_protection(mut self) -> Self {
        self.options.deletion_protection = true;
        self
    }

    /// Adds a tag.
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
    /// let made = Table::<User>::new(Arc::new(TestStore::new())).with_tag("team", "web").create().await?;
    /// assert_eq!(made.name, "app");
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_tag(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.tags.push(Tag { key: key.into(), value: value.into() });
        self
    }

    /// Waits as long as this.
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
    /// use std::time::Duration;
    ///
    /// let patience = Patience { table: Duration::from_secs(10), ..Patience::default() };
    /// assert!(Table::<User>::new(Arc::new(TestStore::new())).with_patience(patience).ensure().await.is_ok());
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.site.patience = patience;
        self
    }

    /// Draws the jitter of its pauses from here.
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
    /// use tabletheory_core::SeededEntropy;
    ///
    /// let table = Table::<User>::new(Arc::new(TestStore::new())).with_entropy(Arc::new(SeededEntropy::new(7)));
    /// assert!(table.ensure().await.is_ok());
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.site.entropy = entropy;
        self
    }

    /// Opens and closes encrypted attributes with these keys when items are copied. [`Db::table`](crate::Db::table) gives
    /// those of the database.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use tabletheory::Model;
    /// use tabletheory::encryption::testing::DeterministicKeys;
    /// use tabletheory::table::{CopyFault, Table, Transformed, copy};
    /// use tabletheory::testing::TestStore;
    ///
    /// #[derive(Model)]
    /// #[model(table = "patients")]
    /// struct Patient {
    ///     #[model(pk)]
    ///     id: String,
    ///     #[model(encrypted)]
    ///     diagnosis: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let old = Table::<Patient>::new(Arc::new(TestStore::new()));
    /// let new = old.clone().named("patients-2");
    /// old.ensure().await?;
    /// new.ensure().await?;
    /// let refused = copy(old.clone(), new.clone()).transform(Transformed::Put).await.unwrap_err();
    /// assert!(matches!(refused.fault, CopyFault::Encryption(_)), "nothing is read or written without keys");
    ///
    /// let keys = Arc::new(DeterministicKeys::new("seed"));
    /// let (old, new) = (old.with_keys(Arc::clone(&keys)), new.with_keys(keys));
    /// assert!(copy(old, new).transform(Transformed::Put).await.is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_keys(mut self, keys: impl KeyProvider + 'static) -> Self {
        self.keys = Some(Arc::new(keys));
        self
    }
}

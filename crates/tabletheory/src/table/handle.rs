//! [`Table`]: a table as one or more models see it, and how it is to be made.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use tabletheory_core::Store;
use tabletheory_core::store::op::CreateTable;
use tabletheory_core::sys::SystemEntropy;

use super::conflict::Conflict;
use super::layout::Layout;
use super::member::Member;
use super::options::{Patience, TableOptions};
use super::site::Site;
use crate::encryption::KeyProvider;
use crate::model::Model;
use crate::renamed::Renamed;

/// The table of the model `M`, and of others that share it. The store is asked when a method is awaited, not before.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::Table;
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::schema::StreamView;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let table = Table::<User>::new(Arc::new(TestStore::new()))
///     .named("app-staging")
///     .with_stream(StreamView::NewAndOldImages)
///     .with_tag("team", "web");
/// assert_eq!(table.name(), "app-staging");
/// let made = table.create().await?;
/// assert!(made.stream.is_some());
/// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
/// ```
pub struct Table<M> {
    pub(super) site: Site,
    named: bool,
    members: Vec<Member>,
    renamed: Renamed,
    pub(super) options: TableOptions,
    pub(super) keys: Option<Arc<dyn KeyProvider>>,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> Table<M> {
    /// The table that the model names, on this store.
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
    /// let table = Table::<User>::new(Arc::new(TestStore::new()));
    /// assert_eq!(table.name(), "app");
    /// ```
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::among(store, Renamed::default())
    }

    /// The table of the model on this store, where some models are kept in other tables than they name.
    pub(crate) fn among(store: Arc<dyn Store>, renamed: Renamed) -> Self {
        let member = Member::of::<M>(&renamed);
        let table = member.table().to_owned();
        Self::with_members(store, table, vec![member], renamed)
    }
}

impl Table<()> {
    /// A table of which this program has no model: what it has to be stands in a layout, from a document or from another table.
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
    /// let layout = Layout::of::<User>().named("app-2");
    /// let table = Table::laid_out(Arc::new(TestStore::new()), &layout);
    /// assert_eq!(table.ensure().await?, Ensured::Created);
    /// assert_eq!(table.describe().await?.unwrap().keys, layout.create_table().keys);
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn laid_out(store: Arc<dyn Store>, layout: &Layout) -> Self {
        let table = layout.create_table().table.clone();
        let members = layout.members().to_vec();
        Self { named: true, ..Self::with_members(store, table, members, Renamed::default()) }
    }
}

impl<M> Table<M> {
    fn with_members(store: Arc<dyn Store>, table: String, members: Vec<Member>, renamed: Renamed) -> Self {
        let site = Site { store, table, entropy: Arc::new(SystemEntropy), patience: Patience::default() };
        let (options, keys) = (TableOptions::default(), None);
        Self { site, named: false, members, renamed, options, keys, model: PhantomData }
    }
}

impl<M> Table<M> {
    /// The same for a table of another name.
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
    /// let table = Table::<User>::new(Arc::new(TestStore::new())).named("app-staging");
    /// assert_eq!(table.name(), "app-staging");
    /// ```
    #[must_use]
    pub fn named(mut self, table: impl Into<String>) -> Self {
        self.site.table = table.into();
        self.named = true;
        self
    }

    /// Another model whose items lie in the same table. The table gets what both need; if they contradict each other,
    /// every method that asks the store says so.
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
    /// let table = Table::<User>::new(Arc::new(TestStore::new())).and::<Later>();
    /// let made = table.create().await?;
    /// assert_eq!(made.global_indexes[0].name, "by_city");
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn and<B: Model>(mut self) -> Self {
        self.members.push(Member::of::<B>(&self.renamed));
        self
    }

    /// Its name.
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
    /// assert_eq!(Table::<User>::new(Arc::new(TestStore::new())).name(), "app");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.site.table
    }

    pub(super) fn keys(&self) -> Option<&dyn KeyProvider> {
        self.keys.as_deref()
    }

    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    pub(super) fn options(&self) -> &TableOptions {
        &self.options
    }

    /// What the models need of the table.
    pub(super) fn layout(&self) -> Result<Layout, Conflict> {
        Layout::of_members(&self.members, self.named.then_some(&self.site.table))
    }

    /// The request that makes the table.
    pub(super) fn request(&self, layout: &Layout) -> CreateTable {
        let TableOptions { billing, stream, deletion_protection, table_class, tags } = self.options.clone();
        let mut request = CreateTable {
            billing: billing.mode(),
            throughput: billing.throughput(),
            stream,
            deletion_protection,
            table_class,
            tags,
            ..layout.request.clone()
        };
        for index in &mut request.global_indexes {
            index.throughput = billing.throughput();
        }
        request
    }
}

// Derived, it would ask the model to be cloneable too.
impl<M> Clone for Table<M> {
    fn clone(&self) -> Self {
        Self {
            site: self.site.clone(),
            named: self.named,
            members: self.members.clone(),
            renamed: self.renamed.clone(),
            options: self.options.clone(),
            keys: self.keys.clone(),
            model: PhantomData,
        }
    }
}

// The store is left out: stores for tests remember items.
impl<M> fmt::Debug for Table<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let models: Vec<&str> = self.members.iter().map(|member| member.model.as_str()).collect();
        let mut table = f.debug_struct("Table");
        table.field("name", &self.site.table).field("models", &models).field("options", &self.options);
        table.finish_non_exhaustive()
    }
}

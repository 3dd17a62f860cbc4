//! Operations on tables: create, describe, list, update, delete, time to live, tags.

use crate::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, LocalIndex, StreamView, TableDescription, Tag,
    Throughput,
};

/// Makes a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreateTable {
    /// Its name.
    pub table: String,
    /// The types of all attributes that its keys use.
    pub attributes: Vec<AttributeDefinition>,
    /// Its key.
    pub keys: Vec<KeyElement>,
    /// Its local indexes; they cannot be added later.
    pub local_indexes: Vec<LocalIndex>,
    /// Its global indexes.
    pub global_indexes: Vec<GlobalIndex>,
    /// How it is paid for.
    pub billing: BillingMode,
    /// Its provisioned throughput.
    pub throughput: Option<Throughput>,
    /// Its stream, if it shall have one.
    pub stream: Option<StreamView>,
    /// Whether `DeleteTable` is refused.
    pub deletion_protection: bool,
    /// `STANDARD` or `STANDARD_INFREQUENT_ACCESS`.
    pub table_class: Option<String>,
    /// Its tags.
    pub tags: Vec<Tag>,
}

impl CreateTable {
    /// The request that makes such a table: its name, its keys, its indexes, and its stream if that is on. How it is paid
    /// for and how it is protected is not said.
    ///
    /// ```
    /// use tabletheory_core::schema::KeyElement;
    /// use tabletheory_core::store::op::CreateTable;
    /// # use tabletheory_core::schema::{BillingMode, TableDescription, TableStatus, Throughput};
    /// # use tabletheory_core::Timestamp;
    /// # let described = TableDescription {
    /// #     name: "users".into(), id: String::new(), arn: String::new(), status: TableStatus::Active,
    /// #     created_at: Timestamp::from_millis(0), attributes: vec![], keys: vec![KeyElement::hash("id")],
    /// #     local_indexes: vec![], global_indexes: vec![], billing: BillingMode::PayPerRequest,
    /// #     throughput: Throughput::default(), stream: None, deletion_protection: true, table_class: None,
    /// #     size_bytes: 0, item_count: 0,
    /// # };
    /// let like = CreateTable { table: "users-2".into(), ..CreateTable::like(&described) };
    /// assert_eq!(like.keys, [KeyElement::hash("id")]);
    /// assert!(!like.deletion_protection);
    /// ```
    #[must_use]
    pub fn like(table: &TableDescription) -> Self {
        let local = table.local_indexes.iter().map(|index| LocalIndex {
            name: index.name.clone(),
            keys: index.keys.clone(),
            projection: index.projection.clone(),
        });
        let global = table.global_indexes.iter().map(|index| GlobalIndex {
            name: index.name.clone(),
            keys: index.keys.clone(),
            projection: index.projection.clone(),
            throughput: None,
        });
        Self {
            table: table.name.clone(),
            attributes: table.attributes.clone(),
            keys: table.keys.clone(),
            local_indexes: local.collect(),
            global_indexes: global.collect(),
            stream: table.stream.as_ref().filter(|stream| stream.enabled).map(|stream| stream.view),
            ..Self::default()
        }
    }
}

/// The table made.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTableOutput {
    /// The table.
    pub table: TableDescription,
}

/// Tells of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribeTable {
    /// Its name.
    pub table: String,
}

/// What a table is.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeTableOutput {
    /// The table.
    pub table: TableDescription,
}

/// Names tables in alphabetical order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTables {
    /// Start after this name.
    pub start_after: Option<String>,
    /// At most this many, 1 to 100.
    pub limit: Option<u32>,
}

/// A page of table names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTablesOutput {
    /// The names.
    pub tables: Vec<String>,
    /// The last name, if there are more.
    pub last_evaluated: Option<String>,
}

/// One change to the global indexes of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum GlobalIndexUpdate {
    /// Adds an index and fills it from the table.
    Create(GlobalIndex),
    /// Changes the throughput of an index.
    Update {
        /// The index.
        name: String,
        /// Its new throughput.
        throughput: Throughput,
    },
    /// Removes an index.
    Delete {
        /// The index.
        name: String,
    },
}

/// What `UpdateTable` does to the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamUpdate {
    /// Starts a new stream.
    Enable(StreamView),
    /// Ends the stream.
    Disable,
}

/// Changes a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateTable {
    /// Its name.
    pub table: String,
    /// Types of attributes that new indexes use.
    pub attributes: Vec<AttributeDefinition>,
    /// How it is paid for from now on.
    pub billing: Option<BillingMode>,
    /// Its new throughput.
    pub throughput: Option<Throughput>,
    /// Changes of its global indexes.
    pub global_indexes: Vec<GlobalIndexUpdate>,
    /// A change of its stream.
    pub stream: Option<StreamUpdate>,
    /// Whether `DeleteTable` is refused.
    pub deletion_protection: Option<bool>,
    /// `STANDARD` or `STANDARD_INFREQUENT_ACCESS`.
    pub table_class: Option<String>,
}

/// The table as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateTableOutput {
    /// The table.
    pub table: TableDescription,
}

/// Removes a table and everything in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteTable {
    /// Its name.
    pub table: String,
}

/// The table as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteTableOutput {
    /// The table.
    pub table: TableDescription,
}

/// Says which attribute holds the time after which an item may be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateTimeToLive {
    /// The table.
    pub table: String,
    /// The attribute: a number of seconds since the epoch.
    pub attribute: String,
    /// On or off.
    pub enabled: bool,
}

/// What was set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateTimeToLiveOutput {
    /// The attribute.
    pub attribute: String,
    /// On or off.
    pub enabled: bool,
}

/// Tells whether items expire.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribeTimeToLive {
    /// The table.
    pub table: String,
}

/// Whether items expire.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribeTimeToLiveOutput {
    /// The attribute that holds the expiry, if items expire.
    pub attribute: Option<String>,
}

/// Sets tags of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagResource {
    /// The table's resource name.
    pub arn: String,
    /// Tags to set; others stay.
    pub tags: Vec<Tag>,
}

/// Nothing to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TagResourceOutput {}

/// Removes tags of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UntagResource {
    /// The table's resource name.
    pub arn: String,
    /// Keys of the tags to remove.
    pub keys: Vec<String>,
}

/// Nothing to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UntagResourceOutput {}

/// Lists the tags of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTagsOfResource {
    /// The table's resource name.
    pub arn: String,
    /// Where the previous page ended.
    pub next_token: Option<String>,
}

/// Tags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListTagsOfResourceOutput {
    /// The tags.
    pub tags: Vec<Tag>,
    /// Where this page ended, if there are more.
    pub next_token: Option<String>,
}

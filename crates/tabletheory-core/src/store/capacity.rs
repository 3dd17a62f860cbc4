//! What an operation cost, in the service's units, and how requests ask to be told.

/// How much about its cost an operation reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnCapacity {
    /// Nothing.
    #[default]
    None,
    /// The total for each table.
    Total,
    /// The total, and the shares of the table and of each index.
    Indexes,
}

/// Units an operation used on a table or on one index.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Units {
    /// All units.
    pub total: f64,
    /// Those for reading.
    pub read: f64,
    /// Those for writing.
    pub write: f64,
}

/// What an operation cost on one table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConsumedCapacity {
    /// The table's name.
    pub table: String,
    /// Everything it used.
    pub units: Units,
    /// The table's own share, if shares were asked for.
    pub table_units: Option<Units>,
    /// The shares of local indexes, by name.
    pub local_indexes: Vec<(String, Units)>,
    /// The shares of global indexes, by name.
    pub global_indexes: Vec<(String, Units)>,
    /// Whether reads and writes are reported apart, as transactions do.
    pub split: bool,
}

/// The items of one partition key on a table with local indexes, and how much they hold.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemCollectionMetrics {
    /// The partition key, name and value.
    pub key: crate::item::Item,
    /// Bounds of the collection's size in gigabytes.
    pub size_gb: [f64; 2],
}

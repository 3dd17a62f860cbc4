//! The record once more with the indexes of the seed, which make every write cost more and are therefore a choice.

use std::fmt;

use tabletheory::Model;

use super::status::Status;

/// The same rows with the seed's global indexes: `gsi-function`, `gsi-tenant`, `gsi-status` and `gsi-timestamp`.
///
/// It makes the table ([`Idempotency::create_table_with_indexes`](crate::Idempotency::create_table_with_indexes)) and reads what the
/// indexes find. Each index costs another write of each row, and `gsi-status` has four partitions in all: beyond about a
/// thousand writes a second it holds the table itself back.
///
/// ```
/// use idempotent::Idempotency;
/// use idempotent::record::{IndexedRecord, Status};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let requests = Idempotency::new(Db::memory());
/// requests.create_table_with_indexes().await?;
/// let failed = requests.db().query(IndexedRecord::gsi_status(Status::Failed)).page(None).await.map_err(tabletheory::Error::erase)?;
/// assert!(failed.items.is_empty());
/// # Ok::<(), idempotent::Error>(()) }).unwrap();
/// ```
#[derive(Model, Clone, PartialEq)]
#[model(
    table = "idempotency",
    table_env("IDEMPOTENCY_TABLE_NAME"),
    rename_all = "PascalCase",
    sk = "IDEMPOTENCY",
    sk_attr = "SK",
    index(name = "gsi-function", pk = function_name),
    index(name = "gsi-tenant", pk = tenant_id),
    index(name = "gsi-status", pk = status),
    index(name = "gsi-timestamp", pk = timestamp)
)]
pub struct IndexedRecord {
    /// The hash of scope and key, or the key itself.
    #[model(pk)]
    pub idempotency_key: String,
    /// What the request is for.
    pub function_name: Option<String>,
    /// Whose it is.
    #[model(attr = "TenantID")]
    pub tenant_id: Option<String>,
    /// How far it has come.
    pub status: Status,
    /// When the last attempt began.
    pub timestamp: Option<String>,
    /// Seconds since 1970 at which the record means nothing any more.
    #[model(ttl)]
    pub expires_at: Option<i64>,
}

/// Without the key.
impl fmt::Debug for IndexedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedRecord")
            .field("function_name", &self.function_name)
            .field("status", &self.status)
            .field("timestamp", &self.timestamp)
            .finish_non_exhaustive()
    }
}

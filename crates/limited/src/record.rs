//! The rows of the seed: who was counted, in which window, and how often. The limiter's own rows stand in the same table and have
//! the same keys; whatever else they lack is read as missing.

use tabletheory::table::TableError;
use tabletheory::{Db, Model};

use crate::error::Error;

/// How often somebody was counted in a window. The attributes are named as in the other toolkits, so that one table serves all of
/// them. There is no index, because each would cost one more write for each request; a table that has them is an
/// [`IndexedRateLimitRecord`]'s.
///
/// ```
/// use limited::RateLimitRecord;
/// use tabletheory::{Db, Model};
/// use tabletheory_core::{Item, Value};
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// RateLimitRecord::ensure_table(&db).await?;
/// RateLimitRecord::verify_table(&db).await?;
///
/// let row = Item::from([("Identifier", "user:7"), ("WindowTime", "2024-01-01T00:00:00Z")]);
/// assert_eq!(RateLimitRecord::from_item(row).map(|record| record.count).ok(), Some(0));
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Model, Clone, PartialEq, Eq, Default)]
#[model(table = "rate-limits", table_env("RATE_LIMIT_TABLE_NAME"), rename_all = "PascalCase")]
pub struct RateLimitRecord {
    /// Who was counted.
    #[model(pk)]
    pub identifier: String,
    /// When the window began, in UTC.
    #[model(sk)]
    pub window_time: String,
    /// Their address.
    #[model(attr = "IPAddress")]
    pub ip_address: Option<String>,
    /// Their user.
    #[model(attr = "UserID")]
    pub user_id: Option<String>,
    /// Their tenant.
    #[model(attr = "TenantID")]
    pub tenant_id: Option<String>,
    /// How often.
    #[model(default)]
    pub count: u64,
    /// What the count is filed under.
    pub bucket_key: Option<String>,
    /// Seconds since 1970 after which the table may forget the row. It answers no question.
    #[model(ttl)]
    pub expires_at: Option<i64>,
    /// When the row was made.
    #[model(created_at)]
    pub created_at: Option<jiff::Timestamp>,
    /// When it was changed last.
    #[model(updated_at)]
    pub updated_at: Option<jiff::Timestamp>,
}

/// The same rows in a table with the seed's indexes. Each index that a row is in costs one more write for each request, and an
/// index whose keys are few can slow the whole table down, so they are off unless a table was made with this.
///
/// ```
/// use limited::{IndexedRateLimitRecord, RateLimitRecord};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// IndexedRateLimitRecord::ensure_table(&db).await?;
/// RateLimitRecord::verify_table(&db).await?;
/// let of_tenant = db.query(IndexedRateLimitRecord::gsi_tenant("acme")).await?;
/// assert!(of_tenant.is_empty());
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Model, Clone, PartialEq, Eq, Default)]
#[model(table = "rate-limits", table_env("RATE_LIMIT_TABLE_NAME"), rename_all = "PascalCase")]
#[model(index(name = "gsi-ip", pk = ip_address), index(name = "gsi-user", pk = user_id))]
#[model(index(name = "gsi-tenant", pk = tenant_id), index(name = "gsi-bucket", pk = bucket_key))]
pub struct IndexedRateLimitRecord {
    /// Who was counted.
    #[model(pk)]
    pub identifier: String,
    /// When the window began, in UTC.
    #[model(sk)]
    pub window_time: String,
    /// Their address.
    #[model(attr = "IPAddress")]
    pub ip_address: Option<String>,
    /// Their user.
    #[model(attr = "UserID")]
    pub user_id: Option<String>,
    /// Their tenant.
    #[model(attr = "TenantID")]
    pub tenant_id: Option<String>,
    /// How often.
    #[model(default)]
    pub count: u64,
    /// What the count is filed under.
    pub bucket_key: Option<String>,
    /// Seconds since 1970 after which the table may forget the row. It answers no question.
    #[model(ttl)]
    pub expires_at: Option<i64>,
    /// When the row was made.
    #[model(created_at)]
    pub created_at: Option<jiff::Timestamp>,
    /// When it was changed last.
    #[model(updated_at)]
    pub updated_at: Option<jiff::Timestamp>,
}

impl RateLimitRecord {
    /// Makes the table if it is missing, and has rows expire by `ExpiresAt`.
    ///
    /// # Errors
    /// [`Error::Table`] if there is a table that rate limits cannot be kept in, or the store refuses.
    pub async fn ensure_table(db: &Db) -> Result<(), Error> {
        create_table(db).await
    }

    /// Whether rate limits can be kept in the table: its keys are these, and its rows expire by `ExpiresAt`. To be asked once, at
    /// the start: a limiter that finds out with its first request answers every one with an error.
    ///
    /// # Errors
    /// [`Error::Table`] if there is no table, or not such a one, with what is wrong and what to do; or if the store refuses.
    pub async fn verify_table(db: &Db) -> Result<(), Error> {
        verify::<Self>(db, table_of(db)).await
    }
}

impl IndexedRateLimitRecord {
    /// Makes the table with its indexes if it is missing, and has rows expire by `ExpiresAt`. The table is the one that `db` keeps
    /// a [`RateLimitRecord`] in.
    ///
    /// # Errors
    /// [`Error::Table`] if there is a table without the indexes, or one that rate limits cannot be kept in, or the store refuses.
    pub async fn ensure_table(db: &Db) -> Result<(), Error> {
        db.table::<Self>().named(table_of(db)).ensure().await?;
        Ok(())
    }

    /// As [`RateLimitRecord::verify_table`], and whether the indexes are there.
    ///
    /// # Errors
    /// [`Error::Table`] if there is no such table, or the store refuses.
    pub async fn verify_table(db: &Db) -> Result<(), Error> {
        verify::<Self>(db, table_of(db)).await
    }
}

/// Where `db` keeps the rows.
pub(crate) fn table_of(db: &Db) -> String {
    db.table::<RateLimitRecord>().name().to_owned()
}

/// Makes the table without indexes, if there is none.
pub(crate) async fn create_table(db: &Db) -> Result<(), Error> {
    db.table::<RateLimitRecord>().ensure().await?;
    Ok(())
}

async fn verify<M: Model>(db: &Db, table: String) -> Result<(), Error> {
    let drift = db.table::<M>().named(&table).verify().await?;
    if drift.is_harmless() { Ok(()) } else { Err(TableError::Drift { table, drift }.into()) }
}

/// Without who it is: what is written down here may end up in a log.
impl std::fmt::Debug for RateLimitRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        shown(f, "RateLimitRecord", &self.window_time, self.count, self.expires_at)
    }
}

/// Without who it is: what is written down here may end up in a log.
impl std::fmt::Debug for IndexedRateLimitRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        shown(f, "IndexedRateLimitRecord", &self.window_time, self.count, self.expires_at)
    }
}

fn shown(
    f: &mut std::fmt::Formatter<'_>,
    name: &str,
    window_time: &str,
    count: u64,
    expires_at: Option<i64>,
) -> std::fmt::Result {
    let mut shown = f.debug_struct(name);
    shown.field("window_time", &window_time).field("count", &count).field("expires_at", &expires_at);
    shown.finish_non_exhaustive()
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{Item, Value};

    use super::*;

    #[test]
    fn the_attributes_are_those_of_the_seed() {
        let names = RateLimitRecord::SCHEMA.attributes.iter().map(|attribute| attribute.name);
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "Identifier",
                "WindowTime",
                "IPAddress",
                "UserID",
                "TenantID",
                "Count",
                "BucketKey",
                "ExpiresAt",
                "CreatedAt",
                "UpdatedAt"
            ]
        );
        assert_eq!(RateLimitRecord::SCHEMA.ttl, Some("ExpiresAt"));
    }

    #[test]
    fn what_a_row_lacks_is_missing_and_what_it_has_besides_is_ignored() {
        let row = Item::from([
            ("Identifier", Value::s("api#user:7")),
            ("WindowTime", Value::s("STATE")),
            ("ExpiresAt", Value::n(1_704_067_200)),
            ("b1000", Value::n(5)),
        ]);
        let record = RateLimitRecord::from_item(row).expect("a row of the limiter");
        assert_eq!((record.count, record.expires_at), (0, Some(1_704_067_200)));
        assert_eq!((record.tenant_id, record.created_at), (None, None));
    }

    /// An empty string cannot be the key of an index, and a table with indexes refuses the whole row for it.
    #[test]
    fn what_is_not_known_is_not_written() {
        let record =
            RateLimitRecord { identifier: "a".into(), window_time: "b".into(), ..Default::default() };
        let item = record.to_item().expect("it can be written");
        assert_eq!(item.names().collect::<Vec<_>>(), ["Count", "Identifier", "WindowTime"]);
    }

    #[test]
    fn nobody_is_named_in_a_log() {
        let record = RateLimitRecord { identifier: "user:7".into(), ..Default::default() };
        assert!(!format!("{record:?}").contains("user:7"));
    }
}

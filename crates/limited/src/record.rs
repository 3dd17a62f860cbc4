//! The rows of the seed.

use tabletheory::{Db, Model};

use crate::error::Error;

/// The row.
#[derive(Model, Debug, Clone)]
#[model(table = "rate-limits", table_env("RATE_LIMIT_TABLE_NAME"), rename_all = "PascalCase")]
pub struct RateLimitRecord {
    /// Who.
    #[model(pk)]
    pub identifier: String,
    /// When.
    #[model(sk)]
    pub window_time: String,
    /// When it is forgotten.
    #[model(ttl)]
    pub expires_at: Option<i64>,
}

pub(crate) fn table_of(db: &Db) -> String {
    db.table::<RateLimitRecord>().name().to_owned()
}

pub(crate) async fn create_table(db: &Db) -> Result<(), Error> {
    db.create_table::<RateLimitRecord>().await.map_err(|error| Error::Row(error.to_string()))
}

//! A database on DynamoDB itself: by configuration, or as a function of AWS Lambda finds it in its environment.

use tabletheory_aws::{Config, ConfigError, DynamoDb, KMS_KEY_ARN, Kms, KmsConfig};
use tokio::sync::OnceCell;

use super::Db;

/// The database of this process.
static SHARED: OnceCell<Db> = OnceCell::const_new();

impl Db {
    /// DynamoDB, or anything that speaks its protocol. The first call makes the first connection.
    ///
    /// ```
    /// use tabletheory::Db;
    /// use tabletheory::aws::{Config, Credentials};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tabletheory::aws::ConfigError> {
    /// let config = Config {
    ///     endpoint_url: Some("http://127.0.0.1:8000".to_owned()),
    ///     region: Some("us-east-1".to_owned()),
    ///     credentials: Some(Credentials::new("local", "local")),
    ///     ..Config::default()
    /// };
    /// let db = Db::dynamodb(config).await?;
    /// assert!(format!("{db:?}").contains("DynamoDb"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ConfigError::NoRegion`] if neither the configuration nor the SDK's own sources name a region.
    pub async fn dynamodb(config: Config) -> Result<Self, ConfigError> {
        DynamoDb::connect(config).await.map(Self::new)
    }

    /// The database of a function of AWS Lambda: DynamoDB as the environment asks for it ([`Config::from_env`]), with keys
    /// from KMS if `KMS_KEY_ARN` names one. It is made once for each process, so that invocations share its connections; each
    /// of them then puts its own deadline before the calls with [`within`](Self::within).
    ///
    /// ```no_run
    /// use tabletheory::Db;
    /// use tabletheory_core::Timestamp;
    ///
    /// /// `deadline_ms` is the deadline of the invocation's context, in milliseconds since 1970.
    /// async fn handler(deadline_ms: i64) -> Result<(), Box<dyn std::error::Error>> {
    ///     let db = Db::lambda().await?.within(Timestamp::from_millis(deadline_ms));
    ///     // Whatever waits is cut off half a second before the function would be killed.
    ///     assert!(format!("{db:?}").contains("Within"));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// As of [`dynamodb`](Self::dynamodb) and [`Config::from_env`]. A failure is not kept: the next call tries again.
    pub async fn lambda() -> Result<Self, ConfigError> {
        shared(&SHARED, from_environment).await
    }
}

/// The database in the cell; whoever comes first makes it.
async fn shared<F: Future<Output = Result<Db, ConfigError>>>(
    cell: &OnceCell<Db>,
    connect: impl FnOnce() -> F,
) -> Result<Db, ConfigError> {
    cell.get_or_try_init(connect).await.cloned()
}

async fn from_environment() -> Result<Db, ConfigError> {
    let db = Db::dynamodb(Config::from_env()?).await?;
    if std::env::var_os(KMS_KEY_ARN).is_none_or(|key| key.is_empty()) {
        return Ok(db);
    }
    Ok(db.with_keys(Kms::connect(KmsConfig::from_env()?).await?))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;
    use std::sync::Arc;

    use futures_executor::block_on;

    use super::*;

    #[test]
    fn a_failure_is_told_every_time_and_tried_again_and_a_success_is_kept() {
        let (cell, tries) = (OnceCell::new(), Cell::new(0));
        let connect = || {
            tries.set(tries.get() + 1);
            ready(if tries.get() < 3 { Err(ConfigError::NoRegion) } else { Ok(Db::new(NoStore)) })
        };
        for expected in 1..3 {
            assert_eq!(block_on(shared(&cell, connect)).unwrap_err(), ConfigError::NoRegion);
            assert_eq!(tries.get(), expected);
        }
        let (one, two) =
            (block_on(shared(&cell, connect)).unwrap(), block_on(shared(&cell, connect)).unwrap());
        assert!(Arc::ptr_eq(one.store(), two.store()));
        assert_eq!(tries.get(), 3);
    }

    /// Nobody calls it.
    #[derive(Debug)]
    struct NoStore;

    impl tabletheory_core::Store for NoStore {
        fn call(&self, request: tabletheory_core::Request) -> tabletheory_core::store::StoreFuture<'_> {
            unreachable!("{request:?}")
        }
    }
}

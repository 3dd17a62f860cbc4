//! Rows and bodies, as the settings choose them, and what is built on them: the pages, the limiter, the requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use facetheory::body::{BodyError, BodySettings};
use facetheory::{Bodies, Isr, IsrSettings, MetaStore, Observer};
use idempotent::Idempotency;
use limited::{Limiter, RateLimitRecord};
use tabletheory::Db;
use tabletheory_engine::{Durability, Engine, EngineError};

use crate::settings::{BodyPlace, Settings, StorePlace, Tables};

/// The folder of an embedded engine belongs to one process, so nobody else changes its rows, and what was read of a page need not be
/// read again each second.
const BELIEVED_ALONE: Duration = Duration::from_secs(60);

/// Why stores cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoresError {
    /// The folder of the embedded engine cannot be used.
    #[error("cannot open the rows in {}", folder.display())]
    Engine {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: EngineError,
    },
    /// This build has no DynamoDB.
    #[error(
        "this program was built without DynamoDB; build it with the feature `aws`, or say store.kind = \"embedded\""
    )]
    NoDynamoDb,
    /// DynamoDB cannot be reached as it is configured.
    #[cfg(feature = "aws")]
    #[error("DynamoDB cannot be used as it is configured")]
    DynamoDb(#[from] tabletheory_aws::ConfigError),
    /// Bodies cannot be kept where the settings say.
    #[error("bodies cannot be kept in {place}")]
    Bodies {
        /// Where.
        place: String,
        /// Why.
        source: BodyError,
    },
    /// A table is not there and cannot be made, or is of another shape.
    #[error("the table {table} cannot be used")]
    Table {
        /// Its name.
        table: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What a gateway works on.
#[derive(Debug, Clone)]
pub(crate) struct Stores {
    /// The rows.
    pub(crate) db: Db,
    /// The pages.
    pub(crate) isr: Isr,
    /// The limits.
    pub(crate) limiter: Limiter,
    /// The idempotent requests.
    pub(crate) requests: Idempotency,
    engine: Option<Engine>,
}

impl Stores {
    /// Opens them, and makes tables that are not there if the settings say so. `observer` is told what happens to pages.
    ///
    /// # Errors
    /// If one of them cannot be used.
    pub(crate) async fn open(settings: &Settings, observer: Arc<dyn Observer>) -> Result<Self, StoresError> {
        let (db, engine) = rows(&settings.store, settings.memory.rows).await?;
        let bodies = bodies(&settings.bodies, settings.memory.pages)?;
        let Tables { cache, limits, requests, create } = &settings.tables;
        let meta = MetaStore::in_table(db.clone(), cache);
        let limiter = Limiter::new(db.clone().with_table::<RateLimitRecord>(limits));
        let requests_machine = Idempotency::in_table(db.clone(), requests);
        if *create {
            let pages = meta.db().table::<facetheory::record::Meta>();
            pages.ensure().await.map_err(|error| unusable(cache, error))?;
            limiter.create_table().await.map_err(|error| unusable(limits, error))?;
            requests_machine.create_table().await.map_err(|error| unusable(requests, error))?;
        }
        let believed = believed(settings.memory.known, engine.is_some());
        let isr = Isr::new(meta, bodies).with_observer(observer).with_settings(believed);
        Ok(Self { db, isr, limiter, requests: requests_machine, engine })
    }

    /// Lets go of them, and tells whether every answered write is on the disk.
    ///
    /// # Errors
    /// If a write of the embedded engine did not reach the disk.
    pub(crate) fn close(self) -> Result<(), EngineError> {
        let Self { db, isr, limiter, requests, engine } = self;
        drop((db, isr, limiter, requests));
        engine.map_or(Ok(()), Engine::close)
    }
}

/// How long what was read of pages is believed, and how much of it is remembered.
fn believed(known_bytes: usize, is_alone: bool) -> IsrSettings {
    let usual = IsrSettings { known_bytes, ..IsrSettings::default() };
    if is_alone { IsrSettings { meta_cache: BELIEVED_ALONE, ..usual } } else { usual }
}

fn unusable(table: &str, error: impl std::error::Error + Send + Sync + 'static) -> StoresError {
    StoresError::Table { table: table.to_owned(), source: Box::new(error) }
}

async fn rows(place: &StorePlace, bytes: usize) -> Result<(Db, Option<Engine>), StoresError> {
    let engine = match place {
        StorePlace::Memory => Engine::memory(),
        StorePlace::Embedded { folder, durability } => {
            Engine::open(folder, engine_settings(*durability, bytes))
                .map_err(|source| StoresError::Engine { folder: folder.clone(), source })?
        }
        StorePlace::DynamoDb { endpoint, region } => return Ok((dynamodb(endpoint, region).await?, None)),
    };
    Ok((Db::new(engine.clone()), Some(engine)))
}

/// An engine that takes so much memory: two fifths for items that are read often, one for blocks of files, two for recent writes.
fn engine_settings(durability: Durability, bytes: usize) -> tabletheory_engine::Settings {
    let fifth = (bytes / 5) as u64;
    tabletheory_engine::Settings {
        durability,
        item_cache_bytes: 2 * fifth,
        block_cache_bytes: fifth,
        write_buffer_bytes: 2 * fifth,
        ..Default::default()
    }
}

#[cfg(feature = "aws")]
async fn dynamodb(endpoint: &Option<String>, region: &Option<String>) -> Result<Db, StoresError> {
    use tabletheory_aws::{Config, DynamoDb};
    let mut config = Config::from_env()?;
    config.endpoint_url = endpoint.clone().or(config.endpoint_url);
    config.region = region.clone().or(config.region);
    Ok(Db::new(DynamoDb::connect(config).await?))
}

#[cfg(not(feature = "aws"))]
#[expect(clippy::unused_async, reason = "with DynamoDB it connects")]
async fn dynamodb(_endpoint: &Option<String>, _region: &Option<String>) -> Result<Db, StoresError> {
    Err(StoresError::NoDynamoDb)
}

fn bodies(place: &BodyPlace, hot_bytes: usize) -> Result<Bodies, StoresError> {
    let failed = |place: String| move |source| StoresError::Bodies { place, source };
    let mut settings = BodySettings { hot_bytes, ..BodySettings::default() };
    match place {
        BodyPlace::Memory => Bodies::memory().with_settings(settings).map_err(failed("memory".to_owned())),
        BodyPlace::Folder(folder) => Bodies::folder(folder)
            .and_then(|bodies| bodies.with_settings(settings))
            .map_err(failed(folder.display().to_string())),
        BodyPlace::S3 { bucket, prefix, .. } => {
            settings.prefix.clone_from(prefix);
            Bodies::s3(&place.s3().expect("it is a bucket"))
                .and_then(|bodies| bodies.with_settings(settings))
                .map_err(failed(format!("s3://{bucket}/{prefix}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_pages_is_bounded_as_the_settings_say() {
        let usual = IsrSettings::default();
        for known in [0, 7 << 20] {
            let (alone, shared) = (believed(known, true), believed(known, false));
            assert_eq!((alone.known_bytes, shared.known_bytes), (known, known));
            assert_eq!((alone.meta_cache, shared.meta_cache), (BELIEVED_ALONE, usual.meta_cache));
        }
    }
}

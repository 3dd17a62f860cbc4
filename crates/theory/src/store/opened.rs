//! A store that was opened, and is closed with what it still has to write.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tabletheory::Db;
use tabletheory_core::{Store, StoreError};
use tabletheory_engine::{Engine, EngineError, KvError, Settings};

#[cfg(feature = "aws")]
use super::reach;

/// A store that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
    /// What people call it.
    pub(crate) name: String,
    /// The engine, if it is one, so that it can be closed.
    engine: Option<Engine>,
}

impl Opened {
    /// The store in a folder, which is made if it is not there.
    pub(crate) fn folder(folder: &Path, settings: Settings) -> anyhow::Result<Self> {
        let engine = Engine::open(folder, settings).map_err(|error| match error {
            EngineError::Storage(KvError::Locked { path }) => anyhow::anyhow!(
                "{} is in use by another process, such as `theory serve` or `theory dynamodb`; a folder belongs to one process at \
                 a time: stop that one first",
                path.display()
            ),
            other => anyhow::Error::new(other).context(format!("cannot open {}", folder.display())),
        })?;
        Ok(Self { store: Arc::new(engine.clone()), name: folder.display().to_string(), engine: Some(engine) })
    }

    /// DynamoDB, or what speaks its protocol.
    #[cfg(feature = "aws")]
    pub(crate) async fn dynamodb(endpoint: Option<String>, region: Option<String>) -> anyhow::Result<Self> {
        let name = endpoint.clone().unwrap_or_else(|| "DynamoDB".to_owned());
        let store = tabletheory_aws::DynamoDb::connect(reach::config(endpoint, region)?).await;
        let store = store.context("cannot connect to DynamoDB")?;
        Ok(Self { store: Arc::new(store), name, engine: None })
    }

    /// DynamoDB, which this binary was built without.
    #[cfg(not(feature = "aws"))]
    pub(crate) async fn dynamodb(_: Option<String>, _: Option<String>) -> anyhow::Result<Self> {
        anyhow::bail!(
            "this binary was built without DynamoDB; build it with the feature `aws`, which is on by default"
        )
    }

    /// The database on it.
    pub(crate) fn db(&self) -> Db {
        Db::new(Arc::clone(&self.store))
    }

    /// Whether it is a folder of this machine, whose upkeep is this process's.
    pub(crate) fn is_here(&self) -> bool {
        self.engine.is_some()
    }

    /// Removes what has expired by now, if it is a folder of this machine. DynamoDB does that by itself, when it likes.
    pub(crate) async fn expire(&self) -> anyhow::Result<()> {
        let Some(engine) = self.engine.clone() else { return Ok(()) };
        let removed = tokio::task::spawn_blocking(move || -> Result<(), StoreError> {
            while engine.upkeep()?.more {}
            Ok(())
        });
        removed.await.context("upkeep ended in a panic")?.context("what has expired cannot be removed")
    }

    /// Lets go of it, and tells whether everything has reached the disk.
    pub(crate) fn close(self) -> anyhow::Result<()> {
        let Self { store, engine, .. } = self;
        drop(store);
        match engine {
            Some(engine) => engine.close().context("the last writes may not be on disk"),
            None => Ok(()),
        }
    }
}

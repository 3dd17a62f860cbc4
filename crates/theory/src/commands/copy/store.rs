//! A store that is opened as one side of a copy.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use tabletheory_engine::Settings;
use theory_copy::Side;
use theory_copy::export::{ExportStore, Exports, Place};

use super::arguments::Copy;
use super::hint::hinted;
use super::store_name::StoreName;
use crate::objects::Objects;
use crate::store::{Opened, is_store};

/// A disk that does not answer will not; the network may.
const PATIENCE_FOLDER: Duration = Duration::from_secs(5);
const PATIENCE_ENDPOINT: Duration = Duration::from_secs(60);
const PATIENCE_DYNAMODB: Duration = Duration::from_secs(300);
/// Who is not there at the beginning is not waited for.
const PATIENCE_FIRST: Duration = Duration::from_secs(3);

/// A store that was opened as one side of a copy.
pub(super) struct OpenSide {
    /// The store.
    pub(super) side: Side,
    /// Its folder, if it has one.
    pub(super) folder: Option<PathBuf>,
    opened: Option<Opened>,
    exports: Option<Arc<Exports>>,
}

impl StoreName {
    /// Opens it to be read.
    pub(super) async fn open(&self, copy: &Copy) -> anyhow::Result<OpenSide> {
        match self {
            Self::Folder(data) => {
                let folder = [data.clone(), data.join("store")].into_iter().find(|folder| is_store(folder));
                let Some(folder) = folder else {
                    bail!(
                        "{} holds no store; give the folder of a gateway or of `theory dynamodb`",
                        data.display()
                    );
                };
                // What expires in the source stays until it is copied.
                OpenSide::folder(&folder, Settings { upkeep_every: None, ..Settings::default() })
            }
            Self::Endpoint(_) | Self::DynamoDb(_) => self.elsewhere().await,
            Self::Export(place) => OpenSide::export(place, copy).await,
        }
    }

    /// Opens it to be written. A folder that holds no store becomes that of a gateway.
    pub(super) async fn open_or_make(&self, copy: &Copy) -> anyhow::Result<OpenSide> {
        match self {
            Self::Folder(data) => {
                let folder = if is_store(data) { data.clone() } else { data.join("store") };
                OpenSide::folder(&folder, Settings::default())
            }
            _ => self.open(copy).await,
        }
    }

    /// The folder, if it is one that holds no store.
    pub(super) fn new_folder(&self) -> Option<&Path> {
        let Self::Folder(data) = self else { return None };
        (!is_store(data) && !is_store(&data.join("store"))).then_some(data)
    }

    async fn elsewhere(&self) -> anyhow::Result<OpenSide> {
        let (opened, patience) = match self {
            Self::Endpoint(url) => (Opened::dynamodb(Some(url.clone()), None).await?, PATIENCE_ENDPOINT),
            Self::DynamoDb(region) => (Opened::dynamodb(None, region.clone()).await?, PATIENCE_DYNAMODB),
            Self::Folder(_) | Self::Export(_) => unreachable!("those are here"),
        };
        let side = Side::new(Arc::clone(&opened.store), self.to_string()).with_patience(patience);
        Ok(OpenSide { side, folder: None, opened: Some(opened), exports: None })
    }
}

impl OpenSide {
    fn folder(folder: &Path, settings: Settings) -> anyhow::Result<Self> {
        let opened = Opened::folder(folder, settings)?;
        // The journal knows the folder again, wherever it is named from.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let name = folder.display().to_string();
        let side = Side::new(Arc::clone(&opened.store), name).with_patience(PATIENCE_FOLDER);
        Ok(Self { side, folder: Some(folder), opened: Some(opened), exports: None })
    }

    async fn export(place: &str, copy: &Copy) -> anyhow::Result<Self> {
        let Objects { store, prefix, name } = Objects::open(place).await?;
        let place = Place { store, prefix, name: name.clone() };
        let mut chosen = place.exports().await.map_err(|error| hinted(error.into(), copy))?;
        if !copy.tables.is_empty() {
            chosen.retain(|found| copy.tables.contains(&found.table));
        }
        for pair in chosen.windows(2) {
            if let [first, second] = pair
                && first.table == second.table
            {
                bail!(
                    "{name} has several exports of {}: {} of {} and {} of {}; say which, such as export:{}/AWSDynamoDB/{}",
                    first.table,
                    first.id,
                    first.time,
                    second.id,
                    second.time,
                    name.trim_end_matches('/'),
                    second.id
                );
            }
        }
        let (keys, attributes) = copy.keys()?;
        let mut exports = Vec::new();
        for found in chosen {
            let export =
                ExportStore::open(place.clone(), found).await.map_err(|error| hinted(error.into(), copy))?;
            exports.push(export.with_keys(keys.clone(), attributes.clone()));
        }
        let exports = Arc::new(Exports::new(exports));
        let side =
            Side::new(Arc::clone(&exports) as _, format!("export:{name}")).with_patience(PATIENCE_ENDPOINT);
        Ok(Self { side, folder: None, opened: None, exports: Some(exports) })
    }

    /// The side for the first questions.
    pub(super) fn at_first(&self) -> Side {
        self.side.clone().with_patience(PATIENCE_FIRST)
    }

    /// Whether what will be read is whole; only an export can tell before it is read.
    pub(super) async fn check(&self, tables: &[String], tell: &(dyn Fn(u64) + Sync)) -> anyhow::Result<()> {
        let Some(exports) = &self.exports else { return Ok(()) };
        for export in exports.iter().filter(|export| tables.iter().any(|table| table == export.table())) {
            export.check(tell).await?;
        }
        Ok(())
    }

    /// Lets go of it, and tells whether everything has reached the disk.
    pub(super) fn close(self) -> anyhow::Result<()> {
        drop(self.side);
        self.opened.map_or(Ok(()), Opened::close)
    }
}

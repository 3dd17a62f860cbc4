//! A store as it is said on the command line, and what it is when it was opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use tabletheory_engine::Settings;
use theory_copy::Side;
use theory_copy::export::{ExportStore, Exports, Place};

use super::Copy;
use super::hint::hinted;
use crate::objects::Objects;
use crate::store::{Opened, is_store};

/// A disk that does not answer will not; the network may.
const PATIENCE_FOLDER: Duration = Duration::from_secs(5);
const PATIENCE_ENDPOINT: Duration = Duration::from_secs(60);
const PATIENCE_DYNAMODB: Duration = Duration::from_secs(300);
/// Who is not there at the beginning is not waited for.
const PATIENCE_FIRST: Duration = Duration::from_secs(3);

/// A store, as it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoreName {
    /// A folder of this machine.
    Folder(PathBuf),
    /// An address.
    Endpoint(String),
    /// DynamoDB, in a region or in that of the environment.
    DynamoDb(Option<String>),
    /// A place with exports.
    Export(String),
}

impl FromStr for StoreName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(place) = text.strip_prefix("export:") {
            return match place {
                "" => Err("an export has a place: export:FOLDER or export:s3://BUCKET/PREFIX".to_owned()),
                place => Ok(Self::Export(place.to_owned())),
            };
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Endpoint(text.trim_end_matches('/').to_owned()));
        }
        if let Some(place) = text.strip_prefix("s3://") {
            return Err(format!("a bucket holds exports; say export:s3://{place}"));
        }
        match text.strip_prefix("dynamodb") {
            Some("") => return Ok(Self::DynamoDb(None)),
            Some(rest) if rest.starts_with(':') && rest.len() > 1 => {
                return Ok(Self::DynamoDb(Some(rest[1..].to_owned())));
            }
            _ => {}
        }
        if text.is_empty() || text.contains("://") || text == "dynamodb:" {
            let forms = "a folder, dynamodb, dynamodb:REGION, http://HOST:PORT or export:PLACE";
            return Err(format!("it is no store; say {forms}"));
        }
        Ok(Self::Folder(PathBuf::from(text)))
    }
}

impl fmt::Display for StoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Endpoint(url) => f.write_str(url),
            Self::DynamoDb(None) => f.write_str("DynamoDB"),
            Self::DynamoDb(Some(region)) => write!(f, "DynamoDB in {region}"),
            Self::Export(place) => write!(f, "export:{place}"),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read_as_it_is_said() {
        for (text, expected) in [
            ("./theory-data", StoreName::Folder("./theory-data".into())),
            ("./dynamodb", StoreName::Folder("./dynamodb".into())),
            ("dynamodb-2", StoreName::Folder("dynamodb-2".into())),
            ("dynamodb", StoreName::DynamoDb(None)),
            ("dynamodb:eu-west-1", StoreName::DynamoDb(Some("eu-west-1".into()))),
            ("http://127.0.0.1:8000/", StoreName::Endpoint("http://127.0.0.1:8000".into())),
            ("export:./backup", StoreName::Export("./backup".into())),
            ("export:s3://b/p", StoreName::Export("s3://b/p".into())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for (text, said) in [
            ("", "no store"),
            ("ftp://x", "no store"),
            ("dynamodb:", "no store"),
            ("export:", "has a place"),
            ("s3://bucket/x", "say export:s3://bucket/x"),
        ] {
            assert!(text.parse::<StoreName>().is_err_and(|why| why.contains(said)), "{text}");
        }
    }
}

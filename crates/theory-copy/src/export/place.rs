//! A place with exports: a folder, or a prefix of a bucket. It may be the folder of one export itself.

use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload, PutResult};

use super::error::ExportError;
use super::manifest::{FOLDER, SUMMARY, Summary};

/// No manifest of a real export is larger.
const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// A place with exports.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where its objects are.
    pub store: Arc<dyn ObjectStore>,
    /// What their names begin with.
    pub prefix: Path,
    /// What people call it.
    pub name: String,
}

/// An export that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The table that was exported.
    pub table: String,
    /// The export's own name.
    pub id: String,
    /// How many items it has.
    pub items: u64,
    /// When it was made, as it says.
    pub time: String,
    /// The folder in which its manifests lie.
    pub(super) folder: Path,
    pub(super) summary: Summary,
}

impl Place {
    /// The exports of this place, sorted by table and time. What has no manifest is none.
    ///
    /// # Errors
    /// If there is none, or one is of a kind that is not read.
    pub async fn exports(&self) -> Result<Vec<Found>, ExportError> {
        if let Some(found) = self.export(self.prefix.clone()).await? {
            return Ok(vec![found]);
        }
        let folder = self.prefix.clone().join(FOLDER);
        let listed = self.store.list_with_delimiter(Some(&folder)).await;
        let listed = match listed {
            Ok(listed) => listed.common_prefixes,
            Err(object_store::Error::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(ExportError::object(&self.file(&folder), "listed")(error)),
        };
        let mut exports = Vec::new();
        for folder in listed {
            exports.extend(self.export(folder).await?);
        }
        if exports.is_empty() {
            return Err(ExportError::None { place: self.name.clone() });
        }
        exports.sort_by(|first, second| (&first.table, &first.time).cmp(&(&second.table, &second.time)));
        Ok(exports)
    }

    /// The export in this folder, if it is one.
    async fn export(&self, folder: Path) -> Result<Option<Found>, ExportError> {
        let path = folder.clone().join(SUMMARY);
        let Some(text) = self.read(&path).await? else { return Ok(None) };
        let summary = Summary::read(&self.file(&path), &text)?;
        Ok(Some(Found {
            table: summary.table().unwrap_or_default().to_owned(),
            id: folder.filename().unwrap_or_default().to_owned(),
            items: summary.item_count,
            time: summary.export_time.clone(),
            folder,
            summary,
        }))
    }

    /// A manifest, if it is there.
    pub(super) async fn read(&self, path: &Path) -> Result<Option<Bytes>, ExportError> {
        let file = self.file(path);
        let found = match self.store.get(path).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(ExportError::object(&file, "read")(error)),
        };
        if found.meta.size > MANIFEST_BYTES_MAX {
            let why = format!("it has {} bytes", found.meta.size);
            return Err(ExportError::Manifest { file, why });
        }
        found.bytes().await.map(Some).map_err(ExportError::object(&file, "read"))
    }

    pub(super) async fn write(&self, path: &Path, bytes: Vec<u8>) -> Result<PutResult, ExportError> {
        let put = self.store.put(path, PutPayload::from(bytes)).await;
        put.map_err(ExportError::object(&self.file(path), "written"))
    }

    /// What people call an object here.
    pub(super) fn file(&self, path: &Path) -> String {
        let below = path.prefix_match(&self.prefix);
        let below =
            below.map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"));
        let name = self.name.trim_end_matches('/');
        match below {
            Some(below) if below.is_empty() => name.to_owned(),
            Some(below) => format!("{name}/{below}"),
            None => format!("{name}: {path}"),
        }
    }
}

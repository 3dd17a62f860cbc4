//! The two kinds of places where bodies lie, behind one face.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use object_store::path::Path;

use super::error::BodyError;
use super::folder::Folder;
use super::found::Found;
use super::listed::Listed;
use super::objects::Objects;

/// Where bodies lie.
#[derive(Debug, Clone)]
pub(super) enum Medium {
    /// In an object store.
    Objects(Objects),
    /// In a folder.
    Folder(Folder),
}

impl Medium {
    /// Puts a body, durable when this returns.
    pub(super) async fn put(&self, location: &Path, bytes: Bytes) -> Result<(), BodyError> {
        match self {
            Self::Objects(objects) => objects.put(location, bytes).await,
            Self::Folder(folder) => folder.put(location, bytes).await,
        }
    }

    /// Reads a body, if it has the length that is expected.
    pub(super) async fn get(&self, location: &Path, len: Option<u64>, max: u64) -> Result<Found, BodyError> {
        match self {
            Self::Objects(objects) => objects.get(location, len, max).await,
            Self::Folder(folder) => folder.get(location, len, max).await,
        }
    }

    /// What lies below `prefix`.
    pub(super) fn list(&self, prefix: &Path) -> BoxStream<'static, Result<Listed, BodyError>> {
        match self {
            Self::Objects(objects) => objects.list(prefix),
            Self::Folder(folder) => folder.list(prefix),
        }
    }

    /// Deletes what lies there.
    pub(super) async fn delete(&self, location: &Path) -> Result<(), BodyError> {
        match self {
            Self::Objects(objects) => objects.delete(location).await,
            Self::Folder(folder) => folder.delete(location).await,
        }
    }

    /// Whether a listing goes on after an error.
    pub(super) fn lists_on(&self) -> bool {
        matches!(self, Self::Folder(_))
    }
}

//! A place where bodies lie, and a way to tamper with it behind their back.

use std::any::Any;
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use facetheory::body::{Bodies, BodySettings};
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};

use super::s3_server;

type Planting = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One place, empty at first.
pub(super) struct World {
    open: Box<dyn Fn() -> Bodies + Send + Sync>,
    plant: Box<dyn Fn(String, Vec<u8>) -> Planting + Send + Sync>,
    _guard: Box<dyn Any + Send>,
}

impl World {
    /// Bodies as a process sees them that has just started: nothing is in memory.
    pub(super) fn bodies(&self) -> Bodies {
        (self.open)()
    }

    /// The same with settings.
    pub(super) fn bodies_with(&self, settings: BodySettings) -> Bodies {
        self.bodies().with_settings(settings).unwrap()
    }

    /// Writes an object as somebody else would.
    pub(super) async fn plant(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        (self.plant)(path.to_owned(), bytes.into()).await;
    }

    /// In memory.
    pub(super) async fn memory() -> Self {
        let store = Arc::new(InMemory::new());
        let planted = Arc::clone(&store);
        Self {
            open: Box::new(move || Bodies::over(Arc::clone(&store) as Arc<dyn ObjectStore>)),
            plant: Box::new(move |path, bytes| {
                let store = Arc::clone(&planted);
                Box::pin(async move {
                    store.put(&path.into(), Bytes::from(bytes).into()).await.unwrap();
                })
            }),
            _guard: Box::new(()),
        }
    }

    /// In a folder.
    pub(super) async fn folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        Self {
            plant: planting_files(folder.path()),
            open: Box::new(move || Bodies::folder(&root).unwrap()),
            _guard: Box::new(folder),
        }
    }

    /// In an S3 on loopback.
    pub(super) async fn s3() -> Self {
        let server = s3_server::start().await;
        let settings = s3_server::settings(server.endpoint());
        Self {
            plant: planting_files(&server.folder()),
            open: Box::new(move || Bodies::s3(&settings).unwrap()),
            _guard: Box::new(server),
        }
    }
}

fn planting_files(root: &Path) -> Box<dyn Fn(String, Vec<u8>) -> Planting + Send + Sync> {
    let root: PathBuf = root.to_owned();
    Box::new(move |path, bytes| {
        let path = root.join(path);
        Box::pin(async move {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        })
    })
}

//! Bodies in a folder. `object_store` writes them (temporary file, fsync, rename, fsync of the directory); what it leaves to
//! us is here: directories that others made are durable too, links are not followed, leftovers are seen and can be deleted.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};

use super::blocking::blocking;
use super::error::{BodyError, BodyOperation, io_kind};
use super::found::Found;
use super::listed::{Listed, leftover_of};
use super::walk::Walk;

/// Files that are listed before others get a turn.
const LISTED_AT_ONCE: usize = 256;
/// A sweep in another process may remove a directory just before a file is made in it.
const PUT_ATTEMPTS: usize = 3;

/// A folder that exists.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: Arc<FilePath>,
    files: Arc<LocalFileSystem>,
}

impl Folder {
    /// Opens the folder, and makes it if it is not there.
    pub(super) fn open(path: &FilePath) -> Result<Self, BodyError> {
        let open = || {
            let made: Vec<&FilePath> = path.ancestors().take_while(|folder| !folder.exists()).collect();
            fs::create_dir_all(path)?;
            made.iter().filter_map(|folder| folder.parent()).try_for_each(sync)?;
            fs::canonicalize(path)
        };
        let root = open().map_err(|error| BodyError::of_file(BodyOperation::Open, error))?;
        let files = LocalFileSystem::new_with_prefix(&root)
            .map_err(|error| BodyError::of_store(BodyOperation::Open, error))?;
        Ok(Self { root: root.into(), files: Arc::new(files.with_fsync(true)) })
    }

    /// Writes the file. When this returns it will be there after a power failure.
    pub(super) async fn put(&self, location: &Path, bytes: Bytes) -> Result<(), BodyError> {
        let of_file = |error| BodyError::of_file(BodyOperation::Put, error);
        let (root, path) = (Arc::clone(&self.root), self.path(location));
        blocking(move || refuse_links(&root, &path)).await.map_err(of_file)?;
        let mut attempt = 1;
        loop {
            let written = self.files.put(location, PutPayload::from(bytes.clone())).await;
            match written {
                Ok(_) => break,
                Err(error) if attempt < PUT_ATTEMPTS && io_kind(&error) == Some(ErrorKind::NotFound) => {
                    attempt += 1
                }
                Err(error) => return Err(BodyError::of_store(BodyOperation::Put, error)),
            }
        }
        let (root, path) = (Arc::clone(&self.root), self.path(location));
        blocking(move || sync_above(&root, &path)).await.map_err(of_file)
    }

    /// Reads the file, if it has the length that is expected.
    pub(super) async fn get(&self, location: &Path, len: Option<u64>, max: u64) -> Result<Found, BodyError> {
        let (root, path) = (Arc::clone(&self.root), self.path(location));
        let read = blocking(move || read(&root, &path, len, max)).await;
        match read {
            Err(error) if is_absence(&error) => Ok(Found::Nothing),
            read => read.map_err(|error| BodyError::of_file(BodyOperation::Get, error)),
        }
    }

    /// The files below `prefix`. An error concerns one file or folder; the stream goes on behind it.
    pub(super) fn list(&self, prefix: &Path) -> BoxStream<'static, Result<Listed, BodyError>> {
        let start = self.path(prefix);
        let walk = async move { blocking(move || Walk::new(start)).await };
        let batches = |walk: Option<Walk>| async {
            let mut walk = walk?;
            let (batch, walk) = blocking(move || {
                let batch: Vec<_> = walk.by_ref().take(LISTED_AT_ONCE).collect();
                (batch, walk)
            })
            .await;
            (!batch.is_empty()).then(|| (stream::iter(batch), Some(walk)))
        };
        let opened = stream::once(walk).flat_map(move |walk| match walk {
            Ok(walk) => stream::unfold(Some(walk), batches).flatten().boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        });
        opened.map(|listed| listed.map_err(|error| BodyError::of_file(BodyOperation::List, error))).boxed()
    }

    /// Deletes the file, and the directories that are empty then. One that is gone already is deleted too.
    pub(super) async fn delete(&self, location: &Path) -> Result<(), BodyError> {
        let (root, path) = (Arc::clone(&self.root), self.path(location));
        blocking(move || delete(&root, &path))
            .await
            .map_err(|error| BodyError::of_file(BodyOperation::Delete, error))
    }

    fn path(&self, location: &Path) -> PathBuf {
        let mut path = self.root.to_path_buf();
        path.extend(location.as_ref().split('/').filter(|part| !part.is_empty()));
        path
    }
}

/// The directories from the one that holds `path` up to and with `root`.
fn directories<'a>(root: &'a FilePath, path: &'a FilePath) -> impl Iterator<Item = &'a FilePath> {
    path.ancestors().skip(1).take_while(move |directory| directory.starts_with(root))
}

/// Fails if the folder is gone (it may be a disk that is not mounted) or a link would take the file elsewhere.
fn refuse_links(root: &FilePath, path: &FilePath) -> io::Result<()> {
    fs::symlink_metadata(root)?;
    for directory in directories(root, path).filter(|directory| *directory != root) {
        match fs::symlink_metadata(directory) {
            Ok(found) if found.is_symlink() => {
                return Err(io::Error::new(
                    ErrorKind::PermissionDenied,
                    "a link lies among the folders of bodies",
                ));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whoever made a directory syncs its parent, but may not have come to it yet when we return: so do it here as well.
fn sync_above(root: &FilePath, path: &FilePath) -> io::Result<()> {
    directories(root, path).skip(1).try_for_each(sync)
}

/// Only Unix can sync a directory; elsewhere a rename is as durable as the system makes it.
fn sync(directory: &FilePath) -> io::Result<()> {
    let here = if directory.as_os_str().is_empty() { FilePath::new(".") } else { directory };
    if cfg!(unix) { File::open(here)?.sync_all() } else { Ok(()) }
}

fn read(root: &FilePath, path: &FilePath, len: Option<u64>, max: u64) -> io::Result<Found> {
    let named = path.to_str().is_some_and(|name| leftover_of(name).is_none());
    let links = directories(root, path).filter(|directory| *directory != root);
    for directory in links {
        if !fs::symlink_metadata(directory)?.is_dir() {
            return Ok(Found::Nothing);
        }
    }
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !named || !fs::symlink_metadata(path)?.is_file() {
        return Ok(Found::Nothing);
    }
    let file = File::open(path)?;
    let found = file.metadata()?.len();
    if len.is_some_and(|len| len != found) {
        return Ok(Found::OtherLength);
    }
    if found > max {
        return Ok(Found::TooLarge(found));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found).unwrap_or(0));
    file.take(found).read_to_end(&mut bytes)?;
    // Bodies do not change, so a file that shrank while it was read is not one.
    Ok(if bytes.len() as u64 == found { Found::Bytes(bytes.into()) } else { Found::OtherLength })
}

/// Names that no file can have, and paths through files, lead nowhere just like missing ones.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

fn delete(root: &FilePath, path: &FilePath) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let below = directories(root, path).filter(|directory| *directory != root);
    // It fails where a directory is not empty, which ends it.
    let _ = below.map(fs::remove_dir).take_while(Result::is_ok).count();
    Ok(())
}

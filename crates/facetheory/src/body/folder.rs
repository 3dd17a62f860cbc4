//! Bodies in a folder. `object_store` writes them (temporary file, fsync, rename, fsync of the directory); what it leaves to
//! us is here: directories that others made are durable too, links are not followed, leftovers are seen and can be deleted.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use parking_lot::Mutex;

use super::blocking::blocking;
use super::digest::Digest;
use super::error::{BodyError, BodyOperation};
use super::found::Found;
use super::listed::{Listed, leftover_of};
use super::resident;
use super::walk::Walk;

/// Files that are listed before others get a turn.
const LISTED_AT_ONCE: usize = 256;

/// A body of this length is read from memory in some microseconds, less than another thread takes to wake up.
const IN_PLACE_BYTES_MAX: u64 = 64 << 10;

/// A folder that exists.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: Arc<FilePath>,
    files: Arc<LocalFileSystem>,
    /// Directories whose names were seen to be on the disk. Nobody removes a shard, so what was seen once stays true.
    settled: Arc<Mutex<HashSet<PathBuf>>>,
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
        Ok(Self { root: root.into(), files: Arc::new(files.with_fsync(true)), settled: Arc::default() })
    }

    /// Writes the file. When this returns it will be there after a power failure.
    pub(super) async fn put(&self, location: &Path, bytes: Bytes) -> Result<(), BodyError> {
        let of_file = |error| BodyError::of_file(BodyOperation::Put, error);
        let (root, path) = (Arc::clone(&self.root), self.path(location));
        blocking(move || refuse_links(&root, &path)).await.map_err(of_file)?;
        let written = self.files.put(location, PutPayload::from(bytes)).await;
        written.map_err(|error| BodyError::of_store(BodyOperation::Put, error))?;
        self.settle(self.path(location)).await.map_err(of_file)
    }

    /// Makes the names of the directories above a file durable. Whoever made one does so too, but may not have come to it yet.
    async fn settle(&self, path: PathBuf) -> io::Result<()> {
        let Some(directory) = path.parent().map(FilePath::to_owned) else { return Ok(()) };
        if self.settled.lock().contains(&directory) {
            return Ok(());
        }
        let root = Arc::clone(&self.root);
        blocking(move || directories(&root, &path).skip(1).try_for_each(sync)).await?;
        self.settled.lock().insert(directory);
        Ok(())
    }

    /// Reads the file, if it has the length that is expected.
    pub(super) async fn get(&self, location: &Path, len: Option<u64>, max: u64) -> Result<Found, BodyError> {
        let path = self.path(location);
        if let Some(bytes) = read_in_place(&path, len, max) {
            return Ok(Found::Bytes(bytes.into()));
        }
        let root = Arc::clone(&self.root);
        match blocking(move || read(&root, &path, len, max)).await {
            Err(error) if is_absence(&error) => Ok(Found::Nothing),
            found => found.map_err(|error| BodyError::of_file(BodyOperation::Get, error)),
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

    /// Deletes the file. One that is gone already is deleted too.
    pub(super) async fn delete(&self, location: &Path) -> Result<(), BodyError> {
        let path = self.path(location);
        blocking(move || delete(&path))
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

/// Only Unix can sync a directory; elsewhere a rename is as durable as the system makes it.
fn sync(directory: &FilePath) -> io::Result<()> {
    let here = if directory.as_os_str().is_empty() { FilePath::new(".") } else { directory };
    if cfg!(unix) { File::open(here)?.sync_all() } else { Ok(()) }
}

/// A short body, if it can be had without waiting.
fn read_in_place(path: &FilePath, len: Option<u64>, max: u64) -> Option<Vec<u8>> {
    let len = len.filter(|len| *len <= IN_PLACE_BYTES_MAX.min(max))?;
    is_named(path).then(|| resident::read(path, usize::try_from(len).ok()?)).flatten()
}

/// Whether the name is not that of a leftover.
fn is_named(path: &FilePath) -> bool {
    path.to_str().is_some_and(|name| leftover_of(name).is_none())
}

fn read(root: &FilePath, path: &FilePath, len: Option<u64>, max: u64) -> io::Result<Found> {
    let links = directories(root, path).filter(|directory| *directory != root);
    for directory in links {
        if !fs::symlink_metadata(directory)?.is_dir() {
            return Ok(Found::Nothing);
        }
    }
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !is_named(path) || !fs::symlink_metadata(path)?.is_file() {
        return Ok(Found::Nothing);
    }
    let mut file = File::open(path)?;
    let found = file.metadata()?.len();
    if len.is_some_and(|len| len != found) {
        return Ok(Found::OtherLength);
    }
    let Some(length) = usize::try_from(found).ok().filter(|_| found <= max) else {
        return Ok(Found::TooLarge(found));
    };
    let mut bytes = vec![0; length];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Found::Bytes(bytes.into())),
        // Bodies do not change, so a file that shrank while it was read is not one.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(Found::OtherLength),
        Err(error) => Err(error),
    }
}

/// Names that no file can have, and paths through files, lead nowhere just like missing ones.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

fn delete(path: &FilePath) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Pages once had a directory each, which goes with its last body. It fails where others are left, which is well.
    let of_page = path.parent().filter(|directory| is_of_page(directory));
    let _ = of_page.map(fs::remove_dir);
    Ok(())
}

fn is_of_page(directory: &FilePath) -> bool {
    directory.file_name().is_some_and(|name| name.len() == Digest::DIGITS)
}

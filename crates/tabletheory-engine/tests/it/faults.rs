//! A disk that fails: runs a child process whose file operations under one folder meet a fault, through a small
//! library that the loader puts before libc; and what such a disk holds after the power went.

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::UNIX_EPOCH,
};

use tempfile::TempDir;

/// What happens to a file operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing: the operations are only counted.
    Count,
    /// It fails once with EIO.
    Eio,
    /// A write is done by half, and every later operation that needs room fails with ENOSPC.
    Enospc,
    /// The process is killed instead.
    Kill,
    /// A write is done by half, and the process is killed; any other operation counts as `Kill`.
    Torn,
    /// The power goes: the process ends, and the disk holds what was synced.
    Power,
    /// The power goes, and the disk holds what was synced and some sectors of what was written since.
    Pages,
}

impl Fault {
    fn name(self) -> &'static str {
        match self {
            Fault::Count => "count",
            Fault::Eio => "eio",
            Fault::Enospc => "enospc",
            Fault::Kill => "kill",
            Fault::Torn => "torn",
            Fault::Power => "power",
            Fault::Pages => "pages",
        }
    }
}

/// A folder's disk.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
    shadow: TempDir,
    count: PathBuf,
}

impl Disk {
    /// The disk under `folder`; what is there now was synced. `shadow` is a folder for its own use.
    pub(crate) fn new(folder: &Path, shadow: TempDir) -> Self {
        let count = shadow.path().join("count");
        let disk = Self { folder: folder.canonicalize().unwrap(), shadow, count };
        disk.keep(&disk.folder);
        disk
    }

    /// Lets operation number `call` (from 1) meet `fault` when `command` runs. Operations are counted from the moment
    /// that the process makes the folder `from`, or from its start.
    pub(crate) fn inject(&self, command: &mut Command, fault: Fault, call: u64, from: Option<&Path>) {
        let _ = fs::remove_file(&self.count);
        command
            .env("LD_PRELOAD", library())
            .env("FAULTY_IO_FOLDER", &self.folder)
            .env("FAULTY_IO_SHADOW", self.shadow.path())
            .env("FAULTY_IO_KIND", fault.name())
            .env("FAULTY_IO_CALL", call.to_string())
            .env("FAULTY_IO_COUNT", &self.count);
        if let Some(from) = from {
            command.env("FAULTY_IO_FROM", from);
        }
    }

    /// How many operations there were until the process made the folder called `from` with `.end` behind it, and how
    /// many until it ended by itself.
    pub(crate) fn counts(&self) -> Vec<u64> {
        let counts = fs::read_to_string(&self.count).unwrap_or_default();
        counts.lines().map(|count| count.parse().unwrap()).collect()
    }

    /// Puts into `target` what the disk holds if the power goes now.
    pub(crate) fn restore(&self, target: &Path) {
        self.restore_folder(&key(&fs::metadata(&self.folder).unwrap()), target);
    }

    fn restore_folder(&self, key: &str, target: &Path) {
        fs::create_dir_all(target).unwrap();
        // A folder that was never synced has no names.
        let names = fs::read_to_string(self.shadow.path().join(key)).unwrap_or_default();
        for line in names.lines() {
            let mut words = line.splitn(3, ' ');
            let (kind, key, name) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            let entry = self.shadow.path().join(key);
            match kind {
                "folder" => self.restore_folder(key, &target.join(name)),
                // A file that was never synced is empty.
                _ if !entry.exists() => fs::write(target.join(name), "").unwrap(),
                _ => copy_file(&entry, &target.join(name)),
            }
        }
    }

    fn keep(&self, path: &Path) {
        let metadata = fs::metadata(path).unwrap();
        let entry = self.shadow.path().join(key(&metadata));
        if metadata.is_file() {
            return copy_file(path, &entry);
        }
        let mut names = String::new();
        for name in fs::read_dir(path).unwrap().map(Result::unwrap) {
            let metadata = name.metadata().unwrap();
            let kind = if metadata.is_dir() { "folder" } else { "file" };
            names += &format!("{kind} {} {}\n", key(&metadata), name.file_name().to_string_lossy());
            self.keep(&name.path());
        }
        fs::write(entry, names).unwrap();
    }
}

/// What the library calls a file.
fn key(metadata: &Metadata) -> String {
    let birth =
        metadata.created().ok().and_then(|birth| birth.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{}-{}.{:09}", metadata.ino(), birth.as_secs(), birth.subsec_nanos())
}

/// Copies a file, but not its zeros: journals are preallocated.
fn copy_file(from: &Path, to: &Path) {
    const CHUNK_BYTES: usize = 256 * 1024;
    let zeros = vec![0; CHUNK_BYTES];
    let mut chunk = zeros.clone();
    let (from, to) = (File::open(from).unwrap(), File::create(to).unwrap());
    let mut offset = 0;
    loop {
        let bytes = from.read_at(&mut chunk, offset).unwrap();
        if bytes == 0 {
            break;
        }
        if chunk[..bytes] != zeros[..bytes] {
            to.write_all_at(&chunk[..bytes], offset).unwrap();
        }
        offset += bytes as u64;
    }
    to.set_len(offset).unwrap();
}

/// Copies a folder and all that is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)
        } else {
            copy_file(&entry.path(), &target)
        }
    }
}

/// The files in a folder and in the folders in it, with their sizes. One that is removed meanwhile may be missing.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => found.extend(files(&entry.path())),
            Ok(metadata) => drop(found.insert(entry.path(), metadata.len())),
            Err(_) => {}
        }
    }
    found
}

/// The compiled library.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/faulty_io.c");
        let library =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faulty_io_{}.so", std::process::id()));
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
            .args([&library, &source])
            .args(["-ldl", "-lpthread"])
            .status();
        assert!(status.is_ok_and(|status| status.success()), "cc compiles {}", source.display());
        library
    })
}

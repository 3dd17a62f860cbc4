//! A disk that fails: runs a child process whose file operations under one folder meet a fault, through a small
//! library that the loader puts before libc.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// What happens to a file operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing: the operations are only counted.
    Count,
    /// It fails once with EIO.
    Eio,
    /// It and every later one that needs room fails with ENOSPC.
    Enospc,
    /// The process is killed instead.
    Kill,
    /// A write is done by half, and the process is killed; any other operation counts as `Kill`.
    Torn,
    /// What was written but not synced becomes zeros, and the process is killed.
    Power,
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
        }
    }
}

/// Lets operation number `call` (from 1) under `folder` meet `fault` when `command` runs. The number of operations is
/// written to `count` when the process ends by itself.
pub(crate) fn inject(command: &mut Command, folder: &Path, fault: Fault, call: u64, count: &Path) {
    command
        .env("LD_PRELOAD", library())
        .env("FAULTY_IO_FOLDER", folder)
        .env("FAULTY_IO_KIND", fault.name())
        .env("FAULTY_IO_CALL", call.to_string())
        .env("FAULTY_IO_COUNT", count);
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

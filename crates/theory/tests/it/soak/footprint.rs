//! What a process takes of its machine: memory, descriptors, and room in its folder.

use std::path::Path;

/// What a process takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Footprint {
    pub(super) memory_bytes: u64,
    pub(super) descriptors: usize,
}

impl Footprint {
    /// Of this process, now.
    pub(super) fn of(process: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        let kilobytes = resident.trim().trim_end_matches(" kB").parse::<u64>().expect("a number");
        let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).expect("they are listed").count();
        Self { memory_bytes: kilobytes * 1024, descriptors }
    }
}

/// What a folder takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Room {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Room {
    /// Of this folder and all below it, now. Files that are removed meanwhile do not count.
    pub(super) fn of(folder: &Path) -> Self {
        let mut room = Self::default();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let below = match entry.metadata() {
                Ok(is) if is.is_dir() => Self::of(&entry.path()),
                Ok(is) => Self { files: 1, bytes: is.len() },
                Err(_) => Self::default(),
            };
            room = Self { files: room.files + below.files, bytes: room.bytes + below.bytes };
        }
        room
    }
}

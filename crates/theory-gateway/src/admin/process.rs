//! What the system says of this process. Where it says nothing (other systems than Linux), nothing is told.

use serde_json::{Value, json};

/// What the system says of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    /// Bytes of memory it takes.
    pub(super) memory_bytes: Option<u64>,
    /// Files and sockets it has open.
    pub(super) open_files: Option<u64>,
    /// How many it may have.
    pub(super) open_files_max: Option<u64>,
    /// Its threads.
    pub(super) threads: Option<u64>,
}

impl Process {
    pub(super) fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let open_files_max = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
        Self {
            memory_bytes: number("VmRSS:").map(|kib| kib * 1024),
            open_files: std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64),
            open_files_max: open_files_max.and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
            threads: number("Threads:"),
        }
    }

    pub(super) fn view(self) -> Value {
        json!({
            "memory_bytes": self.memory_bytes,
            "open_files": self.open_files,
            "open_files_max": self.open_files_max,
            "threads": self.threads,
        })
    }
}

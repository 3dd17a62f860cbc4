//! What was measured on. Figures of two machines do not belong into one document.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) processors: usize,
    pub(crate) memory_gb: f64,
    pub(crate) kernel: String,
    /// Of the disk where the data goes.
    pub(crate) filesystem: String,
}

impl Machine {
    /// This one, with data in `folder`.
    pub(crate) fn here(folder: &Path) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            processor: processor(),
            processors,
            memory_gb: memory_gb(),
            kernel: kernel.trim().to_owned(),
            filesystem: filesystem(folder),
        }
    }

    /// Whether figures of both may stand in one document.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.processor == other.processor && self.processors == other.processors
    }

    /// In one line.
    pub(crate) fn text(&self) -> String {
        format!(
            "{}, {} processors, {:.0} GB of memory, Linux {}, data on {}",
            self.processor, self.processors, self.memory_gb, self.kernel, self.filesystem
        )
    }
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("an unknown processor", |(_, name)| name).to_owned()
}

fn memory_gb() -> f64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kb = total.and_then(|total| total.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kb.unwrap_or_default() / 1024.0 / 1024.0
}

fn filesystem(folder: &Path) -> String {
    let listed = Command::new("df").arg("--output=fstype").arg(folder).output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().nth(1).map_or("an unknown filesystem", str::trim).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_like_itself_with_another_kernel() {
        let here = Machine::here(Path::new("."));
        let other = Machine { kernel: "7.0".to_owned(), ..here.clone() };
        assert!(here.is_like(&other) && !here.is_like(&Machine { processors: 99, ..other }));
        assert!(here.memory_gb > 0.0, "{}", here.text());
    }
}

//! What was measured on. Figures of two machines do not belong into one document.

use std::path::{Path, PathBuf};
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
    /// Whether its kernel takes memory away that nobody has used for a while, files that it has read among it.
    #[serde(default)]
    pub(crate) reclaims_idle: bool,
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
            reclaims_idle: reclaims_idle(Path::new("/sys/kernel/mm/damon/admin/kdamonds")),
        }
    }

    /// Whether figures of both may stand in one document.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.processor == other.processor && self.processors == other.processors
    }

    /// In one line.
    pub(crate) fn text(&self) -> String {
        let reclaims = if self.reclaims_idle { ", which takes idle memory away (DAMON)" } else { "" };
        format!(
            "{}, {} processors, {:.0} GB of memory, Linux {}{reclaims}, data on {}",
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

/// Whether one of these threads of the kernel is told to page out what is not used.
fn reclaims_idle(threads: &Path) -> bool {
    let below = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let says = |file: &Path, word: &str| std::fs::read_to_string(file).is_ok_and(|text| text.trim() == word);
    below(threads).iter().filter(|thread| says(&thread.join("state"), "on")).any(|thread| {
        let contexts = below(&thread.join("contexts"));
        let schemes = contexts.iter().flat_map(|context| below(&context.join("schemes")));
        schemes.map(|scheme| scheme.join("action")).any(|action| says(&action, "pageout"))
    })
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

    #[test]
    fn a_kernel_that_pages_out_what_is_idle_is_known() {
        let threads = tempfile::TempDir::new().expect("a folder");
        let thread = threads.path().join("0");
        let scheme = thread.join("contexts/0/schemes/0");
        std::fs::create_dir_all(&scheme).expect("folders");
        for (state, action, reclaims) in
            [("on", "stat", false), ("off", "pageout", false), ("on", "pageout", true)]
        {
            std::fs::write(thread.join("state"), format!("{state}\n")).expect("a file");
            std::fs::write(scheme.join("action"), format!("{action}\n")).expect("a file");
            assert_eq!(reclaims_idle(threads.path()), reclaims, "{state} {action}");
        }
        assert!(!reclaims_idle(&threads.path().join("missing")));
    }
}

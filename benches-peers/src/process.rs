//! What Linux tells about a process: the time it spent on a processor, its memory, its threads.

use std::time::Duration;

use anyhow::{Context, Result};

/// Linux counts processor time for programs in hundredths of a second, on every architecture it runs on today.
const TICK: Duration = Duration::from_millis(10);

/// A process by its number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// This process.
    pub(crate) fn own() -> Self {
        Self(std::process::id())
    }

    /// Processor time of all its threads until now, in user mode and in the kernel.
    pub(crate) fn cpu(self) -> Result<Duration> {
        let path = format!("/proc/{}/stat", self.0);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        Ok(TICK * ticks(&text).with_context(|| format!("{path} is not as expected"))?)
    }

    /// Resident memory in megabytes.
    pub(crate) fn rss_mb(self) -> Result<f64> {
        Ok(self.status("VmRSS:")? / 1024.0)
    }

    /// How many threads it has.
    pub(crate) fn threads(self) -> Result<f64> {
        self.status("Threads:")
    }

    fn status(self, field: &str) -> Result<f64> {
        let path = format!("/proc/{}/status", self.0);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let value = text.lines().find_map(|line| line.strip_prefix(field));
        let value = value.with_context(|| format!("no {field} in {path}"))?;
        Ok(value.trim().trim_end_matches("kB").trim().parse()?)
    }
}

/// The fields `utime` and `stime` together. The name of the program may contain anything, but nothing after it does.
fn ticks(stat: &str) -> Option<u32> {
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace().skip(11);
    let (user, kernel): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "17 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(ticks("nonsense"), None);
    }

    #[test]
    fn this_process_can_be_asked() {
        let own = Process::own();
        assert!(own.rss_mb().expect("Linux tells") > 0.0 && own.threads().expect("Linux tells") >= 1.0);
        own.cpu().expect("Linux tells");
    }
}

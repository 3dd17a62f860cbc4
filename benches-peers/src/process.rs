//! What Linux tells about a process: the time it spent on a processor, its memory, its threads, and what it started.

use std::time::Duration;

use anyhow::{Context, Result};

/// Linux counts processor time for programs in hundredths of a second, on every architecture it runs on today.
const TICK: Duration = Duration::from_millis(10);

/// Fields of `/proc/PID/stat`, counted behind the name: who started it, and where the pairs of times in user mode and in the
/// kernel begin.
const PARENT: usize = 1;
const UTIME: usize = 11;
const CUTIME: usize = 13;

/// Processor time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cpu {
    /// In the program itself.
    pub(crate) user: Duration,
    /// In the kernel on its behalf.
    pub(crate) kernel: Duration,
}

impl Cpu {
    /// Both.
    pub(crate) fn total(self) -> Duration {
        self.user + self.kernel
    }

    /// What was spent since an earlier moment. A process that ended in between takes its time with it.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            kernel: self.kernel.saturating_sub(earlier.kernel),
        }
    }
}

/// A process by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// This process.
    pub(crate) fn own() -> Self {
        Self(std::process::id())
    }

    /// Processor time of all its threads until now.
    pub(crate) fn cpu(self) -> Result<Cpu> {
        self.ticks(UTIME)
    }

    /// The same of the children that ended and were waited for.
    pub(crate) fn ended_children_cpu(self) -> Result<Cpu> {
        self.ticks(CUTIME)
    }

    /// The same of it and everything it started that runs now.
    pub(crate) fn family_cpu(self) -> Result<Cpu> {
        // One that ended since the list was made is missed.
        let times = self.family()?.into_iter().filter_map(|process| process.cpu().ok());
        let add = |sum: Cpu, one: Cpu| Cpu { user: sum.user + one.user, kernel: sum.kernel + one.kernel };
        Ok(times.fold(Cpu::default(), add))
    }

    /// Resident memory of it and everything it started, in megabytes. What they share is counted for each.
    pub(crate) fn family_rss_mb(self) -> Result<f64> {
        Ok(self.family()?.into_iter().filter_map(|process| process.rss_mb().ok()).sum())
    }

    /// It, what it started, what that started, and so on, as far as they run.
    pub(crate) fn family(self) -> Result<Vec<Self>> {
        let mut parents = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let Some(process) = entry?.file_name().to_str().and_then(|name| name.parse().ok()).map(Self)
            else {
                continue;
            };
            // It may have ended since.
            if let Ok(stat) = process.stat()
                && let Some(parent) = number(&stat, PARENT)
            {
                parents.push((process, parent));
            }
        }
        let mut family = vec![self];
        let mut asked = 0;
        while let Some(one) = family.get(asked).copied() {
            family.extend(parents.iter().filter(|(_, parent)| *parent == one.0).map(|(process, _)| *process));
            asked += 1;
        }
        Ok(family)
    }

    /// Ends it without asking; nothing happens if it ended already.
    pub(crate) fn kill(self) {
        if let Some(pid) = i32::try_from(self.0).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    fn ticks(self, first: usize) -> Result<Cpu> {
        let stat = self.stat()?;
        let ticks = number(&stat, first).zip(number(&stat, first + 1));
        let (user, kernel) =
            ticks.with_context(|| format!("what Linux tells about process {} is not as expected", self.0))?;
        Ok(Cpu { user: TICK * user, kernel: TICK * kernel })
    }

    fn stat(self) -> Result<String> {
        let path = format!("/proc/{}/stat", self.0);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
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

/// A field behind the name. The name of the program may contain anything, but nothing after it does.
fn number(stat: &str, field: usize) -> Option<u32> {
    stat[stat.rfind(')')? + 1..].split_whitespace().nth(field)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "17 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0";
        assert_eq!(
            [PARENT, UTIME, UTIME + 1].map(|field| number(stat, field)),
            [Some(1), Some(250), Some(50)]
        );
        assert_eq!(number("nonsense", UTIME), None);
    }

    #[test]
    fn this_process_can_be_asked() {
        let own = Process::own();
        assert!(own.rss_mb().expect("Linux tells") > 0.0 && own.threads().expect("Linux tells") >= 1.0);
        own.cpu().expect("Linux tells");
        own.ended_children_cpu().expect("Linux tells");
    }
}

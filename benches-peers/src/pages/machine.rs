//! What was measured on, and with which versions.

use std::process::Command;

use serde::Serialize;

use super::entry::Entry;
use super::{next, nginx, varnish, wrk};
use crate::args::Plan;

const LOCK: &str = include_str!("../../Cargo.lock");

/// The machine and the programs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    processor: String,
    processors: usize,
    kernel: String,
    /// Of everybody who took part, and of wrk.
    versions: Vec<(&'static str, String)>,
}

impl Machine {
    /// This one.
    pub(crate) fn of(plan: &Plan, entries: &[Entry]) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut versions: Vec<_> =
            entries.iter().filter_map(|entry| Some((entry.name(), version(plan, *entry)?))).collect();
        versions.push(("wrk", wrk::version().unwrap_or_default()));
        Self { processor: processor(), processors, kernel: kernel.trim().to_owned(), versions }
    }

    /// In one line.
    pub(crate) fn markdown(&self) -> String {
        let versions: Vec<String> =
            self.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
        format!(
            "{}, {} processors, Linux {}; {}.\n\n",
            self.processor,
            self.processors,
            self.kernel,
            versions.join(", ")
        )
    }
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("an unknown processor", |(_, name)| name).to_owned()
}

fn version(plan: &Plan, entry: Entry) -> Option<String> {
    match entry {
        Entry::Ours => last_word(plan.theory.as_ref()?, "--version", " "),
        Entry::BareHyper => locked("hyper"),
        Entry::Nginx => last_word(nginx::PROGRAM, "-v", "nginx/"),
        // The same program.
        Entry::NginxSendfile => None,
        Entry::Varnish => last_word(varnish::PROGRAM, "-V", "varnish-"),
        Entry::Next => {
            let node = last_word("node", "--version", "v")?;
            Some(format!("{} on Node.js {node}", next::version(plan.next.as_ref()?)?))
        }
    }
}

/// The word behind a mark in the first line that a program prints.
fn last_word(program: impl AsRef<std::ffi::OsStr>, argument: &str, mark: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let (_, word) = text.lines().next()?.split_once(mark)?;
    word.split_whitespace().next().map(str::to_owned)
}

/// The version of a package in the lock file.
fn locked(package: &str) -> Option<String> {
    let (_, rest) = LOCK.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    rest.split_once('"').map(|(version, _)| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        assert!(locked("hyper").expect("it is locked").starts_with("1."));
        assert_eq!(locked("no-such-package"), None);
        assert!(last_word("sh", "-c", "x").is_none());
    }
}

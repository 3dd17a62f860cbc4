//! Where and when a run happened, and of which state of the code.

use std::process::Command;

use anyhow::Result;

use crate::workspace::{Workspace, output};

/// A run's circumstances.
#[derive(Debug)]
pub(super) struct Machine {
    /// The commit, and whether something was changed since.
    pub(super) commit: String,
    /// The day, in UTC.
    pub(super) date: String,
    /// Processors.
    pub(super) hardware: String,
    /// The operating system.
    pub(super) system: String,
    /// The compiler.
    pub(super) rustc: String,
}

impl Machine {
    pub(super) fn look(workspace: &Workspace) -> Result<Self> {
        let git = |words: &[&str]| output(Command::new("git").current_dir(workspace.root()).args(words));
        let mut commit = git(&["rev-parse", "--short=12", "HEAD"])?.trim().to_owned();
        if !git(&["status", "--porcelain", "--", "crates", "fuzz", "Cargo.toml", "Cargo.lock"])?.is_empty() {
            commit.push_str(" with changes");
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| processor(&text));
        let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        Ok(Self {
            commit,
            date: output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?.trim().to_owned(),
            hardware: format!("{processors} × {model}"),
            system: output(Command::new("uname").args(["-sr"]))?.trim().to_owned(),
            rustc: output(Command::new("rustc").arg("--version"))?.trim().to_owned(),
        })
    }
}

/// The name of the first processor.
fn processor(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_a_name() {
        assert_eq!(
            processor("processor : 0\nmodel name\t: Some CPU @ 2 GHz\n").as_deref(),
            Some("Some CPU @ 2 GHz")
        );
        assert_eq!(processor("processor : 0\n"), None);
    }
}

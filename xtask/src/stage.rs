//! A command's work in stages: each has a name, is timed, and stops the run when it fails, so the last line of the
//! output always says which stage failed or how long each one took.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The stages run so far.
#[derive(Debug)]
pub(crate) struct Stages {
    command: &'static str,
    done: Vec<(String, Duration)>,
}

impl Stages {
    /// No stage yet of `command`.
    pub(crate) fn new(command: &'static str) -> Self {
        Self { command, done: Vec::new() }
    }

    /// Runs one stage.
    pub(crate) fn run<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("\n== {}: {name}", self.command);
        let start = now();
        let outcome =
            work().with_context(|| format!("stage `{name}` of `cargo xtask {}` failed", self.command))?;
        self.done.push((name.to_owned(), start.elapsed()));
        Ok(outcome)
    }

    /// Runs one stage that is a command.
    pub(crate) fn command(&mut self, name: &str, command: &mut Command) -> Result<()> {
        self.run(name, || succeed(command))
    }

    /// Says what was done and how long it took.
    pub(crate) fn finish(self) {
        eprintln!("\n== {}: all passed", self.command);
        for (name, took) in &self.done {
            eprintln!("   {name:<10} {:>7.1} s", took.as_secs_f64());
        }
    }
}

/// Runs a command with its output on ours, and fails if it does.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", spelled(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", spelled(command));
    }
    Ok(())
}

/// The command as one would type it.
fn spelled(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[expect(clippy::disallowed_methods, reason = "stages are timed for the reader; nothing depends on it")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_stage_is_named() {
        let mut stages = Stages::new("check");
        let error = stages.run("clippy", || -> Result<()> { bail!("one warning") }).expect_err("it failed");
        let text = format!("{error:#}");
        assert!(text.contains("`clippy`") && text.contains("one warning"), "{text}");
    }

    #[test]
    fn a_command_that_ends_badly_is_an_error() {
        assert!(succeed(&mut Command::new("false")).is_err());
        assert!(succeed(&mut Command::new("true")).is_ok());
    }

    #[test]
    fn a_command_is_spelled_without_its_folder() {
        assert_eq!(spelled(Command::new("/usr/bin/cargo").args(["fmt", "--check"])), "cargo fmt --check");
    }
}

//! Programs that are started, watched and, if they do not end, ended.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::stopwatch::Stopwatch;

/// How a program ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Whether it ended well, and by itself.
    pub(super) is_good: bool,
    /// All that it printed.
    pub(super) output: String,
}

/// Runs a program with its output in the file `log`, and ends it after `patience`.
pub(super) fn run(command: &mut Command, log: &Path, patience: Duration) -> Result<Ended> {
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    // A group of its own, because what it started itself has to end with it.
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let start = Stopwatch::start();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > patience {
            end_group(&mut child)?;
            break None;
        }
        pause();
    };
    let output = String::from_utf8_lossy(&std::fs::read(log)?).into_owned();
    let late = format!("\nit did not end within {} s, and was ended\n", patience.as_secs());
    Ok(match status {
        Some(status) => Ended { is_good: status.success(), output },
        None => Ended { is_good: false, output: output + &late },
    })
}

/// Ends a program and everything that it started.
fn end_group(child: &mut Child) -> Result<()> {
    let group = format!("-{}", child.id());
    let status = Command::new("kill").args(["-KILL", "--", &group]).status().context("cannot start kill")?;
    ensure!(status.success(), "kill ended with {status}");
    child.wait()?;
    Ok(())
}

/// The last lines of an output, which say what went wrong.
pub(super) fn tail(output: &str) -> String {
    const LINES: usize = 25;
    let lines: Vec<&str> = output.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("xtask-prove-{}-{name}", std::process::id()))
    }

    #[test]
    fn what_a_program_prints_is_kept() {
        let log = log("prints");
        let ended =
            run(Command::new("sh").args(["-c", "echo a; echo b >&2; exit 3"]), &log, Duration::from_secs(60));
        let ended = ended.unwrap();
        assert!(!ended.is_good && ended.output.contains('a') && ended.output.contains('b'), "{ended:?}");
        std::fs::remove_file(log).unwrap();
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let log = log("late");
        let ended = run(Command::new("sleep").arg("600"), &log, Duration::from_millis(50)).unwrap();
        assert!(!ended.is_good && ended.output.contains("did not end"), "{ended:?}");
        std::fs::remove_file(log).unwrap();
    }

    #[test]
    fn what_it_started_ends_with_it() {
        let log = log("group");
        // The file is locked as long as one of the two lives.
        let script = "exec 9>\"$0\"; flock 9; sleep 600 & wait";
        let lock = log.with_extension("lock");
        let mut command = Command::new("sh");
        run(command.args(["-c", script]).arg(&lock), &log, Duration::from_millis(300)).unwrap();
        let free = Command::new("flock").args(["--wait", "20"]).arg(&lock).arg("true").status().unwrap();
        assert!(free.success());
        std::fs::remove_file(log).unwrap();
        std::fs::remove_file(lock).unwrap();
    }

    #[test]
    fn the_end_of_an_output_is_shown() {
        let output: String = (0..100).map(|line| format!("{line}\n")).collect();
        assert!(tail(&output).starts_with("75\n") && tail(&output).ends_with("99"));
        assert_eq!(tail("one"), "one");
    }
}

//! Programs that are started, watched and, if they do not end, ended.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
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
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let start = Stopwatch::start();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > patience {
            child.kill().and_then(|()| child.wait())?;
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

/// What a program prints, which must end well.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let done = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(
        done.status.success(),
        "{command:?} ended with {}: {}",
        done.status,
        String::from_utf8_lossy(&done.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
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
    fn the_end_of_an_output_is_shown() {
        let output: String = (0..100).map(|line| format!("{line}\n")).collect();
        assert!(tail(&output).starts_with("75\n") && tail(&output).ends_with("99"));
        assert_eq!(tail("one"), "one");
    }
}

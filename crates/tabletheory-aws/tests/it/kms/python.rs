//! The Python that has moto and boto3, and the scripts beside the tests that it runs.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::process::{PATIENCE, isolate};

/// The environment variables that `cargo xtask test` sets, and the one with which a machine does without.
const PYTHON: &str = "THEORY_PYTHON";
const SKIP: &str = "THEORY_SKIP_CLIENTS";

/// The Python that has the packages.
#[derive(Debug)]
pub(super) struct Python(PathBuf);

impl Python {
    /// It, or `None` if its tests are not wanted on this machine.
    ///
    /// # Panics
    /// If nobody said where it is, nor that it shall be skipped: a test that is silently absent proves nothing.
    pub(super) fn find() -> Option<Self> {
        if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
            return None;
        }
        let Some(python) = std::env::var_os(PYTHON) else {
            panic!(
                "{PYTHON} is not set: run `cargo xtask test`, which installs moto and boto3 and sets it, or set {SKIP}=1 to \
                 do without the tests with a real KMS"
            );
        };
        Some(Self(python.into()))
    }

    /// Runs a script on an input. Its answer is what it printed, or its complaint if it failed.
    pub(super) async fn run(&self, script: &str, arguments: &[&str], input: &str) -> Result<String, String> {
        let mut process = self.command(script).args(arguments).spawn().expect("Python starts");
        let mut pipe = process.stdin.take().expect("its input is piped");
        // A script that has no use for its input may have ended already.
        let _ = pipe.write_all(input.as_bytes()).await;
        drop(pipe);
        let done = timeout(PATIENCE, process.wait_with_output()).await;
        let done = done.unwrap_or_else(|_| panic!("{script} {arguments:?} does not end"));
        let done = done.expect("its output can be read");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a script prints text");
        if done.status.success() { Ok(text(done.stdout)) } else { Err(text(done.stderr)) }
    }

    /// Starts a script that prints its address and then stays. The process ends with its value.
    pub(super) async fn serve(&self, script: &str) -> (Child, String) {
        let mut process = self.command(script).stderr(Stdio::null()).spawn().expect("Python starts");
        let mut lines = BufReader::new(process.stdout.take().expect("its output is piped")).lines();
        let line = timeout(PATIENCE, lines.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("{script} names no address in time"));
        let line = line.expect("its output can be read").unwrap_or_else(|| panic!("{script} ends at once"));
        (process, line)
    }

    fn command(&self, script: &str) -> Command {
        let mut python = Command::new(&self.0);
        isolate(&mut python);
        python
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(script))
            .envs([("AWS_ACCESS_KEY_ID", "local"), ("AWS_SECRET_ACCESS_KEY", "local")])
            .env("AWS_DEFAULT_REGION", "us-east-1")
            // The checkout stays as it is.
            .envs([("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONUTF8", "1")]);
        python
    }
}

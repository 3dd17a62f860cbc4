//! A worker: this test binary, started again with one test and its orders, and with a clock that may be wrong. It is killed, stopped
//! for a while, or waited for, and it ends with its value. The orders are plain data in an environment variable.

use std::future::Future;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tabletheory_core::Clock as _;
use tabletheory_core::sys::SystemClock;

use crate::clients::client::{ANY, isolate};
use crate::server;

/// A worker that nobody ends ends itself.
const LIFE: Duration = Duration::from_secs(300);

/// What kind of worker it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// The test that is the worker.
    pub(crate) test: &'static str,
    /// The variable with its orders.
    pub(crate) orders: &'static str,
}

/// A clock that is wrong: the library that moves it, and by how many seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrongClock<'a> {
    pub(crate) faketime: &'a Path,
    pub(crate) skew: i64,
}

/// A worker that was started.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// Stops the process and lets it go on, if it was asked to.
    pause: Option<Child>,
}

impl Process {
    /// Starts a worker.
    pub(crate) fn start(kind: Kind, orders: &impl Serialize, clock: Option<WrongClock<'_>>) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("a test is a program"));
        isolate(&mut command, ANY);
        command
            .args(["--exact", kind.test, "--nocapture", "--test-threads=1"])
            .env(kind.orders, serde_json::to_string(orders).expect("orders are plain data"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        if let Some(WrongClock { faketime, skew }) = clock.filter(|clock| clock.skew != 0) {
            command
                .env("LD_PRELOAD", faketime)
                .env("FAKETIME", format!("{skew:+}s"))
                // Spans are measured by a clock that nobody sets, and are right.
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        Self { child, pause: None }
    }

    /// Stops it for so many seconds. Another process lets it go on, also when this one is gone.
    pub(crate) fn stop_for(&mut self, seconds: u32) {
        assert!(!self.is_stopped(), "it is stopped already");
        let script = r#"kill -STOP "$1" && sleep "$2" && kill -CONT "$1""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh", &self.child.id().to_string(), &seconds.to_string()]);
        self.pause = Some(shell.stdin(Stdio::null()).spawn().expect("a shell starts"));
    }

    /// Whether it is stopped now.
    pub(crate) fn is_stopped(&mut self) -> bool {
        let ended = self.pause.as_mut().map(|pause| pause.try_wait().expect("a child can be asked"));
        match ended {
            None => false,
            Some(None) => true,
            Some(Some(status)) => {
                assert!(status.success(), "a worker was stopped and goes on");
                self.pause = None;
                false
            }
        }
    }

    /// Whether it has not ended.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a child can be asked").is_none()
    }

    /// Waits for its end, but not for ever.
    pub(crate) fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        server::wait(&mut self.child, patience)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // What is stopped can be killed as well. Who would let it go on is waited for, so that it never meets another process
        // with the same number.
        if let Some(mut pause) = self.pause.take() {
            let _ = pause.wait();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The library leaves these behind when its process is killed.
        let id = self.child.id();
        for name in [format!("faketime_shm_{id}"), format!("sem.faketime_sem_{id}")] {
            let _ = std::fs::remove_file(PathBuf::from("/dev/shm").join(name));
        }
    }
}

/// The worker's own side: works as it was ordered. In a run of the tests there are no orders, and nothing to do.
pub(crate) fn obey<O: DeserializeOwned, F: Future<Output = ()>>(variable: &str, work: impl FnOnce(O) -> F) {
    let Ok(orders) = std::env::var(variable) else { return };
    let orders = serde_json::from_str(&orders).expect("orders can be read");
    // Whoever gave the orders holds the other end; when it is gone, so is the worker.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("threads").block_on(async { tokio::time::timeout(LIFE, work(orders)).await }).ok();
}

/// The worker's own side: its clock is wrong by as many seconds as it was told, and was started at this right time. Without the
/// library that moves the clock nothing would be shown.
pub(crate) fn check_clock(skew: i64, started_ms: i64) {
    let wrong_by_ms = SystemClock.now().millis() - started_ms;
    let tolerance_ms = (skew.abs() * 1000 * 2 / 3).max(20_000);
    assert!((wrong_by_ms - skew * 1000).abs() < tolerance_ms, "the clock is wrong by {wrong_by_ms} ms");
}

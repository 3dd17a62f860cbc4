//! The process of a worker: started with its orders and its clock, killed, stopped for a while. It ends with its value.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::orders::{ORDERS, Orders};
use crate::clients::client::{ANY, isolate};

const WORKER: &str = "fleet::worker::serves_pages_until_it_is_ended";

/// A worker that was started.
#[derive(Debug)]
pub(super) struct Worker {
    process: Child,
    /// Stops the process and lets it go on, if it was asked to.
    pause: Option<Child>,
    orders: Orders,
}

impl Worker {
    /// Starts a worker; `faketime` is the library that moves its clock.
    pub(super) fn start(orders: Orders, faketime: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("a test is a program"));
        isolate(&mut command, ANY);
        command
            .args(["--exact", WORKER, "--nocapture", "--test-threads=1"])
            .env(ORDERS, serde_json::to_string(&orders).expect("orders are plain data"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        if orders.skew != 0 {
            command
                .env("LD_PRELOAD", faketime)
                .env("FAKETIME", format!("{:+}s", orders.skew))
                // Spans are measured by a clock that nobody sets, and are right.
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        let process = command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        Self { process, pause: None, orders }
    }

    /// Ends it, in the middle of whatever it does, and gives the orders back.
    pub(super) fn kill(mut self) -> Orders {
        self.end();
        self.orders.clone()
    }

    /// Stops it for so many seconds. Another process lets it go on, also when this one is gone.
    pub(super) fn stop_for(&mut self, seconds: u32) {
        assert!(!self.is_stopped(), "it is stopped already");
        let script = r#"kill -STOP "$1" && sleep "$2" && kill -CONT "$1""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh", &self.process.id().to_string(), &seconds.to_string()]);
        self.pause = Some(shell.stdin(Stdio::null()).spawn().expect("a shell starts"));
    }

    /// Whether it is stopped now.
    pub(super) fn is_stopped(&mut self) -> bool {
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

    /// Whether it runs: a worker never ends by itself.
    pub(super) fn is_alive(&mut self) -> bool {
        self.process.try_wait().expect("a child can be asked").is_none()
    }

    /// By how many seconds its clock is wrong, which tells it from the others.
    pub(super) fn name(&self) -> i64 {
        self.orders.skew
    }

    /// All that workers with these orders have said.
    pub(super) fn said(&self) -> String {
        std::fs::read_to_string(&self.orders.said).unwrap_or_default()
    }

    fn end(&mut self) {
        // What is stopped can be killed as well. Who would let it go on is waited for, so that it never meets another process
        // with the same number.
        if let Some(mut pause) = self.pause.take() {
            let _ = pause.wait();
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        // The library leaves these behind when its process is killed.
        let id = self.process.id();
        for name in [format!("faketime_shm_{id}"), format!("sem.faketime_sem_{id}")] {
            let _ = std::fs::remove_file(PathBuf::from("/dev/shm").join(name));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

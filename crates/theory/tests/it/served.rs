//! `theory serve` as its folder says: `theory.toml`, the data beside it, and what it logs. It ends with its value; the folder stays.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::sleep;

use crate::clients::client::{ANY, isolate};
use crate::server::Server;

/// The token for operators.
pub(crate) const TOKEN: &str = "a-token-for-the-operators";

/// What shall be comes within this many looks, or never.
const LOOKS: usize = 1500;
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A running gateway.
#[derive(Debug)]
pub(crate) struct Served {
    /// Where visitors reach it.
    pub(crate) address: String,
    server: Server,
    log: PathBuf,
}

impl Served {
    /// Starts one with these settings. `more` is said to the command besides, such as another clock.
    pub(crate) fn start(folder: &Path, settings: &str, more: impl FnOnce(&mut Command)) -> Self {
        write(folder, settings);
        let log = folder.join("log");
        let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
        isolate(&mut command, ANY);
        command
            .args(["serve", "--json", "--config"])
            .arg(folder.join("theory.toml"))
            .env("THEORY_ADMIN_TOKEN", TOKEN)
            .stderr(File::create(&log).expect("a file can be made"));
        more(&mut command);
        let server = Server::start(&mut command, "");
        let told: Json = serde_json::from_str(&server.address).expect("it says in JSON where it is");
        let address = told["listen"][0].as_str().expect("an address").to_owned();
        Self { address, server, log }
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.server.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        self.server.signal(name);
    }

    /// Waits until it has ended.
    pub(crate) fn ended(self) -> ExitStatus {
        self.server.ended()
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("the log is text")
    }

    /// Waits until the log has so many lines with this text.
    pub(crate) async fn logs(&self, text: &str, times: usize) {
        let is_there = async || self.log().lines().filter(|line| line.contains(text)).count() >= times;
        assert!(until(is_there).await, "{text:?} is not in the log {times} times:\n{}", self.log());
    }
}

/// Writes the settings, whole at every moment.
pub(crate) fn write(folder: &Path, settings: &str) {
    let new = folder.join("theory.toml.new");
    std::fs::write(&new, settings).expect("a file can be written");
    std::fs::rename(new, folder.join("theory.toml")).expect("a file can be renamed");
}

/// Looks again and again, and tells whether it came to be.
pub(crate) async fn until(is_so: impl AsyncFn() -> bool) -> bool {
    for _ in 0..LOOKS {
        if is_so().await {
            return true;
        }
        sleep(LOOK_EVERY).await;
    }
    false
}

//! The news site of `tests/apps`, on Express or on Django.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::server::Server;

/// The environment variables with the places; `cargo xtask test` sets them.
const PYTHON: &str = "THEORY_APPS_PYTHON";
const NODE_MODULES: &str = "THEORY_APPS_NODE_MODULES";
const SKIP: &str = "THEORY_SKIP_APPS";

/// What it is made with.
#[derive(Debug, Clone, Copy)]
pub(super) enum App {
    Express,
    Django,
}

impl App {
    /// Starts the site, or gives `None` if such tests are not wanted on this machine.
    ///
    /// # Panics
    /// If nobody said where its packages are, nor that they shall be skipped: a test that is silently absent proves nothing.
    pub(super) fn start(self) -> Option<Server> {
        if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
            return None;
        }
        let place = |variable| {
            std::env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| {
                panic!(
                    "{variable} is not set: run `cargo xtask test`, which installs Express and Django and sets it, or set \
                     {SKIP}=1 to do without the tests with real applications"
                )
            })
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/apps");
        let mut command = match self {
            Self::Express => {
                let mut node = Command::new("node");
                node.arg(folder.join("news.mjs")).env(NODE_MODULES, place(NODE_MODULES));
                node
            }
            Self::Django => {
                let mut python = Command::new(place(PYTHON));
                // The checkout stays as it is.
                python.arg(folder.join("news.py")).env("PYTHONDONTWRITEBYTECODE", "1");
                python
            }
        };
        // Its address is the first thing it says.
        Some(Server::start(&mut command, ""))
    }
}

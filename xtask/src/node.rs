//! JavaScript that the tests run, under `.tools`, in exactly the versions of a lock file: clients of our DynamoDB endpoint, an
//! application behind the gateway, the tests of HTTP caches, and what drives a browser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

const FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// The AWS SDK and dynamodb-admin.
pub(crate) const CLIENTS: Modules = Modules {
    variable: "THEORY_NODE_MODULES",
    noun: "node",
    folder: "crates/theory/tests/clients",
    what: "the AWS SDK for JavaScript and dynamodb-admin",
};

/// What a site is made with.
pub(crate) const APPS: Modules = Modules {
    variable: "THEORY_APPS_NODE_MODULES",
    noun: "node-apps",
    folder: "crates/theory/tests/apps",
    what: "Express",
};

/// What drives a browser through the dashboard.
pub(crate) const BROWSER: Modules = Modules {
    variable: "THEORY_BROWSER_NODE_MODULES",
    noun: "node-browser",
    folder: "crates/theory/tests/browser",
    what: "puppeteer and axe",
};

/// What caches are tested with. The package names npm itself among what it needs and never uses it; something small that it needs
/// anyway takes its place (`overrides`).
pub(crate) const CACHE_TESTS: Modules = Modules {
    variable: "THEORY_CACHE_TESTS_NODE_MODULES",
    noun: "node-cache-tests",
    folder: "crates/theory-gateway/tests/it/http_cache/suite",
    what: "http-cache-tests",
};

/// Modules that belong together.
pub(crate) struct Modules {
    /// The environment variable that tells tests the folder `node_modules`.
    pub(crate) variable: &'static str,
    noun: &'static str,
    /// Where the lists are.
    folder: &'static str,
    what: &'static str,
}

impl Modules {
    /// The folder `node_modules`; it is filled the first time. One named by the variable is used as it is.
    pub(crate) fn ensure(&self, workspace: &Workspace) -> Result<PathBuf> {
        let Self { variable, noun, folder, what } = *self;
        program::NODE.ensure()?;
        if let Some(chosen) = std::env::var_os(variable) {
            let chosen = PathBuf::from(chosen);
            ensure!(chosen.is_dir(), "{variable} names {}, which is no folder", chosen.display());
            return Ok(chosen);
        }
        let read = |name: &str| {
            let path = workspace.root().join(folder).join(name);
            std::fs::read(&path).with_context(|| format!("cannot read {folder}/{name}"))
        };
        let [manifest, lock] = FILES.map(read);
        let (manifest, lock) = (manifest?, lock?);
        let folder = tool::ensure(workspace, noun, &[&manifest, &lock], |draft| {
            program::NPM.ensure()?;
            eprintln!("installing {what}");
            for (name, content) in FILES.iter().zip([&manifest, &lock]) {
                std::fs::write(draft.join(name), content)?;
            }
            // Nothing in there needs to run a script of its own to be installed.
            let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
            succeed(Command::new("npm").current_dir(draft).args(arguments))
        })?;
        Ok(folder.join("node_modules"))
    }
}

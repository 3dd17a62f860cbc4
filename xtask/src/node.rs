//! What the tests run in JavaScript: the AWS SDK and dynamodb-admin as clients of DynamoDB, and http-cache-tests; under `.tools`, in
//! exactly the versions of the lock file. http-cache-tests names npm itself among what it needs and never uses it, so that something
//! small that is there anyway takes its place (`overrides`).

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

/// The environment variable that tells tests the folder `node_modules`.
pub(crate) const VARIABLE: &str = "THEORY_NODE_MODULES";

const FOLDER: &str = "crates/theory/tests/clients";
const FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// The folder `node_modules`; it is filled the first time. One named by [`VARIABLE`] is used as it is.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    program::NODE.ensure()?;
    if let Some(chosen) = std::env::var_os(VARIABLE) {
        let chosen = PathBuf::from(chosen);
        ensure!(chosen.is_dir(), "{VARIABLE} names {}, which is no folder", chosen.display());
        return Ok(chosen);
    }
    let read = |name: &str| {
        let path = workspace.root().join(FOLDER).join(name);
        std::fs::read(&path).with_context(|| format!("cannot read {FOLDER}/{name}"))
    };
    let [manifest, lock] = FILES.map(read);
    let (manifest, lock) = (manifest?, lock?);
    let folder = tool::ensure(workspace, "node", &[&manifest, &lock], |draft| {
        program::NPM.ensure()?;
        eprintln!("installing the AWS SDK for JavaScript, dynamodb-admin and http-cache-tests");
        for (name, content) in FILES.iter().zip([&manifest, &lock]) {
            std::fs::write(draft.join(name), content)?;
        }
        // Nothing in there needs to run a script of its own to be installed.
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        succeed(Command::new("npm").current_dir(draft).args(arguments))
    })?;
    Ok(folder.join("node_modules"))
}

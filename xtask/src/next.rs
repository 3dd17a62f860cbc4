//! The application of Next.js whose pages the benchmarks measure: under `.tools`, in exactly the versions of the lock file, built.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

const FOLDER: &str = "benches-peers/next";
const FILES: [&str; 3] = ["package.json", "package-lock.json", "pages/[bytes].js"];

/// The folder of the application; it is made the first time.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    program::NODE.ensure()?;
    let mut contents = Vec::new();
    for name in FILES {
        let path = workspace.root().join(FOLDER).join(name);
        contents.push(std::fs::read(&path).with_context(|| format!("cannot read {FOLDER}/{name}"))?);
    }
    let ingredients: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    tool::ensure(workspace, "next", &ingredients, |draft| build(draft, &ingredients))
}

fn build(draft: &Path, contents: &[&[u8]]) -> Result<()> {
    program::NPM.ensure()?;
    eprintln!("installing and building the application of Next.js");
    for (name, content) in FILES.iter().zip(contents) {
        let path = draft.join(name);
        std::fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        std::fs::write(path, content)?;
    }
    // Nothing in there needs to run a script of its own to be installed.
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    succeed(Command::new("npm").current_dir(draft).args(install))?;
    let quiet = [("NODE_ENV", "production"), ("NEXT_TELEMETRY_DISABLED", "1")];
    succeed(Command::new("npm").current_dir(draft).envs(quiet).args(["run", "--silent", "build"]))
}

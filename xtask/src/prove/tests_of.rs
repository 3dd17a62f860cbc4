//! The programs that hold a crate's tests: built by cargo, started by us, so that each test runs alone and what it prints is seen.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::instrument::Program;
use crate::artifact::Artifacts;
use crate::workspace::{Workspace, output};

/// A program with tests in it.
#[derive(Debug, Clone)]
pub(super) struct Tests {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Where tests are run: the folder of their crate.
    pub(super) folder: PathBuf,
    /// The names of all tests in it.
    pub(super) names: Vec<String>,
}

impl Tests {
    /// Builds the program.
    pub(super) fn build(workspace: &Workspace, package: &str, program: Program) -> Result<Self> {
        let mut build = workspace.cargo(&["test", "--no-run", "--locked", "--package", package]);
        let target = match program {
            Program::Lib => {
                build.arg("--lib");
                package.replace('-', "_")
            }
            Program::It => {
                build.args(["--test", "it"]);
                "it".to_owned()
            }
        };
        let path = Artifacts::of(&mut build)?.program(&target)?;
        let members = workspace.crates()?;
        let member = members.into_iter().find(|member| member.name == package);
        let member = member.with_context(|| format!("the workspace has no crate `{package}`"))?;
        let folder = workspace.root().join(member.folder);
        let listing = output(std::process::Command::new(&path).current_dir(&folder).arg("--list"))?;
        Ok(Self { path, folder, names: names(&listing) })
    }
}

/// The names in what `--list` prints: `module::name: test`.
fn names(listing: &str) -> Vec<String> {
    listing.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_in_a_listing() {
        let listing = "model::holds::a: test\nbench_it: benchmark\n\n2 tests, 1 benchmark\nb: test\n";
        assert_eq!(names(listing), ["model::holds::a", "b"]);
    }
}

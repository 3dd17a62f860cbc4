//! `cargo xtask deps`: the review of what we depend on, by cargo-deny (licences, bans, sources; `deny.toml` has the rules and the
//! reasons) and cargo-machete (what a manifest names and nothing uses). Both are built the first time, which takes minutes; so
//! this is not part of `check`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::stage::{Stages, succeed};
use crate::tool;
use crate::workspace::Workspace;

/// The programs that review, in the versions that the rules were written for.
const REVIEWERS: [&str; 2] = ["cargo-deny@0.20.2", "cargo-machete@0.9.2"];

/// What cargo-deny looks at. Advisories are a database on the network that not every machine reaches; `--advisories` asks for it.
const RULES: [&str; 3] = ["licenses", "bans", "sources"];

/// Both reviews.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let with_advisories = match arguments {
        [] => false,
        [word] => {
            ensure!(word == "--advisories", "`deps` takes `--advisories` and nothing else");
            true
        }
        _ => anyhow::bail!("`deps` takes `--advisories` and nothing else"),
    };
    let mut stages = Stages::new("deps");
    let programs = stages.run("prepare", || reviewers(workspace))?;
    let mut deny = command(workspace, &programs, "cargo-deny");
    deny.args(["--all-features", "--locked", "check"]).args(RULES);
    if with_advisories {
        deny.arg("advisories");
    }
    stages.command("deny", &mut deny)?;
    stages.command("unused", command(workspace, &programs, "cargo-machete").arg("."))?;
    stages.finish();
    Ok(())
}

fn command(workspace: &Workspace, programs: &Path, name: &str) -> Command {
    let mut command = Command::new(programs.join("bin").join(name));
    command.current_dir(workspace.root());
    command
}

fn reviewers(workspace: &Workspace) -> Result<PathBuf> {
    let ingredients = REVIEWERS.map(str::as_bytes);
    tool::ensure(workspace, "reviewers", &ingredients, |folder| {
        let mut install = workspace.cargo(&["install", "--locked", "--root"]);
        succeed(install.arg(folder).args(REVIEWERS))
    })
}

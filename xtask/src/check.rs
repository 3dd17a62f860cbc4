//! `cargo xtask check`: what CI runs. The quick refusals come first.

use anyhow::{Result, ensure};

use crate::stage::Stages;
use crate::workspace::Workspace;
use crate::{test, tidy};

/// Format, lints, form, tests.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "`check` takes no arguments; `cargo xtask test` does");
    let mut stages = Stages::new("check");
    stages.command("fmt", &mut workspace.cargo(&["fmt", "--all", "--check"]))?;
    // The peers are a workspace of their own: formatting is all of it that CI can afford to check.
    let peers = ["fmt", "--manifest-path", "benches-peers/Cargo.toml", "--check"];
    stages.command("fmt peers", &mut workspace.cargo(&peers))?;
    stages.run("tidy", || tidy::run(workspace, &[]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    stages.command("clippy", &mut workspace.cargo(&clippy))?;
    stages.run("test", || test::run(workspace, &[]))?;
    stages.finish();
    Ok(())
}

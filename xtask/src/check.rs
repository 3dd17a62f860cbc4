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
    // The peers and the guided fuzzer are workspaces of their own: formatting is all of them that CI can afford to check.
    let peers = ["fmt", "--manifest-path", "benches-peers/Cargo.toml", "--check"];
    stages.command("fmt peers", &mut workspace.cargo(&peers))?;
    let guided = ["fmt", "--manifest-path", "fuzz/guided/Cargo.toml", "--check"];
    stages.command("fmt guided", &mut workspace.cargo(&guided))?;
    stages.run("tidy", || tidy::run(workspace, &[]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    stages.command("clippy", &mut workspace.cargo(&clippy))?;
    // What only DynamoDB users compile: the tests always have the engine.
    let without_engine =
        ["check", "--package", "tabletheory", "--no-default-features", "--features", "derive", "--locked"];
    stages.command("no engine", &mut workspace.cargo(&without_engine))?;
    stages.run("test", || test::run(workspace, &[]))?;
    stages.finish();
    Ok(())
}

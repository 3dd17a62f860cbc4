//! `cargo xtask test`: installs what the tests need, then runs them all: unit and integration tests, documentation
//! examples, whole examples. Arguments narrow the first of these to what the runner is told.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::stage::Stages;
use crate::workspace::Workspace;
use crate::{dynamodb_local, node, program, python};

/// Everything, or only what `arguments` select.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut stages = Stages::new("test");
    let tools = stages.run("prepare", || Tools::ensure(workspace))?;
    let mut tests = runner(workspace);
    if !arguments.iter().any(|word| word.starts_with("-p") || word.starts_with("--package")) {
        // Cargo lets the whole workspace win over a named package, so it is asked for only without one.
        tests.arg("--workspace");
    }
    stages.command("tests", tools.tell(&mut tests).args(arguments))?;
    if arguments.is_empty() {
        let mut doctests = workspace.cargo(&["test", "--doc", "--workspace", "--locked"]);
        stages.command("doctests", tools.tell(&mut doctests))?;
        let mut examples = workspace.cargo(&["test", "--examples", "--workspace", "--locked"]);
        stages.command("examples", tools.tell(&mut examples))?;
    }
    stages.finish();
    Ok(())
}

/// The test runner of this machine: nextest where it is installed. It is not installed here, because building it takes
/// longer than all that it saves.
fn runner(workspace: &Workspace) -> Command {
    let mut probe = workspace.cargo(&["nextest", "--version"]);
    probe.stdout(Stdio::null()).stderr(Stdio::null());
    if probe.status().is_ok_and(|status| status.success()) {
        eprintln!("running the tests with cargo nextest");
        workspace.cargo(&["nextest", "run", "--locked"])
    } else {
        eprintln!("running the tests with cargo test (cargo nextest is not installed; it would be quicker)");
        // Documentation examples have a stage of their own.
        workspace.cargo(&["test", "--locked", "--tests"])
    }
}

/// Where the things are that the tests start.
struct Tools([(&'static str, PathBuf); 3]);

impl Tools {
    fn ensure(workspace: &Workspace) -> Result<Self> {
        program::CC.ensure()?;
        Ok(Self([
            (dynamodb_local::VARIABLE, dynamodb_local::ensure(workspace)?),
            (python::VARIABLE, python::ensure(workspace)?),
            (node::VARIABLE, node::ensure(workspace)?),
        ]))
    }

    /// Tests learn the places from environment variables.
    fn tell<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.0.iter().map(|(name, place)| (name, place)))
    }
}

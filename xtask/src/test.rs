//! `cargo xtask test`: installs what the tests need, then runs them all: unit and integration tests, documentation
//! examples, whole examples. Arguments narrow the first of these to what the runner is told.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::stage::Stages;
use crate::workspace::Workspace;
use crate::{dynamodb_local, faketime, node, program, python, tool};

/// The environment variable that, with the value 1, does without the clients that are not Rust.
const SKIP_CLIENTS: &str = "THEORY_SKIP_CLIENTS";
/// The same for the applications that are put behind the gateway.
const SKIP_APPS: &str = "THEORY_SKIP_APPS";
/// The same for the browser that is put before the dashboard.
const SKIP_BROWSER: &str = "THEORY_SKIP_BROWSER";
/// The same for the tests of HTTP caches.
const SKIP_CACHE_TESTS: &str = "THEORY_SKIP_CACHE_TESTS";
/// The same for the linter of templates.
const SKIP_CFN_LINT: &str = "THEORY_SKIP_CFN_LINT";

const LOOPBACK: &str = "127.0.0.1,localhost";

/// Everything, or only what `arguments` select.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut stages = Stages::new("test");
    let tools = stages.run("prepare", || Tools::ensure(workspace, tool::is_skipped))?;
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

/// Where the things are that the tests start, by the environment variables that tell them.
#[derive(Debug)]
struct Tools(Vec<(&'static str, PathBuf)>);

impl Tools {
    fn ensure(workspace: &Workspace, is_skipped: impl Fn(&str) -> bool) -> Result<Self> {
        program::CC.ensure()?;
        let mut places = Vec::new();
        if !is_skipped(dynamodb_local::SKIP) {
            places.push((dynamodb_local::VARIABLE, dynamodb_local::ensure(workspace)?));
        }
        if !is_skipped(SKIP_CLIENTS) {
            places.push((python::CLIENTS.variable, python::CLIENTS.ensure(workspace)?));
            places.push((node::CLIENTS.variable, node::CLIENTS.ensure(workspace)?));
        }
        if !is_skipped(SKIP_APPS) {
            places.push((python::APPS.variable, python::APPS.ensure(workspace)?));
            places.push((node::APPS.variable, node::APPS.ensure(workspace)?));
        }
        if !is_skipped(SKIP_CFN_LINT) {
            places.push((python::CFN_LINT.variable, python::CFN_LINT.ensure(workspace)?));
        }
        if !is_skipped(SKIP_BROWSER) {
            program::CHROMIUM.ensure()?;
            places.push((node::BROWSER.variable, node::BROWSER.ensure(workspace)?));
        }
        if !is_skipped(SKIP_CACHE_TESTS) {
            places.push((node::CACHE_TESTS.variable, node::CACHE_TESTS.ensure(workspace)?));
        }
        if cfg!(target_os = "linux") && !is_skipped(faketime::SKIP) {
            places.push((faketime::VARIABLE, faketime::ensure()?));
        }
        for (variable, place) in &places {
            // As one sets it to run a test by hand.
            eprintln!("{variable}={}", place.display());
        }
        Ok(Self(places))
    }

    /// Tests learn the places from environment variables, and reach this machine past any proxy.
    fn tell<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for variable in ["NO_PROXY", "no_proxy"] {
            command.env(variable, without_proxy(std::env::var(variable).ok()));
        }
        command.envs(self.0.iter().map(|(variable, place)| (variable, place)))
    }
}

/// What goes past a proxy: what the machine says, which cargo may need, and the machine itself.
fn without_proxy(told: Option<String>) -> String {
    let told = told.filter(|hosts| !hosts.is_empty());
    told.map_or_else(|| LOOPBACK.to_owned(), |hosts| format!("{hosts},{LOOPBACK}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_is_not_installed() {
        let workspace = Workspace::find().unwrap();
        assert!(Tools::ensure(&workspace, |_| true).unwrap().0.is_empty());
    }

    #[test]
    fn this_machine_is_reached_past_any_proxy() {
        assert_eq!(without_proxy(None), "127.0.0.1,localhost");
        assert_eq!(without_proxy(Some(String::new())), "127.0.0.1,localhost");
        assert_eq!(
            without_proxy(Some("registry.example".to_owned())),
            "registry.example,127.0.0.1,localhost"
        );
    }
}

//! Python that the tests run, in environments of their own under `.tools`, in exactly the versions and bytes that lists name: clients of
//! our DynamoDB endpoint and moto's KMS, an application behind the gateway, and the linter of templates.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

const PYTHON: &str = "bin/python";

/// boto3, the AWS command line, and moto.
pub(crate) const CLIENTS: Packages = Packages {
    variable: "THEORY_PYTHON",
    noun: "python",
    requirements: "crates/theory/tests/clients/requirements.txt",
    what: "boto3, the AWS command line and moto",
};

/// What a site is made with.
pub(crate) const APPS: Packages = Packages {
    variable: "THEORY_APPS_PYTHON",
    noun: "python-apps",
    requirements: "crates/theory/tests/apps/requirements.txt",
    what: "Django and uvicorn",
};

/// The linter of templates.
pub(crate) const CFN_LINT: Packages = Packages {
    variable: "THEORY_CFN_LINT",
    noun: "python-cfn-lint",
    requirements: "crates/theory-synth/tests/requirements.txt",
    what: "cfn-lint",
};

/// Packages that belong together.
pub(crate) struct Packages {
    /// The environment variable that tells tests the Python that has them.
    pub(crate) variable: &'static str,
    noun: &'static str,
    /// The list of them.
    requirements: &'static str,
    what: &'static str,
}

impl Packages {
    /// The Python that has them; they are installed the first time. One named by the variable is used as it is.
    pub(crate) fn ensure(&self, workspace: &Workspace) -> Result<PathBuf> {
        let Self { variable, noun, requirements, what } = *self;
        if let Some(chosen) = std::env::var_os(variable) {
            let chosen = PathBuf::from(chosen);
            ensure!(chosen.is_file(), "{variable} names {}, which is no program", chosen.display());
            return Ok(chosen);
        }
        program::PYTHON.ensure()?;
        let place = workspace.root().join(requirements);
        let list = std::fs::read(&place).with_context(|| format!("cannot read {requirements}"))?;
        // An environment belongs to the Python that made it.
        let version = Command::new(program::PYTHON.name).arg("--version").output()?.stdout;
        let folder = tool::ensure(workspace, noun, &[&list, &version], |draft| {
            eprintln!("installing {what}");
            fill(draft, &place)
        })?;
        Ok(folder.join(PYTHON))
    }
}

fn fill(draft: &Path, requirements: &Path) -> Result<()> {
    succeed(Command::new(program::PYTHON.name).args(["-m", "venv"]).arg(draft))?;
    let pip = |arguments: &[&str]| {
        let mut pip = Command::new(draft.join(PYTHON));
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]).args(arguments);
        pip
    };
    // The list is complete: nothing comes in that it does not name, byte by byte, and `check` says if something is
    // missing. A wheel is unpacked; anything else would run a program of its own to be installed.
    let install = ["install", "--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement"];
    succeed(pip(&install).arg(requirements))?;
    succeed(&mut pip(&["check"]))
}

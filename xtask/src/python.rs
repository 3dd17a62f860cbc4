//! What the tests run in Python: boto3, the AWS command line, and moto's KMS, in an environment of their own
//! under `.tools`, in exactly the versions and bytes that `requirements.txt` lists.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

/// The environment variable that tells tests the Python that has the clients.
pub(crate) const VARIABLE: &str = "THEORY_PYTHON";

const REQUIREMENTS: &str = "crates/theory/tests/clients/requirements.txt";
const PYTHON: &str = "bin/python";

/// The Python that has the clients; they are installed the first time. One named by [`VARIABLE`] is used as it is.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os(VARIABLE) {
        let chosen = PathBuf::from(chosen);
        ensure!(chosen.is_file(), "{VARIABLE} names {}, which is no program", chosen.display());
        return Ok(chosen);
    }
    program::PYTHON.ensure()?;
    let requirements = workspace.root().join(REQUIREMENTS);
    let list = std::fs::read(&requirements).with_context(|| format!("cannot read {REQUIREMENTS}"))?;
    // An environment belongs to the Python that made it.
    let version = Command::new(program::PYTHON.name).arg("--version").output()?.stdout;
    let folder = tool::ensure(workspace, "python", &[&list, &version], |draft| fill(draft, &requirements))?;
    Ok(folder.join(PYTHON))
}

fn fill(draft: &Path, requirements: &Path) -> Result<()> {
    eprintln!("installing boto3, the AWS command line and moto");
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

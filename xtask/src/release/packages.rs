//! The package of every crate that is published, each built from nothing but what is in it.

use std::path::Path;

use anyhow::{Context, Result};

use crate::stage::succeed;
use crate::workspace::Workspace;

/// Makes and tries all packages, and puts them into `out`.
pub(super) fn make(workspace: &Workspace, out: &Path) -> Result<()> {
    let mut cargo = workspace.cargo(&["package", "--locked"]);
    let published: Vec<String> = workspace.published()?;
    for name in &published {
        cargo.args(["--package", name]);
    }
    succeed(&mut cargo)?;
    let made = workspace.target()?.join("package");
    for name in published {
        let file = format!("{name}-{}.crate", workspace.version(&name)?);
        std::fs::copy(made.join(&file), out.join(&file)).with_context(|| format!("cannot copy {file}"))?;
    }
    Ok(())
}

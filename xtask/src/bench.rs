//! `cargo xtask bench`: runs `benches-peers`, which puts the engine beside its peers, and hands it all arguments.

use anyhow::Result;

use crate::stage::succeed;
use crate::workspace::Workspace;

/// One run, one table.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let peers = ["run", "--release", "--locked", "--manifest-path", "benches-peers/Cargo.toml", "--"];
    succeed(workspace.cargo(&peers).args(arguments))
}

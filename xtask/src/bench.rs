//! `cargo xtask bench`: builds the program `theory` and finds AWS's DynamoDB Local, then runs `benches-peers`, which puts
//! ours beside its peers in process and over HTTP, and hands it all arguments.

use std::path::PathBuf;

use anyhow::Result;

use crate::artifact::Artifacts;
use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{dynamodb_local, tool};

/// One run, one table.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let peers = ["run", "--release", "--locked", "--manifest-path", "benches-peers/Cargo.toml", "--"];
    let mut peers = workspace.cargo(&peers);
    if !arguments.iter().any(|word| word == "--help" || word == "-h") {
        if !tool::is_skipped(dynamodb_local::SKIP) {
            peers.arg("--dynamodb-local").arg(dynamodb_local::ensure(workspace)?);
        }
        peers.arg("--theory").arg(build_theory(workspace)?);
    }
    succeed(peers.args(arguments))
}

/// Builds the program as it is released, and says where it is.
fn build_theory(workspace: &Workspace) -> Result<PathBuf> {
    let build = ["build", "--release", "--locked", "--package", "theory"];
    Artifacts::of(&mut workspace.cargo(&build))?.program("theory")
}
